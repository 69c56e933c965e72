#ifndef GATEHOUSE_DATAPLANE_RELAY_CONTROL_CLIENT_H_
#define GATEHOUSE_DATAPLANE_RELAY_CONTROL_CLIENT_H_

// What the data plane needs of the control plane, as values. dataplane/control
// implements it over gRPC; tests fake it. The words are the proto's.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "dataplane/relay/upstream.h"

namespace gatehouse::relay {

struct SessionInfo {
  std::string id;  // public, without prefix
  std::string virtual_server;
  std::string issuer;
  std::string subject;
  std::string revision;
  std::string client_capabilities;  // raw JSON
};

struct NewSession {
  std::string session_id_sha256;
  std::string virtual_server;
  std::string issuer;
  std::string subject;
  std::string revision;
  std::string client_capabilities;
  std::string client_info;
};

struct AdmitRequest {
  // Bare id. With kAmbiguous and kNone empty, or of roots outside of any call
  // the one to ask the client under.
  std::string operation;
  std::string session;
  std::string virtual_server;
  std::string upstream;
  mcp::Revision upstream_revision = mcp::kLatestLegacy;
  std::string tool;
  std::string method;
  Attribution attribution = Attribution::kOwnStream;
  std::vector<RaisedInputRequest> requests;
  std::string traceparent;  // of the call; valid, or empty
  // They are the elicitations of a `-32042` error. What is refused has the
  // error for the client's call.
  bool notified = false;
};

struct AdmitVerdict {
  enum class Kind { kRelay, kRefuse, kHold, kNotify, kAnswer };
  Kind kind = Kind::kRefuse;
  std::string key;
  std::string input_request;  // bare id; empty if none was made
  // kRelay:
  std::string opaque_id;
  std::optional<std::string> params;  // nullopt: as the upstream sent them
  absl::Duration time_left;           // until the deadline
  // kRelay of URL mode, kNotify (with params): as the client knows it.
  std::string elicitation_id;
  // kRefuse:
  UpstreamReply refusal;
  // kAnswer: raw.
  std::string result;
};

enum class SubmitOutcome { kDeliver, kElsewhere, kIgnored, kHold };

struct SubmitVerdict {
  SubmitOutcome outcome = SubmitOutcome::kIgnored;
  std::string input_request;
  UpstreamReply deliver;
};

enum class OperationEnd {
  kCompleted,
  kClientCancelled,
  kUpstreamFailed,
  kTimedOut,
  kSessionEnded,
  kWorkerShutdown,
};
enum class CancelCause { kUpstream, kClientUnreachable };

// `traceparent`, valid or empty, is the call's that the message belongs to: so
// that the control plane's log has its trace.
//
// Unary calls with their deadlines (decide 1.5 s, settle 2 s) and request ids;
// `done` is called once, on a thread of the control client, with UNAVAILABLE
// where the control plane did not answer in time.
// Thread-safe; nothing here blocks.
class ControlClient {
 public:
  virtual ~ControlClient() = default;

  // If it times out, the client itself sends CancelInputRequest by the request
  // id until that is acknowledged; the caller answers `trust_unavailable`.
  virtual void Admit(
      AdmitRequest request,
      std::function<void(absl::StatusOr<std::vector<AdmitVerdict>>)> done) = 0;
  // Resent under one request id until `give_up_after` has passed; then
  // UNAVAILABLE. Exactly one of result and error is set.
  virtual void Submit(
      std::string opaque_id, std::string session,
      std::optional<std::string> result, std::optional<std::string> error,
      std::string traceparent, absl::Duration give_up_after,
      std::function<void(absl::StatusOr<SubmitVerdict>)> done) = 0;
  // Resent until acknowledged; nobody waits for it.
  virtual void CancelInputRequest(std::string input_request, CancelCause cause,
                                  std::string traceparent) = 0;
  virtual void CloseOperation(std::string operation, std::string session,
                              OperationEnd end, std::string traceparent) = 0;

  virtual void CreateSession(
      NewSession session,
      std::function<void(absl::StatusOr<SessionInfo>)> done) = 0;
  // NOT_FOUND if there is no such session; UNAVAILABLE if nobody could say.
  virtual void FindSession(
      std::string session_id_sha256,
      std::function<void(absl::StatusOr<SessionInfo>)> done) = 0;
  virtual void CloseSession(std::string session, std::string cause,
                            std::function<void(absl::Status)> done) = 0;

  // Asks whether a mailed delivery may be written; nullopt: no.
  virtual void Claim(
      std::string input_request,
      std::function<void(absl::StatusOr<std::optional<UpstreamReply>>)>
          done) = 0;
  // It was written. Kept and resent until taken.
  virtual void Acknowledge(std::string input_request) = 0;

  // The session's client said that its roots are others now. Resent until
  // acknowledged or given up; then `ended` is called.
  virtual void ReportRootsChanged(std::string session,
                                  std::function<void()> ended) = 0;

  // For the lease's next renewal.
  virtual void ReportActiveSession(std::string_view session) = 0;
};

}  // namespace gatehouse::relay

#endif  // GATEHOUSE_DATAPLANE_RELAY_CONTROL_CLIENT_H_
