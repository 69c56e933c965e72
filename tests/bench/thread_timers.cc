#include "tests/bench/thread_timers.h"

namespace gatehouse::bench {
namespace {

constexpr absl::Duration kLongest = absl::Minutes(1);

}  // namespace

ThreadTimers::ThreadTimers(Clock& clock)
    : clock_(clock), thread_([this] { Run(); }) {}

ThreadTimers::~ThreadTimers() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

ThreadTimers::Id ThreadTimers::RunAfter(absl::Duration delay,
                                        std::function<void()> task) {
  const MutexLock lock(mutex_);
  const Id id = ++last_id_;
  tasks_.emplace(std::pair(clock_.Steady() + delay, id), std::move(task));
  changed_.notify_all();
  return id;
}

void ThreadTimers::Cancel(Id id) {
  const MutexLock lock(mutex_);
  std::erase_if(tasks_,
                [id](const auto& entry) { return entry.first.second == id; });
}

void ThreadTimers::Run() {
  while (true) {
    std::function<void()> task;
    {
      const MutexLock lock(mutex_);
      if (ending_) return;
      const absl::Duration left =
          tasks_.empty() ? kLongest
                         : tasks_.begin()->first.first - clock_.Steady();
      if (left > absl::ZeroDuration()) {
        changed_.wait_for(mutex_, absl::ToChronoNanoseconds(left));
        continue;
      }
      task = std::move(tasks_.begin()->second);
      tasks_.erase(tasks_.begin());
    }
    task();
  }
}

}  // namespace gatehouse::bench
