#ifndef GATEHOUSE_CONTROLPLANE_STORE_SQLITE_QUERY_H_
#define GATEHOUSE_CONTROLPLANE_STORE_SQLITE_QUERY_H_

// The few shapes of statement that a transaction runs, on Database.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "controlplane/store/sqlite/database.h"
#include "shared/base/status.h"

namespace gatehouse::sqlite {

// A limit for SQL, where a negative one would mean none.
inline int64_t Limit(int limit) { return std::max(limit, 0); }

// The one row, or NOT_FOUND "`what` `id`: not found".
template <typename Row, typename... Values>
absl::StatusOr<Row> GetOne(Database& database, Row (*read)(const Statement&),
                           std::string_view what, std::string_view id,
                           const char* sql, const Values&... values) {
  GATEHOUSE_ASSIGN_OR_RETURN(Statement statement, database.Prepare(sql));
  GATEHOUSE_ASSIGN_OR_RETURN(const bool found,
                             statement.Bind(values...).Step());
  if (!found) {
    return absl::NotFoundError(
        absl::StrCat(ToAbsl(what), " ", ToAbsl(id), ": not found"));
  }
  return read(statement);
}

template <typename Row, typename... Values>
absl::StatusOr<std::vector<Row>> GetAll(Database& database,
                                        Row (*read)(const Statement&),
                                        const char* sql,
                                        const Values&... values) {
  GATEHOUSE_ASSIGN_OR_RETURN(Statement statement, database.Prepare(sql));
  statement.Bind(values...);
  std::vector<Row> rows;
  for (;;) {
    GATEHOUSE_ASSIGN_OR_RETURN(const bool found, statement.Step());
    if (!found) return rows;
    rows.push_back(read(statement));
  }
}

// The number in the one row of an aggregate.
template <typename... Values>
absl::StatusOr<int64_t> GetCount(Database& database, const char* sql,
                                 const Values&... values) {
  GATEHOUSE_ASSIGN_OR_RETURN(Statement statement, database.Prepare(sql));
  GATEHOUSE_ASSIGN_OR_RETURN(const bool found,
                             statement.Bind(values...).Step());
  return found ? statement.Int(0) : 0;
}

// Runs a statement that gives no rows, whatever number it changes.
template <typename... Values>
absl::Status Change(Database& database, const char* sql,
                    const Values&... values) {
  return database.Execute(sql, values...).status();
}

// Runs an update that compares: ABORTED "`what` `id`: changed by another"
// unless it changed its one row.
template <typename... Values>
absl::Status CompareAndSet(Database& database, std::string_view what,
                           std::string_view id, const char* sql,
                           const Values&... values) {
  GATEHOUSE_ASSIGN_OR_RETURN(const int64_t changed,
                             database.Execute(sql, values...));
  if (changed == 1) return absl::OkStatus();
  return absl::AbortedError(
      absl::StrCat(ToAbsl(what), " ", ToAbsl(id),
                   ": changed since it was read, read it again"));
}

}  // namespace gatehouse::sqlite

#endif  // GATEHOUSE_CONTROLPLANE_STORE_SQLITE_QUERY_H_
