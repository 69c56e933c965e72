// Sessions, workers and their mail.

#include "controlplane/store/sqlite/query.h"
#include "controlplane/store/sqlite/sqlite_transaction.h"

namespace gatehouse::sqlite {
namespace {

#define SESSION_COLUMNS                                                   \
  "id, secret_sha256, virtual_server, issuer, subject, revision, "        \
  "client_capabilities, client_info, create_time_us, last_used_time_us, " \
  "open, end_cause, worker_id, version"

#define WORKER_COLUMNS                                               \
  "id, epoch, cluster, address, build, lease_expire_time_us, lost, " \
  "last_mail_number, operations, version"

#define MAIL_COLUMNS \
  "worker_id, number, kind, subject, operation, withdraw, cause"

constexpr const char* kInsertSession =
    "INSERT INTO session(" SESSION_COLUMNS
    ") "
    "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kGetSession =
    "SELECT " SESSION_COLUMNS " FROM session WHERE id = ?";
constexpr const char* kGetSessionBySecret =
    "SELECT " SESSION_COLUMNS " FROM session WHERE secret_sha256 = ?";
// Only what an update may change (store.h).
constexpr const char* kUpdateSession =
    "UPDATE session SET revision = ?, client_capabilities = ?, "
    "client_info = ?, last_used_time_us = ?, open = ?, end_cause = ?, "
    "worker_id = ?, version = version + 1 WHERE id = ? AND version = ?";
constexpr const char* kListOpenSessions =
    "SELECT " SESSION_COLUMNS
    " FROM session WHERE open = 1 AND id > ? ORDER BY id LIMIT ?";
constexpr const char* kListOpenSessionsOfServer =
    "SELECT " SESSION_COLUMNS
    " FROM session WHERE open = 1 AND virtual_server = ? AND id > ? "
    "ORDER BY id LIMIT ?";
constexpr const char* kListSessionsOfPrincipal =
    "SELECT " SESSION_COLUMNS
    " FROM session WHERE open = 1 AND issuer = ? AND subject = ? "
    "ORDER BY last_used_time_us, id LIMIT ?";
constexpr const char* kCountSessionsOfPrincipal =
    "SELECT count(*) FROM session "
    "WHERE open = 1 AND issuer = ? AND subject = ?";
constexpr const char* kCountSessionsOfPrincipalOnWorker =
    "SELECT count(*) FROM session "
    "WHERE open = 1 AND issuer = ? AND subject = ? AND worker_id = ?";
constexpr const char* kListIdleSessions =
    "SELECT " SESSION_COLUMNS
    " FROM session WHERE open = 1 AND last_used_time_us < ? "
    "ORDER BY last_used_time_us, id LIMIT ?";
constexpr const char* kDeleteEndedSessions =
    "DELETE FROM session WHERE id IN (SELECT id FROM session "
    "WHERE open = 0 AND last_used_time_us < ? "
    "ORDER BY last_used_time_us, id LIMIT ?)";

constexpr const char* kPutRoots =
    "INSERT INTO session_roots(session_id, result, change_time_us) "
    "VALUES(?, ?, ?) ON CONFLICT(session_id) DO UPDATE SET "
    "result = excluded.result, change_time_us = excluded.change_time_us";
constexpr const char* kGetRoots =
    "SELECT session_id, result, change_time_us FROM session_roots "
    "WHERE session_id = ?";
constexpr const char* kDeleteRoots =
    "DELETE FROM session_roots WHERE session_id = ?";

constexpr const char* kInsertWorker = "INSERT INTO worker(" WORKER_COLUMNS
                                      ") "
                                      "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kGetWorker =
    "SELECT " WORKER_COLUMNS " FROM worker WHERE id = ?";
constexpr const char* kUpdateWorker =
    "UPDATE worker SET epoch = ?, cluster = ?, address = ?, build = ?, "
    "lease_expire_time_us = ?, lost = ?, last_mail_number = ?, "
    "operations = ?, version = version + 1 WHERE id = ? AND version = ?";
constexpr const char* kListWorkers =
    "SELECT " WORKER_COLUMNS " FROM worker WHERE id > ? ORDER BY id LIMIT ?";

constexpr const char* kInsertMail =
    "INSERT INTO mail(" MAIL_COLUMNS ") VALUES(?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kListMail =
    "SELECT " MAIL_COLUMNS
    " FROM mail WHERE worker_id = ? AND number > ? ORDER BY number LIMIT ?";
constexpr const char* kCountMail =
    "SELECT count(*) FROM mail WHERE worker_id = ?";
constexpr const char* kDeleteMail =
    "DELETE FROM mail WHERE worker_id = ? AND number <= ?";

SessionRow ReadSession(const Statement& statement) {
  SessionRow row;
  row.id = statement.Text(0);
  row.secret_sha256 = statement.Text(1);
  row.virtual_server = statement.Text(2);
  row.principal = {statement.Text(3), statement.Text(4)};
  row.revision = statement.Text(5);
  row.client_capabilities = statement.Text(6);
  row.client_info = statement.Text(7);
  row.create_time = statement.Time(8);
  row.last_used_time = statement.Time(9);
  row.open = statement.Int(10) != 0;
  row.end_cause = statement.Text(11);
  row.worker_id = statement.Text(12);
  row.version = statement.Int(13);
  return row;
}

WorkerRow ReadWorker(const Statement& statement) {
  WorkerRow row;
  row.id = statement.Text(0);
  row.epoch = statement.Int(1);
  row.cluster = statement.Text(2);
  row.address = statement.Text(3);
  row.build = statement.Text(4);
  row.lease_expire_time = statement.Time(5);
  row.lost = statement.Int(6) != 0;
  row.last_mail_number = statement.Int(7);
  row.operations = static_cast<int32_t>(statement.Int(8));
  row.version = statement.Int(9);
  return row;
}

MailRow ReadMail(const Statement& statement) {
  MailRow row;
  row.worker_id = statement.Text(0);
  row.number = statement.Int(1);
  row.kind = static_cast<MailKind>(statement.Int(2));
  row.subject = statement.Text(3);
  row.operation = statement.Text(4);
  row.withdraw = statement.Int(5) != 0;
  row.cause = statement.Text(6);
  return row;
}

RootsRow ReadRoots(const Statement& statement) {
  RootsRow row;
  row.session_id = statement.Text(0);
  if (!statement.IsNull(1)) row.result = statement.Text(1);
  row.change_time = statement.OptionalTime(2);
  return row;
}

}  // namespace

absl::Status SqliteTransaction::InsertSession(const SessionRow& row) {
  return Change(database_, kInsertSession, row.id, Blob{row.secret_sha256},
                row.virtual_server, row.principal.issuer, row.principal.subject,
                row.revision, row.client_capabilities, row.client_info,
                row.create_time, row.last_used_time, row.open, row.end_cause,
                row.worker_id, row.version);
}

absl::StatusOr<SessionRow> SqliteTransaction::GetSession(std::string_view id) {
  return GetOne(database_, ReadSession, "session", id, kGetSession, id);
}

absl::StatusOr<SessionRow> SqliteTransaction::GetSessionBySecret(
    std::string_view secret_sha256) {
  return GetOne(database_, ReadSession, "session", "of this secret",
                kGetSessionBySecret, Blob{secret_sha256});
}

absl::Status SqliteTransaction::UpdateSession(const SessionRow& row) {
  return CompareAndSet(database_, "session", row.id, kUpdateSession,
                       row.revision, row.client_capabilities, row.client_info,
                       row.last_used_time, row.open, row.end_cause,
                       row.worker_id, row.id, row.version);
}

absl::Status SqliteTransaction::PutRoots(const RootsRow& row) {
  const std::string_view result =
      row.result.has_value() ? std::string_view(*row.result) : "";
  return Change(database_, kPutRoots, row.session_id, OptionalBlob{result},
                row.change_time);
}

absl::StatusOr<RootsRow> SqliteTransaction::GetRoots(
    std::string_view session_id) {
  return GetOne(database_, ReadRoots, "roots of session", session_id, kGetRoots,
                session_id);
}

absl::Status SqliteTransaction::DeleteRoots(std::string_view session_id) {
  return Change(database_, kDeleteRoots, session_id);
}

absl::StatusOr<std::vector<SessionRow>> SqliteTransaction::ListOpenSessions(
    std::string_view virtual_server, std::string_view after, int limit) {
  if (virtual_server.empty()) {
    return GetAll(database_, ReadSession, kListOpenSessions, after,
                  Limit(limit));
  }
  return GetAll(database_, ReadSession, kListOpenSessionsOfServer,
                virtual_server, after, Limit(limit));
}

absl::StatusOr<std::vector<SessionRow>>
SqliteTransaction::ListSessionsOfPrincipal(const Principal& principal,
                                           int limit) {
  return GetAll(database_, ReadSession, kListSessionsOfPrincipal,
                principal.issuer, principal.subject, Limit(limit));
}

absl::StatusOr<int64_t> SqliteTransaction::CountOpenSessions(
    const Principal& principal, std::string_view worker_id) {
  if (worker_id.empty()) {
    return GetCount(database_, kCountSessionsOfPrincipal, principal.issuer,
                    principal.subject);
  }
  return GetCount(database_, kCountSessionsOfPrincipalOnWorker,
                  principal.issuer, principal.subject, worker_id);
}

absl::StatusOr<std::vector<SessionRow>> SqliteTransaction::ListIdleSessions(
    absl::Time before, int limit) {
  return GetAll(database_, ReadSession, kListIdleSessions, before,
                Limit(limit));
}

absl::Status SqliteTransaction::DeleteEndedSessions(absl::Time used_before,
                                                    int limit) {
  return Change(database_, kDeleteEndedSessions, used_before, Limit(limit));
}

absl::Status SqliteTransaction::InsertWorker(const WorkerRow& row) {
  return Change(database_, kInsertWorker, row.id, row.epoch, row.cluster,
                row.address, row.build, row.lease_expire_time, row.lost,
                row.last_mail_number, row.operations, row.version);
}

absl::StatusOr<WorkerRow> SqliteTransaction::GetWorker(std::string_view id) {
  return GetOne(database_, ReadWorker, "worker", id, kGetWorker, id);
}

absl::Status SqliteTransaction::UpdateWorker(const WorkerRow& row) {
  return CompareAndSet(database_, "worker", row.id, kUpdateWorker, row.epoch,
                       row.cluster, row.address, row.build,
                       row.lease_expire_time, row.lost, row.last_mail_number,
                       row.operations, row.id, row.version);
}

absl::StatusOr<std::vector<WorkerRow>> SqliteTransaction::ListWorkers(
    std::string_view after, int limit) {
  return GetAll(database_, ReadWorker, kListWorkers, after, Limit(limit));
}

absl::Status SqliteTransaction::InsertMail(const MailRow& row) {
  return Change(database_, kInsertMail, row.worker_id, row.number,
                static_cast<int64_t>(row.kind), row.subject, row.operation,
                row.withdraw, row.cause);
}

absl::StatusOr<std::vector<MailRow>> SqliteTransaction::ListMail(
    std::string_view worker_id, int64_t after, int limit) {
  return GetAll(database_, ReadMail, kListMail, worker_id, after, Limit(limit));
}

absl::StatusOr<int64_t> SqliteTransaction::CountMail(
    std::string_view worker_id) {
  return GetCount(database_, kCountMail, worker_id);
}

absl::Status SqliteTransaction::DeleteMail(std::string_view worker_id,
                                           int64_t up_to) {
  return Change(database_, kDeleteMail, worker_id, up_to);
}

}  // namespace gatehouse::sqlite
