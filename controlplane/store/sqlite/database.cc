#include "controlplane/store/sqlite/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::sqlite {
namespace {

bool IsFailedSync(int result) {
  return result == SQLITE_IOERR_FSYNC || result == SQLITE_IOERR_DIR_FSYNC;
}

absl::Status ToStatus(int result, const std::string& what) {
  if (result == SQLITE_OK) return absl::OkStatus();
  const std::string message = absl::StrCat("store: ", what);
  if (result == SQLITE_CONSTRAINT_UNIQUE ||
      result == SQLITE_CONSTRAINT_PRIMARYKEY) {
    return absl::AlreadyExistsError(message);
  }
  switch (result & 0xff) {
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
      return absl::InvalidArgumentError(message);
    default:
      return absl::UnavailableError(message);
  }
}

// As ToStatus, of what is done once, before the store is open.
absl::Status ToOpenStatus(int result, const std::string& what) {
  switch (result & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::FailedPreconditionError(
          "store: in use by another process, stop that one first");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR:
      return absl::DataLossError(absl::StrCat("store: ", what));
    default:
      return ToStatus(result, what);
  }
}

absl::Status SystemError(const std::string& path, const char* what) {
  return absl::UnavailableError(
      absl::StrCat(path, ": ", what, ": ", strerror(errno)));
}

// A new entry in a folder is durable only once the folder is.
absl::Status SyncFolder(const std::string& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return SystemError(folder, "cannot open the folder");
  const int result = fsync(fd);
  close(fd);
  return result == 0 ? absl::OkStatus()
                     : SystemError(folder, "cannot sync the folder");
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Makes the file before SQLite does, so that it is never wider than 0600;
// SQLite gives its companions the same rights.
absl::Status MakeFile(const std::string& path) {
  const std::string folder = FolderOf(path);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return SystemError(folder, "cannot make the folder");
  }
  const int fd =
      open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return SystemError(path, "cannot open or make the database");
  const int result = fchmod(fd, 0600);
  close(fd);
  if (result != 0) return SystemError(path, "cannot restrict to its owner");
  return SyncFolder(folder);
}

}  // namespace

Statement::~Statement() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

Statement::Statement(Statement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)),
      sync_failed_(other.sync_failed_),
      next_(other.next_) {}

absl::StatusOr<bool> Statement::Step() {
  const int result = sqlite3_step(statement_);
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  if (IsFailedSync(result)) *sync_failed_ = true;
  return ToStatus(result, sqlite3_errmsg(sqlite3_db_handle(statement_)));
}

int64_t Statement::Int(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string Statement::Text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  if (bytes == nullptr) return "";
  return std::string(
      static_cast<const char*>(bytes),
      static_cast<size_t>(sqlite3_column_bytes(statement_, column)));
}

