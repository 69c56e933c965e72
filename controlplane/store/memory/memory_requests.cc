// Operations and input requests.

#include <algorithm>
#include <utility>

#include "controlplane/store/memory/memory_query.h"
#include "controlplane/store/memory/memory_transaction.h"

namespace gatehouse::memory {
namespace {

bool IsOpen(const InputRequestRow& row) {
  return row.state == InputRequestState::kRelayed ||
         row.state == InputRequestState::kPendingReview ||
         row.state == InputRequestState::kPendingRelease;
}

bool IsOwed(const InputRequestRow& row) {
  return row.delivery == DeliveryState::kUnclaimed ||
         row.delivery == DeliveryState::kClaimed;
}

}  // namespace

absl::Status MemoryTransaction::InsertOperation(const OperationRow& row) {
  if (tables_.operations.Find(row.id) != nullptr) {
    return Taken("operation", row.id);
  }
  tables_.operations.Put(journal_, row.id, row);
  return absl::OkStatus();
}

absl::StatusOr<OperationRow> MemoryTransaction::GetOperation(
    std::string_view id) {
  return GetOne(tables_.operations, std::string(id), "operation", id);
}

absl::Status MemoryTransaction::UpdateOperation(const OperationRow& row) {
  return CompareAndSet(tables_.operations, journal_, row, "operation");
}

absl::StatusOr<std::vector<OperationRow>>
MemoryTransaction::ListOpenOperationsOfSession(std::string_view session_id,
                                               int limit) {
  return First(Select(tables_.operations,
                      [&](const OperationRow& row) {
                        return row.open && row.session_id == session_id;
                      }),
               limit);
}

absl::StatusOr<std::vector<OperationRow>>
MemoryTransaction::ListOpenOperationsOfWorker(std::string_view worker_id,
                                              int64_t up_to_epoch, int limit) {
  return First(
      SortedBy(Select(tables_.operations,
                      [&](const OperationRow& row) {
                        return row.open && row.worker_id == worker_id &&
                               row.worker_epoch <= up_to_epoch;
                      }),
               [](const OperationRow& row) { return row.worker_epoch; }),
      limit);
}

void MemoryTransaction::EraseInputRequest(const std::string& id) {
  const int64_t number = *tables_.input_request_numbers.Find(id);
  tables_.input_requests.Erase(journal_, number);
  tables_.input_request_numbers.Erase(journal_, id);
}

absl::Status MemoryTransaction::DeleteInputRequestsOutsideCalls(
    absl::Time before, int limit) {
  const std::vector<InputRequestRow> ended =
      First(SortedBy(Select(tables_.input_requests,
                            [&](const InputRequestRow& row) {
                              return row.operation_id.empty() &&
                                     row.end_time.has_value() &&
                                     *row.end_time < before;
                            }),
                     [](const InputRequestRow& row) { return *row.end_time; }),
            limit);
  for (const InputRequestRow& row : ended) EraseInputRequest(row.id);
  return absl::OkStatus();
}

absl::Status MemoryTransaction::DeleteClosedOperations(absl::Time before,
                                                       int limit) {
  const std::vector<OperationRow> closed =
      First(SortedBy(Select(tables_.operations,
                            [&](const OperationRow& row) {
                              return !row.open && row.close_time.has_value() &&
                                     *row.close_time < before;
                            }),
                     [](const OperationRow& row) { return *row.close_time; }),
            limit);
  for (const OperationRow& operation : closed) {
    for (const InputRequestRow& row :
         Select(tables_.input_requests, [&](const InputRequestRow& candidate) {
           return candidate.operation_id == operation.id;
         })) {
      EraseInputRequest(row.id);
    }
    tables_.operations.Erase(journal_, operation.id);
  }
  return absl::OkStatus();
}

absl::Status MemoryTransaction::InsertInputRequest(const InputRequestRow& row) {
  if (tables_.input_request_numbers.Find(row.id) != nullptr ||
      GetInputRequestByOpaqueId(row.opaque_id_sha256).ok()) {
    return Taken("input request", row.id);
  }
  const auto& rows = tables_.input_requests.rows();
  const int64_t number = rows.empty() ? 1 : rows.rbegin()->first + 1;
  tables_.input_requests.Put(journal_, number, row);
  tables_.input_request_numbers.Put(journal_, row.id, number);
  return absl::OkStatus();
}

absl::StatusOr<InputRequestRow> MemoryTransaction::GetInputRequest(
    std::string_view id) {
  const int64_t* number = tables_.input_request_numbers.Find(std::string(id));
  if (number == nullptr) return NotFound("input request", id);
  return *tables_.input_requests.Find(*number);
}

absl::StatusOr<InputRequestRow> MemoryTransaction::GetInputRequestByOpaqueId(
    std::string_view opaque_id_sha256) {
  for (const auto& [number, row] : tables_.input_requests.rows()) {
    if (row.opaque_id_sha256.empty()) continue;  // never had one
    if (row.opaque_id_sha256 == opaque_id_sha256) return row;
  }
  return NotFound("input request", "of this opaque id");
}

absl::Status MemoryTransaction::UpdateInputRequest(const InputRequestRow& row,
                                                   InputRequestState expected) {
  const int64_t* number = tables_.input_request_numbers.Find(row.id);
  if (number == nullptr) return Changed("input request", row.id);
  const InputRequestRow* stored = tables_.input_requests.Find(*number);
  if (stored->version != row.version || stored->state != expected) {
    return Changed("input request", row.id);
  }
  InputRequestRow next = row;
  KeepFixed(*stored, next);
  next.version += 1;
  tables_.input_requests.Put(journal_, *number, std::move(next));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<InputRequestRow>>
MemoryTransaction::ListOpenInputRequestsOfOperation(
    std::string_view operation_id) {
  return Select(tables_.input_requests, [&](const InputRequestRow& row) {
    return IsOpen(row) && row.operation_id == operation_id;
  });
}

absl::StatusOr<std::vector<InputRequestRow>>
MemoryTransaction::ListInputRequestsOfAdmit(std::string_view admit_request_id) {
  return Select(tables_.input_requests, [&](const InputRequestRow& row) {
    return row.admit_request_id == admit_request_id;
  });
}

absl::StatusOr<std::vector<InputRequestRow>>
MemoryTransaction::ListDueInputRequests(absl::Time at, int limit) {
  return First(
      SortedBy(Select(tables_.input_requests,
                      [&](const InputRequestRow& row) {
                        return IsOpen(row) && row.deadline.has_value() &&
                               *row.deadline <= at;
                      }),
               [](const InputRequestRow& row) { return *row.deadline; }),
      limit);
}

absl::StatusOr<std::vector<InputRequestRow>>
MemoryTransaction::ListUnsettledDeliveriesOfWorker(std::string_view worker_id,
                                                   int64_t up_to_epoch,
                                                   int limit) {
  return First(
      SortedBy(Select(tables_.input_requests,
                      [&](const InputRequestRow& row) {
                        return IsOwed(row) && row.worker_id == worker_id &&
                               row.worker_epoch <= up_to_epoch;
                      }),
               [](const InputRequestRow& row) { return row.worker_epoch; }),
      limit);
}

absl::StatusOr<std::vector<InputRequestRow>>
MemoryTransaction::ListUnsettledDeliveriesOfOperation(
    std::string_view operation_id) {
  return Select(tables_.input_requests, [&](const InputRequestRow& row) {
    return IsOwed(row) && row.operation_id == operation_id;
  });
}

absl::StatusOr<int64_t> MemoryTransaction::CountOpenInputRequestsOfUpstream(
    std::string_view virtual_server, std::string_view upstream) {
  return static_cast<int64_t>(
      Select(tables_.input_requests, [&](const InputRequestRow& row) {
        return IsOpen(row) && row.virtual_server == virtual_server &&
               row.upstream == upstream;
      }).size());
}

absl::StatusOr<int64_t>
MemoryTransaction::CountOpenInputRequestsOfVirtualServer(
    std::string_view virtual_server) {
  return static_cast<int64_t>(
      Select(tables_.input_requests, [&](const InputRequestRow& row) {
        return IsOpen(row) && row.virtual_server == virtual_server;
      }).size());
}

absl::StatusOr<int64_t> MemoryTransaction::CountOpenInputRequestsOfSession(
    std::string_view virtual_server, std::string_view upstream,
    std::string_view session_id, std::string_view method) {
  return static_cast<int64_t>(
      Select(tables_.input_requests, [&](const InputRequestRow& row) {
        return IsOpen(row) && row.virtual_server == virtual_server &&
               row.upstream == upstream && row.session_id == session_id &&
               row.method == method;
      }).size());
}

absl::StatusOr<StoreFigures> MemoryTransaction::ReadFigures() {
  StoreFigures figures;
  for (const auto& [number, row] : tables_.input_requests.rows()) {
    if (!IsOpen(row)) continue;
    ++figures.open_input_requests;
    figures.oldest_open = std::min(
        figures.oldest_open.value_or(row.create_time), row.create_time);
  }
  for (const auto& [id, row] : tables_.operations.rows()) {
    if (!row.open) continue;
    ++figures.open_operations;
    figures.slots_used += row.slots_used;
    figures.tokens_reserved += row.tokens_reserved;
    figures.tokens_charged += row.tokens_charged;
  }
  for (const auto& [id, row] : tables_.sessions.rows()) {
    figures.open_sessions += row.open ? 1 : 0;
  }
  figures.mail = static_cast<int64_t>(tables_.mail.rows().size());
  GATEHOUSE_ASSIGN_OR_RETURN(const AuditHeadRow head, GetAuditHead());
  figures.audit_records = head.size;
  return figures;
}

}  // namespace gatehouse::memory
