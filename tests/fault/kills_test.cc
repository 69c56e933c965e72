// Show 5 of the main job: kills -9 of the control plane, the worker or the
// upstream at seeded moments over whole rounds, and the oracle after each.
// Defends invariants 5 (one end), 6 (audit before effect) and 7 (budgets hold).
//
// GATEHOUSE_FAULT_KILLS says how many (12), GATEHOUSE_FAULT_SEED from which
// seed (1): kill number i of a run uses seed + i, so that it can be had again.

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>
#include <string>

#include "tests/fault/stage.h"
#include "tests/integration/harness/wait.h"

namespace gatehouse::testing {
namespace {

int FromEnvironment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

// A moment in the middle of whatever is going on.
void LetRun(absl::Duration duration) {
  Signal().WaitUntil(duration, [] { return false; });
}

TEST(KillsTest, NoKillAtAnyMomentBreaksTheInvariants) {
  const int kills = FromEnvironment("GATEHOUSE_FAULT_KILLS", 12);
  const int seed = FromEnvironment("GATEHOUSE_FAULT_SEED", 1);
  absl::StatusOr<std::unique_ptr<Stage>> started = Stage::Start({});
  ASSERT_TRUE(started.ok()) << started.status();
  Stage& stage = **started;
  ASSERT_EQ(stage.OneRound(), "both right");
  stage.StartClients(4);
  for (int i = 0; i < kills && !::testing::Test::HasFailure(); ++i) {
    std::mt19937 random(static_cast<unsigned>(seed + i));
    const auto part = static_cast<Stage::Part>(random() % 3);
    LetRun(absl::Milliseconds(random() % 400));
    stage.Kill(part);
    const OracleReport report = stage.ExamineNow(/*at_rest=*/false);
    EXPECT_TRUE(report.violations.empty())
        << "seed " << seed + i << ": " << report.ToString();
    LetRun(absl::Milliseconds(random() % 200));
    const absl::Status restarted = stage.Restart(part);
    ASSERT_TRUE(restarted.ok()) << "seed " << seed + i << ": " << restarted;
    // Most kills hit what has recovered, some what has not yet.
    if (random() % 4 != 0) {
      const int before = stage.rounds_done();
      EXPECT_TRUE(Eventually(absl::Seconds(30),
                             [&] { return stage.rounds_done() > before; }))
          << "seed " << seed + i << ": no round ended after the restart";
    }
    std::cout << "kill " << i + 1 << ", seed " << seed + i << ": the "
              << Stage::NameOf(part) << "; " << report.log_size << " records, "
              << stage.rounds_done() << " rounds" << std::endl;
  }
  stage.StopClients();
  const OracleReport report = stage.ExamineAtRest();
  EXPECT_TRUE(report.violations.empty()) << report.ToString();
  std::cout << "at rest: " << report.ToString() << std::endl;
  // And all of it still works.
  std::string last;
  EXPECT_TRUE(Eventually(absl::Seconds(20), [&] {
    last = stage.OneRound();
    return last == "both right";
  })) << last;
  EXPECT_GT(stage.rounds_done(), kills / 4);
}

}  // namespace
}  // namespace gatehouse::testing
