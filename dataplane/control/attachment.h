#ifndef GATEHOUSE_DATAPLANE_CONTROL_ATTACHMENT_H_
#define GATEHOUSE_DATAPLANE_CONTROL_ATTACHMENT_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "dataplane/control/attach_stream.h"
#include "dataplane/control/calls.h"
#include "dataplane/control/grpc_control_client.h"
#include "dataplane/relay/mail.h"
#include "dataplane/relay/scheduling.h"
#include "dataplane/relay/snapshots.h"
#include "gatehouse/v1/fleet_service.grpc.pb.h"
#include "shared/base/mutex.h"

namespace gatehouse::control {

// The worker's attachment to the control plane over all the streams it takes:
// the epoch, the lease, the mailbox's number, claims and acknowledgements that
// still have to be said. What is to be written is kept here as state, not as a
// queue of messages: a stream that can write asks for the next one, so nothing
// grows while none can.
//
// Thread-safe. Ownership: shared with the streams and timers it starts; borrows
// snapshots, timers, clock and the mail observer.
class Attachment final : public AttachSource,
                         public std::enable_shared_from_this<Attachment> {
 public:
  Attachment(const ControlClientOptions& options,
             std::unique_ptr<v1::FleetService::Stub> stub,
             std::shared_ptr<Calls> calls, relay::Snapshots& snapshots,
             relay::Timers& timers, Clock& clock);

  void Start(std::string listen, relay::MailObserver& mail);
  void Stop();

  bool attached() const;
  int64_t epoch() const { return epoch_.load(); }  // 0: never attached

  using ClaimDone =
      std::function<void(absl::StatusOr<std::optional<relay::UpstreamReply>>)>;
  // UNAVAILABLE if there are too many, or the worker stops.
  void Claim(std::string input_request, ClaimDone done);
  void Acknowledge(std::string input_request);
  void ReportActiveSession(std::string_view session);

  // AttachSource, called by the stream.
  bool Next(const AttachStream* stream, v1::AttachRequest& message) override;
  void OnMessage(const AttachStream* stream,
                 const v1::AttachResponse& message) override;
  void OnEnd(const AttachStream* stream, const grpc::Status& status) override;

 private:
  struct PendingClaim {
    ClaimDone done;
    bool sent = false;  // on the stream that is open now
  };
  struct PendingAcknowledge {
    std::string input_request;
    // The renewal sent after it: its answer shows that this was taken in.
    // 0: not sent on the stream that is open now.
    int64_t before_renewal = 0;
  };

  void Connect();
  void Pump();
  void ScheduleRenewal();
  void OnRenewalDue();
  void OnWelcome(const v1::Welcome& welcome);
  void OnMail(const v1::Mail& mail);
  void OnClaimResult(const v1::ClaimResult& result);
  void OnRenewed();
  void Log(std::string_view event, std::string_view detail) const;
  void FillHelloLocked(v1::WorkerHello& hello)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FillRenewLocked(v1::RenewLease& renew)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool NextDeliveryLocked(v1::AttachRequest& message)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const ControlClientOptions options_;
  const std::unique_ptr<v1::FleetService::Stub> stub_;
  const std::shared_ptr<Calls> calls_;
  relay::Snapshots& snapshots_;
  relay::Timers& timers_;
  Clock& clock_;

  std::atomic<int64_t> epoch_{0};

  mutable Mutex mutex_;
  std::string listen_ ABSL_GUARDED_BY(mutex_);
  relay::MailObserver* mail_ ABSL_GUARDED_BY(mutex_) = nullptr;
  std::shared_ptr<AttachStream> stream_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  bool hello_due_ ABSL_GUARDED_BY(mutex_) = false;
  bool welcomed_ ABSL_GUARDED_BY(mutex_) = false;
  bool renewal_due_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Duration pause_ ABSL_GUARDED_BY(mutex_);
  absl::Duration lease_ ABSL_GUARDED_BY(mutex_) = absl::Seconds(10);
  absl::Duration renew_every_ ABSL_GUARDED_BY(mutex_) = absl::Seconds(3);
  absl::Duration last_heard_ ABSL_GUARDED_BY(mutex_);
  int64_t renewals_sent_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t renewals_answered_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t last_mail_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t mail_to_acknowledge_ ABSL_GUARDED_BY(mutex_) = 0;  // 0: none
  std::map<std::string, PendingClaim> claims_ ABSL_GUARDED_BY(mutex_);
  std::deque<PendingAcknowledge> acknowledges_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> active_sessions_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gatehouse::control

#endif  // GATEHOUSE_DATAPLANE_CONTROL_ATTACHMENT_H_
