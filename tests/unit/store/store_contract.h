#ifndef GATEHOUSE_TESTS_UNIT_STORE_STORE_CONTRACT_H_
#define GATEHOUSE_TESTS_UNIT_STORE_STORE_CONTRACT_H_

// The fixture of the one suite that every store passes. A new store adds its
// name to Stores() and a branch to Open().

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controlplane/store/memory/memory_store.h"
#include "controlplane/store/sqlite/sqlite_store.h"
#include "controlplane/store/store.h"
#include "shared/base/fake_clock.h"
#include "shared/base/status.h"
#include "tests/unit/store/temp_folder.h"

namespace gatehouse {

class StoreContractTest : public testing::TestWithParam<const char*> {
 protected:
  StoreContractTest() { Open(4096); }

  void Open(size_t queue_limit) {
    store_.reset();
    if (std::string(GetParam()) == "Memory") {
      store_ = MakeMemoryStore(clock_, queue_limit);
      return;
    }
    SqliteOptions options;
    options.path =
        absl::StrCat(folder_.path(), "/db", ++opened_, "/gatehouse.db");
    options.queue_limit = queue_limit;
    auto store = OpenSqliteStore(std::move(options), clock_);
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
  }

  absl::Status Run(const Store::Work& work) {
    return RunAndWait(*store_, work);
  }

  // Runs a Work that must succeed.
  void Do(const Store::Work& work) {
    const absl::Status status = Run(work);
    EXPECT_TRUE(status.ok()) << status;
  }

  // What `read` gives, from a Work of its own.
  template <typename T>
  absl::StatusOr<T> Read(
      const std::function<absl::StatusOr<T>(Transaction&)>& read) {
    absl::StatusOr<T> result = absl::UnknownError("not run");
    const absl::Status status = Run([&](Transaction& tx) {
      result = read(tx);
      return result.status();
    });
    return status.ok() || !result.ok() ? result : status;
  }

  FakeClock clock_;
  TempFolder folder_;
  int opened_ = 0;
  std::unique_ptr<Store> store_;
};

// Reads in the middle of a test, where an error fails it.
#define GATEHOUSE_TEST_READ(lhs, type, expr)                           \
  auto lhs##_or = Read<type>([&](Transaction& tx) { return (expr); }); \
  ASSERT_TRUE(lhs##_or.ok()) << lhs##_or.status();                     \
  const type lhs = *std::move(lhs##_or)

inline auto Stores() { return testing::Values("Memory", "Sqlite"); }

inline std::string StoreName(const testing::TestParamInfo<const char*>& c) {
  return c.param;
}

}  // namespace gatehouse

#endif  // GATEHOUSE_TESTS_UNIT_STORE_STORE_CONTRACT_H_
