// URL mode, its completion, and the `-32042` error, as an operation takes them
// to the client. Defends invariants 1 (nothing that an upstream asked reaches a
// client without a verdict), 8 (honest errors) and 9 (bytes pass unchanged).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "dataplane/relay/url_elicitations.h"
#include "tests/unit/relay/bench.h"

namespace gatehouse::relay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::string Entry(const std::string& id) {
  return R"({"mode":"url","message":"m","url":"https://h/","elicitationId":")" +
         id + R"("})";
}
std::string RequiringError(const std::string& entries) {
  return R"({"code":-32042, "message":"visit", "data":{"why":1.0,)"
         R"("elicitations":[)" +
         entries + R"(]},"z":[]})";
}

AdmitVerdict NotifyVerdict(const std::string& key) {
  AdmitVerdict verdict;
  verdict.kind = AdmitVerdict::Kind::kNotify;
  verdict.key = key;
  verdict.input_request = "ir" + key;
  verdict.params = R"({"judged":)" + key + "}";
  verdict.elicitation_id = "ours-" + key;
  return verdict;
}

struct RequiringBench : Bench {
  RequiringBench() { EXPECT_TRUE(Start().ok()); }

  void End(std::string error,
           mcp::Revision revision = mcp::Revision::k2025_11_25) {
    CallObserver::End end;
    end.error = std::move(error);
    end.upstream_revision = revision;
    upstreams.observer->OnEnd(std::move(end));
    queue->RunAll();
  }
  void Verdicts(std::vector<AdmitVerdict> verdicts) {
    control.admit_dones.back()(std::move(verdicts));
    queue->RunAll();
  }
};

TEST(NotifiedTest, ItsElicitationsAreAdmittedBeforeTheClientHasTheError) {
  RequiringBench bench;
  bench.End(RequiringError(Entry("a") + "," + Entry("b")));
  EXPECT_THAT(bench.client->finished, IsEmpty());
  ASSERT_THAT(bench.control.admits, SizeIs(1));
  const AdmitRequest& admit = bench.control.admits[0];
  EXPECT_TRUE(admit.notified);
  EXPECT_EQ(admit.operation, "op1");
  EXPECT_EQ(admit.attribution, Attribution::kOwnStream);
  ASSERT_THAT(admit.requests, SizeIs(2));
  EXPECT_EQ(admit.requests[1].key, "1");
  EXPECT_EQ(admit.requests[1].method, "elicitation/create");
  EXPECT_EQ(admit.requests[1].params, Entry("b"));
}

TEST(NotifiedTest, TheClientHasTheSameErrorWithTheJudgedParams) {
  RequiringBench bench;
  bench.End(RequiringError(Entry("a") + " , " + Entry("b")));
  bench.Verdicts({NotifyVerdict("1"), NotifyVerdict("0")});
  ASSERT_THAT(bench.client->finished, SizeIs(1));
  EXPECT_TRUE(bench.client->finished[0].judged);
  EXPECT_EQ(bench.client->finished[0].error,
            R"({"code":-32042, "message":"visit", "data":{"why":1.0,)"
            R"("elicitations":[{"judged":0} , {"judged":1}]},"z":[]})");
  EXPECT_THAT(bench.control.closed, ElementsAre(OperationEnd::kCompleted));
}

TEST(NotifiedTest, ARefusalIsTheAnswerToTheCallAsItStands) {
  RequiringBench bench;
  bench.End(RequiringError(Entry("a") + "," + Entry("b")));
  AdmitVerdict refused = Refused("1");
  refused.refusal.code = -32603;
  refused.refusal.message = "no";
  bench.Verdicts({NotifyVerdict("0"), refused});
  ASSERT_THAT(bench.client->finished, SizeIs(1));
  EXPECT_EQ(
      bench.client->finished[0].error,
      R"({"code":-32603,"message":"no","data":{"reason":"not_permitted"}})");
  EXPECT_THAT(bench.upstreams.call->expected, IsEmpty());
}

