// Recorded client, real worker and control plane, recorded upstream: what comes
// out on both sides is what was recorded, but for what the list says. Defends
// invariants 1 (no decision in the worker), 4 (judge, never repair), 8 (honest
// errors) and 9 (bytes pass unchanged).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/integration/wire/stage.h"
#include "tests/wire/replay_list.h"

namespace gatehouse::testing {
namespace {

using ::testing::IsEmpty;

std::vector<wire::ReplayRow> Played() {
  return wire::RowsReplayedAs("upstream");
}

class WireReplayTest : public ::testing::TestWithParam<wire::ReplayRow> {
 protected:
  static void SetUpTestSuite() { stage_ = new WireStage(Played()); }
  static void TearDownTestSuite() {
    delete stage_;
    stage_ = nullptr;
  }
  static WireStage* stage_;
};

WireStage* WireReplayTest::stage_ = nullptr;

TEST_P(WireReplayTest, ComesOutAsListed) {
  ASSERT_TRUE(stage_->status().ok()) << stage_->status();
  EXPECT_THAT(stage_->Run(GetParam().trace), IsEmpty()) << stage_->EndOfLog();
}

INSTANTIATE_TEST_SUITE_P(Wire, WireReplayTest, ::testing::ValuesIn(Played()),
                         [](const auto& c) {
                           return wire::TestNameOf(c.param.trace);
                         });

}  // namespace
}  // namespace gatehouse::testing
