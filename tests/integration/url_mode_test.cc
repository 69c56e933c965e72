// Elicitation in URL mode over real sockets (DESIGN §6, §9; PROTOCOL 7.3).
// Defends invariants 1 (nothing passes without a verdict), 2 (default deny), 5
// (exactly one end) and 9 (bytes pass unchanged).

#include <string>
#include <vector>

#include "tests/integration/url_stage.h"

namespace gatehouse::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kFirst[] = "/result/structuredContent/replies/0";
constexpr char kAccept[] = R"("result":{"action":"accept"})";

class UrlModeTest : public UrlTest {
 protected:
  UrlModeTest() {
    // Asks for a visit with the id of its argument and, once that is accepted,
    // says on its own stream that it is complete.
    upstream_.AddTool("visit", [](const std::shared_ptr<ToolCall>& call) {
      const std::string id = call->Argument("id");
      call->Ask(kElicit, VisitParams(id), [call, id](const Message& reply) {
        call->Notify(kComplete, Completed(id));
        call->FinishWithText(reply.RawAt("/result"));
      });
    });
    // The same, but it leaves that to the test.
    upstream_.AddTool("send", [](const std::shared_ptr<ToolCall>& call) {
      call->Ask(kElicit, VisitParams(call->Argument("id")),
                [call](const Message&) { call->FinishWithText("sent"); });
    });
  }

  Visitor Accepting() {
    Visitor visitor = NewVisitor();
    visitor.client->OnAsked(kElicit, [](const Message&) { return kAccept; });
    return visitor;
  }
  // Sends the visitor there; the id that it was asked under.
  static std::string SentUnder(const Visitor& visitor, const std::string& id) {
    const size_t before = visitor.client->asked(kElicit).size();
    const auto done = visitor.client->CallTool(
        "up__send", absl::StrCat(R"({"id":")", id, R"("})"));
    EXPECT_TRUE(done.ok()) << done.status();
    const std::vector<Message> asked = visitor.client->asked(kElicit);
    EXPECT_THAT(asked, SizeIs(before + 1));
    return asked.empty() ? "" : asked.back().At("/params/elicitationId");
  }
  // The ids that it was told are complete, on any of its streams.
  static std::vector<std::string> Told(const Visitor& visitor) {
    std::vector<std::string> ids;
    for (const Message& told : visitor.client->asked(kComplete)) {
      ids.push_back(told.At("/params/elicitationId"));
    }
    return ids;
  }
};

TEST_F(UrlModeTest, AVisitIsShownUnderAnIdOfOursAndAcceptedAsTheBareAction) {
  StartUrl();
  Visitor visitor = NewVisitor();
  visitor.client->OnAsked(kElicit, [](const Message&) {
    return R"("result":{"action":"accept","content":{"x":1}})";
  });
  const auto done = visitor.client->CallTool(
      "up__ask", AskArguments(kElicit, VisitParams("theirs")));
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_EQ(done->RawAt(absl::StrCat(kFirst, "/result")),
            R"({"action":"accept"})");
  const std::vector<Message> asked = visitor.client->asked(kElicit);
  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_EQ(asked[0].At("/params/mode"), "url");
  EXPECT_EQ(asked[0].At("/params/url"), "https://login.example.com/x?e=1&k=v");
  EXPECT_EQ(asked[0].At("/params/message"), "log in");
  EXPECT_THAT(asked[0].At("/params/elicitationId"), SizeIs(43));
  EXPECT_THAT(asked[0].raw(), Not(HasSubstr("theirs")));
  EXPECT_EQ(upstream_.received("initialize")[0].RawAt(
                "/params/capabilities/elicitation"),
            R"({"form":{},"url":{}})");
  EXPECT_THAT(Records("answered", 1), SizeIs(1));
}

TEST_F(UrlModeTest, ADeclinedVisitIsNoError) {
  StartUrl();
  Visitor visitor = NewVisitor();
  visitor.client->OnAsked(kElicit, [](const Message&) {
    return R"("result":{"action":"decline"})";
  });
  const auto done = visitor.client->CallTool(
      "up__ask", AskArguments(kElicit, VisitParams("theirs")));
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_EQ(done->RawAt(absl::StrCat(kFirst, "/result")),
            R"({"action":"decline"})");
}

struct RefusedVisit {
  const char* name;
  const char* policy;        // of trust.elicitation
  const char* capabilities;  // of the client
  const char* url;
  const char* reason;
  const char* offered;  // to the upstream, raw
};

class RefusedVisitTest : public UrlModeTest,
                         public ::testing::WithParamInterface<RefusedVisit> {};

