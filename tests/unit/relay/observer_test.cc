// What an observer is told: each operation and each input request once, with
// the call's trace (DESIGN §17; invariant 5 as it is counted).
#include "dataplane/relay/observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/relay/bench.h"

namespace gatehouse::relay {
namespace {

constexpr char kTraceparent[] =
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(ObserverTest, AnAnsweredCallIsNoFailure) {
  Bench bench;
  ASSERT_TRUE(bench.Start().ok());
  bench.Result();
  ASSERT_EQ(bench.observer.ended.size(), 1u);
  EXPECT_EQ(bench.observer.ended[0].first, "op1");
  EXPECT_EQ(bench.observer.ended[0].second, OperationEnd::kCompleted);
  EXPECT_EQ(bench.observer.failures[0], std::nullopt);
  EXPECT_TRUE(bench.observer.input_requests.empty());
}

TEST(ObserverTest, ACallThatItsUpstreamFailedIsOneWithItsReason) {
  Bench bench;
  ASSERT_TRUE(bench.Start().ok());
  CallObserver::End end;
  end.failure.reason = Reason::kUpstreamTimeout;
  bench.upstreams.observer->OnEnd(std::move(end));
  bench.queue->RunAll();
  EXPECT_EQ(bench.observer.ended[0].second, OperationEnd::kTimedOut);
  EXPECT_EQ(bench.observer.failures[0], Reason::kUpstreamTimeout);
}

TEST(ObserverTest, ACallEndedByItsSessionIsToldOnce) {
  Bench bench;
  ASSERT_TRUE(bench.Start().ok());
  bench.operations.EndSession("s1");
  bench.queue->RunAll();
  bench.operations.EndSession("s1");
  bench.queue->RunAll();
  ASSERT_EQ(bench.observer.ended.size(), 1u);
  EXPECT_EQ(bench.observer.failures[0], Reason::kOperationEnded);
}

TEST(ObserverTest, ARefusedInputRequestIsToldWithItsReplyAndTime) {
  Bench bench;
  bench.traceparent = kTraceparent;
  ASSERT_TRUE(bench.Start().ok());
  bench.Raise("7");
  bench.Pass(absl::Milliseconds(20));
  bench.Verdict(Refused("7"));
  ASSERT_EQ(bench.observer.input_requests.size(), 1u);
  const auto& ended = bench.observer.input_requests[0];
  EXPECT_EQ(ended.method, "sampling/createMessage");
  EXPECT_EQ(ended.traceparent, kTraceparent);
  EXPECT_EQ(ended.reply->code, -32601);
  EXPECT_EQ(ended.took, absl::Milliseconds(20));
}

TEST(ObserverTest, WhatNobodyWantsAnyMoreIsToldWithoutAReply) {
  Bench bench;
  ASSERT_TRUE(bench.Start().ok());
  bench.Raise("7");
  bench.Verdict(Relayed("7"));
  bench.Result();
  ASSERT_EQ(bench.observer.input_requests.size(), 1u);
  EXPECT_EQ(bench.observer.input_requests[0].reply, std::nullopt);
}

TEST(ObserverTest, TheCallsTraceGoesWithAllThatTheControlPlaneIsTold) {
  Bench bench;
  bench.traceparent = kTraceparent;
  ASSERT_TRUE(bench.Start().ok());
  bench.Raise("7");
  bench.Verdict(Relayed("7"));
  ClientReply reply;
  reply.session = "s1";
  reply.opaque_id = "opaque1";
  reply.result = "{}";
  reply.traceparent = "00-11111111111111111111111111111111-2222222222222222-00";
  bench.operations.SubmitReply(reply, absl::Seconds(5));
  bench.Result();
  EXPECT_THAT(bench.control.traceparents,
              testing::ElementsAre(kTraceparent, kTraceparent, kTraceparent));
  // Of a call that another worker serves, only the reply's own is known.
  reply.opaque_id = "elsewhere";
  bench.operations.SubmitReply(reply, absl::Seconds(5));
  EXPECT_EQ(bench.control.traceparents.back(), reply.traceparent);
}

}  // namespace
}  // namespace gatehouse::relay
