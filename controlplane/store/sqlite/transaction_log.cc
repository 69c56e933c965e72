// Idempotency, policies, the audit log and small facts.

#include <utility>

#include "controlplane/store/sqlite/query.h"
#include "controlplane/store/sqlite/sqlite_transaction.h"

namespace gatehouse::sqlite {
namespace {

// Of what is open only: no name is empty, so each is a search of the index that
// holds nothing else.
constexpr const char* kOpenRequests =
    "SELECT count(*), min(create_time_us) FROM input_request "
    "WHERE open = 1 AND virtual_server > ''";
constexpr const char* kBudgetsInUse =
    "SELECT count(*), coalesce(sum(slots_used), 0), "
    "coalesce(sum(tokens_reserved), 0), coalesce(sum(tokens_charged), 0) "
    "FROM operation WHERE open = 1 AND session_id > ''";
constexpr const char* kCountOpenSessions =
    "SELECT count(*) FROM session WHERE open = 1 AND id > ''";
constexpr const char* kCountAllMail =
    "SELECT count(*) FROM mail WHERE worker_id > ''";
constexpr const char* kInsertIdempotency =
    "INSERT INTO idempotency(request_id, method, content_sha256, verdict, "
    "create_time_us) VALUES(?, ?, ?, ?, ?)";
constexpr const char* kGetIdempotency =
    "SELECT request_id, method, content_sha256, verdict, create_time_us "
    "FROM idempotency WHERE request_id = ?";
constexpr const char* kDeleteIdempotency =
    "DELETE FROM idempotency WHERE request_id IN (SELECT request_id "
    "FROM idempotency WHERE create_time_us < ? "
    "ORDER BY create_time_us LIMIT ?)";

#define POLICY_COLUMNS                                              \
  "policy.virtual_server, policy.version, document, etag, author, " \
  "apply_time_us"
constexpr const char* kInsertPolicy =
    "INSERT INTO policy(virtual_server, version, document, etag, author, "
    "apply_time_us) VALUES(?, ?, ?, ?, ?, ?)";
constexpr const char* kLatestPolicyVersion =
    "SELECT max(version) FROM policy WHERE virtual_server = ?";
constexpr const char* kGetLatestPolicy =
    "SELECT " POLICY_COLUMNS
    " FROM policy WHERE virtual_server = ? ORDER BY version DESC LIMIT 1";
constexpr const char* kListCurrentPolicies =
    "SELECT " POLICY_COLUMNS
    " FROM current_policy CROSS JOIN policy"
    " ON policy.virtual_server = current_policy.virtual_server"
    " AND policy.version = current_policy.version "
    "WHERE current_policy.virtual_server > ? "
    "ORDER BY current_policy.virtual_server LIMIT ?";
constexpr const char* kSetCurrentPolicy =
    "INSERT INTO current_policy(virtual_server, version) VALUES(?, ?) "
    "ON CONFLICT(virtual_server) DO UPDATE SET version = excluded.version";
constexpr const char* kUnsetCurrentPolicy =
    "DELETE FROM current_policy WHERE virtual_server = ?";

constexpr const char* kGetAuditHead =
    "SELECT epoch, size, compact_range FROM audit_head WHERE id = 1";
constexpr const char* kUpdateAuditHead =
    "UPDATE audit_head SET size = ?, compact_range = ? "
    "WHERE id = 1 AND epoch = ? AND size = ?";
constexpr const char* kInsertAuditLeaf =
    "INSERT INTO audit_leaf(epoch, seq, leaf_hash, body) VALUES(?, ?, ?, ?)";
constexpr const char* kListAuditLeaves =
    "SELECT epoch, seq, leaf_hash, body FROM audit_leaf "
    "WHERE (epoch, seq) > (?, ?) ORDER BY epoch, seq LIMIT ?";

constexpr const char* kGetMeta = "SELECT value FROM meta WHERE key = ?";
constexpr const char* kPutMeta =
    "INSERT INTO meta(key, value) VALUES(?, ?) "
    "ON CONFLICT(key) DO UPDATE SET value = excluded.value";

IdempotencyRow ReadIdempotency(const Statement& statement) {
  return {statement.Text(0), statement.Text(1), statement.Text(2),
          statement.Text(3), statement.Time(4)};
}

PolicyRow ReadPolicy(const Statement& statement) {
  return {statement.Text(0), statement.Int(1),  statement.Text(2),
          statement.Text(3), statement.Text(4), statement.Time(5)};
}

AuditHeadRow ReadAuditHead(const Statement& statement) {
  return {statement.Int(0), statement.Int(1), statement.Text(2)};
}

AuditLeafRow ReadAuditLeaf(const Statement& statement) {
  return {statement.Int(0), statement.Int(1), statement.Text(2),
          statement.Text(3)};
}

std::string ReadText(const Statement& statement) { return statement.Text(0); }

}  // namespace

absl::Status SqliteTransaction::InsertIdempotency(const IdempotencyRow& row) {
  return Change(database_, kInsertIdempotency, row.request_id, row.method,
                Blob{row.content_sha256}, row.verdict, row.create_time);
}

absl::StatusOr<IdempotencyRow> SqliteTransaction::GetIdempotency(
    std::string_view request_id) {
  return GetOne(database_, ReadIdempotency, "request", request_id,
                kGetIdempotency, request_id);
}

absl::Status SqliteTransaction::DeleteIdempotency(absl::Time before,
                                                  int limit) {
  return Change(database_, kDeleteIdempotency, before, Limit(limit));
}

absl::Status SqliteTransaction::InsertPolicy(const PolicyRow& row) {
  GATEHOUSE_ASSIGN_OR_RETURN(
      const int64_t latest,
      GetCount(database_, kLatestPolicyVersion, row.virtual_server));
  if (row.version <= latest) {
    return absl::AlreadyExistsError(
        absl::StrCat("virtual server ", row.virtual_server, ": version ",
                     row.version, " is not after ", latest));
  }
  GATEHOUSE_RETURN_IF_ERROR(Change(database_, kInsertPolicy, row.virtual_server,
                                   row.version, row.document, row.etag,
                                   row.author, row.apply_time));
  if (row.document.empty()) {
    return Change(database_, kUnsetCurrentPolicy, row.virtual_server);
  }
  return Change(database_, kSetCurrentPolicy, row.virtual_server, row.version);
}

absl::StatusOr<PolicyRow> SqliteTransaction::GetLatestPolicy(
    std::string_view virtual_server) {
  return GetOne(database_, ReadPolicy, "virtual server", virtual_server,
                kGetLatestPolicy, virtual_server);
}

absl::StatusOr<std::vector<PolicyRow>> SqliteTransaction::ListCurrentPolicies(
    std::string_view after, int limit) {
  return GetAll(database_, ReadPolicy, kListCurrentPolicies, after,
                Limit(limit));
}

absl::StatusOr<AuditHeadRow> SqliteTransaction::GetAuditHead() {
  return GetOne(database_, ReadAuditHead, "audit", "head", kGetAuditHead);
}

absl::Status SqliteTransaction::UpdateAuditHead(const AuditHeadRow& row,
                                                int64_t expected_size) {
  return CompareAndSet(database_, "audit", "head", kUpdateAuditHead, row.size,
                       Blob{row.compact_range}, row.epoch, expected_size);
}

absl::Status SqliteTransaction::InsertAuditLeaf(const AuditLeafRow& row) {
  return Change(database_, kInsertAuditLeaf, row.epoch, row.seq,
                Blob{row.leaf_hash}, Blob{row.body});
}

absl::StatusOr<std::vector<AuditLeafRow>> SqliteTransaction::ListAuditLeaves(
    int64_t after_epoch, int64_t after_seq, int limit) {
  return GetAll(database_, ReadAuditLeaf, kListAuditLeaves, after_epoch,
                after_seq, Limit(limit));
}

absl::StatusOr<StoreFigures> SqliteTransaction::ReadFigures() {
  StoreFigures figures;
  GATEHOUSE_ASSIGN_OR_RETURN(Statement open, database_.Prepare(kOpenRequests));
  GATEHOUSE_RETURN_IF_ERROR(open.Step().status());
  figures.open_input_requests = open.Int(0);
  figures.oldest_open = open.OptionalTime(1);
  GATEHOUSE_ASSIGN_OR_RETURN(Statement used, database_.Prepare(kBudgetsInUse));
  GATEHOUSE_RETURN_IF_ERROR(used.Step().status());
  figures.open_operations = used.Int(0);
  figures.slots_used = used.Int(1);
  figures.tokens_reserved = used.Int(2);
  figures.tokens_charged = used.Int(3);
  GATEHOUSE_ASSIGN_OR_RETURN(figures.open_sessions,
                             GetCount(database_, kCountOpenSessions));
  GATEHOUSE_ASSIGN_OR_RETURN(figures.mail, GetCount(database_, kCountAllMail));
  GATEHOUSE_ASSIGN_OR_RETURN(const AuditHeadRow head, GetAuditHead());
  figures.audit_records = head.size;
  return figures;
}

absl::StatusOr<std::string> SqliteTransaction::GetMeta(std::string_view key) {
  return GetOne(database_, ReadText, "meta", key, kGetMeta, key);
}

absl::Status SqliteTransaction::PutMeta(std::string_view key,
                                        std::string_view value) {
  return Change(database_, kPutMeta, key, Blob{value});
}

}  // namespace gatehouse::sqlite
