#ifndef GATEHOUSE_DATAPLANE_WORKER_SCHEDULING_H_
#define GATEHOUSE_DATAPLANE_WORKER_SCHEDULING_H_

#include <functional>
#include <memory>
#include <utility>

#include "dataplane/http/executor.h"
#include "dataplane/http/reactor.h"
#include "dataplane/relay/scheduling.h"

namespace gatehouse::worker {

// The reactor's timers as the relay wants them. Thread-safe; borrows it.
class ReactorTimers final : public relay::Timers {
 public:
  explicit ReactorTimers(http::Reactor& reactor) : reactor_(reactor) {}
  Id RunAfter(absl::Duration delay, std::function<void()> task) override {
    return reactor_.RunAfter(delay, std::move(task));
  }
  void Cancel(Id id) override {
    if (id != 0) reactor_.CancelTimer(id);
  }

 private:
  http::Reactor& reactor_;
};

// A serial queue over the pool as the relay wants it. Thread-safe.
class PooledQueue final : public relay::TaskQueue {
 public:
  explicit PooledQueue(http::Executor& executor) : queue_(executor) {}
  void Post(std::function<void()> task) override {
    queue_.Post(std::move(task));
  }

 private:
  const http::SerialQueue queue_;
};

}  // namespace gatehouse::worker

#endif  // GATEHOUSE_DATAPLANE_WORKER_SCHEDULING_H_
