#include "controlplane/store/store.h"

#include <optional>
#include <utility>

#include "shared/base/mutex.h"

namespace gatehouse {

absl::Status RunAndWait(Store& store, Store::Work work) {
  Mutex mutex;
  CondVar settled;
  std::optional<absl::Status> result;
  store.Run(std::move(work), [&](absl::Status status) {
    // Notified under the lock: the waiter's stack is gone right after it.
    const MutexLock lock(mutex);
    result = std::move(status);
    settled.notify_one();
  });
  const MutexLock lock(mutex);
  // Ended by the store: `done` is called once, whatever happens to the Work.
  while (!result.has_value()) settled.wait(mutex);
  return *std::move(result);
}

}  // namespace gatehouse
