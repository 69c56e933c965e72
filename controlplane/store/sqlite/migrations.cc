#include "controlplane/store/sqlite/migrations.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::sqlite {
namespace {

// Numbers without holes; a row that has landed never changes.
struct Migration {
  int version;
  const char* what;
  const char* sql;
};

// Times are microseconds since 1970. Partial indices hold what is in flight,
// so that queries over it do not feel what is only kept.
constexpr const char* kSessionsAndWorkers = R"sql(
CREATE TABLE session(
  id TEXT PRIMARY KEY,
  secret_sha256 BLOB NOT NULL UNIQUE,
  virtual_server TEXT NOT NULL,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  revision TEXT NOT NULL,
  client_capabilities TEXT NOT NULL,
  client_info TEXT NOT NULL,
  create_time_us INTEGER NOT NULL,
  last_used_time_us INTEGER NOT NULL,
  open INTEGER NOT NULL,
  end_cause TEXT NOT NULL,
  worker_id TEXT NOT NULL,
  version INTEGER NOT NULL
) STRICT;
CREATE INDEX session_open ON session(id) WHERE open = 1;
CREATE INDEX session_open_server ON session(virtual_server, id) WHERE open = 1;
CREATE INDEX session_open_principal
  ON session(issuer, subject, last_used_time_us, id) WHERE open = 1;
CREATE INDEX session_open_worker
  ON session(issuer, subject, worker_id) WHERE open = 1;
CREATE INDEX session_idle ON session(last_used_time_us, id) WHERE open = 1;
CREATE INDEX session_ended ON session(last_used_time_us, id) WHERE open = 0;
CREATE TABLE worker(
  id TEXT PRIMARY KEY,
  epoch INTEGER NOT NULL,
  cluster TEXT NOT NULL,
  address TEXT NOT NULL,
  build TEXT NOT NULL,
  lease_expire_time_us INTEGER NOT NULL,
  lost INTEGER NOT NULL,
  last_mail_number INTEGER NOT NULL,
  operations INTEGER NOT NULL,
  version INTEGER NOT NULL
) STRICT;
CREATE TABLE mail(
  worker_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  subject TEXT NOT NULL,
  operation TEXT NOT NULL,
  withdraw INTEGER NOT NULL,
  cause TEXT NOT NULL,
  PRIMARY KEY(worker_id, number)
) STRICT, WITHOUT ROWID;
)sql";

// An input request keeps its rowid: it is the order within an Admit.
constexpr const char* kOperationsAndInputRequests = R"sql(
CREATE TABLE operation(
  id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  worker_id TEXT NOT NULL,
  worker_epoch INTEGER NOT NULL,
  virtual_server TEXT NOT NULL,
  upstream TEXT NOT NULL,
  tool TEXT NOT NULL,
  open INTEGER NOT NULL,
  slots_used INTEGER NOT NULL,
  tokens_reserved INTEGER NOT NULL,
  tokens_charged INTEGER NOT NULL,
  refusals INTEGER NOT NULL,
  create_time_us INTEGER NOT NULL,
  close_time_us INTEGER,
  version INTEGER NOT NULL
) STRICT;
CREATE INDEX operation_open_session
  ON operation(session_id, id) WHERE open = 1;
CREATE INDEX operation_open_worker
  ON operation(worker_id, worker_epoch, id) WHERE open = 1;
CREATE INDEX operation_closed ON operation(close_time_us, id) WHERE open = 0;
CREATE TABLE input_request(
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  opaque_id_sha256 BLOB UNIQUE,
  operation_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  worker_id TEXT NOT NULL,
  worker_epoch INTEGER NOT NULL,
  virtual_server TEXT NOT NULL,
  upstream TEXT NOT NULL,
  upstream_revision TEXT NOT NULL,
  tool TEXT NOT NULL,
  method TEXT NOT NULL,
  key TEXT NOT NULL,
  admit_request_id TEXT NOT NULL,
  state INTEGER NOT NULL,
  open INTEGER NOT NULL,
  cause TEXT NOT NULL,
  reason TEXT NOT NULL,
  deadline_us INTEGER,
  tokens INTEGER NOT NULL,
  params TEXT NOT NULL,
  params_bytes INTEGER NOT NULL,
  delivery INTEGER NOT NULL,
  owed INTEGER NOT NULL,
  reply_is_error INTEGER,
  reply_result TEXT NOT NULL,
  reply_code INTEGER NOT NULL,
  reply_message TEXT NOT NULL,
  reply_data TEXT NOT NULL,
  reply_reason TEXT NOT NULL,
  submit_request_id TEXT NOT NULL,
  policy_version INTEGER NOT NULL,
  create_time_us INTEGER NOT NULL,
  end_time_us INTEGER,
  last_audit_seq INTEGER NOT NULL,
  version INTEGER NOT NULL
) STRICT;
CREATE INDEX input_request_operation ON input_request(operation_id);
CREATE INDEX input_request_admit ON input_request(admit_request_id);
CREATE INDEX input_request_due ON input_request(deadline_us) WHERE open = 1;
CREATE INDEX input_request_open_upstream
  ON input_request(virtual_server, upstream) WHERE open = 1;
