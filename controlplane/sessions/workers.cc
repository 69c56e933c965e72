#include "controlplane/sessions/workers.h"

#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::sessions {
namespace {

constexpr int kWorkersPage = 256;

WorkerRow NewWorker(const Hello& hello, absl::Time now) {
  WorkerRow row;
  row.id = hello.worker_id;
  row.epoch = 1;
  row.cluster = hello.cluster;
  row.address = hello.address;
  row.build = hello.build;
  row.lease_expire_time = now + kWorkerLease;
  return row;
}

}  // namespace

absl::StatusOr<Attached> AttachWorker(Transaction& tx, const Hello& hello) {
  absl::StatusOr<WorkerRow> found = tx.GetWorker(hello.worker_id);
  if (absl::IsNotFound(found.status())) {
    WorkerRow row = NewWorker(hello, tx.Now());
    GATEHOUSE_RETURN_IF_ERROR(tx.InsertWorker(row));
    return Attached{std::move(row), true};
  }
  GATEHOUSE_RETURN_IF_ERROR(found.status());
  Attached attached{*std::move(found), false};
  WorkerRow& row = attached.worker;
  if (row.lost || hello.epoch != row.epoch) {
    attached.new_epoch = true;
    ++row.epoch;
    GATEHOUSE_RETURN_IF_ERROR(
        tx.DeleteMail(row.id, std::numeric_limits<int64_t>::max()));
  }
  row.cluster = hello.cluster;
  row.address = hello.address;
  row.build = hello.build;
  row.lost = false;
  row.lease_expire_time = tx.Now() + kWorkerLease;
  GATEHOUSE_RETURN_IF_ERROR(tx.UpdateWorker(row));
  ++row.version;
  return attached;
}

absl::StatusOr<WorkerRow> CheckWorker(Transaction& tx, std::string_view id,
                                      int64_t epoch) {
  absl::StatusOr<WorkerRow> row = tx.GetWorker(id);
  if (absl::IsNotFound(row.status())) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      "stale_epoch: the worker is unknown; attach first");
  }
  GATEHOUSE_RETURN_IF_ERROR(row.status());
  if (row->lost || row->epoch != epoch) {
    return absl::FailedPreconditionError(absl::StrCat(
        "stale_epoch: epoch ", epoch, " is over; attach for a new one"));
  }
  return row;
}

absl::Status RenewLease(Transaction& tx, std::string_view id, int64_t epoch,
                        int32_t operations) {
  GATEHOUSE_ASSIGN_OR_RETURN(WorkerRow row, CheckWorker(tx, id, epoch));
  row.lease_expire_time = tx.Now() + kWorkerLease;
  row.operations = operations;
  return tx.UpdateWorker(row);
}

absl::Status GrantFullLeases(Transaction& tx) {
  std::string after;
  while (true) {
    GATEHOUSE_ASSIGN_OR_RETURN(std::vector<WorkerRow> page,
                               tx.ListWorkers(after, kWorkersPage));
    for (WorkerRow& row : page) {
      if (row.lost) continue;
      row.lease_expire_time = tx.Now() + kWorkerLease;
      GATEHOUSE_RETURN_IF_ERROR(tx.UpdateWorker(row));
    }
    if (page.size() < kWorkersPage) return absl::OkStatus();
    after = page.back().id;
  }
}

}  // namespace gatehouse::sessions