TEST(NotifiedTest, WithoutAVerdictOnEachTheClientSeesNoneOfThem) {
  for (const int verdicts : {-1, 0, 1}) {
    RequiringBench bench;
    bench.End(RequiringError(Entry("a") + "," + Entry("b")));
    if (verdicts < 0) {
      bench.control.admit_dones.back()(absl::UnavailableError("down"));
      bench.queue->RunAll();
    } else if (verdicts == 0) {
      bench.Verdicts({});
    } else {
      bench.Verdicts({NotifyVerdict("0")});
    }
    ASSERT_THAT(bench.client->finished, SizeIs(1));
    EXPECT_THAT(bench.client->finished[0].error, IsEmpty());
    EXPECT_EQ(bench.client->finished[0].failure.reason,
              Reason::kTrustUnavailable);
    EXPECT_THAT(bench.upstreams.call->expected, IsEmpty());
  }
}

TEST(NotifiedTest, AClientThatCancelsMeanwhileHasNothing) {
  RequiringBench bench;
  bench.End(RequiringError(Entry("a")));
  bench.operations.EndSession("s1");
  bench.queue->RunAll();
  bench.Verdicts({NotifyVerdict("0")});
  ASSERT_THAT(bench.client->finished, SizeIs(1));
  EXPECT_EQ(bench.client->finished[0].failure.reason, Reason::kOperationEnded);
}

TEST(NotifiedTest, WhatIsStillOpenEndsWithTheCall) {
  RequiringBench bench;
  bench.Raise();
  bench.Verdict(Relayed("7"));
  bench.End(RequiringError(Entry("a")));
  EXPECT_THAT(bench.client->withdrawn, ElementsAre("opaque1"));
  EXPECT_THAT(bench.control.admits, SizeIs(2));
}

struct UnusableCase {
  const char* name;
  std::string error;
};

class UnusableErrorTest : public testing::TestWithParam<UnusableCase> {};

TEST_P(UnusableErrorTest, IsTheUpstreamsFaultAndShowsNothing) {
  RequiringBench bench;
  bench.End(GetParam().error);
  EXPECT_THAT(bench.control.admits, IsEmpty());
  ASSERT_THAT(bench.client->finished, SizeIs(1));
  EXPECT_THAT(bench.client->finished[0].error, IsEmpty());
  EXPECT_EQ(bench.client->finished[0].failure.reason,
            Reason::kUpstreamProtocolError);
}

std::string Many(int count) {
  std::string entries = Entry("a");
  for (int i = 1; i < count; ++i) entries += "," + Entry("a");
  return entries;
}

INSTANTIATE_TEST_SUITE_P(
    Errors, UnusableErrorTest,
    testing::Values(
        UnusableCase{"NoData", R"({"code":-32042,"message":"m"})"},
        UnusableCase{"DataThatIsAText",
                     R"({"code":-32042,"message":"m","data":"x"})"},
        UnusableCase{"NoElicitations",
                     R"({"code":-32042,"message":"m","data":{}})"},
        UnusableCase{
            "ElicitationsThatAreAnObject",
            R"({"code":-32042,"message":"m","data":{"elicitations":{}}})"},
        UnusableCase{"NoneOfThem", RequiringError("")},
        UnusableCase{"NineOfThem", RequiringError(Many(9))},
        UnusableCase{"OneThatIsAText", RequiringError("\"x\"")},
        UnusableCase{"OneOverTheLimit",
                     RequiringError(Entry(std::string(64 << 10, 'x')))}),
    [](const auto& c) { return std::string(c.param.name); });

TEST(NotifiedTest, EightEntriesAreAskedAbout) {
  RequiringBench bench;
  bench.End(RequiringError(Many(8)));
  ASSERT_THAT(bench.control.admits, SizeIs(1));
  EXPECT_THAT(bench.control.admits[0].requests, SizeIs(8));
}

// What the error means is of one revision; of another it is passed to the
// client's side unjudged, which does not let it out (call_stream_test).
TEST(NotifiedTest, TheErrorOfAnotherRevisionIsNotAskedAbout) {
  RequiringBench bench;
  bench.End(RequiringError(Entry("a")), mcp::Revision::k2025_06_18);
  EXPECT_THAT(bench.control.admits, IsEmpty());
  ASSERT_THAT(bench.client->finished, SizeIs(1));
  EXPECT_FALSE(bench.client->finished[0].judged);
}

TEST(NotifiedTest, AnotherErrorIsNotAskedAbout) {
  RequiringBench bench;
  bench.End(R"({"code":-32602,"message":"-32042"})");
  EXPECT_THAT(bench.control.admits, IsEmpty());
  EXPECT_THAT(bench.client->finished, SizeIs(1));
}

// ---- Completion.

