#include "dataplane/control/calls.h"

#include <algorithm>

namespace gatehouse::control {
namespace {

bool IsFinal(const grpc::Status& status, const ResendPolicy& policy) {
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::DEADLINE_EXCEEDED:
    case grpc::StatusCode::UNKNOWN:
    case grpc::StatusCode::INTERNAL:
      return false;
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return !policy.resend_when_exhausted;
    default:
      return true;
  }
}

// Lives as long as an attempt or a pause refers to it.
class Resending : public std::enable_shared_from_this<Resending> {
 public:
  Resending(relay::Timers& timers, Clock& clock, const ResendPolicy& policy,
            Attempt attempt, std::function<void(const grpc::Status&)> finished)
      : timers_(timers),
        clock_(clock),
        policy_(policy),
        attempt_(std::move(attempt)),
        finished_(std::move(finished)),
        deadline_(clock.Steady() + policy.give_up_after),
        pause_(policy.first_pause) {}

  void Run() {
    const absl::Duration left = deadline_ - clock_.Steady();
    attempt_(std::min(policy_.per_attempt, left),
             [self = shared_from_this()](const grpc::Status& status) {
               self->Ended(status);
             });
  }

 private:
  void Ended(const grpc::Status& status) {
    const absl::Duration pause = pause_;
    if (IsFinal(status, policy_) || clock_.Steady() + pause >= deadline_) {
      finished_(status);
      return;
    }
    pause_ = std::min(2 * pause_, policy_.longest_pause);
    timers_.RunAfter(pause, [self = shared_from_this()] { self->Run(); });
  }

  relay::Timers& timers_;
  Clock& clock_;
  const ResendPolicy policy_;
  const Attempt attempt_;
  const std::function<void(const grpc::Status&)> finished_;
  const absl::Duration deadline_;
  absl::Duration pause_;  // one attempt at a time, so unguarded
};

}  // namespace

bool Calls::Begin(grpc::ClientContext* context) {
  const MutexLock lock(mutex_);
  if (stopped_) return false;
  running_.insert(context);
  return true;
}

void Calls::End(grpc::ClientContext* context) {
  const MutexLock lock(mutex_);
  running_.erase(context);
  if (running_.empty()) none_left_.notify_all();
}

bool Calls::stopped() const {
  const MutexLock lock(mutex_);
  return stopped_;
}

void Calls::Stop(absl::Duration patience) {
  const auto deadline =
      std::chrono::steady_clock::now() + absl::ToChronoMicroseconds(patience);
  mutex_.lock();
  stopped_ = true;
  // TryCancel only marks the call; its callback comes on another thread.
  for (grpc::ClientContext* context : running_) context->TryCancel();
  while (!running_.empty() && none_left_.wait_until(mutex_, deadline) ==
                                  std::cv_status::no_timeout) {
  }
  mutex_.unlock();
}

void SetCredentials(const std::string& token, grpc::ClientContext& context) {
  context.AddMetadata("authorization", "Bearer " + token);
}

void Resend(relay::Timers& timers, Clock& clock, const ResendPolicy& policy,
            Attempt attempt,
            std::function<void(const grpc::Status&)> finished) {
  std::make_shared<Resending>(timers, clock, policy, std::move(attempt),
                              std::move(finished))
      ->Run();
}

bool MayHaveCommitted(const grpc::Status& status) {
  switch (status.error_code()) {
    case grpc::StatusCode::OK:
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::NOT_FOUND:
    case grpc::StatusCode::FAILED_PRECONDITION:
    case grpc::StatusCode::PERMISSION_DENIED:
    case grpc::StatusCode::UNAUTHENTICATED:
    case grpc::StatusCode::UNIMPLEMENTED:
      return false;
    default:
      return true;
  }
}

}  // namespace gatehouse::control
