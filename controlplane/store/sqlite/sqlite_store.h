#ifndef GATEHOUSE_CONTROLPLANE_STORE_SQLITE_SQLITE_STORE_H_
#define GATEHOUSE_CONTROLPLANE_STORE_SQLITE_SQLITE_STORE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "controlplane/store/store.h"
#include "controlplane/store/store_stats.h"
#include "shared/base/clock.h"

namespace gatehouse {

struct SqliteOptions {
  // The database file; made 0600 if missing. Its folder is made 0700 if
  // missing; one that is there keeps its rights.
  std::string path;
  size_t queue_limit = 4096;  // Works that may wait
  size_t batch_limit = 64;    // Works that share one commit
  // Called on the store's thread, once, when the disk did not take what it was
  // told to keep: nobody can know what is durable, so the process must end.
  // Null: abort(). If it returns, every later Work is UNAVAILABLE.
  std::function<void(std::string_view what)> on_fatal;
  StoreStats* stats = nullptr;  // borrowed; null: nobody counts
};

// Opens (or makes) the database, brings its schema up to this build's and
// starts the store's thread. WAL, full sync: a commit is durable when `done`
// says OK. The file is locked for this process alone.
//
// The store is thread-safe; `clock` is borrowed. Its destructor runs what is
// queued and then returns.
//   FAILED_PRECONDITION  another process has the file, or it was made by a
//                        newer build (it is then left untouched)
//   DATA_LOSS            the file is no database, or is damaged
//   UNAVAILABLE          the medium: permissions, space, I/O
absl::StatusOr<std::unique_ptr<Store>> OpenSqliteStore(SqliteOptions options,
                                                       Clock& clock);

}  // namespace gatehouse

#endif  // GATEHOUSE_CONTROLPLANE_STORE_SQLITE_SQLITE_STORE_H_
