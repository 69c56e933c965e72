#ifndef GATEHOUSE_CONTROLPLANE_SESSIONS_WORKERS_H_
#define GATEHOUSE_CONTROLPLANE_SESSIONS_WORKERS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "controlplane/store/store.h"

namespace gatehouse::sessions {

// A worker's lease governs delivery and LOST (DESIGN §2): 10 s, renewed every
// 3 s. These run inside a Work.
inline constexpr absl::Duration kWorkerLease = absl::Seconds(10);
inline constexpr absl::Duration kRenewEvery = absl::Seconds(3);
// How long plain calls go on without the control plane.
inline constexpr absl::Duration kPolicyLease = absl::Hours(1);

struct Hello {
  std::string worker_id;
  std::string cluster;
  std::string address;
  std::string build;
  int64_t epoch = 0;  // that it had before a reconnect; 0: a new process
};

struct Attached {
  WorkerRow worker;
  // It is a new process, or its lease ran out: what was under an earlier epoch
  // is lost and the caller ends it.
  bool new_epoch = false;
};

// Makes or renews the worker's row. A process that comes back with its epoch
// while its lease was not swept keeps it; any other gets the next epoch, and
// mail for the earlier one is dropped with it.
absl::StatusOr<Attached> AttachWorker(Transaction& tx, const Hello& hello);

// FAILED_PRECONDITION `stale_epoch` unless the worker holds that epoch.
absl::StatusOr<WorkerRow> CheckWorker(Transaction& tx, std::string_view id,
                                      int64_t epoch);

absl::Status RenewLease(Transaction& tx, std::string_view id, int64_t epoch,
                        int32_t operations);

// Gives every worker that is not lost a full lease from now: nobody could renew
// while no control plane was up.
absl::Status GrantFullLeases(Transaction& tx);

}  // namespace gatehouse::sessions

#endif  // GATEHOUSE_CONTROLPLANE_SESSIONS_WORKERS_H_
