#ifndef GATEHOUSE_ADMIN_PROCESS_STATS_H_
#define GATEHOUSE_ADMIN_PROCESS_STATS_H_

#include "admin/metrics_page.h"

namespace gatehouse::admin {

// What the kernel says of this process, under the names that Prometheus'
// client libraries use: memory, descriptors, threads, processor time. What
// cannot be read is left out. Thread-safe.
void AddProcessStats(MetricsPage& page);

}  // namespace gatehouse::admin

#endif  // GATEHOUSE_ADMIN_PROCESS_STATS_H_
