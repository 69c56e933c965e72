// Verdicts on input requests, counted by upstream.

#include "controlplane/store/sqlite/query.h"
#include "controlplane/store/sqlite/sqlite_transaction.h"

namespace gatehouse::sqlite {
namespace {

#define VERDICT_COUNT_COLUMNS \
  "virtual_server, upstream, counter, count, last_time_us"
constexpr const char* kCountVerdict =
    "INSERT INTO verdict_count(" VERDICT_COUNT_COLUMNS
    ") VALUES(?, ?, ?, 1, ?) "
    "ON CONFLICT(virtual_server, upstream, counter) DO UPDATE SET "
    "count = count + 1, last_time_us = excluded.last_time_us";
constexpr const char* kListVerdictCounts =
    "SELECT " VERDICT_COUNT_COLUMNS
    " FROM verdict_count WHERE (virtual_server, upstream, counter) > (?, ?, ?)"
    " ORDER BY virtual_server, upstream, counter LIMIT ?";
constexpr const char* kListVerdictCountsOfUpstream =
    "SELECT " VERDICT_COUNT_COLUMNS
    " FROM verdict_count WHERE virtual_server = ? AND upstream = ?"
    " ORDER BY counter";
constexpr const char* kDeleteVerdictCounts =
    "DELETE FROM verdict_count WHERE virtual_server = ? AND upstream = ?";

VerdictCountRow ReadVerdictCount(const Statement& statement) {
  return {statement.Text(0), statement.Text(1), statement.Text(2),
          statement.Int(3), statement.Time(4)};
}

}  // namespace

absl::Status SqliteTransaction::CountVerdict(std::string_view virtual_server,
                                             std::string_view upstream,
                                             std::string_view counter) {
  return Change(database_, kCountVerdict, virtual_server, upstream, counter,
                now_);
}

absl::StatusOr<std::vector<VerdictCountRow>>
SqliteTransaction::ListVerdictCounts(const VerdictCountRow& after, int limit) {
  return GetAll(database_, ReadVerdictCount, kListVerdictCounts,
                after.virtual_server, after.upstream, after.counter,
                Limit(limit));
}

absl::StatusOr<std::vector<VerdictCountRow>>
SqliteTransaction::ListVerdictCountsOfUpstream(std::string_view virtual_server,
                                               std::string_view upstream) {
  return GetAll(database_, ReadVerdictCount, kListVerdictCountsOfUpstream,
                virtual_server, upstream);
}

absl::Status SqliteTransaction::DeleteVerdictCountsOfUpstream(
    std::string_view virtual_server, std::string_view upstream) {
  return Change(database_, kDeleteVerdictCounts, virtual_server, upstream);
}

}  // namespace gatehouse::sqlite
