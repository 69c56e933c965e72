#ifndef GATEHOUSE_CONTROLPLANE_STORE_STORE_STATS_H_
#define GATEHOUSE_CONTROLPLANE_STORE_STORE_STATS_H_

#include "shared/base/counters.h"

namespace gatehouse {

// What a store counts of itself. Thread-safe.
struct StoreStats {
  Histogram commit_seconds;  // of commits that keep something, failed ones too
  Histogram batch_works{Histogram::kCounts};  // Works that shared a commit
  Counter commits_failed;
};

}  // namespace gatehouse

#endif  // GATEHOUSE_CONTROLPLANE_STORE_STORE_STATS_H_
