#include "controlplane/store/work_queue.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace gatehouse {

void WorkQueue::Push(Store::Work work, Store::Done done) {
  absl::Status refused;
  {
    const MutexLock lock(mutex_);
    if (closed_) {
      refused = absl::UnavailableError("store: shutting down");
    } else if (entries_.size() >= capacity_) {
      refused = absl::ResourceExhaustedError("store: queue full, try later");
    } else {
      entries_.push_back({std::move(work), std::move(done)});
    }
  }
  if (refused.ok()) {
    ready_.notify_one();
  } else {
    done(refused);
  }
}

std::vector<WorkQueue::Entry> WorkQueue::PopBatch(size_t limit) {
  const MutexLock lock(mutex_);
  while (entries_.empty() && !closed_) ready_.wait(mutex_);
  std::vector<Entry> batch;
  const auto count =
      static_cast<std::ptrdiff_t>(std::min(limit, entries_.size()));
  batch.reserve(static_cast<size_t>(count));
  std::move(entries_.begin(), entries_.begin() + count,
            std::back_inserter(batch));
  entries_.erase(entries_.begin(), entries_.begin() + count);
  return batch;
}

void WorkQueue::Close() {
  {
    const MutexLock lock(mutex_);
    closed_ = true;
  }
  ready_.notify_all();
}

absl::Time StoreTime::Next() {
  const absl::Time now =
      absl::FromUnixMicros(absl::ToUnixMicros(clock_.Wall()));
  last_ = std::max(last_, now);
  return last_;
}

}  // namespace gatehouse
