#include "controlplane/store/faulty_store.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/store/store_contract.h"

namespace gatehouse {
namespace {

class FaultyStoreTest : public testing::Test {
 protected:
  absl::Status Put(Store& store, const std::string& key) {
    return RunAndWait(store,
                      [&](Transaction& tx) { return tx.PutMeta(key, "1"); });
  }
  bool IsThere(const std::string& key) {
    return RunAndWait(*inner_,
                      [&](Transaction& tx) { return tx.GetMeta(key).status(); })
        .ok();
  }

  FakeClock clock_;
  std::unique_ptr<Store> inner_ = MakeMemoryStore(clock_);
};

TEST_F(FaultyStoreTest, FollowsItsScriptAndThenWorks) {
  FaultyStore store(*inner_, {StoreFault::kError, StoreFault::kTimeout,
                              StoreFault::kDidItButSaidNo});
  EXPECT_EQ(Put(store, "error").code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Put(store, "timeout").code(), absl::StatusCode::kUnknown);
  EXPECT_EQ(Put(store, "did").code(), absl::StatusCode::kUnknown);
  EXPECT_TRUE(Put(store, "worked").ok());

  EXPECT_FALSE(IsThere("error"));
  EXPECT_FALSE(IsThere("timeout"));
  EXPECT_TRUE(IsThere("did"));
  EXPECT_TRUE(IsThere("worked"));
}

TEST_F(FaultyStoreTest, AWorkThatFailsByItselfKeepsItsStatus) {
  FaultyStore store(*inner_, {StoreFault::kDidItButSaidNo});
  EXPECT_EQ(RunAndWait(store,
                       [](Transaction&) { return absl::AbortedError("mine"); }),
            absl::AbortedError("mine"));
}

TEST_F(FaultyStoreTest, TakesMoreFaultsLater) {
  FaultyStore store(*inner_, std::vector<StoreFault>{});
  EXPECT_TRUE(Put(store, "a").ok());
  store.AddFaults({StoreFault::kNone, StoreFault::kError});
  EXPECT_TRUE(Put(store, "b").ok());
  EXPECT_EQ(Put(store, "c").code(), absl::StatusCode::kUnavailable);
}

TEST_F(FaultyStoreTest, ASeedGivesItsFaultsAgainAndAboutAsManyAsAskedFor) {
  const FaultyStore::Rates rates{100, 100, 100};
  const auto codes = [&](uint64_t seed) {
    FaultyStore store(*inner_, rates, seed);
    std::string all;
    for (int i = 0; i < 1000; ++i) {
      all += std::to_string(static_cast<int>(Put(store, "key").code())) + " ";
    }
    return all;
  };
  const std::string first = codes(1);
  EXPECT_EQ(codes(1), first);
  EXPECT_NE(codes(2), first);
  const auto ok = std::count(first.begin(), first.end(), '0');
  EXPECT_GT(ok, 600);
  EXPECT_LT(ok, 800);
}

}  // namespace
}  // namespace gatehouse