bool Statement::IsNull(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

absl::Time Statement::Time(int column) const {
  return absl::FromUnixMicros(Int(column));
}

std::optional<absl::Time> Statement::OptionalTime(int column) const {
  if (IsNull(column)) return std::nullopt;
  return Time(column);
}

// A failed bind leaves the parameter NULL, which a NOT NULL column then refuses
// at Step: too large a value is the only cause, and rows are bounded far below.
void Statement::BindNext(int64_t value) {
  sqlite3_bind_int64(statement_, next_++, value);
}

void Statement::BindNext(std::string_view text) {
  // Never a null pointer: that would be NULL, not an empty text.
  const char* data = text.data() == nullptr ? "" : text.data();
  sqlite3_bind_text64(statement_, next_++, data, text.size(), SQLITE_STATIC,
                      SQLITE_UTF8);
}

void Statement::BindNext(Blob blob) {
  const char* data = blob.bytes.data() == nullptr ? "" : blob.bytes.data();
  sqlite3_bind_blob64(statement_, next_++, data, blob.bytes.size(),
                      SQLITE_STATIC);
}

void Statement::BindNext(OptionalBlob blob) {
  if (blob.bytes.empty()) {
    BindNull();
  } else {
    BindNext(Blob{blob.bytes});
  }
}

void Statement::BindNext(absl::Time time) {
  BindNext(absl::ToUnixMicros(time));
}

void Statement::BindNext(const std::optional<absl::Time>& time) {
  if (time.has_value()) {
    BindNext(*time);
  } else {
    BindNull();
  }
}

void Statement::BindNext(const std::optional<int64_t>& value) {
  if (value.has_value()) {
    BindNext(*value);
  } else {
    BindNull();
  }
}

void Statement::BindNull() { sqlite3_bind_null(statement_, next_++); }

absl::StatusOr<std::unique_ptr<Database>> Database::Open(
    const std::string& path) {
  GATEHOUSE_RETURN_IF_ERROR(MakeFile(path));
  sqlite3* handle = nullptr;
  const int result = sqlite3_open_v2(
      path.c_str(), &handle,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
      nullptr);
  std::unique_ptr<Database> database(new Database(handle));
  if (result != SQLITE_OK) {
    return Annotate(ToOpenStatus(result, sqlite3_errstr(result)), path);
  }
  const absl::Status configured = database->Configure();
  if (!configured.ok()) return Annotate(configured, path);
  return database;
}

Database::~Database() {
  for (const auto& [sql, statement] : cache_) sqlite3_finalize(statement);
  sqlite3_close(handle_);
}

absl::Status Database::Configure() {
  sqlite3_busy_timeout(handle_, 0);
  // No statement may edit the schema or the file behind SQLite's back.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  // Closing would move the log and hide its errors, even into a database that
  // is refused and must stay untouched. The store does it, when it may.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  // Exclusive before WAL: then there is no shared-memory file, and the lock of
  // the first read is kept until the connection closes.
  GATEHOUSE_RETURN_IF_ERROR(ExecuteScript(
      "PRAGMA locking_mode = EXCLUSIVE;"
      "PRAGMA mmap_size = 0;"
      "PRAGMA trusted_schema = OFF;"
      "PRAGMA temp_store = MEMORY;"
      "PRAGMA cache_size = -16384;"  // KiB
      "PRAGMA synchronous = FULL;"
      // The first look into the file: it shows whose and what it is.
      "SELECT count(*) FROM sqlite_schema;"));
  {
    GATEHOUSE_ASSIGN_OR_RETURN(Statement mode,
                               Prepare("PRAGMA journal_mode = WAL"));
    GATEHOUSE_ASSIGN_OR_RETURN(const bool row, mode.Step());
    if (!row || mode.Text(0) != "wal") {
      return absl::UnavailableError(
          "store: the file system cannot keep a write-ahead log");
    }
  }
  // The built-in checkpointer hides a failed sync of the database file, so
  // there is none: Checkpoint is called by the store, and says so.
  sqlite3_wal_hook(handle_, &Database::OnWal, this);
  // A write takes the lock now, so that a second process fails here.
  return ExecuteScript("BEGIN IMMEDIATE; COMMIT;");
}

int Database::OnWal(void* self, sqlite3*, const char*, int pages) {
  static_cast<Database*>(self)->wal_pages_ = pages;
  return SQLITE_OK;
}

absl::StatusOr<Statement> Database::Prepare(const char* sql) {
  sqlite3_stmt*& statement = cache_[sql];
  if (statement == nullptr) {
    const int result = sqlite3_prepare_v3(
        handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (result != SQLITE_OK) return ToStatus(result, sqlite3_errmsg(handle_));
  }
  return Statement(statement, &sync_failed_);
}

absl::StatusOr<int64_t> Database::Finish(Statement& statement) {
  for (;;) {
    GATEHOUSE_ASSIGN_OR_RETURN(const bool row, statement.Step());
    if (!row) return int64_t{sqlite3_changes(handle_)};
  }
}

absl::Status Database::ExecuteScript(const std::string& sql) {
  const int result =
      sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (IsFailedSync(result)) sync_failed_ = true;
  return ToOpenStatus(result, sqlite3_errmsg(handle_));
}

absl::Status Database::Commit() {
  const int result = sqlite3_exec(handle_, "COMMIT", nullptr, nullptr, nullptr);
  if (result == SQLITE_OK) return absl::OkStatus();
  if (IsFailedSync(result)) sync_failed_ = true;
  const std::string message =
      absl::StrCat("store: commit: ", sqlite3_errmsg(handle_));
  const int primary = result & 0xff;
  if (primary == SQLITE_IOERR || primary == SQLITE_CORRUPT) {
    return absl::DataLossError(message);
  }
  return absl::UnknownError(message);
}

int64_t Database::TotalChanges() const {
  return sqlite3_total_changes64(handle_);
}

bool Database::InTransaction() const {
  return sqlite3_get_autocommit(handle_) == 0;
}

absl::Status Database::Checkpoint(bool truncate) {
  const int result = sqlite3_wal_checkpoint_v2(
      handle_, nullptr,
      truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE,
      nullptr, nullptr);
  if (result == SQLITE_OK) wal_pages_ = 0;
  return ToStatus(result, sqlite3_errmsg(handle_));
}

std::vector<std::string> Database::PreparedStatements() const {
  std::vector<std::string> all;
  for (const auto& [sql, statement] : cache_) all.emplace_back(sql);
  return all;
}

absl::StatusOr<std::vector<std::string>> Database::QueryPlan(
    const std::string& sql) {
  sqlite3_stmt* raw = nullptr;
  const std::string explain = "EXPLAIN QUERY PLAN " + sql;
  const int result =
      sqlite3_prepare_v2(handle_, explain.c_str(), -1, &raw, nullptr);
  if (result != SQLITE_OK) return ToStatus(result, sqlite3_errmsg(handle_));
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> owner(
      raw, &sqlite3_finalize);
  std::vector<std::string> steps;
  Statement statement(raw, &sync_failed_);
  for (;;) {
    GATEHOUSE_ASSIGN_OR_RETURN(const bool row, statement.Step());
    if (!row) return steps;
    steps.push_back(statement.Text(3));
  }
}

}  // namespace gatehouse::sqlite
