#include "dataplane/relay/operations.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "dataplane/relay/replies.h"
#include "shared/base/fault.h"
#include "shared/base/status.h"

namespace gatehouse::relay {

Operations::Operations(Upstreams& upstreams, ControlClient& control,
                       Timers& timers, Clock& clock, MakeQueue make_queue,
                       Observer& observer, OperationLimits limits)
    : upstreams_(upstreams),
      control_(control),
      timers_(timers),
      clock_(clock),
      make_queue_(std::move(make_queue)),
      observer_(observer),
      limits_(limits) {}

namespace {

// The client of what is asked outside of its calls: its session's own stream.
class SessionAlone final : public ClientSide {
 public:
  SessionAlone(ClientSessions& sessions, std::string session)
      : sessions_(sessions), session_(std::move(session)) {}

  std::vector<AskOutcome> AskClient(
      std::vector<ShownInputRequest> requests) override {
    std::vector<AskOutcome> outcomes;
    for (const ShownInputRequest& request : requests) {
      outcomes.push_back(sessions_.AskSession(session_, request));
    }
    return outcomes;
  }
  void Withdraw(std::string_view opaque_id, std::string_view reason) override {
    sessions_.WithdrawFromSession(session_, opaque_id, reason);
  }
  bool TellElicitationComplete(std::string_view) override { return false; }
  // There is no call whose client could be told any of these.
  void Progress(std::string_view) override {}
  void Notify(std::string_view, std::string_view) override {}
  void Finish(CallObserver::End) override {}
  void Abandon() override {}