TEST_P(RefusedVisitTest, IsRefusedToTheUpstreamAndShownToNobody) {
  Start(Gatehouse::Options{.policy =
                               UrlPolicy(upstream_.url(), GetParam().policy)});
  Visitor visitor = NewVisitor(GetParam().capabilities);
  const auto done = visitor.client->CallTool(
      "up__ask", AskArguments(kElicit, VisitParams("t", GetParam().url)));
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_EQ(done->RawAt(absl::StrCat(kFirst, "/error/code")), "-32602");
  EXPECT_EQ(done->At(absl::StrCat(kFirst, "/error/data/reason")),
            GetParam().reason);
  EXPECT_THAT(visitor.client->asked(kElicit), SizeIs(0));
  EXPECT_EQ(upstream_.received("initialize")[0].RawAt(
                "/params/capabilities/elicitation"),
            GetParam().offered);
}

constexpr char kGoodUrl[] = "https://login.example.com/";
constexpr char kPermitted[] = "url: true, urlHosts: [login.example.com]";
constexpr char kBoth[] = R"({"form":{},"url":{}})";

INSTANTIATE_TEST_SUITE_P(
    Visits, RefusedVisitTest,
    ::testing::Values(
        RefusedVisit{"ThePolicyIsSilent", "route: client", kAllFeatures,
                     kGoodUrl, "not_permitted", R"({"form":{}})"},
        RefusedVisit{"TheClientHasFormsOnly", kPermitted,
                     R"({"elicitation":{}})", kGoodUrl,
                     "capability_not_declared", R"({"form":{}})"},
        RefusedVisit{"AnotherHost", kPermitted, kAllFeatures,
                     "https://evil.example/", "not_permitted", kBoth},
        RefusedVisit{"PlainHttp", kPermitted, kAllFeatures,
                     "http://login.example.com/", "invalid_request", kBoth},
        RefusedVisit{"AUserBeforeTheHost", kPermitted, kAllFeatures,
                     "https://login.example.com@evil.example/",
                     "invalid_request", kBoth}),
    [](const auto& c) { return std::string(c.param.name); });

TEST_F(UrlModeTest, ACompletionDuringTheCallComesOnItsStream) {
  StartUrl();
  const Visitor visitor = Accepting();
  const ClientCall call =
      visitor.client->StartTool("up__visit", R"({"id":"theirs"})");
  ASSERT_TRUE(call.Await().ok());
  const std::string id =
      visitor.client->asked(kElicit)[0].At("/params/elicitationId");
  const auto told = call.exchange->AwaitMethod(kComplete);
  ASSERT_TRUE(told.ok()) << told.status();
  EXPECT_EQ(told->RawAt("/params"), Completed(id));
}

// The sentence of the specification: it MUST only go to the client that got the
// elicitation (PROTOCOL 7.3).
TEST_F(UrlModeTest, OfTwoSessionsOnlyTheOneThatWasAskedIsTold) {
  StartUrl();
  const Visitor a = Accepting();
  const Visitor b = Accepting();
  const std::string a_id = SentUnder(a, "visit-a");
  const auto a_listens = upstream_.AwaitListening(1);
  ASSERT_TRUE(a_listens.ok()) << a_listens.status();
  const std::string b_id = SentUnder(b, "visit-b");
  const auto listening = upstream_.AwaitListening(2);
  ASSERT_TRUE(listening.ok()) << listening.status();
  EXPECT_NE(a_id, b_id);

  // Each other's, on the wrong session, tell nobody.
  upstream_.NotifySession((*listening)[0], kComplete, Completed("visit-b"));
  upstream_.NotifySession((*listening)[1], kComplete, Completed("visit-a"));
  upstream_.NotifySession((*listening)[0], kComplete, Completed("visit-a"));
  ASSERT_TRUE(a.client->AwaitAsked(kComplete).ok());
  upstream_.NotifySession((*listening)[1], kComplete, Completed("visit-b"));
  ASSERT_TRUE(b.client->AwaitAsked(kComplete).ok());
  EXPECT_THAT(Told(a), ElementsAre(a_id));
  EXPECT_THAT(Told(b), ElementsAre(b_id));
}

TEST_F(UrlModeTest, ACompletionIsToldOnceAndUnknownOnesNever) {
  StartUrl();
  const Visitor visitor = Accepting();
  const std::string first = SentUnder(visitor, "one");
  const std::string second = SentUnder(visitor, "two");
  const auto listening = upstream_.AwaitListening(1);
  ASSERT_TRUE(listening.ok()) << listening.status();
  const std::string& session = listening->front();
  for (const char* params :
       {R"({"elicitationId":"nobody's"})", R"({"elicitationId":7})", "{}",
        R"({"elicitationId":"one"})", R"({"elicitationId":"one"})",
        R"({"elicitationId":"two"})"}) {
    upstream_.NotifySession(session, kComplete, params);
  }
  ASSERT_TRUE(visitor.client->AwaitAsked(kComplete, 2).ok());
  EXPECT_THAT(Told(visitor), ElementsAre(first, second));
}

}  // namespace
}  // namespace gatehouse::testing
