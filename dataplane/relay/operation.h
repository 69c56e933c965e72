#ifndef GATEHOUSE_DATAPLANE_RELAY_OPERATION_H_
#define GATEHOUSE_DATAPLANE_RELAY_OPERATION_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "dataplane/relay/client_side.h"
#include "dataplane/relay/control_client.h"
#include "dataplane/relay/mail.h"
#include "dataplane/relay/observer.h"
#include "dataplane/relay/scheduling.h"
#include "dataplane/relay/upstream.h"
#include "shared/base/clock.h"

namespace gatehouse::relay {

struct OperationSpec {
  std::string id;  // bare; 128 random bits
  std::string session;
  std::string tool;  // by the upstream's own name
  CallSpec call;
};

// Input requests of one operation that may be open at once; the control plane's
// limit is lower, this one bounds memory before it is asked.
inline constexpr size_t kMaxOpenInputRequests = 64;
// How long after an input request's deadline the worker waits for the control
// plane's word before it answers the upstream itself.
inline constexpr absl::Duration kExpiryGrace = absl::Seconds(5);
// The same, where the client could not be reached and there is no deadline.
inline constexpr absl::Duration kUnreachableGrace = absl::Seconds(3);
// A held one without a deadline: the longest review (DESIGN §8).
inline constexpr absl::Duration kLongestHold = absl::Minutes(10);

// Told where an operation stands. Implemented by Operations. Thread-safe.
class OperationIndex {
 public:
  virtual ~OperationIndex() = default;
  // An opaque id is about to be shown by this operation, or no longer open.
  virtual void AddOpaqueId(const std::string& opaque_id,
                           const std::string& operation,
                           absl::Duration time_left) = 0;
  virtual void RemoveOpaqueId(const std::string& opaque_id) = 0;
  // It waits for somebody, from now on counted among those that do.
  virtual void OnWaits(const std::string& operation) = 0;
  virtual void OnEnded(const std::string& operation) = 0;
};

// One client request being served: joins the client's side and the upstream's.
// It decides nothing: an input request is shown, refused and answered as the
// control plane says. Of itself it says only `trust_unavailable` (no verdict)
// and `expired` (no word after the deadline), which are invariant 1's two.
// Every input request that the upstream still waits for is answered once.
//
// Thread-safe: every method posts to the operation's serial queue, on which
// everything else runs. Ownership: borrows what is in Neighbours; shares the
// client side and itself with the callbacks it hands out, until the call ends.
class Operation final : public CallObserver,
                        public std::enable_shared_from_this<Operation> {
 public:
  struct Neighbours {
    Upstreams& upstreams;
    ControlClient& control;
    Timers& timers;
    Clock& clock;
    OperationIndex& index;
    Observer& observer;
    ClientSessions& sessions;
  };

  Operation(OperationSpec spec, Neighbours neighbours,
            std::shared_ptr<TaskQueue> queue,
            std::shared_ptr<ClientSide> client);

  const std::string& id() const { return spec_.id; }
  const std::string& session() const { return spec_.session; }
  const std::string& traceparent() const { return spec_.call.traceparent; }

  void Start();
  // In place of Start: something that was asked outside of any call, whose
  // upstream is answered through `asker`. The operation ends with the answer
  // and is told of to nobody but the control plane.
  void StartOutside(std::shared_ptr<UpstreamCall> asker,
                    RaisedInputRequest request, Attribution attribution,
                    mcp::Revision upstream_revision);
  // The client no longer wants an answer.
  void CancelByClient(std::string reason);
  // kSessionEnded or kWorkerShutdown: the call ends with `operation_ended`.
  void EndBy(OperationEnd how);
  // Mail about an input request of this operation.
  void OnDeliveryReady(DeliveryReady delivery);
  // The verdict on a reply that came in at this worker: the claim is made.
  void Deliver(std::string input_request, UpstreamReply reply);
  // The client's progress on an input request: numbers only.
  void ClientProgress(std::string opaque_id, std::string params);

  // CallObserver.
  void OnProgress(std::string params) override;
  void OnNotification(std::string method, std::string params) override;
  void OnInputRequests(std::vector<RaisedInputRequest> requests,
                       Attribution attribution,
                       mcp::Revision upstream_revision) override;
  void OnInputRequestCancelled(std::string key) override;
  void OnEnd(CallObserver::End end) override;

 private:
  // An input request from the moment it was raised until its answer is handed
  // to the upstream side (or the upstream stopped asking).
  struct Open {
    enum class Phase {
      kAdmitting,  // the control plane was asked
      kShown,      // at the client
      kOwed,       // ended at the control plane, or held there: its word comes
    };
    Phase phase = Phase::kAdmitting;
    std::string key;
    std::string method;
    std::string params;
    std::string input_request;
    std::string opaque_id;
    Timers::Id backstop = 0;
    absl::Duration raised;       // on the steady scale
    bool upstream_gone = false;  // cancelled by the upstream while admitting
    bool claiming = false;
  };
  using OpenMap = std::map<uint64_t, Open>;

  void Post(std::function<void(Operation&)> task);
  OpenMap::iterator FindByKey(std::string_view key);
  OpenMap::iterator FindByInputRequest(std::string_view input_request);

  void Raise(std::vector<RaisedInputRequest> requests, Attribution attribution,
             mcp::Revision upstream_revision);
  AdmitRequest NewAdmit(Attribution attribution,
                        mcp::Revision upstream_revision) const;
  void OnVerdicts(const std::vector<uint64_t>& serials,
                  absl::StatusOr<std::vector<AdmitVerdict>> verdicts);
  void OnNoVerdict(const std::vector<uint64_t>& serials);
  // Acts on a verdict; a request to be shown is appended to `shown`.
  void OnVerdict(OpenMap::iterator it, AdmitVerdict verdict,
                 std::vector<uint64_t>& serials,
                 std::vector<ShownInputRequest>& shown);
  void Show(const std::vector<uint64_t>& serials,
            std::vector<ShownInputRequest> shown);

  // The call ended with a `-32042`: its elicitations are judged before the
  // client has the error.
  void RaiseRequired(CallObserver::End end);
  void OnRequiredVerdicts(absl::StatusOr<std::vector<AdmitVerdict>> verdicts);
  CallObserver::End JudgedEnd(std::vector<AdmitVerdict> verdicts);
  void FinishWith(CallObserver::End end);
  // The client hears of it when the upstream says that it is complete.
  void ExpectCompletion(std::string upstreams_id, std::string elicitation_id);

  void StartClaim(OpenMap::iterator it);
  void ArmBackstop(OpenMap::iterator it, absl::Duration delay);
  void WithdrawFromClient(Open& open, std::string_view reason);
  // Writes the one answer and forgets the request. `acknowledge`: the control
  // plane waits to hear that it was written.
  void Answer(OpenMap::iterator it, UpstreamReply reply, bool acknowledge);
  void Forget(OpenMap::iterator it);
  // It goes without an answer, since nobody wants one any more.
  void Drop(OpenMap::iterator it);
  void DropAll(std::string_view reason);
  void TellEnd(const Open& open, const UpstreamReply* reply) const;
  CallName Name() const;
  // Closes down: nothing but this may set ended_. `failure`: what the client is
  // told, if not what the upstream said.
  void Close(OperationEnd how, const Failure* failure);

  const OperationSpec spec_;
  const Neighbours to_;
  const std::shared_ptr<TaskQueue> queue_;
  const std::shared_ptr<ClientSide> client_;

  // On the serial queue only.
  std::shared_ptr<UpstreamCall> call_;
  OpenMap open_;
  uint64_t next_serial_ = 1;
  int admits_in_flight_ = 0;
  // Mail that came before the verdict it follows from; by input request.
  std::map<std::string, DeliveryReady, std::less<>> early_mail_;
  bool admitted_any_ = false;  // the control plane knows this operation
  bool outside_ = false;       // of any call
  bool relayed_any_ = false;   // or held: it is open at the control plane
  std::string required_;       // the `-32042` error that is being judged
  std::vector<std::string> required_ids_;  // the upstream's, in its order
  bool ended_ = false;
};

}  // namespace gatehouse::relay

#endif  // GATEHOUSE_DATAPLANE_RELAY_OPERATION_H_
