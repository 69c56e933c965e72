#ifndef GATEHOUSE_CONTROLPLANE_STORE_SQLITE_DATABASE_H_
#define GATEHOUSE_CONTROLPLANE_STORE_SQLITE_DATABASE_H_

// SQLite behind RAII and absl::Status, as far as the store needs it. The only
// code that knows sqlite3.h. Thread-compatible: one connection, one thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

struct sqlite3;
struct sqlite3_stmt;

namespace gatehouse::sqlite {

// Marks a parameter as bytes; everything else that is a string is text.
struct Blob {
  std::string_view bytes;
};

// Bytes too, but none at all is NULL: a unique column takes many of those.
struct OptionalBlob {
  std::string_view bytes;
};

// A prepared statement in use, parameters numbered from 1, columns from 0.
// Valid until the database gives the same one again; resets when it goes.
// What is bound is borrowed until then. Times are whole microseconds.
class Statement {
 public:
  // `sync_failed` is set to true if a step finds that the disk did not sync.
  Statement(sqlite3_stmt* statement, bool* sync_failed)
      : statement_(statement), sync_failed_(sync_failed) {}
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Binds the parameters in order.
  template <typename... Values>
  Statement& Bind(const Values&... values) {
    (BindNext(values), ...);
    return *this;
  }

  // True: a row is there. False: the statement has ended.
  //   ALREADY_EXISTS    a unique key is taken
  //   INVALID_ARGUMENT  a value that the column cannot hold
  //   UNAVAILABLE       the medium
  absl::StatusOr<bool> Step();

  int64_t Int(int column) const;
  std::string Text(int column) const;  // bytes too; NULL is empty
  bool IsNull(int column) const;
  absl::Time Time(int column) const;
  std::optional<absl::Time> OptionalTime(int column) const;  // NULL: nullopt

 private:
  void BindNext(int64_t value);
  void BindNext(int value) { BindNext(int64_t{value}); }
  void BindNext(bool value) { BindNext(int64_t{value ? 1 : 0}); }
  void BindNext(std::string_view text);
  void BindNext(const std::string& text) { BindNext(std::string_view(text)); }
  void BindNext(Blob blob);
  void BindNext(OptionalBlob blob);
  void BindNext(absl::Time time);
  void BindNext(const std::optional<absl::Time>& time);
  void BindNext(const std::optional<int64_t>& value);
  void BindNull();

  sqlite3_stmt* statement_;
  bool* sync_failed_;
  int next_ = 1;
};

// One connection and its cache of prepared statements.
class Database {
 public:
  // Opens (or makes, 0600) the file, takes it for this process alone and sets
  // WAL, full sync, no mmap, no waiting, no checkpoints but Checkpoint's.
  //   FAILED_PRECONDITION  another connection has it
  //   DATA_LOSS            not a database
  //   UNAVAILABLE          the medium
  static absl::StatusOr<std::unique_ptr<Database>> Open(
      const std::string& path);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // The statement for `sql`, a string constant: the cache is keyed by its
  // address. UNAVAILABLE if it does not compile: the schema is another.
  absl::StatusOr<Statement> Prepare(const char* sql);

  // Runs `sql` to its end and gives how many rows it changed.
  template <typename... Values>
  absl::StatusOr<int64_t> Execute(const char* sql, const Values&... values) {
    absl::StatusOr<Statement> statement = Prepare(sql);
    if (!statement.ok()) return statement.status();
    return Finish(statement->Bind(values...));
  }

  // Runs several statements without parameters, uncached: settings and schema.
  // Errors as Open's.
  absl::Status ExecuteScript(const std::string& sql);

  // Ends the transaction. If it cannot, it may still be open (InTransaction).
  //   UNKNOWN    it may or may not be durable
  //   DATA_LOSS  so, and because the medium failed: nothing can be relied on
  absl::Status Commit();

  // Rows ever changed on this connection.
  int64_t TotalChanges() const;
  // False once SQLite has undone the transaction by itself after an error.
  bool InTransaction() const;
  // True once any sync has failed: what the disk holds is anybody's guess.
  bool SyncFailed() const { return sync_failed_; }

  // Pages in the write-ahead log after the last commit.
  int WalPages() const { return wal_pages_; }
  // Moves the log into the database, and cuts the log's file if `truncate`. An
  // error is as grave as a failed sync.
  absl::Status Checkpoint(bool truncate);

  // For tests: every statement prepared so far, and what EXPLAIN QUERY PLAN
  // says of one, a line a step.
  std::vector<std::string> PreparedStatements() const;
  absl::StatusOr<std::vector<std::string>> QueryPlan(const std::string& sql);

 private:
  explicit Database(sqlite3* handle) : handle_(handle) {}
  absl::Status Configure();
  absl::StatusOr<int64_t> Finish(Statement& statement);
  static int OnWal(void* self, sqlite3*, const char*, int pages);

  sqlite3* const handle_;
  std::unordered_map<const char*, sqlite3_stmt*> cache_;
  int wal_pages_ = 0;
  bool sync_failed_ = false;
};

}  // namespace gatehouse::sqlite

#endif  // GATEHOUSE_CONTROLPLANE_STORE_SQLITE_DATABASE_H_
