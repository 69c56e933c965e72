#ifndef GATEHOUSE_SHARED_BASE_FAKE_CLOCK_H_
#define GATEHOUSE_SHARED_BASE_FAKE_CLOCK_H_

#include "absl/time/time.h"
#include "shared/base/clock.h"
#include "shared/base/mutex.h"

namespace gatehouse {

// A clock for tests: time moves only where the test says so.
// Thread-safe.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(absl::Time start = absl::FromUnixSeconds(1'800'000'000))
      : wall_(start) {}

  absl::Time Wall() const override {
    const MutexLock lock(mutex_);
    return wall_;
  }
  absl::Duration Steady() const override {
    const MutexLock lock(mutex_);
    return steady_;
  }
  void Advance(absl::Duration by) {
    const MutexLock lock(mutex_);
    wall_ += by;
    steady_ += by;
  }

 private:
  mutable Mutex mutex_;
  absl::Time wall_ ABSL_GUARDED_BY(mutex_);
  absl::Duration steady_ ABSL_GUARDED_BY(mutex_) = absl::ZeroDuration();
};

}  // namespace gatehouse

#endif  // GATEHOUSE_SHARED_BASE_FAKE_CLOCK_H_
