#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/upstream/upstream_rig.h"

namespace gatehouse::upstream {
namespace {

using relay::Attribution;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::string HeaderOf(const FakeHttpUpstream::Seen& seen, const char* name) {
  return std::string(http::FindHeader(seen.headers, name).value_or("(none)"));
}

relay::UpstreamReply Answer(const char* result) {
  relay::UpstreamReply reply;
  reply.result = result;
  return reply;
}

TEST(HttpSessionTest, TheHandshakeComesFirstAndItsHeadersFollow) {
  FakeHttpUpstream upstream;
  UpstreamRig rig;
  const auto [call, observer] = rig.Call(rig.HttpTarget(upstream), "echo");
  ASSERT_TRUE(observer->AwaitEnd());
  // Invariant 9: bytes pass unchanged.
  EXPECT_EQ(observer->ends[0].result, R"({"content":[],"n":1.50})");

  const auto first = upstream.SeenWith("\"initialize\"");
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_EQ(HeaderOf(first[0], "Accept"),
            "application/json, text/event-stream");
  EXPECT_EQ(HeaderOf(first[0], "Content-Type"), "application/json");
  EXPECT_EQ(HeaderOf(first[0], "MCP-Protocol-Version"), "(none)");
  // Invariant 2: what was not offered is not even named.
  EXPECT_THAT(first[0].body, HasSubstr(R"("capabilities":{})"));

  for (const char* later : {"notifications/initialized", "tools/call"}) {
    const auto seen = upstream.SeenWith(later);
    ASSERT_THAT(seen, SizeIs(1)) << later;
    EXPECT_EQ(HeaderOf(seen[0], "MCP-Protocol-Version"), "2025-11-25");
    EXPECT_EQ(HeaderOf(seen[0], "Mcp-Session-Id"), "upstream-session");
  }
}

TEST(HttpSessionTest, TheOldestRevisionHasNoVersionHeader) {
  FakeHttpUpstream upstream("2025-03-26");
  UpstreamRig rig;
  const auto [call, observer] = rig.Call(rig.HttpTarget(upstream), "echo");
  ASSERT_TRUE(observer->AwaitEnd());
  EXPECT_FALSE(observer->ends[0].result.empty());
  const auto seen = upstream.SeenWith("tools/call");
  ASSERT_THAT(seen, SizeIs(1));
  EXPECT_EQ(HeaderOf(seen[0], "MCP-Protocol-Version"), "(none)");
}

TEST(HttpSessionTest, OneSessionServesAllCallsOfABeneficiaryAndNoOther) {
  FakeHttpUpstream upstream;
  UpstreamRig rig;
  const relay::UpstreamTarget target = rig.HttpTarget(upstream);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(rig.Call(target, "echo").observer->AwaitEnd());
  }
  EXPECT_THAT(upstream.SeenWith("\"initialize\""), SizeIs(1));
  ASSERT_TRUE(rig.Call(target, "echo", {}, absl::Seconds(30), "other")
                  .observer->AwaitEnd());
  EXPECT_THAT(upstream.SeenWith("\"initialize\""), SizeIs(2));
}

struct FailureCase {
  const char* name;
  const char* tool;
  Reason want;
};
class HttpFailureTest : public testing::TestWithParam<FailureCase> {};

// Invariant 8: each failure has its own code, and no text of the upstream's
// transport reaches the client.
TEST_P(HttpFailureTest, EndsTheCallWithItsReason) {
  FakeHttpUpstream upstream;
  UpstreamRig rig;
  const auto [call, observer] =
      rig.Call(rig.HttpTarget(upstream), GetParam().tool);
  ASSERT_TRUE(observer->AwaitEnd());
  ASSERT_THAT(observer->ends, SizeIs(1));
  const auto& end = observer->ends[0];
  EXPECT_TRUE(end.result.empty());
  EXPECT_TRUE(end.error.empty());
  EXPECT_EQ(end.failure.reason, GetParam().want) << end.failure.message;
  EXPECT_THAT(end.failure.message, HasSubstr("upstream 'web'"));
  EXPECT_THAT(end.failure.message, Not(HasSubstr("secret-text")));
  EXPECT_THAT(end.failure.message, Not(HasSubstr("127.0.0.1")));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, HttpFailureTest,
    testing::ValuesIn<FailureCase>({
        {"HtmlIsNoAnswer", "html", Reason::kUpstreamProtocolError},
        {"ARedirectIsNotFollowed", "redirect", Reason::kUpstreamProtocolError},
        {"AWrongIdIsNoAnswer", "wrong-id", Reason::kUpstreamProtocolError},
        {"AnIdOfAnotherTypeIsNoAnswer", "string-id",
         Reason::kUpstreamProtocolError},
        {"ABatchIsRefused", "batch", Reason::kUpstreamProtocolError},
        {"AResultIsAnObject", "no-object", Reason::kUpstreamProtocolError},
        // Defends invariant 1: a round in a legacy result would pass the judge.
        {"ALegacyResultIsNoRound", "smuggle", Reason::kUpstreamProtocolError},
        {"AStreamMustHoldTheAnswer", "broken-stream",
         Reason::kUpstreamProtocolError},
        {"GarbageOnTheStream", "garbage-event", Reason::kUpstreamProtocolError},
        {"AcceptedIsNoAnswer", "accepted", Reason::kUpstreamProtocolError},
        {"AServerError", "unavailable", Reason::kUpstreamUnavailable},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST(HttpSessionTest, AResultThatSaysItIsCompletePasses) {
  FakeHttpUpstream upstream;
  UpstreamRig rig;
  const auto [call, observer] =
      rig.Call(rig.HttpTarget(upstream), "complete-type");
  ASSERT_TRUE(observer->AwaitEnd());
  EXPECT_EQ(observer->ends[0].result,
            R"({"content":[],"resultType":"complete"})");
}

TEST(HttpSessionTest, ARevisionThatWeDoNotSpeakIsAProtocolError) {
  FakeHttpUpstream upstream("2024-11-05");
  UpstreamRig rig;
  const auto [call, observer] = rig.Call(rig.HttpTarget(upstream), "echo");
  ASSERT_TRUE(observer->AwaitEnd());
  EXPECT_EQ(observer->ends[0].failure.reason, Reason::kUpstreamProtocolError);
  EXPECT_THAT(upstream.SeenWith("tools/call"), IsEmpty());
}

TEST(HttpSessionTest, AnUpstreamThatIsNotThereIsUnavailable) {
  UpstreamRig rig;
  relay::UpstreamTarget target;
  {
    FakeHttpUpstream gone;
    target = rig.HttpTarget(gone);
  }
  const auto [call, observer] = rig.Call(target, "echo");
  ASSERT_TRUE(observer->AwaitEnd());
  EXPECT_EQ(observer->ends[0].failure.reason, Reason::kUpstreamUnavailable);
}

TEST(HttpSessionTest, TheUpstreamsErrorPassesUnchanged) {
  FakeHttpUpstream upstream;
  UpstreamRig rig;
  const auto [call, observer] = rig.Call(rig.HttpTarget(upstream), "error");
  ASSERT_TRUE(observer->AwaitEnd());
  EXPECT_EQ(observer->ends[0].error,
            R"({"code":-31042,"message":"it failed","data":{"k":1.0}})");
}

// Invariant 5: exactly one end.
TEST(HttpSessionTest, ASecondAnswerChangesNothing) {
  FakeHttpUpstream upstream;
  UpstreamRig rig;
  const relay::UpstreamTarget target = rig.HttpTarget(upstream);
  const auto [call, observer] = rig.Call(target, "twice");
  ASSERT_TRUE(observer->AwaitEnd());
  ASSERT_TRUE(rig.Call(target, "echo").observer->AwaitEnd());
  EXPECT_THAT(observer->ends, SizeIs(1));
}

TEST(HttpSessionTest, ProgressAndLogsOfTheCallsOwnStreamReachIt) {
  FakeHttpUpstream upstream;
  UpstreamRig rig;
  const auto [call, observer] = rig.Call(rig.HttpTarget(upstream), "progress");
  ASSERT_TRUE(observer->AwaitEnd());
  EXPECT_THAT(observer->progress,
              ElementsAre(R"({"progressToken":2,"progress":0.50})"));
  EXPECT_THAT(observer->notifications,
              ElementsAre(R"(notifications/message{"data":1})"));
  EXPECT_THAT(upstream.SeenWith("tools/call")[0].body,
              HasSubstr(R"("_meta":{"progressToken":2})"));
}

TEST(HttpSessionTest, AnAnswersStreamThatEndsEarlyIsResumed) {
  FakeHttpUpstream upstream;
  UpstreamRig rig;
  const auto [call, observer] = rig.Call(rig.HttpTarget(upstream), "resume");
  ASSERT_TRUE(observer->AwaitEnd());
  EXPECT_EQ(observer->ends[0].result, R"({"resumed":true})")
      << observer->ends[0].failure.message;
  // Nothing that may have run is sent again.
  EXPECT_THAT(upstream.SeenWith("tools/call"), SizeIs(1));
}

TEST(HttpSessionTest, AQuestionOnTheCallsOwnStreamIsItsOwn) {
  FakeHttpUpstream upstream;
  UpstreamRig rig;
  const auto [call, observer] =
      rig.Call(rig.HttpTarget(upstream), "ask", AllFeatures());
  ASSERT_TRUE(observer->AwaitAsked());
  EXPECT_EQ(observer->asked[0].attribution, Attribution::kOwnStream);
  EXPECT_EQ(observer->asked[0].request.key, "0");
  EXPECT_EQ(observer->asked[0].request.method, "sampling/createMessage");
  EXPECT_EQ(observer->asked[0].revision, mcp::Revision::k2025_11_25);

  // Invariant 5: an answer is delivered at most once.
  Watched watched;
  std::vector<absl::Status> written;
  const auto note = [&](absl::Status status) {
    watched.Change([&] { written.push_back(std::move(status)); });
  };
  call->ReplyProgress("0", R"({"progress":1})");
  call->Reply("0", Answer(R"({"role":"assistant"})"), note);
  call->Reply("0", Answer(R"({"role":"again"})"), note);
  ASSERT_TRUE(watched.Await([&] { return written.size() == 2; }));
  EXPECT_EQ(written[0].ok() + written[1].ok(), 1);
  ASSERT_TRUE(observer->AwaitEnd());
  EXPECT_FALSE(observer->ends[0].result.empty());
  EXPECT_THAT(upstream.SeenWith(R"("id":0,"result":{"role":"assistant"})"),
              SizeIs(1));
  EXPECT_THAT(upstream.SeenWith("again"), IsEmpty());
  EXPECT_THAT(upstream.SeenWith(R"("progressToken":"q")"), SizeIs(1));
}

TEST(HttpSessionTest, AWithdrawnQuestionTakesNoAnswer) {
  FakeHttpUpstream upstream;
  UpstreamRig rig;
  const auto [call, observer] =
      rig.Call(rig.HttpTarget(upstream), "ask-and-withdraw", AllFeatures());
  ASSERT_TRUE(observer->AwaitWithdrawn());
  EXPECT_THAT(observer->withdrawn, ElementsAre("0"));
  Watched watched;
  std::vector<absl::Status> written;
  call->Reply("0", Answer("{}"), [&](absl::Status status) {
    watched.Change([&] { written.push_back(std::move(status)); });
  });
  ASSERT_TRUE(watched.Await([&] { return !written.empty(); }));
  EXPECT_FALSE(written[0].ok());
  EXPECT_THAT(upstream.SeenWith(R"("id":0)"), IsEmpty());
}

// Human time does not count against a tool's own timeout.
TEST(HttpSessionTest, TheCallsTimeStandsStillWhileAQuestionIsOpen) {
  FakeHttpUpstream upstream;
  UpstreamRig rig;
  const relay::UpstreamTarget target = rig.HttpTarget(upstream);
  ASSERT_TRUE(rig.Call(target, "echo", AllFeatures()).observer->AwaitEnd());
  const absl::Duration timeout = absl::Milliseconds(1500);
  const auto asking = rig.Call(target, "ask", AllFeatures(), timeout);
  ASSERT_TRUE(asking.observer->AwaitAsked());
  // A call with the same time, begun later, runs out of it meanwhile.
  const auto hanging = rig.Call(target, "hang", AllFeatures(), timeout);
  ASSERT_TRUE(hanging.observer->AwaitEnd());
  EXPECT_EQ(hanging.observer->ends[0].failure.reason, Reason::kUpstreamTimeout);
  EXPECT_FALSE(asking.observer->ended());
  asking.call->Reply("0", Answer("{}"), nullptr);
  ASSERT_TRUE(asking.observer->AwaitEnd());
  EXPECT_FALSE(asking.observer->ends[0].result.empty());
}

TEST(HttpSessionTest, CancelTellsTheUpstreamAndEndsAtOnce) {
  FakeHttpUpstream upstream;
  UpstreamRig rig;
  const auto [call, observer] = rig.Call(rig.HttpTarget(upstream), "hang");
  ASSERT_TRUE(upstream.AwaitSeen("tools/call"));
  call->Cancel("the user left");
  call->Cancel("again");
  ASSERT_TRUE(observer->AwaitEnd());
  EXPECT_EQ(observer->ends[0].failure.reason, Reason::kOperationEnded);
  ASSERT_TRUE(upstream.AwaitSeen("notifications/cancelled"));
  EXPECT_THAT(upstream.SeenWith(R"({"requestId":2,"reason":"the user left"})"),
              SizeIs(1));
}

TEST(HttpSessionTest, AForgottenSessionFailsItsCallAndIsMadeAnew) {
  FakeHttpUpstream upstream;
  UpstreamRig rig;
  const relay::UpstreamTarget target = rig.HttpTarget(upstream);
  const auto lost = rig.Call(target, "forget");
  ASSERT_TRUE(lost.observer->AwaitEnd());
  EXPECT_EQ(lost.observer->ends[0].failure.reason,
            Reason::kUpstreamUnavailable);
  const auto next = rig.Call(target, "echo");
  ASSERT_TRUE(next.observer->AwaitEnd());
  EXPECT_FALSE(next.observer->ends[0].result.empty());
  EXPECT_THAT(upstream.SeenWith("\"initialize\""), SizeIs(2));
  EXPECT_THAT(upstream.SeenWith("\"forget\""), SizeIs(1));  // not retried
}

TEST(HttpSessionTest, APolicyChangeMakesANewSessionAndCallsInFlightFinish) {
  FakeHttpUpstream upstream;
  UpstreamRig rig;
  relay::UpstreamTarget target = rig.HttpTarget(upstream);
  const auto asking = rig.Call(target, "ask", AllFeatures());
  ASSERT_TRUE(asking.observer->AwaitAsked());
  ASSERT_TRUE(rig.Call(target, "echo").observer->AwaitEnd());
  EXPECT_THAT(upstream.SeenWith("\"initialize\""), SizeIs(2));
  asking.call->Reply("0", Answer("{}"), nullptr);
  ASSERT_TRUE(asking.observer->AwaitEnd());
  EXPECT_FALSE(asking.observer->ends[0].result.empty());
  // The retired session ends with its last call.
  EXPECT_TRUE(upstream.AwaitSeen("DELETE"));
}

TEST(HttpSessionTest, AnotherVersionOfTheSamePolicyKeepsTheSession) {
  FakeHttpUpstream upstream;
  UpstreamRig rig;
  relay::UpstreamTarget target = rig.HttpTarget(upstream);
  ASSERT_TRUE(rig.Call(target, "echo").observer->AwaitEnd());
  target.policy_version = 2;
  ASSERT_TRUE(rig.Call(target, "echo").observer->AwaitEnd());
  EXPECT_THAT(upstream.SeenWith("\"initialize\""), SizeIs(1));
}

TEST(HttpSessionTest, EndSessionEndsItsCallsAndSaysFarewell) {
  FakeHttpUpstream upstream;
  UpstreamRig rig;
  const auto [call, observer] = rig.Call(rig.HttpTarget(upstream), "hang");
  ASSERT_TRUE(upstream.AwaitSeen("tools/call"));
  rig.upstreams().EndSession("s");
  ASSERT_TRUE(observer->AwaitEnd());
  EXPECT_EQ(observer->ends[0].failure.reason, Reason::kOperationEnded);
  ASSERT_TRUE(upstream.AwaitSeen("DELETE"));
  EXPECT_EQ(HeaderOf(upstream.SeenWith("DELETE")[0], "Mcp-Session-Id"),
            "upstream-session");
}

TEST(HttpSessionTest, AnUnusedSessionEnds) {
  FakeHttpUpstream upstream;
  UpstreamsOptions options;
  options.idle_end = absl::Milliseconds(50);
  UpstreamRig rig(options);
  ASSERT_TRUE(rig.Call(rig.HttpTarget(upstream), "echo").observer->AwaitEnd());
  EXPECT_TRUE(upstream.AwaitSeen("DELETE"));
}

constexpr char kQuestion[] =
    R"({"jsonrpc":"2.0","id":9,"method":"sampling/createMessage",)"
    R"("params":{"messages":[],"maxTokens":1}})";

// Attribution (DESIGN §9) defends invariants 1 and 7: a question is charged to
// the operation that it belongs to, or to none and refused.
TEST(HttpSessionTest, AQuestionOnTheGetStreamBelongsToTheOnlyCall) {
  FakeHttpUpstream upstream("2025-06-18", /*offers_get=*/true);
  UpstreamRig rig;
  const auto [call, observer] =
      rig.Call(rig.HttpTarget(upstream), "hang", AllFeatures());
  ASSERT_TRUE(upstream.AwaitSeen("tools/call"));
  ASSERT_TRUE(upstream.SayOnGet(kQuestion));
  ASSERT_TRUE(observer->AwaitAsked());
  EXPECT_EQ(observer->asked[0].attribution, Attribution::kOnlyCall);
  call->Reply("9", Answer("{}"), nullptr);
  EXPECT_TRUE(upstream.AwaitSeen(R"("id":9,"result":{})"));
}

TEST(HttpSessionTest, WithTwoCallsInFlightItIsAmbiguousAndGoesToNeither) {
  FakeHttpUpstream upstream("2025-11-25", /*offers_get=*/true);
  UpstreamRig rig;
  const relay::UpstreamTarget target = rig.HttpTarget(upstream);
  const auto one = rig.Call(target, "hang", AllFeatures());
  const auto two = rig.Call(target, "hang", AllFeatures());
  ASSERT_TRUE(upstream.AwaitSeen("tools/call", 2));
  ASSERT_TRUE(upstream.SayOnGet(kQuestion));
  ASSERT_TRUE(rig.strays().AwaitStrays(1));
  EXPECT_EQ(rig.strays().strays[0].second, Attribution::kAmbiguous);
  ASSERT_TRUE(upstream.AwaitSeen("stray refused"));
  EXPECT_THAT(one.observer->asked, IsEmpty());
  EXPECT_THAT(two.observer->asked, IsEmpty());
}

TEST(HttpSessionTest, WithNoCallItBelongsToNoneAndIsAnsweredOnce) {
  FakeHttpUpstream upstream("2025-11-25", /*offers_get=*/true);
  UpstreamRig rig;
  const relay::UpstreamTarget target = rig.HttpTarget(upstream);
  ASSERT_TRUE(rig.Call(target, "echo", AllFeatures()).observer->AwaitEnd());
  ASSERT_TRUE(upstream.SayOnGet(kQuestion));
  ASSERT_TRUE(rig.strays().AwaitStrays(1));
  EXPECT_EQ(rig.strays().strays[0].second, Attribution::kNone);
  ASSERT_TRUE(upstream.AwaitSeen("stray refused"));
  ASSERT_TRUE(rig.Call(target, "echo", AllFeatures()).observer->AwaitEnd());
  EXPECT_THAT(upstream.SeenWith("stray refused"), SizeIs(1));
}

TEST(HttpSessionTest, AQuestionOfNoCallEndsWithItsCancelOrItsSession) {
  constexpr char kRoots[] =
      R"({"jsonrpc":"2.0","id":"r","method":"roots/list"})";
  FakeHttpUpstream upstream("2025-11-25", /*offers_get=*/true);
  UpstreamRig rig;
  ASSERT_TRUE(rig.Call(rig.HttpTarget(upstream), "echo", AllFeatures())
                  .observer->AwaitEnd());
  ASSERT_TRUE(upstream.SayOnGet(kRoots));
  ASSERT_TRUE(rig.strays().AwaitStrays(1));
  ASSERT_TRUE(upstream.SayOnGet(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
      R"("params":{"requestId":"r"}})"));
  EXPECT_TRUE(rig.strays().AwaitCancelled(1));
  ASSERT_TRUE(upstream.SayOnGet(kRoots));
  ASSERT_TRUE(rig.strays().AwaitStrays(2));
  rig.upstreams().EndSession("s");
  EXPECT_TRUE(rig.strays().AwaitCancelled(2));
}

TEST(HttpSessionTest, PingIsAnsweredAndAnUnknownMethodRefusedHere) {
  FakeHttpUpstream upstream("2025-11-25", /*offers_get=*/true);
  UpstreamRig rig;
  ASSERT_TRUE(rig.Call(rig.HttpTarget(upstream), "echo").observer->AwaitEnd());
  ASSERT_TRUE(
      upstream.SayOnGet(R"({"jsonrpc":"2.0","id":"p","method":"ping"})"));
  EXPECT_TRUE(upstream.AwaitSeen(R"("id":"p","result":{})"));
  ASSERT_TRUE(
      upstream.SayOnGet(R"({"jsonrpc":"2.0","id":"u","method":"shell/run"})"));
  EXPECT_TRUE(upstream.AwaitSeen("-32601"));
  EXPECT_THAT(rig.strays().strays, IsEmpty());
}

// What UpstreamObserver hears of completions.
class CompletionCounts final : public UpstreamObserver {
 public:
  void OnSession(std::string_view, std::string_view, SessionEvent) override {}
  void OnTrouble(std::string_view, std::string_view, Reason) override {}
  void OnProcessStarted(std::string_view, std::string_view) override {}
  void OnElicitationComplete(std::string_view, std::string_view,
                             Completion completion) override {
    watched_.Change([&] { heard.push_back(completion); });
  }
  bool Await(size_t count) {
    return watched_.Await([&] { return heard.size() >= count; });
  }

  std::vector<Completion> heard;

 private:
  Watched watched_;
};

std::string Complete(const std::string& params) {
  return R"({"jsonrpc":"2.0","method":"notifications/elicitation/complete",)"
         R"("params":)" +
         params + "}";
}

// Defends invariant 1: nothing but what was shown is told on, once.
TEST(HttpSessionTest, ACompletionIsToldOnceAlsoAfterItsCall) {
  using Completion = UpstreamObserver::Completion;
  FakeHttpUpstream upstream("2025-11-25", /*offers_get=*/true);
  CompletionCounts counts;
  UpstreamsOptions options;
  options.observer = &counts;
  UpstreamRig rig(std::move(options));
  const auto [call, observer] =
      rig.Call(rig.HttpTarget(upstream), "echo", AllFeatures());
  ASSERT_TRUE(observer->AwaitEnd());
  Watched watched;
  int told = 0;
  call->ExpectCompletion("theirs", [&] { watched.Change([&] { ++told; }); });
  ASSERT_TRUE(upstream.SayOnGet(Complete(R"({"elicitationId":"others"})")));
  ASSERT_TRUE(upstream.SayOnGet(Complete(R"({"elicitationId":7})")));
  ASSERT_TRUE(upstream.SayOnGet(Complete(R"({"elicitationId":"theirs"})")));
  ASSERT_TRUE(upstream.SayOnGet(Complete(R"({"elicitationId":"theirs"})")));
  ASSERT_TRUE(counts.Await(4));
  EXPECT_THAT(counts.heard,
              ElementsAre(Completion::kUnknown, Completion::kMalformed,
                          Completion::kTold, Completion::kUnknown));
  EXPECT_TRUE(watched.Await([&] { return told == 1; }));
  EXPECT_THAT(rig.strays().strays, IsEmpty());
}

TEST(HttpSessionTest, ASessionWhoseUserIsAwayIsNotRetiredForIdleness) {
  FakeHttpUpstream upstream("2025-11-25", /*offers_get=*/true);
  FakeHttpUpstream idle;
  UpstreamsOptions options;
  options.idle_end = absl::Milliseconds(50);
  UpstreamRig rig(std::move(options));
  const auto [call, observer] =
      rig.Call(rig.HttpTarget(upstream), "hang", AllFeatures());
  ASSERT_TRUE(upstream.AwaitSeen("tools/call"));
  Watched watched;
  bool told = false;
  call->ExpectCompletion("theirs",
                         [&] { watched.Change([&] { told = true; }); });
  call->Cancel("enough");
  ASSERT_TRUE(observer->AwaitEnd());
  // Others that began later have come and gone.
  for (const char* session : {"a", "b"}) {
    ASSERT_TRUE(
        rig.Call(rig.HttpTarget(idle), "echo", {}, absl::Seconds(30), session)
            .observer->AwaitEnd());
  }
  ASSERT_TRUE(idle.AwaitSeen("DELETE", 2));
  EXPECT_THAT(upstream.SeenWith("DELETE"), IsEmpty());
  ASSERT_TRUE(upstream.SayOnGet(Complete(R"({"elicitationId":"theirs"})")));
  EXPECT_TRUE(watched.Await([&] { return told; }));
}

TEST(HttpSessionTest, ChangedToolsAreToldForTheirDownstreamSession) {
  FakeHttpUpstream upstream("2025-11-25", /*offers_get=*/true);
  Watched watched;
  std::vector<std::string> told;
  UpstreamsOptions options;
  options.tools_changed = [&](const std::string& session) {
    watched.Change([&] { told.push_back(session); });
  };
  UpstreamRig rig(std::move(options));
  const relay::UpstreamTarget target = rig.HttpTarget(upstream);
  ASSERT_TRUE(rig.Call(target, "echo", {}, absl::Seconds(30), "theirs")
                  .observer->AwaitEnd());
  ASSERT_TRUE(upstream.SayOnGet(
      R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"));
  ASSERT_TRUE(watched.Await([&] { return !told.empty(); }));
  EXPECT_THAT(told, ElementsAre("theirs"));
}

TEST(HttpSessionTest, AllPagesOfTheToolsAreListed) {
  FakeHttpUpstream upstream;
  UpstreamRig rig;
  const auto tools = rig.ListTools(rig.HttpTarget(upstream));
  ASSERT_TRUE(tools.ok()) << tools.status();
  EXPECT_THAT(*tools, ElementsAre(R"({"name":"a"})", R"({"name":"b"})"));
}

TEST(HttpSessionTest, ASecretHeaderIsSentAndNeverLogged) {
  setenv("GATEHOUSE_TEST_TOKEN", "hunter2", 1);
  FakeHttpUpstream upstream;
  UpstreamRig rig;
  relay::UpstreamTarget target = rig.HttpTarget(upstream);
  target.headers_from = {{"Authorization", "env:GATEHOUSE_TEST_TOKEN"}};
  ASSERT_TRUE(rig.Call(target, "html").observer->AwaitEnd());
  for (const auto& seen : upstream.SeenWith("POST")) {
    EXPECT_EQ(HeaderOf(seen, "Authorization"), "hunter2");
  }
  EXPECT_THAT(rig.log(), Not(HasSubstr("hunter2")));
}

TEST(HttpSessionTest, AMissingSecretIsNamedInTheLogAndNothingIsSent) {
  FakeHttpUpstream upstream;
  UpstreamRig rig;
  relay::UpstreamTarget target = rig.HttpTarget(upstream);
  target.headers_from = {{"Authorization", "env:GATEHOUSE_NOT_SET"}};
  const auto [call, observer] = rig.Call(target, "echo");
  ASSERT_TRUE(observer->AwaitEnd());
  EXPECT_EQ(observer->ends[0].failure.reason, Reason::kUpstreamUnavailable);
  EXPECT_THAT(observer->ends[0].failure.message,
              Not(HasSubstr("GATEHOUSE_NOT_SET")));
  EXPECT_THAT(rig.log(), HasSubstr("env:GATEHOUSE_NOT_SET"));
  EXPECT_THAT(upstream.seen(), IsEmpty());
}

TEST(HttpSessionTest, AfterShutdownNothingStarts) {
  FakeHttpUpstream upstream;
  UpstreamRig rig;
  rig.upstreams().Shutdown();
  const auto [call, observer] = rig.Call(rig.HttpTarget(upstream), "echo");
  ASSERT_TRUE(observer->AwaitEnd());
  EXPECT_EQ(observer->ends[0].failure.reason, Reason::kUpstreamUnavailable);
  EXPECT_THAT(upstream.seen(), IsEmpty());
}

}  // namespace
}  // namespace gatehouse::upstream
