#include "controlplane/store/sqlite/sqlite_store.h"

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controlplane/store/sqlite/database.h"
#include "controlplane/store/sqlite/migrations.h"
#include "controlplane/store/sqlite/query.h"
#include "controlplane/store/sqlite/sqlite_transaction.h"
#include "controlplane/store/work_queue.h"
#include "shared/base/fault.h"
#include "shared/base/status.h"

namespace gatehouse {
namespace {

// Pages of 4 KiB in the write-ahead log before it is moved into the database.
constexpr int kCheckpointPages = 1000;

constexpr const char* kBegin = "BEGIN IMMEDIATE";
constexpr const char* kRollback = "ROLLBACK";
constexpr const char* kSavepoint = "SAVEPOINT work";
constexpr const char* kRelease = "RELEASE work";
constexpr const char* kRollbackTo = "ROLLBACK TO work";

// One thread that owns the connection: it takes what is queued, runs each Work
// in a savepoint of its own, and commits once for all of them.
//
// Thread-safe; all but Run happens on that thread.
class SqliteStore final : public Store {
 public:
  SqliteStore(std::unique_ptr<sqlite::Database> database, SqliteOptions options,
              Clock& clock)
      : options_(std::move(options)),
        database_(std::move(database)),
        clock_(clock),
        time_(clock),
        queue_(options_.queue_limit),
        thread_([this] { Loop(); }) {}

  ~SqliteStore() override {
    queue_.Close();
    thread_.join();
  }

  void Run(Work work, Done done) override {
    queue_.Push(std::move(work), std::move(done));
  }

 private:
  void Loop();
  // The status of each entry, in order.
  std::vector<absl::Status> RunBatch(std::vector<WorkQueue::Entry>& batch);
  absl::Status RunOne(const Work& work);
  absl::Status CommitBatch(bool wrote);
  void CountCommit(absl::Duration took, size_t works, bool failed) const;
  void UndoBatch();
  void MoveLog(bool truncate);
  void Fail(const absl::Status& why);

  const SqliteOptions options_;

  const std::unique_ptr<sqlite::Database> database_;
  Clock& clock_;
  StoreTime time_;
  bool failed_ = false;  // the disk broke its word; see Fail

  WorkQueue queue_;
  std::thread thread_;  // last: it uses all of the above
};

void SqliteStore::Loop() {
  for (;;) {
    std::vector<WorkQueue::Entry> batch = queue_.PopBatch(options_.batch_limit);
    if (batch.empty()) break;
    std::vector<absl::Status> statuses = RunBatch(batch);
    for (size_t i = 0; i < batch.size(); ++i) {
      batch[i].done(std::move(statuses[i]));
    }
    // After the answers, which need not wait for it.
    if (database_->WalPages() >= kCheckpointPages) MoveLog(false);
  }
  MoveLog(true);
}

std::vector<absl::Status> SqliteStore::RunBatch(
    std::vector<WorkQueue::Entry>& batch) {
  if (failed_) {
    return std::vector<absl::Status>(
        batch.size(), absl::UnavailableError("store: the disk has failed"));
  }
  const absl::Status begun = sqlite::Change(*database_, kBegin);
  if (!begun.ok()) return std::vector<absl::Status>(batch.size(), begun);

  std::vector<absl::Status> statuses;
  absl::Status whole;
  bool wrote = false;
  for (const WorkQueue::Entry& entry : batch) {
    const int64_t changes = database_->TotalChanges();
    statuses.push_back(RunOne(entry.work));
    wrote |= statuses.back().ok() && database_->TotalChanges() != changes;
    if (!database_->InTransaction()) {
      // SQLite undid everything because of an error of the medium. What ran
      // before is undone too, and what follows was never begun.
      whole = absl::UnavailableError("store: the batch was undone");
      break;
    }
  }
  if (whole.ok()) {
    const absl::Duration before = clock_.Steady();
    whole = CommitBatch(wrote);
    if (wrote) CountCommit(clock_.Steady() - before, batch.size(), !whole.ok());
  }
  statuses.resize(batch.size(), whole);
  for (absl::Status& status : statuses) {
    if (status.ok()) status = whole;
  }
  return statuses;
}

absl::Status SqliteStore::RunOne(const Work& work) {
  GATEHOUSE_RETURN_IF_ERROR(sqlite::Change(*database_, kSavepoint));
  sqlite::SqliteTransaction transaction(*database_, time_.Next());
  const absl::Status status = work(transaction);
  if (!database_->InTransaction()) {
    return status.ok() ? absl::UnavailableError("store: the Work was undone")
                       : status;
  }
  if (status.ok()) return sqlite::Change(*database_, kRelease);
  absl::Status undone = sqlite::Change(*database_, kRollbackTo);
  if (undone.ok()) undone = sqlite::Change(*database_, kRelease);
  // Never commit what could not be undone.
  if (!undone.ok()) UndoBatch();
  return status;
}

absl::Status SqliteStore::CommitBatch(bool wrote) {
  // Fault points count the commits that keep something.
  if (wrote) FaultPoint("before_commit");
  // A sync that failed while the Works ran poisons the commit as well.
  const absl::Status committed = database_->SyncFailed()
                                     ? absl::DataLossError("store: sync failed")
                                     : database_->Commit();
  if (wrote && committed.ok()) FaultPoint("after_commit");
  if (committed.ok()) return committed;
  if (absl::IsDataLoss(committed) || database_->SyncFailed()) Fail(committed);
  UndoBatch();
  return absl::UnknownError(
      absl::StrCat(committed.message(),
                   "; it may or may not be durable, read it back by its id"));
}

void SqliteStore::CountCommit(absl::Duration took, size_t works,
                              bool failed) const {
  if (options_.stats == nullptr) return;
  options_.stats->commit_seconds.Add(took);
  options_.stats->batch_works.Add(static_cast<double>(works));
  if (failed) options_.stats->commits_failed.Add();
}

void SqliteStore::UndoBatch() {
  if (!database_->InTransaction()) return;
  const absl::Status undone = sqlite::Change(*database_, kRollback);
  // A transaction that neither ends nor can be undone is a broken medium.
  if (!undone.ok()) Fail(undone);
}

void SqliteStore::MoveLog(bool truncate) {
  if (failed_) return;
  const absl::Status moved = database_->Checkpoint(truncate);
  if (!moved.ok()) Fail(Annotate(moved, "checkpoint"));
}

void SqliteStore::Fail(const absl::Status& why) {
  if (failed_) return;
  failed_ = true;
  const std::string what = absl::StrCat(
      options_.path, ": the disk did not keep what it was given (",
      why.message(), "); stopping, because nobody can know what is durable");
  fprintf(stderr, "%s\n", what.c_str());
  if (!options_.on_fatal) abort();
  options_.on_fatal(what);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Store>> OpenSqliteStore(SqliteOptions options,
                                                       Clock& clock) {
  absl::StatusOr<std::unique_ptr<sqlite::Database>> database =
      sqlite::Database::Open(options.path);
  if (!database.ok()) return database.status();
  const absl::Status migrated = sqlite::Migrate(**database);
  if (!migrated.ok()) return Annotate(migrated, options.path);
  return std::make_unique<SqliteStore>(*std::move(database), std::move(options),
                                       clock);
}

}  // namespace gatehouse
