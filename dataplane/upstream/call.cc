#include "dataplane/upstream/call.h"

#include <utility>

#include "dataplane/upstream/messages.h"
#include "dataplane/upstream/trouble.h"

namespace gatehouse::upstream {

Call::Call(const std::shared_ptr<Environment>& environment,
           http::SerialQueue queue, relay::CallSpec spec,
           std::shared_ptr<relay::CallObserver> observer,
           std::shared_ptr<CallDriver> driver)
    : environment_(environment),
      spec_(std::move(spec)),
      eligible_(IsEligible(spec_.method)),
      driver_(std::move(driver)),
      observer_(std::move(observer)),
      timer_(environment_->reactor, std::move(queue)),
      time_left_(spec_.timeout) {}

void Call::Reply(std::string_view key, relay::UpstreamReply reply,
                 std::function<void(absl::Status)> written) {
  driver_->Reply(shared_from_this(), std::string(key), std::move(reply),
                 std::move(written));
}

void Call::ReplyProgress(std::string_view key, std::string params) {
  driver_->ReplyProgress(shared_from_this(), std::string(key),
                         std::move(params));
}

void Call::ExpectCompletion(std::string elicitation_id,
                            std::function<void()> completed) {
  driver_->ExpectCompletion(shared_from_this(), std::move(elicitation_id),
                            std::move(completed));
}

void Call::Cancel(std::string_view reason) {
  driver_->Cancel(shared_from_this(), std::string(reason));
}

void Call::StartWaiting(std::function<void()> late) {
  timer_.Start(spec_.timeout, std::move(late));
}

void Call::StartRunning(std::shared_ptr<PhysicalSession> session, int64_t id,
                        std::function<void()> late) {
  session_ = session;
  id_ = id;
  late_ = std::move(late);
  time_left_ = spec_.timeout;
  RunClock();
}

void Call::RunClock() {
  running_since_ = environment_->clock.Steady();
  timer_.Start(time_left_, late_);
}

bool Call::OpenRequest(std::string key, std::string token) {
  const bool was_running = open_.empty();
  if (!open_.emplace(std::move(key), std::move(token)).second) return false;
  if (was_running) {
    time_left_ -= environment_->clock.Steady() - running_since_;
    timer_.Stop();
  }
  return true;
}

bool Call::CloseRequest(std::string_view key) {
  const auto it = open_.find(key);
  if (it == open_.end()) return false;
  open_.erase(it);
  if (open_.empty() && !ended()) RunClock();
  return true;
}

void Call::End(relay::CallObserver::End end) {
  if (ended()) return;
  timer_.Stop();
  late_ = nullptr;
  open_.clear();
  const std::shared_ptr<relay::CallObserver> observer = std::move(observer_);
  observer_ = nullptr;
  observer->OnEnd(std::move(end));
}

void Call::Fail(Reason reason) {
  relay::CallObserver::End end;
  end.failure = FailureOf(reason, spec_.target->upstream);
  End(std::move(end));
}

}  // namespace gatehouse::upstream
