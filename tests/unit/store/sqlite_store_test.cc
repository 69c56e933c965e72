// What SQLite's store promises beyond the contract: whose files they are, which
// databases it opens, and what it does when the disk breaks its word.

#include "controlplane/store/sqlite/sqlite_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <future>
#include <iterator>
#include <memory>
#include <string>

#include "controlplane/store/sqlite/database.h"
#include "controlplane/store/sqlite/migrations.h"
#include "shared/base/fake_clock.h"
#include "tests/unit/store/temp_folder.h"

namespace {

// How many syncs there were, and which ones fail: none, or those of files whose
// name ends so.
std::atomic<int> syncs{0};
std::atomic<const char*> failing_sync{nullptr};

bool SyncFails(int fd) {
  const char* suffix = failing_sync.load();
  if (suffix == nullptr) return false;
  std::array<char, 4096> name{};
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t length = readlink(link.c_str(), name.data(), name.size());
  if (length < 0) return false;
  const std::string path(name.data(), static_cast<size_t>(length));
  return path.ends_with(suffix);
}

int Sync(int fd, long call) {
  ++syncs;
  if (SyncFails(fd)) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(syscall(call, fd));
}

}  // namespace

// These stand before the C library's, for SQLite too.
extern "C" int fdatasync(int fd) { return Sync(fd, SYS_fdatasync); }
extern "C" int fsync(int fd) { return Sync(fd, SYS_fsync); }

namespace gatehouse {
namespace {

using testing::HasSubstr;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

class SqliteStoreTest : public testing::Test {
 protected:
  ~SqliteStoreTest() override { failing_sync = nullptr; }

  absl::StatusOr<std::unique_ptr<Store>> Open() {
    SqliteOptions options;
    options.path = path_;
    options.on_fatal = [this](std::string_view what) {
      ++fatal_;
      fatal_text_ = what;
    };
    return OpenSqliteStore(std::move(options), clock_);
  }

  std::unique_ptr<Store> OpenOrFail() {
    auto store = Open();
    EXPECT_TRUE(store.ok()) << store.status();
    return store.ok() ? *std::move(store) : nullptr;
  }

  absl::Status Put(Store& store, const std::string& value) {
    return RunAndWait(
        store, [&](Transaction& tx) { return tx.PutMeta("key", value); });
  }

  unsigned Mode(const std::string& path) {
    struct stat info {};
    EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
    return info.st_mode & 0777U;
  }

