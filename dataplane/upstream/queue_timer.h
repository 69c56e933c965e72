#ifndef GATEHOUSE_DATAPLANE_UPSTREAM_QUEUE_TIMER_H_
#define GATEHOUSE_DATAPLANE_UPSTREAM_QUEUE_TIMER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "absl/time/time.h"
#include "dataplane/http/executor.h"
#include "dataplane/http/reactor.h"

namespace gatehouse::upstream {

// A one-shot timer whose task runs on a serial queue. Once Stop has returned on
// that queue, the task of an earlier Start will not run; the destructor stops.
// Used on its queue only. Ownership: borrows the reactor.
class QueueTimer {
 public:
  QueueTimer(http::Reactor& reactor, http::SerialQueue queue)
      : reactor_(reactor), queue_(std::move(queue)) {}
  ~QueueTimer() { Stop(); }
  QueueTimer(const QueueTimer&) = delete;
  QueueTimer& operator=(const QueueTimer&) = delete;

  // Replaces what was started before. An infinite delay starts nothing.
  void Start(absl::Duration delay, std::function<void()> task) {
    Stop();
    if (delay == absl::InfiniteDuration()) return;
    const uint64_t turn = *turn_;
    id_ = reactor_.RunAfter(
        delay, [queue = queue_, turn, current = turn_, task = std::move(task)] {
          queue.Post([turn, current, task] {
            if (*current == turn) task();
          });
        });
  }

  void Stop() {
    ++*turn_;
    if (id_ != 0) reactor_.CancelTimer(id_);
    id_ = 0;
  }

  bool started() const { return id_ != 0; }

 private:
  http::Reactor& reactor_;
  const http::SerialQueue queue_;
  // Which Start is the valid one; outlives the timer in tasks under way.
  const std::shared_ptr<std::atomic<uint64_t>> turn_ =
      std::make_shared<std::atomic<uint64_t>>(0);
  http::Reactor::TimerId id_ = 0;
};

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_DATAPLANE_UPSTREAM_QUEUE_TIMER_H_
