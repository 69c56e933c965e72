#ifndef GATEHOUSE_DATAPLANE_UPSTREAM_KEEPER_H_
#define GATEHOUSE_DATAPLANE_UPSTREAM_KEEPER_H_

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/http/executor.h"
#include "dataplane/relay/upstream.h"
#include "dataplane/upstream/call.h"
#include "dataplane/upstream/environment.h"
#include "dataplane/upstream/physical_session.h"
#include "dataplane/upstream/queue_timer.h"

namespace gatehouse::upstream {

// Keeps the physical session of one downstream session with one upstream of one
// virtual server: opens it at first need, lets calls wait for it and for their
// turn, makes a new one when it was lost or the policy changed, ends it when it
// is unused.
//
// Start, End and the CallDriver part are thread-safe and post to the keeper's
// serial queue; all else runs there. Shared: its calls keep it alive.
class Keeper final : public CallDriver,
                     public std::enable_shared_from_this<Keeper> {
 public:
  // `forget` asks its owner to let go of this unused keeper: true if it did,
  // false if a call is on its way here.
  Keeper(std::shared_ptr<Environment> environment,
         std::function<bool(const Keeper&)> forget);

  std::shared_ptr<Call> Start(relay::CallSpec spec,
                              std::shared_ptr<relay::CallObserver> observer);
  // Ends all, and whatever is started later.
  void End(Reason reason);
  // Calls on their way here: counted by the owner, under its lock, before Start
  // and by the keeper when it took them.
  void Expect() { ++expected_; }
  bool expects_calls() const { return expected_ > 0; }

  void Reply(std::shared_ptr<Call> call, std::string key,
             relay::UpstreamReply reply,
             std::function<void(absl::Status)> written) override;
  void ReplyProgress(std::shared_ptr<Call> call, std::string key,
                     std::string params) override;
  void ExpectCompletion(std::shared_ptr<Call> call, std::string elicitation_id,
                        std::function<void()> completed) override;
  void Cancel(std::shared_ptr<Call> call, std::string reason) override;

 private:
  void Take(const std::shared_ptr<Call>& call);
  void PostPump();
  void Pump();
  PhysicalSession& SessionFor(const Call& call);
  void RetireCurrent();
  void FailWaitingFor(const PhysicalSession& session);
  void HandleLateInQueue(const std::shared_ptr<Call>& call);
  void WatchIdle();
  void StartIdle(absl::Duration delay);
  void HandleIdle();
  bool unused() const;

  const std::shared_ptr<Environment> environment_;
  const http::SerialQueue queue_;
  const std::function<bool(const Keeper&)> forget_;
  std::atomic<int> expected_ = 0;

  // On the queue.
  std::deque<std::shared_ptr<Call>> waiting_;
  std::shared_ptr<PhysicalSession> current_;
  std::vector<std::shared_ptr<PhysicalSession>> retiring_;
  QueueTimer idle_;
  std::optional<absl::Duration> unused_since_;  // steady time
  bool pump_posted_ = false;
  bool ended_ = false;
  Reason end_reason_ = Reason::kOperationEnded;
};

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_DATAPLANE_UPSTREAM_KEEPER_H_
