#ifndef GATEHOUSE_SHARED_BASE_CLOCK_H_
#define GATEHOUSE_SHARED_BASE_CLOCK_H_

#include "absl/time/time.h"

namespace gatehouse {

// Clock is the only way this repository learns the time.
//
// Two scales that never mix: Wall() is for people and for whatever is stored;
// Steady() is for timers in this process and counts from an arbitrary start.
//
// Thread-safe: every method may be called from any thread, without a lock.
// Ownership: borrowed; a Clock outlives every object constructed with it.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual absl::Time Wall() const = 0;
  virtual absl::Duration Steady() const = 0;
};

// The machine's clocks. Thread-safe, stateless.
class SystemClock final : public Clock {
 public:
  absl::Time Wall() const override;
  absl::Duration Steady() const override;
};

}  // namespace gatehouse

#endif  // GATEHOUSE_SHARED_BASE_CLOCK_H_
