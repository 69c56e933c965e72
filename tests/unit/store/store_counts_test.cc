// What each store promises of verdicts counted by upstream.

#include <string>
#include <vector>

#include "tests/unit/store/store_contract.h"
#include "tests/unit/store/test_rows.h"

namespace gatehouse {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Counts = std::vector<VerdictCountRow>;

class StoreCountsTest : public StoreContractTest {
 protected:
  void Count(const char* server, const char* upstream, const char* counter) {
    Do([&](Transaction& tx) {
      return tx.CountVerdict(server, upstream, counter);
    });
  }
  static std::vector<std::string> Keys(const Counts& rows) {
    std::vector<std::string> keys;
    for (const VerdictCountRow& row : rows) {
      keys.push_back(absl::StrCat(row.virtual_server, "/", row.upstream, "/",
                                  row.counter, "=", row.count));
    }
    return keys;
  }
};

TEST_P(StoreCountsTest, RiseByOneAndHaveTheTimeOfTheLast) {
  Count("dev", "a", "too_large");
  clock_.Advance(absl::Seconds(5));
  Count("dev", "a", "too_large");
  Count("dev", "a", "");
  GATEHOUSE_TEST_READ(rows, Counts, tx.ListVerdictCounts({}, 10));
  const absl::Time now =
      absl::FromUnixMicros(absl::ToUnixMicros(clock_.Wall()));
  EXPECT_THAT(rows,
              ElementsAre(VerdictCountRow{"dev", "a", "", 1, now},
                          VerdictCountRow{"dev", "a", "too_large", 2, now}));
}

TEST_P(StoreCountsTest, AreListedByKeyAfterAPlaceAndUpToALimit) {
  Count("ops", "a", "");
  Count("dev", "b", "x");
  Count("dev", "b", "");
  Count("dev", "a", "y");
  GATEHOUSE_TEST_READ(all, Counts, tx.ListVerdictCounts({}, 10));
  EXPECT_THAT(Keys(all),
              ElementsAre("dev/a/y=1", "dev/b/=1", "dev/b/x=1", "ops/a/=1"));
  GATEHOUSE_TEST_READ(two, Counts, tx.ListVerdictCounts(all[0], 2));
  EXPECT_THAT(Keys(two), ElementsAre("dev/b/=1", "dev/b/x=1"));
  VerdictCountRow server;
  server.virtual_server = "ops";
  GATEHOUSE_TEST_READ(of_server, Counts, tx.ListVerdictCounts(server, 10));
  EXPECT_THAT(Keys(of_server), ElementsAre("ops/a/=1"));
  GATEHOUSE_TEST_READ(none, Counts, tx.ListVerdictCounts({}, 0));
  EXPECT_THAT(none, IsEmpty());
}

TEST_P(StoreCountsTest, OfOneUpstreamAreListedAndDeletedAlone) {
  Count("dev", "a", "x");
  Count("dev", "a", "");
  Count("dev", "b", "x");
  Count("ops", "a", "x");
  GATEHOUSE_TEST_READ(of_a, Counts, tx.ListVerdictCountsOfUpstream("dev", "a"));
  EXPECT_THAT(Keys(of_a), ElementsAre("dev/a/=1", "dev/a/x=1"));
  Do([](Transaction& tx) {
    return tx.DeleteVerdictCountsOfUpstream("dev", "a");
  });
  GATEHOUSE_TEST_READ(rest, Counts, tx.ListVerdictCounts({}, 10));
  EXPECT_THAT(Keys(rest), ElementsAre("dev/b/x=1", "ops/a/x=1"));
}

// A decision that is undone has counted nothing.
TEST_P(StoreCountsTest, AreUndoneWithTheirWork) {
  Count("dev", "a", "x");
  EXPECT_FALSE(Run([](Transaction& tx) -> absl::Status {
                 GATEHOUSE_RETURN_IF_ERROR(tx.CountVerdict("dev", "a", "x"));
                 GATEHOUSE_RETURN_IF_ERROR(tx.CountVerdict("dev", "b", ""));
                 GATEHOUSE_RETURN_IF_ERROR(
                     tx.DeleteVerdictCountsOfUpstream("dev", "a"));
                 return absl::InternalError("undone");
               }).ok());
  GATEHOUSE_TEST_READ(rows, Counts, tx.ListVerdictCounts({}, 10));
  EXPECT_THAT(Keys(rows), ElementsAre("dev/a/x=1"));
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreCountsTest, Stores(), StoreName);

}  // namespace
}  // namespace gatehouse
