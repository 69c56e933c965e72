// Operations and input requests.

#include <utility>

#include "controlplane/store/sqlite/query.h"
#include "controlplane/store/sqlite/sqlite_transaction.h"

namespace gatehouse::sqlite {
namespace {

#define OPERATION_COLUMNS                                               \
  "id, session_id, worker_id, worker_epoch, virtual_server, upstream, " \
  "tool, open, slots_used, tokens_reserved, tokens_charged, refusals, " \
  "create_time_us, close_time_us, version"

#define INPUT_REQUEST_COLUMNS                                              \
  "id, opaque_id_sha256, operation_id, session_id, worker_id, "            \
  "worker_epoch, virtual_server, upstream, upstream_revision, tool, "      \
  "method, key, admit_request_id, state, cause, reason, deadline_us, "     \
  "tokens, params, params_bytes, delivery, reply_is_error, reply_result, " \
  "reply_code, reply_message, reply_data, reply_reason, "                  \
  "submit_request_id, policy_version, create_time_us, end_time_us, "       \
  "last_audit_seq, version"

constexpr const char* kInsertOperation =
    "INSERT INTO operation(" OPERATION_COLUMNS
    ") "
    "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kGetOperation =
    "SELECT " OPERATION_COLUMNS " FROM operation WHERE id = ?";
constexpr const char* kUpdateOperation =
    "UPDATE operation SET session_id = ?, worker_id = ?, worker_epoch = ?, "
    "virtual_server = ?, upstream = ?, tool = ?, open = ?, slots_used = ?, "
    "tokens_reserved = ?, tokens_charged = ?, refusals = ?, "
    "close_time_us = ?, version = version + 1 WHERE id = ? AND version = ?";
constexpr const char* kListOpenOperationsOfSession =
    "SELECT " OPERATION_COLUMNS
    " FROM operation WHERE open = 1 AND session_id = ? ORDER BY id LIMIT ?";
constexpr const char* kListOpenOperationsOfWorker =
    "SELECT " OPERATION_COLUMNS
    " FROM operation WHERE open = 1 AND worker_id = ? AND worker_epoch <= ? "
    "ORDER BY worker_epoch, id LIMIT ?";
#define CLOSED_OPERATIONS                                           \
  "(SELECT id FROM operation WHERE open = 0 AND close_time_us < ? " \
  "ORDER BY close_time_us, id LIMIT ?)"
constexpr const char* kDeleteRequestsOfClosedOperations =
    "DELETE FROM input_request WHERE operation_id IN " CLOSED_OPERATIONS;
constexpr const char* kDeleteClosedOperations =
    "DELETE FROM operation WHERE id IN " CLOSED_OPERATIONS;

// Named, for the planner would take the index of operations, which sorts.
constexpr const char* kDeleteRequestsOutsideCalls =
    "DELETE FROM input_request WHERE id IN (SELECT id FROM input_request "
    "INDEXED BY input_request_outside "
    "WHERE operation_id = '' AND end_time_us < ? "
    "ORDER BY end_time_us, id LIMIT ?)";

// `open` and `owed` repeat what state and delivery say, for the indices.
constexpr const char* kInsertInputRequest =
    "INSERT INTO input_request(" INPUT_REQUEST_COLUMNS
    ", open, owed) "
    "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
    "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kGetInputRequest =
    "SELECT " INPUT_REQUEST_COLUMNS " FROM input_request WHERE id = ?";
constexpr const char* kGetInputRequestByOpaqueId =
    "SELECT " INPUT_REQUEST_COLUMNS
    " FROM input_request WHERE opaque_id_sha256 = ?";
// Only what an update may change (store.h).
constexpr const char* kUpdateInputRequest =
    "UPDATE input_request SET opaque_id_sha256 = ?, worker_id = ?, "
    "worker_epoch = ?, state = ?, cause = ?, reason = ?, deadline_us = ?, "
    "tokens = ?, params = ?, params_bytes = ?, delivery = ?, "
    "reply_is_error = ?, reply_result = ?, reply_code = ?, "
    "reply_message = ?, reply_data = ?, reply_reason = ?, "
    "submit_request_id = ?, policy_version = ?, end_time_us = ?, "
    "last_audit_seq = ?, open = ?, owed = ?, version = version + 1 "
    "WHERE id = ? AND version = ? AND state = ?";
constexpr const char* kListOpenInputRequestsOfOperation =
    "SELECT " INPUT_REQUEST_COLUMNS
    " FROM input_request WHERE open = 1 AND operation_id = ? ORDER BY number";
constexpr const char* kListInputRequestsOfAdmit =
    "SELECT " INPUT_REQUEST_COLUMNS
    " FROM input_request WHERE admit_request_id = ? ORDER BY number";
constexpr const char* kListDueInputRequests =
    "SELECT " INPUT_REQUEST_COLUMNS
    " FROM input_request WHERE open = 1 AND deadline_us <= ? "
    "ORDER BY deadline_us, number LIMIT ?";
constexpr const char* kListUnsettledDeliveries =
    "SELECT " INPUT_REQUEST_COLUMNS
    " FROM input_request WHERE owed = 1 AND worker_id = ? "
    "AND worker_epoch <= ? ORDER BY worker_epoch, number LIMIT ?";
constexpr const char* kListUnsettledOfOperation =
    "SELECT " INPUT_REQUEST_COLUMNS
    " FROM input_request WHERE owed = 1 AND operation_id = ? ORDER BY number";
constexpr const char* kCountOpenOfUpstream =
    "SELECT count(*) FROM input_request "
    "WHERE open = 1 AND virtual_server = ? AND upstream = ?";
constexpr const char* kCountOpenOfSession =
    "SELECT count(*) FROM input_request "
    "WHERE open = 1 AND virtual_server = ? AND upstream = ? "
    "AND session_id = ? AND method = ?";
constexpr const char* kCountOpenOfVirtualServer =
    "SELECT count(*) FROM input_request "
    "WHERE open = 1 AND virtual_server = ?";

OperationRow ReadOperation(const Statement& statement) {
  OperationRow row;
  row.id = statement.Text(0);
  row.session_id = statement.Text(1);
  row.worker_id = statement.Text(2);
  row.worker_epoch = statement.Int(3);
  row.virtual_server = statement.Text(4);
  row.upstream = statement.Text(5);
  row.tool = statement.Text(6);
  row.open = statement.Int(7) != 0;
  row.slots_used = statement.Int(8);
  row.tokens_reserved = statement.Int(9);
  row.tokens_charged = statement.Int(10);
  row.refusals = statement.Int(11);
  row.create_time = statement.Time(12);
  row.close_time = statement.OptionalTime(13);
  row.version = statement.Int(14);
  return row;
}

std::optional<UpstreamReplyRow> ReadReply(const Statement& statement) {
  constexpr int kFirst = 21;
  if (statement.IsNull(kFirst)) return std::nullopt;
  UpstreamReplyRow reply;
  reply.is_error = statement.Int(kFirst) != 0;
  reply.result = statement.Text(kFirst + 1);
  reply.code = static_cast<int32_t>(statement.Int(kFirst + 2));
  reply.message = statement.Text(kFirst + 3);
  reply.data = statement.Text(kFirst + 4);
  reply.reason = statement.Text(kFirst + 5);
  return reply;
}

InputRequestRow ReadInputRequest(const Statement& statement) {
  InputRequestRow row;
  row.id = statement.Text(0);
  row.opaque_id_sha256 = statement.Text(1);
  row.operation_id = statement.Text(2);
  row.session_id = statement.Text(3);
  row.worker_id = statement.Text(4);
  row.worker_epoch = statement.Int(5);
  row.virtual_server = statement.Text(6);
  row.upstream = statement.Text(7);
  row.upstream_revision = statement.Text(8);
  row.tool = statement.Text(9);
  row.method = statement.Text(10);
  row.key = statement.Text(11);
  row.admit_request_id = statement.Text(12);
  row.state = static_cast<InputRequestState>(statement.Int(13));
  row.cause = statement.Text(14);
  row.reason = statement.Text(15);
  row.deadline = statement.OptionalTime(16);
  row.tokens = statement.Int(17);
  row.params = statement.Text(18);
  row.params_bytes = statement.Int(19);
  row.delivery = static_cast<DeliveryState>(statement.Int(20));
  row.reply = ReadReply(statement);
  row.submit_request_id = statement.Text(27);
  row.policy_version = statement.Int(28);
  row.create_time = statement.Time(29);
  row.end_time = statement.OptionalTime(30);
  row.last_audit_seq = statement.Int(31);
  row.version = statement.Int(32);
  return row;
}

bool IsOpen(InputRequestState state) {
  return state == InputRequestState::kRelayed ||
         state == InputRequestState::kPendingReview ||
         state == InputRequestState::kPendingRelease;
}

bool IsOwed(DeliveryState delivery) {
  return delivery == DeliveryState::kUnclaimed ||
         delivery == DeliveryState::kClaimed;
}

// The reply's columns: `is_error` is NULL if there is none.
struct ReplyColumns {
  explicit ReplyColumns(const InputRequestRow& row)
      : reply(row.reply.value_or(UpstreamReplyRow{})) {
    if (row.reply.has_value()) is_error = reply.is_error ? 1 : 0;
  }
  const UpstreamReplyRow reply;
  std::optional<int64_t> is_error;
};

}  // namespace

absl::Status SqliteTransaction::InsertOperation(const OperationRow& row) {
  return Change(database_, kInsertOperation, row.id, row.session_id,
                row.worker_id, row.worker_epoch, row.virtual_server,
                row.upstream, row.tool, row.open, row.slots_used,
                row.tokens_reserved, row.tokens_charged, row.refusals,
                row.create_time, row.close_time, row.version);
}

absl::StatusOr<OperationRow> SqliteTransaction::GetOperation(
    std::string_view id) {
  return GetOne(database_, ReadOperation, "operation", id, kGetOperation, id);
}

absl::Status SqliteTransaction::UpdateOperation(const OperationRow& row) {
  return CompareAndSet(database_, "operation", row.id, kUpdateOperation,
                       row.session_id, row.worker_id, row.worker_epoch,
                       row.virtual_server, row.upstream, row.tool, row.open,
                       row.slots_used, row.tokens_reserved, row.tokens_charged,
                       row.refusals, row.close_time, row.id, row.version);
}

absl::StatusOr<std::vector<OperationRow>>
SqliteTransaction::ListOpenOperationsOfSession(std::string_view session_id,
                                               int limit) {
  return GetAll(database_, ReadOperation, kListOpenOperationsOfSession,
                session_id, Limit(limit));
}

absl::StatusOr<std::vector<OperationRow>>
SqliteTransaction::ListOpenOperationsOfWorker(std::string_view worker_id,
                                              int64_t up_to_epoch, int limit) {
  return GetAll(database_, ReadOperation, kListOpenOperationsOfWorker,
                worker_id, up_to_epoch, Limit(limit));
}

absl::Status SqliteTransaction::DeleteClosedOperations(absl::Time before,
                                                       int limit) {
  GATEHOUSE_RETURN_IF_ERROR(Change(database_, kDeleteRequestsOfClosedOperations,
                                   before, Limit(limit)));
  return Change(database_, kDeleteClosedOperations, before, Limit(limit));
}

absl::Status SqliteTransaction::DeleteInputRequestsOutsideCalls(
    absl::Time before, int limit) {
  return Change(database_, kDeleteRequestsOutsideCalls, before, Limit(limit));
}

absl::Status SqliteTransaction::InsertInputRequest(const InputRequestRow& row) {
  const ReplyColumns columns(row);
  return Change(
      database_, kInsertInputRequest, row.id,
      OptionalBlob{row.opaque_id_sha256}, row.operation_id, row.session_id,
      row.worker_id, row.worker_epoch, row.virtual_server, row.upstream,
      row.upstream_revision, row.tool, row.method, row.key,
      row.admit_request_id, static_cast<int64_t>(row.state), row.cause,
      row.reason, row.deadline, row.tokens, row.params, row.params_bytes,
      static_cast<int64_t>(row.delivery), columns.is_error,
      columns.reply.result, columns.reply.code, columns.reply.message,
      columns.reply.data, columns.reply.reason, row.submit_request_id,
      row.policy_version, row.create_time, row.end_time, row.last_audit_seq,
      row.version, IsOpen(row.state), IsOwed(row.delivery));
}

absl::StatusOr<InputRequestRow> SqliteTransaction::GetInputRequest(
    std::string_view id) {
  return GetOne(database_, ReadInputRequest, "input request", id,
                kGetInputRequest, id);
}

absl::StatusOr<InputRequestRow> SqliteTransaction::GetInputRequestByOpaqueId(
    std::string_view opaque_id_sha256) {
  return GetOne(database_, ReadInputRequest, "input request",
                "of this opaque id", kGetInputRequestByOpaqueId,
                OptionalBlob{opaque_id_sha256});
}

absl::Status SqliteTransaction::UpdateInputRequest(const InputRequestRow& row,
                                                   InputRequestState expected) {
  const ReplyColumns columns(row);
  return CompareAndSet(
      database_, "input request", row.id, kUpdateInputRequest,
      OptionalBlob{row.opaque_id_sha256}, row.worker_id, row.worker_epoch,
      static_cast<int64_t>(row.state), row.cause, row.reason, row.deadline,
      row.tokens, row.params, row.params_bytes,
      static_cast<int64_t>(row.delivery), columns.is_error,
      columns.reply.result, columns.reply.code, columns.reply.message,
      columns.reply.data, columns.reply.reason, row.submit_request_id,
      row.policy_version, row.end_time, row.last_audit_seq, IsOpen(row.state),
      IsOwed(row.delivery), row.id, row.version,
      static_cast<int64_t>(expected));
}

absl::StatusOr<std::vector<InputRequestRow>>
SqliteTransaction::ListOpenInputRequestsOfOperation(
    std::string_view operation_id) {
  return GetAll(database_, ReadInputRequest, kListOpenInputRequestsOfOperation,
                operation_id);
}

absl::StatusOr<std::vector<InputRequestRow>>
SqliteTransaction::ListInputRequestsOfAdmit(std::string_view admit_request_id) {
  return GetAll(database_, ReadInputRequest, kListInputRequestsOfAdmit,
                admit_request_id);
}

absl::StatusOr<std::vector<InputRequestRow>>
SqliteTransaction::ListDueInputRequests(absl::Time at, int limit) {
  return GetAll(database_, ReadInputRequest, kListDueInputRequests, at,
                Limit(limit));
}

absl::StatusOr<std::vector<InputRequestRow>>
SqliteTransaction::ListUnsettledDeliveriesOfWorker(std::string_view worker_id,
                                                   int64_t up_to_epoch,
                                                   int limit) {
  return GetAll(database_, ReadInputRequest, kListUnsettledDeliveries,
                worker_id, up_to_epoch, Limit(limit));
}

absl::StatusOr<std::vector<InputRequestRow>>
SqliteTransaction::ListUnsettledDeliveriesOfOperation(
    std::string_view operation_id) {
  return GetAll(database_, ReadInputRequest, kListUnsettledOfOperation,
                operation_id);
}

absl::StatusOr<int64_t> SqliteTransaction::CountOpenInputRequestsOfUpstream(
    std::string_view virtual_server, std::string_view upstream) {
  return GetCount(database_, kCountOpenOfUpstream, virtual_server, upstream);
}

absl::StatusOr<int64_t>
SqliteTransaction::CountOpenInputRequestsOfVirtualServer(
    std::string_view virtual_server) {
  return GetCount(database_, kCountOpenOfVirtualServer, virtual_server);
}

absl::StatusOr<int64_t> SqliteTransaction::CountOpenInputRequestsOfSession(
    std::string_view virtual_server, std::string_view upstream,
    std::string_view session_id, std::string_view method) {
  return GetCount(database_, kCountOpenOfSession, virtual_server, upstream,
                  session_id, method);
}

}  // namespace gatehouse::sqlite
