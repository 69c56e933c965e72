// Recorded client, real worker and control plane, recorded upstream: what comes
// out on both sides is what was recorded, but for what the list says. Defends
// invariants 1 (no decision in the worker), 4 (judge, never repair), 8 (honest
// errors) and 9 (bytes pass unchanged).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
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

// At a worker that wants the token that one of the recorded clients had.
TEST(WireTokenTest, TheRecordedTokenIsAskedForAndTaken) {
  std::vector<wire::ReplayRow> rows;
  for (wire::ReplayRow& row : Played()) {
    if (!row.guarded.has_value()) continue;
    row.differs = *row.guarded;
    row.then = "";
    rows.push_back(std::move(row));
  }
  ASSERT_EQ(rows.size(), 3u);
  WireStage stage(rows, "[token]");
  ASSERT_TRUE(stage.status().ok()) << stage.status();
  for (const wire::ReplayRow& row : rows) {
    EXPECT_THAT(stage.Run(row.trace), IsEmpty()) << stage.EndOfLog();
  }
}

INSTANTIATE_TEST_SUITE_P(Wire, WireReplayTest, ::testing::ValuesIn(Played()),
                         [](const auto& c) {
                           return wire::TestNameOf(c.param.trace);
                         });

}  // namespace
}  // namespace gatehouse::testing
