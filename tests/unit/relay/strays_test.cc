// What an upstream asks outside of any call. Defends invariants 1 (no decision
// in the worker), 2 (default deny) and 5 (exactly one end).

#include "dataplane/relay/strays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "shared/base/random.h"
#include "tests/unit/relay/bench.h"

namespace gatehouse::relay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using Written = std::function<void(absl::Status)>;

// Defends invariants 1 and 2: what belongs to no call is refused by the control
// plane; if it says anything else, or nothing, the worker relays nothing.
TEST(StraysTest, WritesTheRefusalOrTrustUnavailable) {
  FakeControl control;
  FakeClock clock;
  ManualTimers timers(clock);
  SeededRandom random{7};
  Strays strays(control, timers, random);
  std::vector<UpstreamReply> replies;
  for (int i = 0; i < 3; ++i) {
    strays.OnStrayInputRequest({}, {"s1", {}},
                               {"7", "sampling/createMessage", "{}"},
                               Attribution::kAmbiguous, mcp::kLatestLegacy,
                               [&](UpstreamReply reply, const Written&) {
                                 replies.push_back(std::move(reply));
                               });
  }
  EXPECT_EQ(control.admits[0].operation, "");
  EXPECT_EQ(control.admits[0].attribution, Attribution::kAmbiguous);
  control.admit_dones[0](std::vector<AdmitVerdict>{Refused("7")});
  control.admit_dones[1](std::vector<AdmitVerdict>{Relayed("7")});
  control.admit_dones[2](absl::UnavailableError("down"));
  ASSERT_THAT(replies, SizeIs(3));
  EXPECT_THAT(replies[0].data, HasSubstr("not_permitted"));
  EXPECT_THAT(replies[1].data, HasSubstr("trust_unavailable"));
  EXPECT_THAT(replies[2].data, HasSubstr("trust_unavailable"));
}

// An upstream that floods without a call fills neither the log nor the store.
TEST(StraysTest, AsksForSixtyFourAMinuteOfAnUpstreamInASession) {
  FakeControl control;
  FakeClock clock;
  ManualTimers timers(clock);
  SeededRandom random{7};
  Strays strays(control, timers, random);
  std::vector<UpstreamReply> replies;
  const auto ask = [&](const std::string& session) {
    strays.OnStrayInputRequest({}, {session, {}},
                               {"7", "sampling/createMessage", "{}"},
                               Attribution::kNone, mcp::kLatestLegacy,
                               [&](UpstreamReply reply, const Written&) {
                                 replies.push_back(std::move(reply));
                               });
  };
  for (int i = 0; i < 70; ++i) ask("s1");
  EXPECT_THAT(control.admits, SizeIs(64));
  ASSERT_THAT(replies, SizeIs(6));
  EXPECT_THAT(replies[0].data, HasSubstr("trust_unavailable"));
  ask("s2");
  EXPECT_THAT(control.admits, SizeIs(65)) << "another session is not held up";
  timers.Advance(absl::Minutes(1));
  ask("s1");
  EXPECT_THAT(control.admits, SizeIs(66));
}

// The bench with strays that may ask for roots.
struct StrayBench : Bench {
  StrayBench() { strays.SetOperations(operations); }

  void AskForRoots(Attribution attribution = Attribution::kNone) {
    UpstreamTarget target;
    target.virtual_server = "dev";
    target.upstream = "files";
    cancel = strays.OnStrayInputRequest(
        target, {"s1", {}}, {"7", "roots/list", ""}, attribution,
        mcp::kLatestLegacy,
        [this](UpstreamReply reply, const Written& written) {
          answers.push_back(std::move(reply));
          if (written) written(absl::OkStatus());
        });
    queue->RunAll();
  }

  SeededRandom random{7};
  Strays strays{control, timers, random};
  std::vector<UpstreamReply> answers;
  StrayObserver::Cancel cancel;  // of the last
};

AdmitVerdict AnsweredRoots() {
  AdmitVerdict verdict;
  verdict.kind = AdmitVerdict::Kind::kAnswer;
  verdict.key = "7";
  verdict.input_request = "ir1";
  verdict.result = "{\"roots\":[]}";
  return verdict;
}

TEST(StraysTest, RootsAreAdmittedUnderAnOperationThatIsNoCalls) {
  StrayBench bench;
  bench.AskForRoots();
  ASSERT_THAT(bench.control.admits, SizeIs(1));
  const AdmitRequest& admit = bench.control.admits[0];
  EXPECT_NE(admit.operation, "");
  EXPECT_EQ(admit.session, "s1");
  EXPECT_EQ(admit.upstream, "files");
  EXPECT_EQ(admit.tool, "");
  EXPECT_EQ(admit.attribution, Attribution::kNone);
  bench.AskForRoots(Attribution::kAmbiguous);
  EXPECT_EQ(bench.control.admits[1].attribution, Attribution::kAmbiguous);
  EXPECT_NE(bench.control.admits[1].operation, admit.operation);
}

