#ifndef GATEHOUSE_TESTS_BENCH_THREAD_TIMERS_H_
#define GATEHOUSE_TESTS_BENCH_THREAD_TIMERS_H_

#include <functional>
#include <map>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "dataplane/relay/scheduling.h"
#include "shared/base/clock.h"
#include "shared/base/mutex.h"

namespace gatehouse::bench {

// Timers on a thread of their own, for a control client without a worker
// around it. Thread-safe. The destructor drops what is due later, and waits
// for the task that runs.
class ThreadTimers final : public relay::Timers {
 public:
  explicit ThreadTimers(Clock& clock);
  ~ThreadTimers() override;

  Id RunAfter(absl::Duration delay, std::function<void()> task) override;
  void Cancel(Id id) override;

 private:
  void Run();

  Clock& clock_;
  Mutex mutex_;
  CondVar changed_;
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  Id last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  // By when they are due; ids tell equal times apart.
  std::map<std::pair<absl::Duration, Id>, std::function<void()>> tasks_
      ABSL_GUARDED_BY(mutex_);
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace gatehouse::bench

#endif  // GATEHOUSE_TESTS_BENCH_THREAD_TIMERS_H_
