#include "dataplane/upstream/keeper.h"

#include <algorithm>
#include <utility>

namespace gatehouse::upstream {

using State = PhysicalSession::State;

Keeper::Keeper(std::shared_ptr<Environment> environment,
               std::function<bool(const Keeper&)> forget)
    : environment_(std::move(environment)),
      queue_(environment_->executor),
      forget_(std::move(forget)),
      idle_(environment_->reactor, queue_) {}

std::shared_ptr<Call> Keeper::Start(
    relay::CallSpec spec, std::shared_ptr<relay::CallObserver> observer) {
  const auto call =
      std::make_shared<Call>(environment_, queue_, std::move(spec),
                             std::move(observer), shared_from_this());
  queue_.Post([self = shared_from_this(), call] {
    --self->expected_;
    self->Take(call);
  });
  return call;
}

void Keeper::Take(const std::shared_ptr<Call>& call) {
  if (ended_) return call->Fail(end_reason_);
  const size_t most = environment_->options.max_calls_per_session;
  if (waiting_.size() >= most) return call->Fail(Reason::kUpstreamBusy);
  waiting_.push_back(call);
  Pump();
  // Most calls are on their way by now.
  if (call->session() != nullptr || call->ended()) return;
  call->StartWaiting(
      [weak = weak_from_this(), weak_call = std::weak_ptr<Call>(call)] {
        const auto self = weak.lock();
        const auto late = weak_call.lock();
        if (self != nullptr && late != nullptr) self->HandleLateInQueue(late);
      });
}

void Keeper::HandleLateInQueue(const std::shared_ptr<Call>& call) {
  const bool opening =
      current_ != nullptr && current_->state() == State::kOpening;
  call->Fail(opening ? Reason::kUpstreamTimeout : Reason::kUpstreamBusy);
  Pump();
}

// ---- what the relay says

void Keeper::Reply(std::shared_ptr<Call> call, std::string key,
                   relay::UpstreamReply reply,
                   std::function<void(absl::Status)> written) {
  queue_.Post([call = std::move(call), key = std::move(key),
               reply = std::move(reply), written = std::move(written)] {
    const std::shared_ptr<PhysicalSession> session = call->session();
    if (session != nullptr) return session->Reply(*call, key, reply, written);
    if (written) {
      written(absl::NotFoundError("the call has no session with its upstream"));
    }
  });
}

void Keeper::ReplyProgress(std::shared_ptr<Call> call, std::string key,
                           std::string params) {
  queue_.Post([call = std::move(call), key = std::move(key),
               params = std::move(params)] {
    if (const std::shared_ptr<PhysicalSession> session = call->session()) {
      session->ReplyProgress(*call, key, params);
    }
  });
}

void Keeper::ExpectCompletion(std::shared_ptr<Call> call,
                              std::string elicitation_id,
                              std::function<void()> completed) {
  queue_.Post([call = std::move(call),
               elicitation_id = std::move(elicitation_id),
               completed = std::move(completed)]() mutable {
    if (const std::shared_ptr<PhysicalSession> session = call->session()) {
      session->ExpectCompletion(std::move(elicitation_id),
                                std::move(completed));
    }
  });
}

void Keeper::Cancel(std::shared_ptr<Call> call, std::string reason) {
  queue_.Post([self = shared_from_this(), call = std::move(call),
               reason = std::move(reason)] {
    if (call->ended()) return;
    if (const std::shared_ptr<PhysicalSession> session = call->session()) {
      session->Abandon(call, reason, Reason::kOperationEnded);
    }
    call->Fail(Reason::kOperationEnded);  // where it was not sent yet
    self->Pump();
  });
}

// ---- the session

void Keeper::PostPump() {
  if (pump_posted_) return;
  pump_posted_ = true;
  queue_.Post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->pump_posted_ = false;
      self->Pump();
    }
  });
}

