#ifndef GATEHOUSE_CONTROLPLANE_STORE_SQLITE_MIGRATIONS_H_
#define GATEHOUSE_CONTROLPLANE_STORE_SQLITE_MIGRATIONS_H_

#include "absl/status/status.h"
#include "controlplane/store/sqlite/database.h"

namespace gatehouse::sqlite {

// The schema's version that this build writes: the last migration's number.
int SchemaVersion();

// Brings the database forward to SchemaVersion, all in one transaction.
// FAILED_PRECONDITION if it is newer than this build: it is left untouched.
absl::Status Migrate(Database& database);

}  // namespace gatehouse::sqlite

#endif  // GATEHOUSE_CONTROLPLANE_STORE_SQLITE_MIGRATIONS_H_
