#ifndef GATEHOUSE_DATAPLANE_CONTROL_GRPC_CONTROL_CLIENT_H_
#define GATEHOUSE_DATAPLANE_CONTROL_GRPC_CONTROL_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "dataplane/relay/control_client.h"
#include "dataplane/relay/mail.h"
#include "dataplane/relay/scheduling.h"
#include "dataplane/relay/snapshots.h"
#include "shared/base/clock.h"
#include "shared/base/random.h"

namespace gatehouse::control {

struct ControlClientOptions {
  // `unix:/path` or `host:port` with a loopback host: off loopback the token
  // would travel in the clear.
  std::string address;
  std::string token;    // a worker's
  std::string worker;   // bare: 1 to 64 characters of [a-z0-9-]
  std::string cluster;  // empty: the default one
  std::string version;  // of this build
  // How many operations run, for the lease's renewal. May be empty.
  std::function<int32_t()> operations;
  // Called on any thread, must not block. `event` is `attached`, `detached` or
  // `control_call_failed`. May be empty.
  std::function<void(std::string_view event, std::string_view detail)> log;
};

// INVALID_ARGUMENT, with what is allowed, for any other form.
absl::Status CheckControlAddress(std::string_view address);

// The control plane, over one gRPC channel, and the worker's Attach stream.
// Unary calls go on while the stream is down, under the epoch it had.
//
// Thread-safe; nothing blocks but Flush and Shutdown. Ownership: borrows what
// it is created with. Errors of its methods: ControlClient; the control plane's
// own gRPC codes do not leave this class.
class GrpcControlClient final : public relay::ControlClient {
  using AdmitRequest = relay::AdmitRequest;
  using AdmitVerdict = relay::AdmitVerdict;
  using SubmitVerdict = relay::SubmitVerdict;
  using CancelCause = relay::CancelCause;
  using OperationEnd = relay::OperationEnd;
  using NewSession = relay::NewSession;
  using SessionInfo = relay::SessionInfo;

 public:
  // INVALID_ARGUMENT for an address or a name that cannot be used. Connects to
  // nothing yet.
  static absl::StatusOr<std::unique_ptr<GrpcControlClient>> Create(
      ControlClientOptions options, relay::Snapshots& snapshots,
      relay::Timers& timers, Clock& clock, Random& random);
  ~GrpcControlClient() override;

  // Opens the stream and keeps it open (backoff 100 ms to 2 s). Once, before
  // any other call. `listen` is where clients connect, for people.
  void Attach(std::string listen, relay::MailObserver& mail);
  // Whether the stream is open and its Welcome has come.
  bool attached() const;

  // Waits, at most `patience`, until the cancels and closes that nobody waits
  // for are acknowledged: before Shutdown, which drops them.
  void Flush(absl::Duration patience);
  // Ends the stream and every call; waits at most `patience` for callbacks
  // under way. Later calls fail at once. Idempotent.
  void Shutdown(absl::Duration patience);

  void Admit(AdmitRequest request,
             std::function<void(absl::StatusOr<std::vector<AdmitVerdict>>)>
                 done) override;
  void Submit(std::string opaque_id, std::string session,
              std::optional<std::string> result,
              std::optional<std::string> error, std::string traceparent,
              absl::Duration give_up_after,
              std::function<void(absl::StatusOr<SubmitVerdict>)> done) override;
  void CancelInputRequest(std::string input_request, CancelCause cause,
                          std::string traceparent) override;
  void CloseOperation(std::string operation, std::string session,
                      OperationEnd end, std::string traceparent) override;
  void CreateSession(
      NewSession session,
      std::function<void(absl::StatusOr<SessionInfo>)> done) override;
  void FindSession(
      std::string session_id_sha256,
      std::function<void(absl::StatusOr<SessionInfo>)> done) override;
  void CloseSession(std::string session, std::string cause,
                    std::function<void(absl::Status)> done) override;
  void Claim(
      std::string input_request,
      std::function<void(absl::StatusOr<std::optional<relay::UpstreamReply>>)>
          done) override;
  void Acknowledge(std::string input_request) override;
  void ReportRootsChanged(std::string session,
                          std::function<void()> ended) override;
  void ReportActiveSession(std::string_view session) override;

 private:
  struct State;
  explicit GrpcControlClient(std::shared_ptr<State> state);
  const std::shared_ptr<State> state_;
};

}  // namespace gatehouse::control

#endif  // GATEHOUSE_DATAPLANE_CONTROL_GRPC_CONTROL_CLIENT_H_
