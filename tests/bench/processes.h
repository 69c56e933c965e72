#ifndef GATEHOUSE_TESTS_BENCH_PROCESSES_H_
#define GATEHOUSE_TESTS_BENCH_PROCESSES_H_

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace gatehouse::bench {

// What /proc says of processes. Times have the kernel's grain of 10 ms.
// Errors: NOT_FOUND if one of them has ended.

// User and system time of all of them together, since each started.
absl::StatusOr<absl::Duration> CpuOf(const std::vector<pid_t>& pids);
// Resident memory of all of them together, in KiB.
absl::StatusOr<int64_t> ResidentKibOf(const std::vector<pid_t>& pids);
// Time that the machine's cores were not idle, together, since it started.
absl::StatusOr<absl::Duration> MachineBusy();

}  // namespace gatehouse::bench

#endif  // GATEHOUSE_TESTS_BENCH_PROCESSES_H_