TEST(StraysTest, AnAnswerOfTheControlPlaneGoesToTheUpstreamAlone) {
  StrayBench bench;
  bench.AskForRoots();
  bench.Verdict(AnsweredRoots());
  ASSERT_THAT(bench.answers, SizeIs(1));
  EXPECT_FALSE(bench.answers[0].is_error);
  EXPECT_EQ(bench.answers[0].result, "{\"roots\":[]}");
  EXPECT_THAT(bench.sessions.said, IsEmpty());
  EXPECT_THAT(bench.control.closed, IsEmpty())
      << "nothing of it is open at the control plane";
  EXPECT_EQ(bench.operations.counts().running, 0);
  EXPECT_THAT(bench.observer.ended, IsEmpty()) << "it was no call";
}

TEST(StraysTest, ARelayedOneIsAskedOnTheSessionsStreamAndAnsweredOnce) {
  StrayBench bench;
  bench.AskForRoots();
  bench.Verdict(Relayed("7"));
  EXPECT_THAT(bench.sessions.said, ElementsAre("s1: ask opaque1"));
  EXPECT_THAT(bench.answers, IsEmpty());
  bench.operations.SubmitReply({"s1", "opaque1", "{}", std::nullopt, ""},
                               absl::Seconds(5));
  SubmitVerdict verdict;
  verdict.outcome = SubmitOutcome::kDeliver;
  verdict.input_request = "ir1";
  verdict.deliver = Judged();
  bench.control.submit_dones[0](verdict);
  bench.queue->RunAll();
  ASSERT_THAT(bench.answers, SizeIs(1));
  EXPECT_EQ(bench.answers[0].result, Judged().result);
  EXPECT_THAT(bench.control.acknowledged, ElementsAre("ir1"));
  EXPECT_THAT(bench.control.closed, ElementsAre(OperationEnd::kCompleted));
  EXPECT_EQ(bench.operations.counts().running, 0);
  EXPECT_EQ(bench.operations.counts().waiting, 0);
}

TEST(StraysTest, ARelayedOneOfAClientWithoutAStreamIsGivenUp) {
  StrayBench bench;
  bench.sessions.reachable = false;
  bench.AskForRoots();
  bench.Verdict(Relayed("7"));
  ASSERT_THAT(bench.control.cancelled, SizeIs(1));
  EXPECT_EQ(bench.control.cancelled[0].second, CancelCause::kClientUnreachable);
}

TEST(StraysTest, WithoutAWordTheUpstreamHearsThatItExpired) {
  StrayBench bench;
  bench.AskForRoots();
  bench.Verdict(Relayed("7"));
  bench.Pass(absl::Seconds(36));
  ASSERT_THAT(bench.answers, SizeIs(1));
  EXPECT_THAT(bench.answers[0].data, HasSubstr("expired"));
  EXPECT_THAT(bench.sessions.said,
              ElementsAre("s1: ask opaque1", "s1: withdraw opaque1"));
  EXPECT_THAT(bench.control.closed, SizeIs(1));
}

TEST(StraysTest, WithoutAVerdictNothingIsAsked) {
  StrayBench bench;
  bench.AskForRoots();
  bench.control.admit_dones.back()(absl::UnavailableError("down"));
  bench.queue->RunAll();
  ASSERT_THAT(bench.answers, SizeIs(1));
  EXPECT_THAT(bench.answers[0].data, HasSubstr("trust_unavailable"));
  EXPECT_THAT(bench.sessions.said, IsEmpty());
}

TEST(StraysTest, TheEndOfTheSessionEndsIt) {
  StrayBench bench;
  bench.AskForRoots();
  bench.Verdict(Relayed("7"));
  bench.operations.EndSession("s1");
  bench.queue->RunAll();
  EXPECT_THAT(bench.control.closed, ElementsAre(OperationEnd::kSessionEnded));
  EXPECT_EQ(bench.operations.counts().waiting, 0);
}

TEST(StraysTest, AnUpstreamThatNoLongerAsksEndsIt) {
  StrayBench bench;
  bench.AskForRoots();
  bench.Verdict(Relayed("7"));
  ASSERT_TRUE(bench.cancel);
  bench.cancel();
  bench.queue->RunAll();
  EXPECT_THAT(bench.sessions.said,
              ElementsAre("s1: ask opaque1", "s1: withdraw opaque1"));
  ASSERT_THAT(bench.control.cancelled, SizeIs(1));
  EXPECT_EQ(bench.control.cancelled[0].second, CancelCause::kUpstream);
  EXPECT_THAT(bench.answers, IsEmpty());
  EXPECT_EQ(bench.operations.counts().waiting, 0);
  bench.cancel();  // long over
  bench.queue->RunAll();
}

TEST(StraysTest, OneThatIsCancelledBeforeItsVerdictIsShownToNobody) {
  StrayBench bench;
  bench.AskForRoots();
  bench.cancel();
  bench.queue->RunAll();
  bench.Verdict(Relayed("7"));
  EXPECT_THAT(bench.sessions.said, IsEmpty());
  EXPECT_THAT(bench.control.cancelled, SizeIs(1));
  EXPECT_EQ(bench.operations.counts().running, 0);
}

TEST(StraysTest, AFullWorkerAsksForNothing) {
  StrayBench bench;
  bench.operations.EndAll(OperationEnd::kWorkerShutdown);
  bench.AskForRoots();
  EXPECT_THAT(bench.control.admits, IsEmpty());
  ASSERT_THAT(bench.answers, SizeIs(1));
  EXPECT_THAT(bench.answers[0].data, HasSubstr("trust_unavailable"));
}

}  // namespace
}  // namespace gatehouse::relay