void Keeper::Pump() {
  retiring_.erase(std::remove_if(retiring_.begin(), retiring_.end(),
                                 [](const auto& session) {
                                   return session->state() == State::kClosed;
                                 }),
                  retiring_.end());
  size_t at = 0;
  while (at < waiting_.size()) {
    const std::shared_ptr<Call> call = waiting_[at];
    const auto here = waiting_.begin() + static_cast<std::ptrdiff_t>(at);
    if (call->ended()) {
      waiting_.erase(here);
      continue;
    }
    PhysicalSession& session = SessionFor(*call);
    if (session.state() == State::kOpening) break;
    if (session.state() == State::kFailed) {
      FailWaitingFor(session);
      current_ = nullptr;
      at = 0;
    } else if (session.MayTake(*call)) {
      waiting_.erase(here);
      session.Send(call);
    } else {
      ++at;
    }
  }
  WatchIdle();
}

PhysicalSession& Keeper::SessionFor(const Call& call) {
  if (current_ != nullptr) {
    const State state = current_->state();
    const bool usable = state == State::kOpening || state == State::kOpen ||
                        state == State::kFailed;
    if (usable && current_->Fits(call.spec())) return *current_;
    RetireCurrent();
  }
  current_ = std::make_shared<PhysicalSession>(
      environment_, *call.spec().target, call.spec().beneficiary, queue_,
      [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->PostPump();
      });
  if (call.spec().target->http_url.empty()) {
    // To start a process takes milliseconds.
    queue_.PostHeavy([session = current_] { session->Open(); });
  } else {
    current_->Open();
  }
  return *current_;
}

void Keeper::RetireCurrent() {
  const std::shared_ptr<PhysicalSession> old = std::exchange(current_, nullptr);
  old->Retire();
  if (old->state() == State::kRetiring) retiring_.push_back(old);
}

void Keeper::FailWaitingFor(const PhysicalSession& session) {
  std::vector<std::shared_ptr<Call>> failed;
  for (const std::shared_ptr<Call>& call : waiting_) {
    if (session.Fits(call->spec())) failed.push_back(call);
  }
  for (const std::shared_ptr<Call>& call : failed) {
    call->Fail(session.failure());
  }
}

// ---- the end

bool Keeper::unused() const {
  return waiting_.empty() && retiring_.empty() &&
         (current_ == nullptr || current_->idle());
}

// Called after every step of every call: so the clock is not wound up each
// time, but runs on and looks, when it comes up, how long there was nothing.
void Keeper::WatchIdle() {
  if (ended_) return idle_.Stop();
  if (!unused()) {
    unused_since_.reset();
    return;
  }
  if (unused_since_.has_value()) return;
  unused_since_ = environment_->clock.Steady();
  if (!idle_.started()) StartIdle(environment_->options.idle_end);
}

void Keeper::StartIdle(absl::Duration delay) {
  idle_.Start(delay, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->HandleIdle();
  });
}

void Keeper::HandleIdle() {
  idle_.Stop();
  // If it is in use, WatchIdle starts it again.
  if (!unused_since_.has_value() || !unused()) return unused_since_.reset();
  absl::Duration left = *unused_since_ + environment_->options.idle_end -
                        environment_->clock.Steady();
  // What the user was sent to do may be complete only later, and its upstream
  // says so here.
  if (current_ != nullptr) left = std::max(left, current_->completions_left());
  if (left > absl::ZeroDuration()) return StartIdle(left);
  unused_since_.reset();
  if (forget_(*this)) End(Reason::kOperationEnded);
}

void Keeper::End(Reason reason) {
  queue_.Post([self = shared_from_this(), reason] {
    if (self->ended_) return;
    self->ended_ = true;
    self->end_reason_ = reason;
    self->idle_.Stop();
    const auto waiting = std::exchange(self->waiting_, {});
    for (const std::shared_ptr<Call>& call : waiting) call->Fail(reason);
    const auto retiring = std::exchange(self->retiring_, {});
    for (const auto& session : retiring) session->Close(reason);
    if (self->current_ != nullptr) self->current_->Close(reason);
    self->current_ = nullptr;
  });
}

}  // namespace gatehouse::upstream
