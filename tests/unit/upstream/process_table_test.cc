#include "dataplane/upstream/process_table.h"

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "shared/base/fake_clock.h"

namespace gatehouse::upstream {
namespace {

TEST(ProcessTableTest, AnUpstreamHasSoManyPlacesAndNoMore) {
  FakeClock clock;
  ProcessTable table(/*max_per_upstream=*/2, /*max_all=*/3, clock);
  const auto first = table.Reserve("v/a");
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(table.Reserve("v/a").ok());
  EXPECT_EQ(table.Reserve("v/a").status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(table.Reserve("v/b").ok());
  EXPECT_EQ(table.Reserve("v/c").status().code(),
            absl::StatusCode::kResourceExhausted);
  table.Remove(*first);
  EXPECT_TRUE(table.Reserve("v/a").ok());
}

TEST(ProcessTableTest, WhatIsStoppingGivesItsPlaceUpToABound) {
  FakeClock clock;
  ProcessTable table(/*max_per_upstream=*/1, /*max_all=*/1, clock);
  const auto first = table.Reserve("v/a");
  ASSERT_TRUE(first.ok());
  table.MarkStopping(*first);
  const auto second = table.Reserve("v/a");
  ASSERT_TRUE(second.ok());
  table.MarkStopping(*second);
  EXPECT_FALSE(table.Reserve("v/a").ok());
  table.Remove(*first);
  EXPECT_TRUE(table.Reserve("v/a").ok());
}

TEST(ProcessTableTest, AtALimitTheLongestIdleGivesUpItsPlace) {
  FakeClock clock;
  ProcessTable table(/*max_per_upstream=*/2, /*max_all=*/3, clock);
  std::string gave_up;
  const auto idle = [&](int64_t place, const char* name) {
    table.MarkIdle(place, [&gave_up, name] { gave_up += name; });
  };
  const auto first = table.Reserve("v/a");
  const auto second = table.Reserve("v/a");
  const auto other = table.Reserve("v/b");
  idle(*other, "other ");
  idle(*second, "second ");
  idle(*first, "first ");
  table.MarkBusy(*second);
  EXPECT_TRUE(table.Reserve("v/a").ok());  // not other's, though idle longer
  EXPECT_EQ(gave_up, "first ");
  EXPECT_FALSE(table.Reserve("v/a").ok());
  EXPECT_TRUE(table.Reserve("v/c").ok());
  EXPECT_EQ(gave_up, "first other ");
  EXPECT_FALSE(table.Reserve("v/c").ok());
}

TEST(ProcessTableTest, TheThirdCrashWithinAMinutePausesTheUpstream) {
  FakeClock clock;
  ProcessTable table(8, 64, clock);
  table.RecordCrash("v/a");
  table.RecordCrash("v/a");
  EXPECT_TRUE(table.Reserve("v/a").ok());
  table.RecordCrash("v/a");
  EXPECT_EQ(table.Reserve("v/a").status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_TRUE(table.Reserve("v/b").ok());
  clock.Advance(absl::Seconds(1));
  EXPECT_TRUE(table.Reserve("v/a").ok());
}

TEST(ProcessTableTest, ThePauseGrowsWithFurtherCrashes) {
  FakeClock clock;
  ProcessTable table(8, 64, clock);
  for (int i = 0; i < 3; ++i) table.RecordCrash("v/a");
  clock.Advance(absl::Seconds(1));
  table.RecordCrash("v/a");
  clock.Advance(absl::Milliseconds(1900));
  EXPECT_FALSE(table.Reserve("v/a").ok());
  clock.Advance(absl::Milliseconds(100));
  EXPECT_TRUE(table.Reserve("v/a").ok());
}

TEST(ProcessTableTest, CrashesFarApartPauseNothing) {
  FakeClock clock;
  ProcessTable table(8, 64, clock);
  for (int i = 0; i < 10; ++i) {
    table.RecordCrash("v/a");
    clock.Advance(absl::Seconds(31));
    const auto place = table.Reserve("v/a");
    ASSERT_TRUE(place.ok()) << place.status();
    table.Remove(*place);
    clock.Advance(absl::Seconds(31));
  }
}

}  // namespace
}  // namespace gatehouse::upstream
