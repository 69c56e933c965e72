#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/relay/bench.h"

namespace gatehouse::relay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

TEST(OperationTest, ACallWithoutInputRequestsAsksTheControlPlaneNothing) {
  Bench bench;
  ASSERT_TRUE(bench.Start().ok());
  bench.Result("{\"content\":[1]}");
  ASSERT_THAT(bench.client->finished, SizeIs(1));
  EXPECT_EQ(bench.client->finished[0].result, "{\"content\":[1]}");
  EXPECT_THAT(bench.control.admits, IsEmpty());
  EXPECT_THAT(bench.control.closed, IsEmpty());
}

// Defends invariants 1 and 9: what is shown is what was judged.
TEST(OperationTest, ARelayedRequestIsShownUnderItsOpaqueIdWithTheJudgedParams) {
  Bench bench;
  ASSERT_TRUE(bench.Start().ok());
  bench.Raise();
  EXPECT_THAT(bench.client->shown, IsEmpty());
  bench.Verdict(Relayed("7"));
  ASSERT_THAT(bench.client->shown, SizeIs(1));
  EXPECT_EQ(bench.client->shown[0].opaque_id, "opaque1");
  EXPECT_EQ(bench.client->shown[0].params, "{\"judged\":true}");
}

TEST(OperationTest, WithoutOtherParamsTheRequestIsShownAsItCame) {
  Bench bench;
  ASSERT_TRUE(bench.Start().ok());
  bench.Raise();
  AdmitVerdict verdict = Relayed("7");
  verdict.params.reset();
  bench.Verdict(verdict);
  ASSERT_THAT(bench.client->shown, SizeIs(1));
  EXPECT_EQ(bench.client->shown[0].params, "{\"raised\":true}");
}

// Defends invariant 2: fail closed.
TEST(OperationTest, WithoutAVerdictTheUpstreamGetsTrustUnavailable) {
  Bench bench;
  ASSERT_TRUE(bench.Start().ok());
  bench.Raise();
  bench.control.admit_dones.back()(absl::UnavailableError("timed out"));
  bench.queue->RunAll();
  ASSERT_THAT(bench.replies(), SizeIs(1));
  EXPECT_THAT(bench.replies()[0].second.data, HasSubstr("trust_unavailable"));
  EXPECT_THAT(bench.client->shown, IsEmpty());
}

TEST(OperationTest, AVerdictThatNamesAnotherKeyIsNoVerdict) {
  Bench bench;
  ASSERT_TRUE(bench.Start().ok());
  bench.Raise();
  bench.Verdict(Relayed("8"));
  EXPECT_THAT(bench.client->shown, IsEmpty());
  ASSERT_THAT(bench.replies(), SizeIs(1));
  EXPECT_THAT(bench.replies()[0].second.data, HasSubstr("trust_unavailable"));
}

// Defends invariant 5: only what was written is acknowledged.
TEST(OperationTest, ADeliveryIsAcknowledgedOnlyIfItWasWritten) {
  for (const bool written : {true, false}) {
    Bench bench;
    const auto operation = *bench.Start();
    bench.Raise();
    bench.Verdict(Relayed("7"));
    if (!written) {
      bench.upstreams.call->write_status = absl::UnavailableError("gone");
    }
    operation->Deliver("ir1", Judged());
    bench.queue->RunAll();
    EXPECT_THAT(bench.replies(), SizeIs(1));
    EXPECT_EQ(bench.control.acknowledged.size(), written ? 1u : 0u);
  }
}

TEST(OperationTest, AnUnreachableClientIsReportedAndTheMailedAnswerIsWritten) {
  Bench bench;
  ASSERT_TRUE(bench.Start().ok());
  bench.client->reachable = false;
  bench.Raise();
  bench.Verdict(Relayed("7"));
  EXPECT_THAT(bench.control.cancelled,
              ElementsAre(Pair("ir1", CancelCause::kClientUnreachable)));
  EXPECT_THAT(bench.replies(), IsEmpty());
  bench.operations.OnDeliveryReady({"ir1", "op1", false});
  bench.queue->RunAll();
  bench.control.claim_dones.back()(Judged());
  bench.queue->RunAll();
  ASSERT_THAT(bench.replies(), SizeIs(1));
  EXPECT_EQ(bench.replies()[0].second.result, Judged().result);
}

