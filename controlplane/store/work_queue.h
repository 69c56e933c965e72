#ifndef GATEHOUSE_CONTROLPLANE_STORE_WORK_QUEUE_H_
#define GATEHOUSE_CONTROLPLANE_STORE_WORK_QUEUE_H_

#include <cstddef>
#include <deque>
#include <vector>

#include "controlplane/store/store.h"
#include "shared/base/clock.h"
#include "shared/base/mutex.h"

namespace gatehouse {

// The bounded queue between Store::Run and a store's own thread.
//
// Thread-safe for any number of pushers and one popper. Full and closed are
// answers, never waits; only the popper waits, until there is work or Close.
class WorkQueue {
 public:
  struct Entry {
    Store::Work work;
    Store::Done done;
  };

  explicit WorkQueue(size_t capacity) : capacity_(capacity) {}

  // Queues the Work, or calls `done` on this thread with RESOURCE_EXHAUSTED
  // (full) or UNAVAILABLE (closed).
  void Push(Store::Work work, Store::Done done) ABSL_LOCKS_EXCLUDED(mutex_);

  // Up to `limit` entries in the order they came; empty only once closed and
  // drained.
  std::vector<Entry> PopBatch(size_t limit) ABSL_LOCKS_EXCLUDED(mutex_);

  // What is queued is still popped; what comes later is refused.
  void Close() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  const size_t capacity_;

  Mutex mutex_;
  CondVar ready_;
  std::deque<Entry> entries_ ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

// A store's time: the clock's, cut to whole microseconds, never going back
// while the store lives (a clock set back makes it stand still until the clock
// has caught up). Thread-compatible; used on the store's thread.
class StoreTime {
 public:
  explicit StoreTime(Clock& clock) : clock_(clock) {}
  absl::Time Next();

 private:
  Clock& clock_;
  absl::Time last_ = absl::InfinitePast();
};

}  // namespace gatehouse

#endif  // GATEHOUSE_CONTROLPLANE_STORE_WORK_QUEUE_H_
