#ifndef GATEHOUSE_DATAPLANE_RELAY_UPSTREAM_H_
#define GATEHOUSE_DATAPLANE_RELAY_UPSTREAM_H_

// What an operation needs of the upstream side, whichever era or transport:
// no SSE, no session, no JSON-RPC id. dataplane/upstream implements it.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "shared/mcp/features.h"
#include "shared/mcp/revision.h"
#include "shared/reasons/reasons.h"

namespace gatehouse::relay {

// How an upstream is reached: one upstream of a policy snapshot, by value.
struct UpstreamTarget {
  std::string virtual_server;
  std::string upstream;  // configured name
  // Exactly one of http_url and command is set.
  std::string http_url;
  std::vector<std::pair<std::string, std::string>> headers_from;  // references
  // Of an https URL; empty: the system's CAs, and no certificate is shown.
  std::string tls_ca;    // a file
  std::string tls_cert;  // a file
  std::string tls_key;   // a reference
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> env;  // may be references
  std::string run_as;
  int64_t policy_version = 0;
};

// On whose behalf. One physical session never serves two of these.
struct Beneficiary {
  std::string session;          // public id of the downstream session
  mcp::ClientFeatures offered;  // policy ∩ what the client declared
};

// One thing that an upstream asks of the client's side, as it came.
struct RaisedInputRequest {
  std::string key;  // the upstream's id lexeme; names it in Reply
  std::string method;
  std::string params;  // raw; empty: absent
};

enum class Attribution { kOwnStream, kOnlyCall, kAmbiguous, kNone };

// The one answer that an input request gets.
struct UpstreamReply {
  bool is_error = false;
  std::string result;  // raw, if not an error
  int32_t code = 0;
  std::string message;
  std::string data;  // raw, or empty
};

// Told what happens to one call. Called on threads of the upstream side; an
// implementation posts to its own serial queue and returns. OnEnd comes exactly
// once and last.
class CallObserver {
 public:
  virtual ~CallObserver() = default;
  // `notifications/progress` for this call, the params as they came.
  virtual void OnProgress(std::string params) = 0;
  // Another notification on the call's own stream.
  virtual void OnNotification(std::string method, std::string params) = 0;
  virtual void OnInputRequests(std::vector<RaisedInputRequest> requests,
                               Attribution attribution,
                               mcp::Revision upstream_revision) = 0;
  // The upstream no longer wants an answer.
  virtual void OnInputRequestCancelled(std::string key) = 0;

  struct End {
    // One of: the raw `result`; the raw `error` of the upstream; our failure.
    std::string result;
    std::string error;
    Failure failure;  // if both are empty
    // Which the upstream negotiated; of an `error`.
    mcp::Revision upstream_revision = mcp::kLatestLegacy;
    // The error is as the control plane had it, so it goes out whatever its
    // code.
    bool judged = false;
  };
  virtual void OnEnd(End end) = 0;
};

// One call under way. Thread-safe.
class UpstreamCall {
 public:
  virtual ~UpstreamCall() = default;
  // Writes the answer to an input request of this call, once; `written` (may be
  // empty) is told whether it went out in full (OK) or not.
  virtual void Reply(std::string_view key, UpstreamReply reply,
                     std::function<void(absl::Status)> written) = 0;
  // The client's progress on an input request of this call: numbers only.
  virtual void ReplyProgress(std::string_view key, std::string params) = 0;
  // An elicitation in URL mode, by the upstream's id for it, is about to be
  // shown: `completed` is called if the upstream says that it is complete, once
  // and at most an hour from now, on a thread of the upstream side. Also after
  // the call's end.
  virtual void ExpectCompletion(std::string elicitation_id,
                                std::function<void()> completed) = 0;
  // Tells the upstream that nobody waits any more; OnEnd follows at once with
  // reason kOperationEnded. Idempotent.
  virtual void Cancel(std::string_view reason) = 0;
};

struct CallSpec {
  std::shared_ptr<const UpstreamTarget> target;  // not null
  Beneficiary beneficiary;
  std::string method;  // `tools/call`
  std::string params;  // raw, with the upstream's own names, no progressToken
  std::string traceparent;  // valid, or empty; goes on as a header over HTTP
  bool wants_progress = false;
  absl::Duration timeout = absl::Minutes(5);  // of the upstream's own work:
                                              // stands still while it waits for
                                              // an answer
};

// Input requests that belong to no call, for the control plane to judge.
class StrayObserver {
 public:
  // Writes the one answer; `written` as in UpstreamCall::Reply.
  using Reply =
      std::function<void(UpstreamReply, std::function<void(absl::Status)>)>;
  // To be called if the upstream no longer wants an answer, or has gone. May be
  // empty.
  using Cancel = std::function<void()>;

  virtual ~StrayObserver() = default;
  virtual Cancel OnStrayInputRequest(const UpstreamTarget& target,
                                     const Beneficiary& beneficiary,
                                     RaisedInputRequest request,
                                     Attribution attribution,
                                     mcp::Revision upstream_revision,
                                     Reply reply) = 0;
};

// The upstream side as a whole. Thread-safe; nothing here blocks.
class Upstreams {
 public:
  virtual ~Upstreams() = default;

  // `observer` is kept until OnEnd.
  virtual std::shared_ptr<UpstreamCall> StartCall(
      CallSpec spec, std::shared_ptr<CallObserver> observer) = 0;

  // All pages of `tools/list`; `done` gets the raw tool objects in order.
  virtual void ListTools(
      const UpstreamTarget& target, const Beneficiary& beneficiary,
      absl::Duration timeout,
      std::function<void(absl::StatusOr<std::vector<std::string>>)> done) = 0;

  // Ends every physical session of a downstream session; its calls end too.
  virtual void EndSession(std::string_view session) = 0;
  virtual void Shutdown() = 0;
};

}  // namespace gatehouse::relay

#endif  // GATEHOUSE_DATAPLANE_RELAY_UPSTREAM_H_
