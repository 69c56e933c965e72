#ifndef GATEHOUSE_DATAPLANE_HTTP_TIMER_HEAP_H_
#define GATEHOUSE_DATAPLANE_HTTP_TIMER_HEAP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/time/time.h"

namespace gatehouse::http {

// Tasks by the time they are due. Nearly every timer of a call is cancelled
// long before it is due, so that a cancel only gives the task back; what is
// left of it in the heap goes when it comes up, or when such make up half.
//
// Pure: the times are the caller's. Thread-compatible.
class TimerHeap {
 public:
  using Id = uint64_t;  // never 0, not used again before 2^32 others

  Id Add(absl::Duration due, std::function<void()> task);
  // The task, for the caller to destroy; empty if the id is unknown.
  std::function<void()> Cancel(Id id);
  // The first task that is due at `now`, removed; empty if none is. Those of
  // one time come in the order added.
  std::function<void()> TakeDue(absl::Duration now);
  // When the first one is due; infinite if there is none.
  absl::Duration NextDue();

  size_t size() const { return live_; }
  std::vector<std::function<void()>> TakeAll();

 private:
  struct Entry {
    absl::Duration due;
    uint64_t order;
    Id id;
  };
  struct Slot {
    uint32_t generation = 1;
    bool used = false;
    std::function<void()> task;
  };

  static bool Later(const Entry& a, const Entry& b) {
    return a.due != b.due ? a.due > b.due : a.order > b.order;
  }
  Slot* Find(Id id);
  std::function<void()> Free(Id id);
  void DropStale();
  void PopFront();

  std::vector<Entry> heap_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
  size_t live_ = 0;
  uint64_t next_order_ = 0;
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_TIMER_HEAP_H_
