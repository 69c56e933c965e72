#include "shared/base/clock.h"

#include <gtest/gtest.h>

#include "shared/base/check.h"
#include "shared/base/fake_clock.h"

namespace gatehouse {
namespace {

TEST(SystemClockTest, SteadyNeverGoesBack) {
  const SystemClock clock;
  absl::Duration last = clock.Steady();
  for (int i = 0; i < 1000; ++i) {
    const absl::Duration now = clock.Steady();
    EXPECT_GE(now, last);
    last = now;
  }
}

TEST(SystemClockTest, WallIsThisCentury) {
  EXPECT_GT(SystemClock().Wall(), absl::FromUnixSeconds(1'600'000'000));
}

TEST(FakeClockTest, MovesOnlyWhenToldAndBothScalesTogether) {
  FakeClock clock(absl::FromUnixSeconds(1000));
  EXPECT_EQ(clock.Wall(), absl::FromUnixSeconds(1000));
  EXPECT_EQ(clock.Steady(), absl::ZeroDuration());
  clock.Advance(absl::Milliseconds(1500));
  EXPECT_EQ(clock.Wall(), absl::FromUnixMillis(1'001'500));
  EXPECT_EQ(clock.Steady(), absl::Milliseconds(1500));
}

TEST(CheckDeathTest, SaysWhatWasBroken) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  GATEHOUSE_CHECK(true);
  EXPECT_DEATH(GATEHOUSE_CHECK(1 + 1 == 3), "check failed: 1 \\+ 1 == 3");
}

}  // namespace
}  // namespace gatehouse
