// Sessions, workers, mail, idempotency, policies, the log and small facts.

#include "controlplane/store/memory/memory_transaction.h"

#include <tuple>
#include <utility>

#include "controlplane/store/memory/memory_query.h"

namespace gatehouse::memory {

absl::Status MemoryTransaction::InsertSession(const SessionRow& row) {
  if (tables_.sessions.Find(row.id) != nullptr ||
      GetSessionBySecret(row.secret_sha256).ok()) {
    return Taken("session", row.id);
  }
  tables_.sessions.Put(journal_, row.id, row);
  return absl::OkStatus();
}

absl::StatusOr<SessionRow> MemoryTransaction::GetSession(std::string_view id) {
  return GetOne(tables_.sessions, std::string(id), "session", id);
}

absl::StatusOr<SessionRow> MemoryTransaction::GetSessionBySecret(
    std::string_view secret_sha256) {
  for (const auto& [id, row] : tables_.sessions.rows()) {
    if (row.secret_sha256 == secret_sha256) return row;
  }
  return NotFound("session", "of this secret");
}

absl::Status MemoryTransaction::UpdateSession(const SessionRow& row) {
  return CompareAndSet(tables_.sessions, journal_, row, "session");
}

absl::StatusOr<std::vector<SessionRow>> MemoryTransaction::ListOpenSessions(
    std::string_view virtual_server, std::string_view after, int limit) {
  return First(Select(tables_.sessions,
                      [&](const SessionRow& row) {
                        return row.open && row.id > after &&
                               (virtual_server.empty() ||
                                row.virtual_server == virtual_server);
                      }),
               limit);
}

absl::StatusOr<std::vector<SessionRow>>
MemoryTransaction::ListSessionsOfPrincipal(const Principal& principal,
                                           int limit) {
  return First(
      SortedBy(Select(tables_.sessions,
                      [&](const SessionRow& row) {
                        return row.open && row.principal == principal;
                      }),
               [](const SessionRow& row) { return row.last_used_time; }),
      limit);
}

absl::StatusOr<int64_t> MemoryTransaction::CountOpenSessions(
    const Principal& principal, std::string_view worker_id) {
  return static_cast<int64_t>(
      Select(tables_.sessions, [&](const SessionRow& row) {
        return row.open && row.principal == principal &&
               (worker_id.empty() || row.worker_id == worker_id);
      }).size());
}

absl::StatusOr<std::vector<SessionRow>> MemoryTransaction::ListIdleSessions(
    absl::Time before, int limit) {
  return First(
      SortedBy(Select(tables_.sessions,
                      [&](const SessionRow& row) {
                        return row.open && row.last_used_time < before;
                      }),
               [](const SessionRow& row) { return row.last_used_time; }),
      limit);
}

absl::Status MemoryTransaction::DeleteEndedSessions(absl::Time used_before,
                                                    int limit) {
  const std::vector<SessionRow> ended = First(
      SortedBy(Select(tables_.sessions,
                      [&](const SessionRow& row) {
                        return !row.open && row.last_used_time < used_before;
                      }),
               [](const SessionRow& row) { return row.last_used_time; }),
      limit);
  for (const SessionRow& row : ended) {
    tables_.sessions.Erase(journal_, row.id);
  }
  return absl::OkStatus();
}

absl::Status MemoryTransaction::PutRoots(const RootsRow& row) {
  tables_.roots.Put(journal_, row.session_id, row);
  return absl::OkStatus();
}

absl::StatusOr<RootsRow> MemoryTransaction::GetRoots(
    std::string_view session_id) {
  return GetOne(tables_.roots, std::string(session_id), "roots of session",
                session_id);
}

absl::Status MemoryTransaction::DeleteRoots(std::string_view session_id) {
  tables_.roots.Erase(journal_, std::string(session_id));
  return absl::OkStatus();
}

absl::Status MemoryTransaction::InsertWorker(const WorkerRow& row) {
  if (tables_.workers.Find(row.id) != nullptr) return Taken("worker", row.id);
  tables_.workers.Put(journal_, row.id, row);
  return absl::OkStatus();
}

absl::StatusOr<WorkerRow> MemoryTransaction::GetWorker(std::string_view id) {
  return GetOne(tables_.workers, std::string(id), "worker", id);
}

absl::Status MemoryTransaction::UpdateWorker(const WorkerRow& row) {
  return CompareAndSet(tables_.workers, journal_, row, "worker");
}

absl::StatusOr<std::vector<WorkerRow>> MemoryTransaction::ListWorkers(
    std::string_view after, int limit) {
  return First(Select(tables_.workers,
                      [&](const WorkerRow& row) { return row.id > after; }),
               limit);
}

absl::Status MemoryTransaction::InsertMail(const MailRow& row) {
  const Tables::Numbered key(row.worker_id, row.number);
  if (tables_.mail.Find(key) != nullptr) return Taken("mail", row.worker_id);
  tables_.mail.Put(journal_, key, row);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<MailRow>> MemoryTransaction::ListMail(
    std::string_view worker_id, int64_t after, int limit) {
  return First(Select(tables_.mail,
                      [&](const MailRow& row) {
                        return row.worker_id == worker_id && row.number > after;
                      }),
               limit);
}

absl::StatusOr<int64_t> MemoryTransaction::CountMail(
    std::string_view worker_id) {
  return static_cast<int64_t>(Select(tables_.mail, [&](const MailRow& row) {
                                return row.worker_id == worker_id;
                              }).size());
}

absl::Status MemoryTransaction::DeleteMail(std::string_view worker_id,
                                           int64_t up_to) {
  for (const MailRow& row : Select(tables_.mail, [&](const MailRow& candidate) {
         return candidate.worker_id == worker_id && candidate.number <= up_to;
       })) {
    tables_.mail.Erase(journal_, {row.worker_id, row.number});
  }
  return absl::OkStatus();
}

absl::Status MemoryTransaction::InsertIdempotency(const IdempotencyRow& row) {
  if (tables_.idempotency.Find(row.request_id) != nullptr) {
    return Taken("request", row.request_id);
  }
  tables_.idempotency.Put(journal_, row.request_id, row);
  return absl::OkStatus();
}

absl::StatusOr<IdempotencyRow> MemoryTransaction::GetIdempotency(
    std::string_view request_id) {
  return GetOne(tables_.idempotency, std::string(request_id), "request",
                request_id);
}

absl::Status MemoryTransaction::DeleteIdempotency(absl::Time before,
                                                  int limit) {
  const std::vector<IdempotencyRow> old =
      First(SortedBy(Select(tables_.idempotency,
                            [&](const IdempotencyRow& row) {
                              return row.create_time < before;
                            }),
                     [](const IdempotencyRow& row) { return row.create_time; }),
            limit);
  for (const IdempotencyRow& row : old) {
    tables_.idempotency.Erase(journal_, row.request_id);
  }
  return absl::OkStatus();
}

absl::Status MemoryTransaction::InsertPolicy(const PolicyRow& row) {
  const absl::StatusOr<PolicyRow> latest = GetLatestPolicy(row.virtual_server);
  if (latest.ok() && row.version <= latest->version) {
    return Taken("virtual server", row.virtual_server);
  }
  tables_.policies.Put(journal_, {row.virtual_server, row.version}, row);
  return absl::OkStatus();
}

absl::StatusOr<PolicyRow> MemoryTransaction::GetLatestPolicy(
    std::string_view virtual_server) {
  std::vector<PolicyRow> versions =
      Select(tables_.policies, [&](const PolicyRow& row) {
        return row.virtual_server == virtual_server;
      });
  if (versions.empty()) return NotFound("virtual server", virtual_server);
  return std::move(versions.back());
}

absl::StatusOr<std::vector<PolicyRow>> MemoryTransaction::ListCurrentPolicies(
    std::string_view after, int limit) {
  // Versions follow each other by name: the last of a name is its newest.
  std::map<std::string, PolicyRow> newest;
  for (const auto& [key, row] : tables_.policies.rows()) {
    if (row.virtual_server > after) newest[row.virtual_server] = row;
  }
  std::vector<PolicyRow> rows;
  for (auto& [name, row] : newest) {
    if (!row.document.empty()) rows.push_back(std::move(row));
  }
  return First(std::move(rows), limit);
}

absl::StatusOr<AuditHeadRow> MemoryTransaction::GetAuditHead() {
  const AuditHeadRow* head = tables_.head.Find(1);
  return head == nullptr ? AuditHeadRow{} : *head;
}

absl::Status MemoryTransaction::UpdateAuditHead(const AuditHeadRow& row,
                                                int64_t expected_size) {
  const absl::StatusOr<AuditHeadRow> head = GetAuditHead();
  if (head->epoch != row.epoch || head->size != expected_size) {
    return Changed("audit", "head");
  }
  tables_.head.Put(journal_, 1, row);
  return absl::OkStatus();
}

absl::Status MemoryTransaction::InsertAuditLeaf(const AuditLeafRow& row) {
  const Tables::Place place(row.epoch, row.seq);
  if (tables_.leaves.Find(place) != nullptr) return Taken("audit", "leaf");
  tables_.leaves.Put(journal_, place, row);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<AuditLeafRow>> MemoryTransaction::ListAuditLeaves(
    int64_t after_epoch, int64_t after_seq, int limit) {
  return First(Select(tables_.leaves,
                      [&](const AuditLeafRow& row) {
                        return std::tie(row.epoch, row.seq) >
                               std::tie(after_epoch, after_seq);
                      }),
               limit);
}

absl::StatusOr<std::string> MemoryTransaction::GetMeta(std::string_view key) {
  return GetOne(tables_.meta, std::string(key), "meta", key);
}

absl::Status MemoryTransaction::PutMeta(std::string_view key,
                                        std::string_view value) {
  tables_.meta.Put(journal_, std::string(key), std::string(value));
  return absl::OkStatus();
}

}  // namespace gatehouse::memory
