#include "dataplane/worker/heartbeat.h"

#include <chrono>
#include <memory>

#include "shared/base/mutex.h"

namespace gatehouse::worker {
namespace {

// Shared with the tasks, one of which may come after the wait is over.
class Beats {
 public:
  explicit Beats(size_t missing) : missing_(missing) {}
  void Beat() {
    const MutexLock lock(mutex_);
    if (--missing_ == 0) all_.notify_all();
  }
  bool Await(absl::Duration patience) {
    const auto deadline =
        std::chrono::steady_clock::now() + absl::ToChronoMicroseconds(patience);
    const MutexLock lock(mutex_);
    while (missing_ > 0 &&
           all_.wait_until(mutex_, deadline) == std::cv_status::no_timeout) {
    }
    return missing_ == 0;
  }

 private:
  Mutex mutex_;
  CondVar all_;
  size_t missing_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

bool LoopsAnswer(http::ReactorPool& reactors, http::Executor& executor,
                 absl::Duration patience) {
  const auto beats = std::make_shared<Beats>(reactors.size() + 1);
  for (size_t i = 0; i < reactors.size(); ++i) {
    reactors.at(i).Post([beats] { beats->Beat(); });
  }
  executor.Post([beats] { beats->Beat(); });
  return beats->Await(patience);
}

}  // namespace gatehouse::worker
