#ifndef GATEHOUSE_DATAPLANE_RELAY_SCHEDULING_H_
#define GATEHOUSE_DATAPLANE_RELAY_SCHEDULING_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/time/time.h"

namespace gatehouse::relay {

// Runs things later. The worker's are the reactor's timers; a test moves its
// own. Thread-safe. Ownership: borrowed; outlives every object constructed with
// it.
class Timers {
 public:
  using Id = uint64_t;  // never 0
  virtual ~Timers() = default;
  // Runs `task` once, after `delay`, on a thread that it must not hold up.
  virtual Id RunAfter(absl::Duration delay, std::function<void()> task) = 0;
  // The task may be running already; 0 and unknown ids are ignored.
  virtual void Cancel(Id id) = 0;
};

// Runs its tasks one after the other, in the order posted. Thread-safe.
class TaskQueue {
 public:
  virtual ~TaskQueue() = default;
  virtual void Post(std::function<void()> task) = 0;
};

using MakeQueue = std::function<std::shared_ptr<TaskQueue>()>;

}  // namespace gatehouse::relay

#endif  // GATEHOUSE_DATAPLANE_RELAY_SCHEDULING_H_
