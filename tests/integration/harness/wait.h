#ifndef GATEHOUSE_TESTS_INTEGRATION_HARNESS_WAIT_H_
#define GATEHOUSE_TESTS_INTEGRATION_HARNESS_WAIT_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace gatehouse::testing {

// How long a test waits for what should take milliseconds, on a machine that
// is busy with other tests.
inline constexpr absl::Duration kPatience = absl::Seconds(15);

// A condition that several threads change and a test waits for.
//
// Thread-safe. Change() runs under the lock and wakes the waiters; WaitUntil()
// returns the predicate's value at the end: false means the deadline passed.
class Signal {
 public:
  void Change(const std::function<void()>& change) {
    const std::lock_guard lock(mutex_);
    change();
    changed_.notify_all();
  }
  void Read(const std::function<void()>& read) const {
    const std::lock_guard lock(mutex_);
    read();
  }
  bool WaitUntil(absl::Duration timeout,
                 const std::function<bool()>& predicate) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, absl::ToChronoNanoseconds(timeout),
                             predicate);
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
};

// Asks `condition` again and again until it holds or the time is over: for
// what lies in another process, which cannot wake us. Returns its last value.
// Runs `condition` on the calling thread, at most every 10 ms.
inline bool Eventually(absl::Duration timeout,
                       const std::function<bool()>& condition) {
  const absl::Time deadline = absl::Now() + timeout;
  const Signal pace;
  for (;;) {
    if (condition()) return true;
    if (absl::Now() >= deadline) return false;
    pace.WaitUntil(absl::Milliseconds(10), [] { return false; });
  }
}

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_HARNESS_WAIT_H_