  TempFolder folder_;
  const std::string data_ = folder_.path() + "/data";
  const std::string path_ = data_ + "/gatehouse.db";
  FakeClock clock_;
  std::atomic<int> fatal_{0};
  std::string fatal_text_;
};

TEST_F(SqliteStoreTest, ItsFolderAndFilesAreItsOwners) {
  const auto store = OpenOrFail();
  ASSERT_TRUE(Put(*store, "1").ok());
  EXPECT_EQ(Mode(data_), 0700u);
  EXPECT_EQ(Mode(path_), 0600u);
  EXPECT_EQ(Mode(path_ + "-wal"), 0600u);
  EXPECT_NE(access((path_ + "-shm").c_str(), F_OK), 0);
}

TEST_F(SqliteStoreTest, AFileLeftOpenToOthersIsRestricted) {
  ASSERT_EQ(mkdir(data_.c_str(), 0700), 0);
  { std::ofstream file(path_); }
  ASSERT_EQ(chmod(path_.c_str(), 0666), 0);
  const auto store = OpenOrFail();
  EXPECT_EQ(Mode(path_), 0600u);
}

TEST_F(SqliteStoreTest, WhatWasCommittedIsThereAfterReopening) {
  {
    const auto store = OpenOrFail();
    ASSERT_TRUE(Put(*store, "kept").ok());
  }
  const auto store = OpenOrFail();
  EXPECT_TRUE(RunAndWait(*store, [](Transaction& tx) {
                EXPECT_EQ(*tx.GetMeta("key"), "kept");
                return absl::OkStatus();
              }).ok());
}

TEST_F(SqliteStoreTest, ASecondStoreOnTheFileIsRefused) {
  const auto store = OpenOrFail();
  const auto second = Open();
  EXPECT_EQ(second.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(second.status().message()),
              HasSubstr("in use by another process"));
  EXPECT_TRUE(Put(*store, "still works").ok());
}

TEST_F(SqliteStoreTest, ANewerDatabaseIsRefusedUntouched) {
  { ASSERT_TRUE(Put(*OpenOrFail(), "1").ok()); }
  {
    auto database = sqlite::Database::Open(path_);
    ASSERT_TRUE(database.ok()) << database.status();
    ASSERT_TRUE((*database)->ExecuteScript("PRAGMA user_version = 99").ok());
  }
  const std::string file = ReadFile(path_);
  const std::string wal = ReadFile(path_ + "-wal");
  ASSERT_FALSE(wal.empty());  // so that a checkpoint would show

  const auto store = Open();
  EXPECT_EQ(store.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(store.status().message()),
              HasSubstr("schema version 99 is newer"));
  EXPECT_EQ(ReadFile(path_), file);
  EXPECT_EQ(ReadFile(path_ + "-wal"), wal);
}

// As the build before verdicts were counted left it.
TEST_F(SqliteStoreTest, AnOlderDatabaseIsBroughtForwardWithWhatItHolds) {
  { ASSERT_TRUE(Put(*OpenOrFail(), "kept").ok()); }
  {
    auto database = sqlite::Database::Open(path_);
    ASSERT_TRUE(database.ok()) << database.status();
    ASSERT_TRUE((*database)
                    ->ExecuteScript("DROP TABLE verdict_count; "
                                    "PRAGMA user_version = 5")
                    .ok());
  }
  const auto store = OpenOrFail();
  ASSERT_NE(store, nullptr);
  const absl::Status status = RunAndWait(*store, [](Transaction& tx) {
    EXPECT_EQ(*tx.GetMeta("key"), "kept");
    return tx.CountVerdict("dev", "a", "too_large");
  });
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(SqliteStoreTest, AFileThatIsNoDatabaseIsRefusedUntouched) {
  ASSERT_EQ(mkdir(data_.c_str(), 0700), 0);
  const std::string text(8192, 'x');
  { std::ofstream(path_) << text; }
  EXPECT_EQ(Open().status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(ReadFile(path_), text);
}

TEST_F(SqliteStoreTest, AFolderThatCannotBeMadeIsNamed) {
  SqliteOptions options;
  options.path = folder_.path() + "/no/such/gatehouse.db";
  const auto store = OpenSqliteStore(std::move(options), clock_);
  EXPECT_EQ(store.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(store.status().message()), HasSubstr("/no/such"));
}

TEST_F(SqliteStoreTest, MigratingTwiceChangesNothing) {
  ASSERT_EQ(mkdir(data_.c_str(), 0700), 0);
  auto database = sqlite::Database::Open(path_);
  ASSERT_TRUE(database.ok()) << database.status();
  ASSERT_TRUE(sqlite::Migrate(**database).ok());
  const int64_t changes = (*database)->TotalChanges();
  ASSERT_TRUE(sqlite::Migrate(**database).ok());
  EXPECT_EQ((*database)->TotalChanges(), changes);
}

TEST_F(SqliteStoreTest, WorksThatWaitTogetherShareOneSync) {
  const auto store = OpenOrFail();
  ASSERT_TRUE(Put(*store, "first").ok());  // the log's own header
  std::promise<void> running, released, last;
  store->Run(
      [&](Transaction&) {
        running.set_value();
        released.get_future().wait();
        return absl::OkStatus();
      },
      [](absl::Status) {});
  running.get_future().wait();
  for (int i = 0; i < 64; ++i) {
    store->Run(
        [i](Transaction& tx) {
          return tx.PutMeta("key" + std::to_string(i), "1");
        },
        [&last, i](absl::Status status) {
          EXPECT_TRUE(status.ok()) << status;
          if (i == 63) last.set_value();
        });
  }
  const int before = syncs;
  released.set_value();
  last.get_future().wait();
  EXPECT_EQ(syncs - before, 1);
}

TEST_F(SqliteStoreTest, EveryCommitIsSynced) {
  const auto store = OpenOrFail();
  ASSERT_TRUE(Put(*store, "first").ok());
  const int before = syncs;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(Put(*store, std::to_string(i)).ok());
  EXPECT_EQ(syncs - before, 5);
}

// Defends invariant 6 of DESIGN §1: after a failed sync nobody is told that
// something is durable, and nothing more is decided.
TEST_F(SqliteStoreTest, AFailedSyncOfACommitIsUnknownAndStopsTheStore) {
  const auto store = OpenOrFail();
  ASSERT_TRUE(Put(*store, "1").ok());
  failing_sync = "-wal";
  EXPECT_EQ(Put(*store, "2").code(), absl::StatusCode::kUnknown);
  EXPECT_EQ(fatal_, 1);
  EXPECT_THAT(fatal_text_, HasSubstr(path_));
  failing_sync = nullptr;
  EXPECT_EQ(Put(*store, "3").code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(fatal_, 1);
}

// The database file is synced when the log is moved into it; SQLite's own
// checkpointer would hide that it failed.
TEST_F(SqliteStoreTest, AFailedSyncOfACheckpointStopsTheStore) {
  const auto store = OpenOrFail();
  failing_sync = "gatehouse.db";
  EXPECT_TRUE(Put(*store, std::string(5 << 20, 'x')).ok());
  // The checkpoint comes after the answer: the next Work is behind it.
  EXPECT_EQ(Put(*store, "2").code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(fatal_, 1);
  EXPECT_THAT(fatal_text_, HasSubstr("checkpoint"));
}

using SqliteStoreDeathTest = SqliteStoreTest;

TEST_F(SqliteStoreDeathTest, WithoutAHandlerTheProcessEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        SqliteOptions options;
        options.path = path_;
        auto store = OpenSqliteStore(std::move(options), clock_);
        if (store.ok()) {
          failing_sync = "-wal";
          Put(**store, "1").IgnoreError();
        }
      },
      "did not keep what it was given");
}

TEST_F(SqliteStoreTest, TheLogIsMovedBeforeItGrowsWithoutBound) {
  const auto store = OpenOrFail();
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE(
        Put(*store, std::string(2 << 20, static_cast<char>('a' + i))).ok());
  }
  struct stat info {};
  ASSERT_EQ(stat((path_ + "-wal").c_str(), &info), 0);
  EXPECT_LT(info.st_size, 10 << 20);
  EXPECT_EQ(fatal_, 0);
}

}  // namespace
}  // namespace gatehouse