TEST(NotifiedTest, ACompletionOfItsErrorIsToldOnTheSessionsStream) {
  RequiringBench bench;
  bench.End(RequiringError(Entry("a") + "," + Entry("b")));
  bench.Verdicts({NotifyVerdict("0"), NotifyVerdict("1")});
  auto& expected = bench.upstreams.call->expected;
  ASSERT_THAT(expected, SizeIs(2));
  EXPECT_EQ(expected[1].first, "b");
  expected[1].second();
  bench.queue->RunAll();
  EXPECT_THAT(bench.sessions.said, ElementsAre("s1: complete ours-1"));
  EXPECT_THAT(bench.client->completed, IsEmpty());
}

struct VisitBench : Bench {
  explicit VisitBench(bool reachable = true) {
    EXPECT_TRUE(Start().ok());
    RaisedInputRequest request;
    request.key = "7";
    request.method = "elicitation/create";
    request.params = Entry("theirs");
    upstreams.observer->OnInputRequests({std::move(request)},
                                        Attribution::kOwnStream,
                                        mcp::Revision::k2025_11_25);
    queue->RunAll();
    AdmitVerdict verdict = Relayed("7");
    verdict.elicitation_id = "ours";
    client->reachable = reachable;
    Verdict(std::move(verdict));
  }
  void Complete() {
    ASSERT_THAT(upstreams.call->expected, SizeIs(1));
    EXPECT_EQ(upstreams.call->expected[0].first, "theirs");
    upstreams.call->expected[0].second();
    queue->RunAll();
  }
};

TEST(CompletionTest, IsToldOnTheCallsStreamWhileThatIsOpen) {
  VisitBench bench;
  bench.Complete();
  EXPECT_THAT(bench.client->completed, ElementsAre("ours"));
  EXPECT_THAT(bench.sessions.said, IsEmpty());
}

TEST(CompletionTest, IsToldOnTheSessionsStreamAfterTheCall) {
  VisitBench bench;
  bench.Result();
  bench.Complete();
  EXPECT_THAT(bench.client->completed, IsEmpty());
  EXPECT_THAT(bench.sessions.said, ElementsAre("s1: complete ours"));
}

TEST(CompletionTest, IsToldOnTheSessionsStreamWhereTheCallsIsGone) {
  VisitBench bench(/*reachable=*/false);
  bench.Complete();
  EXPECT_THAT(bench.sessions.said, ElementsAre("s1: complete ours"));
}

TEST(CompletionTest, IsNotExpectedOfAForm) {
  Bench bench;
  ASSERT_TRUE(bench.Start().ok());
  bench.Raise();
  bench.Verdict(Relayed("7"));
  EXPECT_THAT(bench.upstreams.call->expected, IsEmpty());
}

// Invariant 1: a verdict that fits nothing that waits shows nothing.
TEST(CompletionTest, AVerdictToNotifyOnWhatWaitsIsNone) {
  Bench bench;
  ASSERT_TRUE(bench.Start().ok());
  bench.Raise("7");
  bench.Verdict(NotifyVerdict("7"));
  EXPECT_THAT(bench.client->shown, IsEmpty());
  ASSERT_THAT(bench.replies(), SizeIs(1));
  EXPECT_THAT(bench.replies()[0].second.data, HasSubstr("trust_unavailable"));
}

TEST(UrlElicitationsTest, AnErrorThatIsNoneIsNotFilled) {
  EXPECT_THAT(WithElicitations("{", {"{}"}), IsEmpty());
  EXPECT_THAT(WithElicitations(RequiringError(Entry("a")), {"{}", "{}"}),
              IsEmpty());
  EXPECT_THAT(WithElicitations(RequiringError(Entry("a")), {"{}"}),
              Not(HasSubstr("https")));
}

TEST(UrlElicitationsTest, OnlyUrlModeHasAnElicitationId) {
  EXPECT_EQ(ElicitationIdOf(Entry("a")), "a");
  EXPECT_EQ(ElicitationIdOf(R"({"mode":"form","elicitationId":"a"})"), "");
  EXPECT_EQ(ElicitationIdOf(R"({"mode":"url","elicitationId":7})"), "");
  EXPECT_EQ(ElicitationIdOf(R"({"elicitationId":"a"})"), "");
  EXPECT_EQ(ElicitationIdOf("nonsense"), "");
  EXPECT_EQ(ElicitationIdOf(Entry(std::string(257, 'x'))), "");
}

}  // namespace
}  // namespace gatehouse::relay