CREATE INDEX input_request_owed
  ON input_request(worker_id, worker_epoch) WHERE owed = 1;
CREATE INDEX input_request_owed_operation
  ON input_request(operation_id) WHERE owed = 1;
)sql";

// current_policy names the newest version of each document that is not
// deleted, so that listing them does not read their history.
constexpr const char* kPoliciesAndIdempotency = R"sql(
CREATE TABLE policy(
  virtual_server TEXT NOT NULL,
  version INTEGER NOT NULL,
  document TEXT NOT NULL,
  etag TEXT NOT NULL,
  author TEXT NOT NULL,
  apply_time_us INTEGER NOT NULL,
  PRIMARY KEY(virtual_server, version)
) STRICT, WITHOUT ROWID;
CREATE TABLE current_policy(
  virtual_server TEXT PRIMARY KEY,
  version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE idempotency(
  request_id TEXT PRIMARY KEY,
  method TEXT NOT NULL,
  content_sha256 BLOB NOT NULL,
  verdict TEXT NOT NULL,
  create_time_us INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_age ON idempotency(create_time_us);
CREATE TABLE meta(
  key TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

constexpr const char* kLog = R"sql(
CREATE TABLE audit_leaf(
  epoch INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  leaf_hash BLOB NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY(epoch, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE audit_head(
  id INTEGER PRIMARY KEY CHECK(id = 1),
  epoch INTEGER NOT NULL,
  size INTEGER NOT NULL,
  compact_range BLOB NOT NULL
) STRICT;
INSERT INTO audit_head(id, epoch, size, compact_range) VALUES(1, 1, 0, x'');
)sql";

// Beside the sessions, not in them: a session's row is written every few
// seconds, and what a client answered may be large.
constexpr char kRoots[] = R"sql(
CREATE TABLE session_roots(
  session_id TEXT PRIMARY KEY,
  result BLOB,
  change_time_us INTEGER
) STRICT;
CREATE INDEX input_request_outside ON input_request(end_time_us, id)
  WHERE operation_id = '';
)sql";

// The key is all that is asked for; counter '' are those admitted.
constexpr const char* kVerdictCounts = R"sql(
CREATE TABLE verdict_count(
  virtual_server TEXT NOT NULL,
  upstream TEXT NOT NULL,
  counter TEXT NOT NULL,
  count INTEGER NOT NULL,
  last_time_us INTEGER NOT NULL,
  PRIMARY KEY(virtual_server, upstream, counter)
) STRICT, WITHOUT ROWID;
)sql";

constexpr Migration kMigrations[] = {
    {1, "sessions, workers and their mail", kSessionsAndWorkers},
    {2, "operations and input requests", kOperationsAndInputRequests},
    {3, "policies, idempotency and small facts", kPoliciesAndIdempotency},
    {4, "the audit log, ordered by its head and never by a sequence", kLog},
    {5, "what a session's client said of its roots; requests of no call",
     kRoots},
    {6, "verdicts on input requests, counted by upstream", kVerdictCounts},
};

absl::StatusOr<int> StoredVersion(Database& database) {
  GATEHOUSE_ASSIGN_OR_RETURN(Statement statement,
                             database.Prepare("PRAGMA user_version"));
  GATEHOUSE_ASSIGN_OR_RETURN(const bool row, statement.Step());
  if (!row) return absl::DataLossError("store: no schema version");
  return static_cast<int>(statement.Int(0));
}

absl::Status RunFrom(Database& database, int stored) {
  for (const Migration& migration : kMigrations) {
    if (migration.version <= stored) continue;
    const absl::Status status = database.ExecuteScript(migration.sql);
    if (!status.ok()) {
      return Annotate(status, absl::StrCat("migration ", migration.version,
                                           " (", migration.what, ")"));
    }
  }
  return database.ExecuteScript(
      absl::StrCat("PRAGMA user_version = ", SchemaVersion()));
}

}  // namespace

int SchemaVersion() { return kMigrations[std::size(kMigrations) - 1].version; }

absl::Status Migrate(Database& database) {
  GATEHOUSE_ASSIGN_OR_RETURN(const int stored, StoredVersion(database));
  if (stored > SchemaVersion()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "schema version ", stored, " is newer than this build's ",
        SchemaVersion(), "; run the newer build, nothing was changed"));
  }
  if (stored == SchemaVersion()) return absl::OkStatus();
  GATEHOUSE_RETURN_IF_ERROR(database.ExecuteScript("BEGIN IMMEDIATE"));
  absl::Status status = RunFrom(database, stored);
  if (status.ok()) status = database.ExecuteScript("COMMIT");
  if (!status.ok() && database.InTransaction()) {
    // The error is already told; a rollback that fails adds nothing to it.
    database.ExecuteScript("ROLLBACK").IgnoreError();
  }
  return status;
}

}  // namespace gatehouse::sqlite
