// Death at every named fault point, one after another, and the negative
// controls: with a rule switched off, the same checks must fail.

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/fault/stage.h"
#include "tests/integration/harness/wait.h"

namespace gatehouse::testing {
namespace {

struct PointCase {
  const char* name;
  const char* point;
  Stage::Part part;
  int passings;         // dies at the 1st, 2nd, ... so many-th passing
  bool silent = false;  // a round that nobody answers
};

class PointTest : public ::testing::TestWithParam<PointCase> {};

Program& VictimOf(Stage& stage, Stage::Part part) {
  return part == Stage::Part::kControl ? stage.gatehouse().control()
                                       : stage.gatehouse().worker(0);
}

// Rounds until the victim dies of its fault point, or one went through whole;
// the victim is started again at once, while the round still runs.
bool DieInARound(Stage& stage, const PointCase& c, int passing) {
  const std::map<std::string, std::string> env = {
      {"GATEHOUSE_FAULT", absl::StrCat(c.point, ":", passing)}};
  stage.Kill(c.part);
  stage.gatehouse().SetControlEnv(env);
  stage.gatehouse().SetWorkerEnv(env);
  const bool up = stage.Restart(c.part).ok();
  stage.gatehouse().SetControlEnv({});
  stage.gatehouse().SetWorkerEnv({});
  std::atomic<bool> stop{!up};
  std::atomic<bool> whole{false};
  std::thread client([&] {
    while (!stop && !whole) {
      const std::string text =
          c.silent ? stage.OneSilentRound() : stage.OneRound();
      whole = text == (c.silent ? "sampling failed" : "both right");
    }
  });
  Program& victim = VictimOf(stage, c.part);
  Eventually(absl::Seconds(20), [&] { return !victim.running() || whole; });
  const bool died = !victim.running();
  stage.Kill(c.part);
  const absl::Status restarted = stage.Restart(c.part);
  stop = true;
  client.join();
  EXPECT_TRUE(restarted.ok()) << restarted;
  return died;
}

TEST_P(PointTest, LeavesNothingBroken) {
  const PointCase& c = GetParam();
  Gatehouse::Options options;
  options.faulty_control = c.part == Stage::Part::kControl;
  options.faulty_worker = c.part == Stage::Part::kWorker;
  absl::StatusOr<std::unique_ptr<Stage>> started =
      Stage::Start(std::move(options));
  ASSERT_TRUE(started.ok()) << started.status();
  Stage& stage = **started;
  int deaths = 0;
  for (int passing = 1; passing <= c.passings; ++passing) {
    SCOPED_TRACE(absl::StrCat("passing ", passing));
    deaths += DieInARound(stage, c, passing);
    std::string last;
    EXPECT_TRUE(Eventually(absl::Seconds(20), [&] {
      last = stage.OneRound();
      return last == "both right";
    })) << last;
    const OracleReport report = stage.ExamineNow(/*at_rest=*/false);
    EXPECT_TRUE(report.violations.empty()) << report.ToString();
  }
  EXPECT_GT(deaths, 0) << c.point << " was never passed";
  const OracleReport report = stage.ExamineAtRest();
  EXPECT_TRUE(report.violations.empty()) << report.ToString();
}

INSTANTIATE_TEST_SUITE_P(
    Points, PointTest,
    ::testing::ValuesIn<PointCase>(
        {{"BeforeACommit", "before_commit", Stage::Part::kControl, 8},
         {"AfterACommit", "after_commit", Stage::Part::kControl, 8},
         {"TheWorkerAfterItsAdmit", "worker_after_admit", Stage::Part::kWorker,
          2},
         {"TheWorkerBeforeShowing", "worker_before_relay_to_client",
          Stage::Part::kWorker, 2},
         {"TheWorkerAfterShowing", "worker_after_relay_to_client",
          Stage::Part::kWorker, 2},
         {"TheWorkerBeforeASubmit", "worker_before_submit",
          Stage::Part::kWorker, 2},
         {"TheWorkerAfterASubmit", "worker_after_submit", Stage::Part::kWorker,
          2},
         {"TheWorkerAfterAClaim", "worker_after_claim", Stage::Part::kWorker, 1,
          /*silent=*/true},
         {"BeforeAReplyIsWritten", "before_reply_written", Stage::Part::kWorker,
          2},
         {"AfterAReplyIsWritten", "after_reply_written", Stage::Part::kWorker,
          2}}),
    [](const auto& c) { return std::string(c.param.name); });

// A whole round under a mutant; everything that the checks found wrong.
std::string FaultsUnder(const char* mutant, bool in_control) {
  Gatehouse::Options options;
  options.faulty_control = in_control;
  options.faulty_worker = !in_control;
  const std::map<std::string, std::string> env = {{"GATEHOUSE_MUTANT", mutant}};
  options.control_env = env;
  options.worker_env = env;
  absl::StatusOr<std::unique_ptr<Stage>> started =
      Stage::Start(std::move(options));
  if (!started.ok()) return started.status().ToString();
  const std::string round = (*started)->OneRound();
  // At once: the mutant that records late is caught before it has.
  const OracleReport now = (*started)->ExamineNow(/*at_rest=*/false);
  const OracleReport rest = (*started)->ExamineAtRest(absl::Seconds(5));
  std::string found = round == "both right" ? "" : round;
  for (const OracleReport& report : {now, rest}) {
    if (!report.violations.empty()) absl::StrAppend(&found, report.ToString());
  }
  return found;
}

TEST(MutantTest, WithoutOneNothingIsFound) {
  EXPECT_EQ(FaultsUnder("none", /*in_control=*/true), "");
  EXPECT_EQ(FaultsUnder("none", /*in_control=*/false), "");
}

TEST(MutantTest, AnAuditAfterTheEffectIsFound) {
  EXPECT_NE(FaultsUnder("audit_after_effect", /*in_control=*/true), "");
}

// Asks a sampling that no revision allows; how often the client was shown it.
size_t IllegalQuestionsShown(const char* mutant) {
  Gatehouse::Options options;
  options.faulty_control = true;
  options.control_env = {{"GATEHOUSE_MUTANT", mutant}};
  absl::StatusOr<std::unique_ptr<Stage>> started =
      Stage::Start(std::move(options));
  EXPECT_TRUE(started.ok()) << started.status();
  if (!started.ok()) return 0;
  const auto client = (*started)->NewClient();
  EXPECT_TRUE(client->Initialize().ok());
  EXPECT_TRUE(client
                  ->CallTool("up__ask", R"({"method":"sampling/createMessage",)"
                                        R"("params":{"messages":[]}})")
                  .ok());
  return client->asked("sampling/createMessage").size();
}

TEST(MutantTest, AJudgeThatAdmitsAllIsFound) {
  EXPECT_EQ(IllegalQuestionsShown("none"), 0u);
  EXPECT_EQ(IllegalQuestionsShown("judge_admits_all"), 1u);
}

TEST(MutantTest, AnAlteredReplyIsFound) {
  EXPECT_NE(FaultsUnder("alter_reply", /*in_control=*/false), "");
}

}  // namespace
}  // namespace gatehouse::testing