 private:
  ClientSessions& sessions_;
  const std::string session_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<Operation>> Operations::Start(
    OperationSpec spec, std::shared_ptr<ClientSide> client) {
  GATEHOUSE_ASSIGN_OR_RETURN(std::shared_ptr<Operation> operation,
                             Enter(std::move(spec), std::move(client)));
  operation->Start();
  return operation;
}

absl::StatusOr<std::shared_ptr<Operation>> Operations::StartOutside(
    OperationSpec spec, std::shared_ptr<UpstreamCall> asker,
    RaisedInputRequest request, Attribution attribution,
    mcp::Revision upstream_revision) {
  auto client = std::make_shared<SessionAlone>(*sessions_, spec.session);
  GATEHOUSE_ASSIGN_OR_RETURN(std::shared_ptr<Operation> operation,
                             Enter(std::move(spec), std::move(client)));
  operation->StartOutside(std::move(asker), std::move(request), attribution,
                          upstream_revision);
  return operation;
}

absl::StatusOr<std::shared_ptr<Operation>> Operations::Enter(
    OperationSpec spec, std::shared_ptr<ClientSide> client) {
  auto operation = std::make_shared<Operation>(
      std::move(spec),
      Operation::Neighbours{upstreams_, control_, timers_, clock_, *this,
                            observer_, *sessions_},
      make_queue_(), std::move(client));
  {
    const MutexLock lock(mutex_);
    if (closed_) {
      return MakeStatus(absl::StatusCode::kResourceExhausted,
                        "the worker is shutting down");
    }
    if (counts_.running >= limits_.running ||
        counts_.waiting >= limits_.waiting) {
      return MakeStatus(absl::StatusCode::kResourceExhausted,
                        "the worker serves as many calls as it may; call "
                        "again later");
    }
    by_id_[operation->id()] = Entry{operation, false};
    ++counts_.running;
  }
  return operation;
}

void Operations::SubmitReply(ClientReply reply, absl::Duration at_most) {
  const size_t bytes =
      reply.result.value_or("").size() + reply.error.value_or("").size();
  {
    const MutexLock lock(mutex_);
    if (unsettled_ >= limits_.unsettled_replies ||
        unsettled_bytes_ + bytes > limits_.unsettled_reply_bytes) {
      return;  // its input request expires, as if the reply had been lost
    }
    ++unsettled_;
    unsettled_bytes_ += bytes;
  }
  absl::Duration time_left = at_most;
  const std::shared_ptr<Operation> here =
      FindByOpaqueId(reply.opaque_id, &time_left);
  if (here != nullptr && !here->traceparent().empty()) {
    reply.traceparent = here->traceparent();
  }
  FaultPoint("worker_before_submit");
  control_.Submit(
      std::move(reply.opaque_id), std::move(reply.session),
      std::move(reply.result), std::move(reply.error),
      std::move(reply.traceparent), time_left,
      [this, bytes, operation = std::weak_ptr<Operation>(here)](
          absl::StatusOr<SubmitVerdict> verdict) {
        FaultPoint("worker_after_submit");
        {
          const MutexLock lock(mutex_);
          --unsettled_;
          unsettled_bytes_ -= bytes;
        }
        if (!verdict.ok() || verdict->outcome != SubmitOutcome::kDeliver) {
          return;  // ignored, delivered elsewhere, or the backstop speaks
        }
        if (const auto owner = operation.lock(); owner != nullptr) {
          owner->Deliver(std::move(verdict->input_request),
                         std::move(verdict->deliver));
        }
      });
}

void Operations::ClientProgress(std::string_view session,
                                std::string_view opaque_id,
                                std::string params) {
  const std::shared_ptr<Operation> operation =
      FindByOpaqueId(opaque_id, nullptr);
  if (operation == nullptr || operation->session() != session) return;
  operation->ClientProgress(std::string(opaque_id), std::move(params));
}

void Operations::OnDeliveryReady(const DeliveryReady& delivery) {
  std::shared_ptr<Operation> operation;
  {
    const MutexLock lock(mutex_);
    const auto it = by_id_.find(delivery.operation);
    // An operation that has ended owes its upstream nothing.
    if (it == by_id_.end()) return;
    operation = it->second.operation;
  }
  operation->OnDeliveryReady(delivery);
}

void Operations::EndSession(std::string_view session) {
  std::vector<std::shared_ptr<Operation>> ending;
  {
    const MutexLock lock(mutex_);
    for (const auto& [id, entry] : by_id_) {
      if (entry.operation->session() == session) {
        ending.push_back(entry.operation);
      }
    }
  }
  for (const auto& operation : ending) {
    operation->EndBy(OperationEnd::kSessionEnded);
  }
}

void Operations::EndAll(OperationEnd how) {
  std::vector<std::shared_ptr<Operation>> ending;
  {
    const MutexLock lock(mutex_);
    closed_ = true;
    for (const auto& [id, entry] : by_id_) ending.push_back(entry.operation);
  }
  for (const auto& operation : ending) operation->EndBy(how);
}

void Operations::AwaitNone(absl::Duration patience) {
  const auto deadline =
      std::chrono::steady_clock::now() + absl::ToChronoMicroseconds(patience);
  mutex_.lock();
  while (!by_id_.empty() && none_left_.wait_until(mutex_, deadline) ==
                                std::cv_status::no_timeout) {
  }
  mutex_.unlock();
}

Operations::Counts Operations::counts() const {
  const MutexLock lock(mutex_);
  return counts_;
}

void Operations::AddOpaqueId(const std::string& opaque_id,
                             const std::string& operation,
                             absl::Duration time_left) {
  const absl::Duration deadline = clock_.Steady() + time_left;
  const MutexLock lock(mutex_);
  by_opaque_id_[opaque_id] = Shown{operation, deadline};
}

void Operations::RemoveOpaqueId(const std::string& opaque_id) {
  const MutexLock lock(mutex_);
  by_opaque_id_.erase(opaque_id);
}

void Operations::OnWaits(const std::string& operation) {
  const MutexLock lock(mutex_);
  const auto it = by_id_.find(operation);
  // With the waiting room full it stays among those that run.
  if (it == by_id_.end() || it->second.waiting ||
      counts_.waiting >= limits_.waiting) {
    return;
  }
  it->second.waiting = true;
  --counts_.running;
  ++counts_.waiting;
}

void Operations::OnEnded(const std::string& operation) {
  std::shared_ptr<Operation> last;  // let go of outside the lock
  const MutexLock lock(mutex_);
  const auto it = by_id_.find(operation);
  if (it == by_id_.end()) return;
  --(it->second.waiting ? counts_.waiting : counts_.running);
  last = std::move(it->second.operation);
  by_id_.erase(it);
  if (by_id_.empty()) none_left_.notify_all();
}

std::shared_ptr<Operation> Operations::FindByOpaqueId(
    std::string_view opaque_id, absl::Duration* time_left) const {
  const absl::Duration now = clock_.Steady();
  const MutexLock lock(mutex_);
  const auto shown = by_opaque_id_.find(std::string(opaque_id));
  if (shown == by_opaque_id_.end()) return nullptr;
  if (time_left != nullptr) {
    *time_left = std::max(shown->second.deadline - now, absl::Seconds(1));
  }
  const auto it = by_id_.find(shown->second.operation);
  return it == by_id_.end() ? nullptr : it->second.operation;
}

}  // namespace gatehouse::relay