TEST(OperationTest, AnUnreachableClientAndASilentControlPlaneEndAsExpired) {
  Bench bench;
  ASSERT_TRUE(bench.Start().ok());
  bench.client->reachable = false;
  bench.Raise();
  bench.Verdict(Relayed("7"));
  bench.Pass(absl::Seconds(4));
  ASSERT_THAT(bench.replies(), SizeIs(1));
  EXPECT_THAT(bench.replies()[0].second.data, HasSubstr("expired"));
}

TEST(OperationTest, NobodyAnswersUntilFiveSecondsAfterTheDeadline) {
  Bench bench;
  ASSERT_TRUE(bench.Start().ok());
  bench.Raise();
  bench.Verdict(Relayed("7"));
  bench.Pass(absl::Seconds(34));
  EXPECT_THAT(bench.replies(), IsEmpty());
  bench.Pass(absl::Seconds(1));
  ASSERT_THAT(bench.replies(), SizeIs(1));
  EXPECT_THAT(bench.replies()[0].second.data, HasSubstr("expired"));
  EXPECT_THAT(bench.client->withdrawn, ElementsAre("opaque1"));
  EXPECT_THAT(bench.control.acknowledged, IsEmpty());
}

TEST(OperationTest, AnUpstreamThatStopsAskingIsToldOfAndTheClientToo) {
  Bench bench;
  ASSERT_TRUE(bench.Start().ok());
  bench.Raise();
  bench.Verdict(Relayed("7"));
  bench.upstreams.observer->OnInputRequestCancelled("7");
  bench.queue->RunAll();
  EXPECT_THAT(bench.client->withdrawn, ElementsAre("opaque1"));
  EXPECT_THAT(bench.control.cancelled,
              ElementsAre(Pair("ir1", CancelCause::kUpstream)));
  EXPECT_THAT(bench.replies(), IsEmpty());
}

TEST(OperationTest, AClientThatCancelsGetsNoAnswerAndAllThatIsOpenEnds) {
  Bench bench;
  const auto operation = *bench.Start();
  bench.Raise();
  bench.Verdict(Relayed("7"));
  operation->CancelByClient("enough");
  bench.Result();
  EXPECT_EQ(bench.upstreams.call->cancels, 1);
  EXPECT_EQ(bench.client->abandoned, 1);
  EXPECT_THAT(bench.client->finished, IsEmpty());
  EXPECT_THAT(bench.client->withdrawn, ElementsAre("opaque1"));
  EXPECT_THAT(bench.control.closed,
              ElementsAre(OperationEnd::kClientCancelled));
}

TEST(OperationTest, MailThatOvertakesItsVerdictIsClaimedAndNothingIsShown) {
  Bench bench;
  ASSERT_TRUE(bench.Start().ok());
  bench.Raise();
  bench.operations.OnDeliveryReady({"ir1", "op1", true});
  bench.queue->RunAll();
  EXPECT_THAT(bench.control.claims, IsEmpty());
  bench.Verdict(Relayed("7"));
  EXPECT_THAT(bench.client->shown, IsEmpty());
  EXPECT_THAT(bench.control.claims, ElementsAre("ir1"));
}

TEST(OperationTest, AClaimThatIsNotGrantedWritesNothing) {
  Bench bench;
  ASSERT_TRUE(bench.Start().ok());
  bench.Raise();
  bench.Verdict(Relayed("7"));
  bench.operations.OnDeliveryReady({"ir1", "op1", false});
  bench.queue->RunAll();
  bench.control.claim_dones.back()(std::nullopt);
  bench.queue->RunAll();
  EXPECT_THAT(bench.replies(), IsEmpty());
}

TEST(OperationTest, AFloodOfInputRequestsIsBoundedBeforeAnybodyIsAsked) {
  Bench bench;
  ASSERT_TRUE(bench.Start().ok());
  for (int i = 0; i < 100; ++i) bench.Raise(std::to_string(i));
  EXPECT_THAT(bench.control.admits, SizeIs(kMaxOpenInputRequests));
  EXPECT_THAT(bench.replies(), SizeIs(100 - kMaxOpenInputRequests));
}

}  // namespace
}  // namespace gatehouse::relay
