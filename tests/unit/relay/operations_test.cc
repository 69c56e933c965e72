#include "dataplane/relay/operations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/relay/bench.h"

namespace gatehouse::relay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(OperationsTest, OneMoreThanMayRunIsRefused) {
  Bench bench(OperationLimits{.running = 2});
  EXPECT_TRUE(bench.Start("a").ok());
  EXPECT_TRUE(bench.Start("b").ok());
  EXPECT_TRUE(absl::IsResourceExhausted(bench.Start("c").status()));
  EXPECT_EQ(bench.upstreams.started, 2);
}

TEST(OperationsTest, OneThatWaitsForSomebodyMakesRoomForOneThatRuns) {
  Bench bench(OperationLimits{.running = 1});
  ASSERT_TRUE(bench.Start("a").ok());
  bench.Raise();
  EXPECT_FALSE(bench.Start("b").ok());
  bench.Verdict(Relayed("7"));
  EXPECT_EQ(bench.operations.counts().waiting, 1);
  EXPECT_TRUE(bench.Start("b").ok());
}

TEST(OperationsTest, WhatHasEndedIsCountedNoMore) {
  Bench bench;
  ASSERT_TRUE(bench.Start().ok());
  bench.Raise();
  bench.Verdict(Relayed("7"));
  bench.Result();
  EXPECT_EQ(bench.operations.counts().running, 0);
  EXPECT_EQ(bench.operations.counts().waiting, 0);
}

TEST(OperationsTest, AReplyIsSubmittedUntilItsDeadlineAndDeliveredByItsOwner) {
  Bench bench;
  ASSERT_TRUE(bench.Start().ok());
  bench.Raise();
  bench.Verdict(Relayed("7"));
  bench.Pass(absl::Seconds(10));
  bench.operations.SubmitReply({"s1", "opaque1", "{}", std::nullopt, ""},
                               absl::Minutes(10));
  ASSERT_THAT(bench.control.submitted, ElementsAre("opaque1"));
  EXPECT_EQ(bench.control.give_up[0], absl::Seconds(20));
  SubmitVerdict verdict{SubmitOutcome::kDeliver, "ir1", Judged()};
  bench.control.submit_dones[0](verdict);
  bench.queue->RunAll();
  ASSERT_THAT(bench.replies(), SizeIs(1));
  EXPECT_THAT(bench.control.acknowledged, ElementsAre("ir1"));
}

// Defends invariant 1: a reply reaches the upstream as judged, or not at all.
TEST(OperationsTest, AReplyThatIsIgnoredOrUnsettledChangesNothing) {
  Bench bench;
  ASSERT_TRUE(bench.Start().ok());
  bench.Raise();
  bench.Verdict(Relayed("7"));
  for (int i = 0; i < 3; ++i) {
    bench.operations.SubmitReply({"s1", "opaque1", "{}", std::nullopt, ""},
                                 absl::Seconds(30));
  }
  bench.control.submit_dones[0](absl::UnavailableError("gave up"));
  bench.control.submit_dones[1](SubmitVerdict{SubmitOutcome::kIgnored, "", {}});
  bench.control.submit_dones[2](
      SubmitVerdict{SubmitOutcome::kElsewhere, "ir1", {}});
  bench.queue->RunAll();
  EXPECT_THAT(bench.replies(), IsEmpty());
}

TEST(OperationsTest, RepliesThatCannotBeSettledAreBounded) {
  Bench bench(OperationLimits{.unsettled_replies = 2});
  for (int i = 0; i < 5; ++i) {
    bench.operations.SubmitReply({"s1", "x", "{}", std::nullopt, ""},
                                 absl::Seconds(30));
  }
  EXPECT_THAT(bench.control.submitted, SizeIs(2));
}

TEST(OperationsTest, ProgressOfAnotherSessionDoesNotReachTheUpstream) {
  Bench bench;
  ASSERT_TRUE(bench.Start().ok());
  bench.Raise();
  bench.Verdict(Relayed("7"));
  bench.operations.ClientProgress("s2", "opaque1", "{\"progress\":1}");
  bench.queue->RunAll();
  EXPECT_THAT(bench.upstreams.call->progress, IsEmpty());
  bench.operations.ClientProgress("s1", "opaque1", "{\"progress\":1}");
  bench.queue->RunAll();
  EXPECT_THAT(bench.upstreams.call->progress, ElementsAre("{\"progress\":1}"));
}

TEST(OperationsTest, TheEndOfASessionEndsItsOperationsAndNoOthers) {
  Bench bench;
  ASSERT_TRUE(bench.Start("a", "s1").ok());
  ASSERT_TRUE(bench.Start("b", "s2").ok());
  bench.operations.EndSession("s1");
  bench.queue->RunAll();
  ASSERT_THAT(bench.client->finished, SizeIs(1));
  EXPECT_EQ(bench.client->finished[0].failure.reason, Reason::kOperationEnded);
  EXPECT_EQ(bench.operations.counts().running, 1);
}

TEST(OperationsTest, AfterTheEndOfTheWorkerNothingIsStarted) {
  Bench bench;
  ASSERT_TRUE(bench.Start("a").ok());
  bench.operations.EndAll(OperationEnd::kWorkerShutdown);
  bench.queue->RunAll();
  EXPECT_FALSE(bench.Start("b").ok());
  bench.operations.AwaitNone(absl::ZeroDuration());
  EXPECT_EQ(bench.operations.counts().running, 0);
}

}  // namespace
}  // namespace gatehouse::relay
