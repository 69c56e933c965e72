#include "shared/base/fault.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

namespace gatehouse {
namespace {

// The environment is read once a process, so each case runs in a child of its
// own, started anew.
class FaultDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(FaultDeathTest, KillsAtTheNthPassOfTheNamedPoint) {
  EXPECT_EXIT(
      {
        setenv("GATEHOUSE_FAULT", "store/commit:2", 1);
        FaultPoint("store/commit");
        FaultPoint("store/other");
        FaultPoint("store/commit");
        exit(0);
      },
      testing::KilledBySignal(SIGKILL), "");
}

TEST_F(FaultDeathTest, PassesBeforeTheNthTime) {
  EXPECT_EXIT(
      {
        setenv("GATEHOUSE_FAULT", "store/commit:2", 1);
        FaultPoint("store/commit");
        exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(FaultDeathTest, KillsAtTheFirstPassWithoutANumber) {
  EXPECT_EXIT(
      {
        setenv("GATEHOUSE_FAULT", "relay/deliver", 1);
        FaultPoint("relay/deliver");
        exit(0);
      },
      testing::KilledBySignal(SIGKILL), "");
}

TEST_F(FaultDeathTest, EnablesTheNamedMutantsOnly) {
  EXPECT_EXIT(
      {
        setenv("GATEHOUSE_MUTANT", "admit_all,late_audit", 1);
        const bool right = MutantEnabled("admit_all") &&
                           MutantEnabled("late_audit") &&
                           !MutantEnabled("admit") && !MutantEnabled("audit") &&
                           !MutantEnabled("admit_all,late_audit2");
        exit(right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(FaultDeathTest, WithoutTheEnvironmentNothingHappens) {
  EXPECT_EXIT(
      {
        unsetenv("GATEHOUSE_FAULT");
        unsetenv("GATEHOUSE_MUTANT");
        FaultPoint("store/commit");
        exit(MutantEnabled("admit_all") ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace gatehouse
