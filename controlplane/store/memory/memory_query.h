#ifndef GATEHOUSE_CONTROLPLANE_STORE_MEMORY_MEMORY_QUERY_H_
#define GATEHOUSE_CONTROLPLANE_STORE_MEMORY_MEMORY_QUERY_H_

// The few shapes of query that a transaction runs, on Table.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "controlplane/store/memory/memory_tables.h"
#include "shared/base/status.h"

namespace gatehouse::memory {

inline absl::Status NotFound(std::string_view what, std::string_view id) {
  return absl::NotFoundError(
      absl::StrCat(ToAbsl(what), " ", ToAbsl(id), ": not found"));
}

inline absl::Status Taken(std::string_view what, std::string_view id) {
  return absl::AlreadyExistsError(
      absl::StrCat(ToAbsl(what), " ", ToAbsl(id), ": already there"));
}

inline absl::Status Changed(std::string_view what, std::string_view id) {
  return absl::AbortedError(
      absl::StrCat(ToAbsl(what), " ", ToAbsl(id),
                   ": changed since it was read, read it again"));
}

template <typename Key, typename Row>
absl::StatusOr<Row> GetOne(const Table<Key, Row>& table, const Key& key,
                           std::string_view what, std::string_view id) {
  const Row* row = table.Find(key);
  if (row == nullptr) return NotFound(what, id);
  return *row;
}

// Rows that `wanted` takes, in the order of their keys.
template <typename Key, typename Row, typename Wanted>
std::vector<Row> Select(const Table<Key, Row>& table, const Wanted& wanted) {
  std::vector<Row> rows;
  for (const auto& [key, row] : table.rows()) {
    if (wanted(row)) rows.push_back(row);
  }
  return rows;
}

// Stable, so rows that are equal under `key` keep their order.
template <typename Row, typename SortKey>
std::vector<Row> SortedBy(std::vector<Row> rows, const SortKey& key) {
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const Row& a, const Row& b) { return key(a) < key(b); });
  return rows;
}

template <typename Row>
std::vector<Row> First(std::vector<Row> rows, int limit) {
  const auto most = static_cast<size_t>(std::max(limit, 0));
  if (rows.size() > most) rows.resize(most);
  return rows;
}

// What an update leaves as it is; see store.h.
inline void KeepFixed(const SessionRow& stored, SessionRow& next) {
  next.secret_sha256 = stored.secret_sha256;
  next.virtual_server = stored.virtual_server;
  next.principal = stored.principal;
  next.create_time = stored.create_time;
}
inline void KeepFixed(const WorkerRow&, WorkerRow&) {}
inline void KeepFixed(const OperationRow& stored, OperationRow& next) {
  next.create_time = stored.create_time;
}
inline void KeepFixed(const InputRequestRow& stored, InputRequestRow& next) {
  next.operation_id = stored.operation_id;
  next.session_id = stored.session_id;
  next.virtual_server = stored.virtual_server;
  next.upstream = stored.upstream;
  next.upstream_revision = stored.upstream_revision;
  next.tool = stored.tool;
  next.method = stored.method;
  next.key = stored.key;
  next.admit_request_id = stored.admit_request_id;
  next.create_time = stored.create_time;
}

// An update that compares: the stored row must have the version that was read.
template <typename Row>
absl::Status CompareAndSet(Table<std::string, Row>& table, Journal& journal,
                           const Row& row, std::string_view what) {
  const Row* stored = table.Find(row.id);
  if (stored == nullptr || stored->version != row.version) {
    return Changed(what, row.id);
  }
  Row next = row;
  KeepFixed(*stored, next);
  next.version += 1;
  table.Put(journal, row.id, std::move(next));
  return absl::OkStatus();
}

}  // namespace gatehouse::memory

#endif  // GATEHOUSE_CONTROLPLANE_STORE_MEMORY_MEMORY_QUERY_H_
