// The store's process is killed at seeded commits and reopened: what it said is
// durable is there, and the log has no gap. Defends invariants 5, 6 and 7 of
// DESIGN §1 across crashes.
//
// This program runs itself as the child: `store_kill_test --child PATH` appends
// to the store at PATH and writes the seq of each acknowledged record to its
// output, until a fault point kills it; `--try PATH` only opens it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controlplane/audit/log.h"
#include "controlplane/audit/verify.h"
#include "controlplane/store/sqlite/sqlite_store.h"
#include "shared/base/clock.h"
#include "shared/base/status.h"
#include "tests/unit/store/temp_folder.h"
#include "tests/unit/store/test_rows.h"

namespace gatehouse {
namespace {

constexpr int kInUse = 3;  // the child's exit code of `--try`

absl::StatusOr<std::unique_ptr<Store>> OpenAt(const std::string& path,
                                              Clock& clock) {
  SqliteOptions options;
  options.path = path;
  return OpenSqliteStore(std::move(options), clock);
}

// One decision: a state, a budget and a record that belong together.
absl::Status Decide(Transaction& tx, Random& random, int64_t& seq) {
  audit::Record record;
  record.operation_id = NewId(random);
  GATEHOUSE_RETURN_IF_ERROR(
      tx.InsertOperation(TestOperation(record.operation_id)));
  GATEHOUSE_ASSIGN_OR_RETURN(seq, audit::Append(tx, record, random));
  return absl::OkStatus();
}

// Decides for ever, several at a time, and tells what was acknowledged.
int RunChild(const std::string& path) {
  SystemClock clock;
  SystemRandom random;
  auto store = OpenAt(path, clock);
  if (!store.ok()) return 1;
  std::promise<void> ended;  // never: the kill comes long before the deadline
  std::function<void()> one = [&, open = store->get()] {
    auto seq = std::make_shared<int64_t>(-1);
    open->Run(
        [&random, seq](Transaction& tx) { return Decide(tx, random, *seq); },
        [&one, seq](absl::Status status) {
          if (!status.ok()) _exit(2);
          if (write(STDOUT_FILENO, seq.get(), sizeof *seq) != sizeof *seq) {
            _exit(2);
          }
          one();
        });
  };
  for (int i = 0; i < 7; ++i) one();
  ended.get_future().wait_for(std::chrono::seconds(60));
  _exit(2);
}

// A run of this program as somebody's child. Its output is read to the end.
class Child {
 public:
  Child(const char* mode, const std::string& path, const std::string& fault) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    std::string program = "store_kill_test", flag = mode, place = path;
    std::string variable = "GATEHOUSE_FAULT=" + fault;
    const std::array<char*, 4> arguments = {program.data(), flag.data(),
                                            place.data(), nullptr};
    const std::array<char*, 2> environment = {variable.data(), nullptr};
    EXPECT_EQ(posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr,
                          arguments.data(), environment.data()),
              0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    output_ = ends[0];
  }
  ~Child() {
    close(output_);
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      Wait();
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // The acknowledged seqs, until the child has ended or `most` were read.
  std::vector<int64_t> Read(size_t most) {
    std::vector<int64_t> seqs;
    pollfd ready{output_, POLLIN, 0};
    int64_t seq = 0;
    while (seqs.size() < most && poll(&ready, 1, /*ms=*/30'000) == 1 &&
           read(output_, &seq, sizeof seq) == sizeof seq) {
      seqs.push_back(seq);
    }
    return seqs;
  }

  void Kill() { kill(pid_, SIGKILL); }

  int Wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
};

// Reads the whole log and checks it; gives its size and the operations that it
// speaks of, each of which must be there too.
absl::StatusOr<int64_t> CheckWhole(Store& store) {
  audit::LogVerifier verifier(1);
  const absl::Status status =
      RunAndWait(store, [&](Transaction& tx) -> absl::Status {
        for (;;) {
          GATEHOUSE_ASSIGN_OR_RETURN(
              const auto leaves,
              tx.ListAuditLeaves(1, verifier.size() - 1, 500));
          for (const AuditLeafRow& leaf : leaves) {
            GATEHOUSE_ASSIGN_OR_RETURN(const audit::Record record,
                                       verifier.Add(leaf));
            GATEHOUSE_RETURN_IF_ERROR(
                tx.GetOperation(record.operation_id).status());
          }
          if (leaves.empty()) break;
        }
        GATEHOUSE_ASSIGN_OR_RETURN(const AuditHeadRow head, tx.GetAuditHead());
        GATEHOUSE_RETURN_IF_ERROR(verifier.CheckHead(head));
        GATEHOUSE_ASSIGN_OR_RETURN(
            const auto operations,
            tx.ListOpenOperationsOfWorker("w1", 3, 1'000'000));
        if (static_cast<int64_t>(operations.size()) != head.size) {
          return absl::DataLossError("an operation without a record");
        }
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return verifier.size();
}

struct KillCase {
  const char* name;
  const char* fault;  // null: killed from outside
};

class StoreKillTest : public testing::TestWithParam<KillCase> {};

TEST_P(StoreKillTest, WhatWasAcknowledgedIsThereAndTheLogHasNoGap) {
  const TempFolder folder;
  const std::string path = folder.path() + "/data/gatehouse.db";
  std::mt19937_64 random(7);
  SystemClock clock;
  int64_t size = 0;
  for (int round = 0; round < 12; ++round) {
    const auto at = std::uniform_int_distribution<int>(1, 25)(random);
    const std::string fault = GetParam().fault == nullptr
                                  ? ""
                                  : absl::StrCat(GetParam().fault, ":", at);
    Child child("--child", path, fault);
    std::vector<int64_t> seqs =
        child.Read(fault.empty() ? static_cast<size_t>(at) : SIZE_MAX);
    if (fault.empty()) {
      child.Kill();
      const std::vector<int64_t> rest = child.Read(SIZE_MAX);
      seqs.insert(seqs.end(), rest.begin(), rest.end());
    }
    const int status = child.Wait();
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        << "round " << round << ": " << status;

    auto store = OpenAt(path, clock);
    ASSERT_TRUE(store.ok()) << "round " << round << ": " << store.status();
    const absl::StatusOr<int64_t> now = CheckWhole(**store);
    ASSERT_TRUE(now.ok()) << "round " << round << ": " << now.status();
    ASSERT_GE(*now, size) << "round " << round;
    // Each place is acknowledged once, and is in the log.
    EXPECT_EQ(std::set<int64_t>(seqs.begin(), seqs.end()).size(), seqs.size());
    for (const int64_t seq : seqs) {
      EXPECT_GE(seq, size) << "round " << round;
      EXPECT_LT(seq, *now) << "round " << round;
    }
    size = *now;
  }
  EXPECT_GT(size, 100);
}

INSTANTIATE_TEST_SUITE_P(
    Moments, StoreKillTest,
    testing::ValuesIn<KillCase>({{"BeforeACommit", "before_commit"},
                                 {"AfterACommit", "after_commit"},
                                 {"FromOutside", nullptr}}),
    [](const auto& c) { return std::string(c.param.name); });

TEST(StoreLockTest, ASecondProcessIsRefusedWhileTheFirstLives) {
  const TempFolder folder;
  const std::string path = folder.path() + "/data/gatehouse.db";
  SystemClock clock;
  {
    const auto store = OpenAt(path, clock);
    ASSERT_TRUE(store.ok()) << store.status();
    Child second("--try", path, "");
    const int status = second.Wait();
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), kInUse);
  }
  Child second("--try", path, "");
  const int status = second.Wait();
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

int TryToOpen(const std::string& path) {
  SystemClock clock;
  const auto store = OpenAt(path, clock);
  if (store.ok()) return 0;
  return absl::IsFailedPrecondition(store.status()) ? kInUse : 1;
}

}  // namespace
}  // namespace gatehouse

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--child") {
    return gatehouse::RunChild(argv[2]);
  }
  if (argc == 3 && std::string(argv[1]) == "--try") {
    return gatehouse::TryToOpen(argv[2]);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
