// The `-32042` error over real sockets: its elicitations are judged before the
// client has it (DESIGN §9; PROTOCOL 7.3, 10.3). Defends invariants 1 (nothing
// passes without a verdict), 2 (default deny), 5 (exactly one end), 8 (honest
// errors) and 9 (bytes pass unchanged).

#include <string>
#include <vector>

#include "tests/integration/url_stage.h"

namespace gatehouse::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class NotifiedTest : public UrlTest {
 protected:
  NotifiedTest() { AddConnect(upstream_); }

  // Ends its calls with the error that requires `elicitations`, its argument.
  static void AddConnect(ScriptedUpstream& upstream) {
    upstream.AddTool("connect", [](const std::shared_ptr<ToolCall>& call) {
      call->FinishWithErrorObject(absl::StrCat(
          R"({"code":-32042,"message":"connect first","data":{"n":1.0,)"
          R"("elicitations":)",
          call->RawArgument("elicitations"), R"(,"more":"x"}})"));
    });
  }
  static std::string Requiring(const std::string& entries) {
    return absl::StrCat(R"({"elicitations":[)", entries, "]}");
  }
  // What the call is answered; fails if anybody is shown anything else.
  Message Answer(const Visitor& visitor, const std::string& arguments) {
    const auto answer = visitor.client->CallTool("up__connect", arguments);
    EXPECT_TRUE(answer.ok()) << answer.status();
    EXPECT_THAT(visitor.client->asked(kElicit), IsEmpty());
    return answer.ok() ? *answer : Message("");
  }
};

TEST_F(NotifiedTest, TheClientHasTheSameErrorUnderIdsOfOurs) {
  StartUrl();
  const Visitor visitor = NewVisitor();
  const Message answer =
      Answer(visitor, Requiring(VisitParams("one") + "," + VisitParams("two")));
  EXPECT_EQ(answer.RawAt("/error/code"), "-32042");
  EXPECT_EQ(answer.At("/error/message"), "connect first");
  EXPECT_EQ(answer.RawAt("/error/data/n"), "1.0");
  EXPECT_EQ(answer.At("/error/data/more"), "x");
  const std::string first =
      answer.At("/error/data/elicitations/0/elicitationId");
  const std::string second =
      answer.At("/error/data/elicitations/1/elicitationId");
  EXPECT_THAT(first, SizeIs(43));
  EXPECT_NE(first, second);
  EXPECT_EQ(answer.At("/error/data/elicitations/1/url"),
            "https://login.example.com/x?e=1&k=v");
  EXPECT_EQ(answer.At("/error/data/elicitations/1/mode"), "url");
  EXPECT_FALSE(answer.Has("/error/data/elicitations/2"));
  EXPECT_THAT(answer.raw(), Not(HasSubstr(R"("two")")));

  const auto records = Records("notified", 2);
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_THAT(Records("forwarded"), IsEmpty());

  const auto listening = upstream_.AwaitListening(1);
  ASSERT_TRUE(listening.ok()) << listening.status();
  for (const char* id : {"two", "two", "one"}) {
    upstream_.NotifySession(listening->front(), kComplete, Completed(id));
  }
  ASSERT_TRUE(visitor.client->AwaitAsked(kComplete, 2).ok());
  const std::vector<Message> told = visitor.client->asked(kComplete);
  ASSERT_THAT(told, SizeIs(2));
  EXPECT_EQ(told[0].At("/params/elicitationId"), second);
  EXPECT_EQ(told[1].At("/params/elicitationId"), first);
}

struct RefusedError {
  const char* name;
  const char* policy;        // of trust.elicitation
  const char* capabilities;  // of the client
  const char* elicitations;  // raw; empty: nine good ones
  const char* reason;
};

class RefusedErrorTest : public NotifiedTest,
                         public ::testing::WithParamInterface<RefusedError> {};

TEST_P(RefusedErrorTest, IsAnErrorOfTheGatewaysWithoutAUrl) {
  Start(Gatehouse::Options{.policy =
                               UrlPolicy(upstream_.url(), GetParam().policy)});
  const Visitor visitor = NewVisitor(GetParam().capabilities);
  std::string entries = GetParam().elicitations;
  for (int i = 0; *GetParam().elicitations == '\0' && i < 9; ++i) {
    absl::StrAppend(&entries, i == 0 ? "" : ",", VisitParams("x"));
  }
  const Message answer = Answer(visitor, Requiring(entries));
  EXPECT_EQ(answer.RawAt("/error/code"), "-32603");
  EXPECT_EQ(answer.At("/error/data/reason"), GetParam().reason);
  EXPECT_THAT(answer.raw(), Not(HasSubstr("://")));
  EXPECT_THAT(answer.raw(), Not(HasSubstr(R"("elicitations")")));
  EXPECT_THAT(Records("notified"), IsEmpty());
  // The next call is served as if nothing had been.
  EXPECT_TRUE(visitor.client->CallTool("up__echo", "{}").ok());
}

constexpr char kPermitted[] = "url: true, urlHosts: [login.example.com]";
constexpr char kGood[] =
    R"({"mode":"url","message":"m","url":"https://login.example.com/",)"
    R"("elicitationId":"a"})";
constexpr char kOneElsewhere[] =
    R"({"mode":"url","message":"m","url":"https://login.example.com/",)"
    R"("elicitationId":"a"},)"
    R"({"mode":"url","message":"m","url":"https://evil.example/",)"
    R"("elicitationId":"b"})";
constexpr char kAForm[] =
    R"({"message":"m","requestedSchema":{"type":"object","properties":{}}})";
constexpr char kWithoutAnId[] =
    R"({"mode":"url","message":"m","url":"https://login.example.com/"})";

INSTANTIATE_TEST_SUITE_P(
    Errors, RefusedErrorTest,
    ::testing::Values(RefusedError{"ThePolicyIsSilent", "route: client",
                                   kAllFeatures, kGood, "not_permitted"},
                      RefusedError{"TheClientHasFormsOnly", kPermitted,
                                   R"({"elicitation":{}})", kGood,
                                   "capability_not_declared"},
                      RefusedError{"TheClientHasNothing", kPermitted, "{}",
                                   kGood, "capability_not_declared"},
                      RefusedError{"OneOfTwoLeadsElsewhere", kPermitted,
                                   kAllFeatures, kOneElsewhere,
                                   "not_permitted"},
                      RefusedError{"OneIsAForm", kPermitted, kAllFeatures,
                                   kAForm, "upstream_protocol_error"},
                      RefusedError{"OneHasNoId", kPermitted, kAllFeatures,
                                   kWithoutAnId, "upstream_protocol_error"},
                      RefusedError{"OneIsAText", kPermitted, kAllFeatures,
                                   R"("x")", "upstream_protocol_error"},
                      RefusedError{"NineOfThem", kPermitted, kAllFeatures, "",
                                   "upstream_protocol_error"}),
    [](const auto& c) { return std::string(c.param.name); });

TEST_F(NotifiedTest, AnOlderClientHasAnErrorWithoutAUrl) {
  StartUrl();
  const Visitor visitor = NewVisitor(kAllFeatures, "2025-06-18");
  const Message answer = Answer(visitor, Requiring(VisitParams("one")));
  EXPECT_EQ(answer.At("/error/data/reason"), "capability_not_declared");
  EXPECT_THAT(answer.raw(), Not(HasSubstr("://")));
}

TEST_F(NotifiedTest, OfAnOlderUpstreamItIsNoSuchError) {
  ScriptedUpstream older(&loop_, {.revision = "2025-06-18"});
  AddConnect(older);
  Start(Gatehouse::Options{.policy = UrlPolicy(older.url())});
  const Visitor visitor = NewVisitor();
  const Message answer = Answer(visitor, Requiring(VisitParams("one")));
  EXPECT_EQ(answer.RawAt("/error/code"), "-32603");
  EXPECT_EQ(answer.At("/error/data/reason"), "upstream_protocol_error");
  EXPECT_THAT(answer.raw(), Not(HasSubstr("://")));
}

TEST_F(NotifiedTest, WithoutTheControlPlaneNothingOfItIsShown) {
  StartUrl();
  const Visitor visitor = NewVisitor();
  ASSERT_TRUE(visitor.client->CallTool("up__echo", "{}").ok());
  gatehouse_->KillControl();
  const Message answer = Answer(visitor, Requiring(VisitParams("one")));
  EXPECT_EQ(answer.RawAt("/error/code"), "-32603");
  EXPECT_EQ(answer.At("/error/data/reason"), "trust_unavailable");
  EXPECT_THAT(answer.raw(), Not(HasSubstr("://")));
}

// The slots of a call are those of its whole life (invariant 7).
TEST_F(NotifiedTest, NoVisitIsShownOverTheBudget) {
  Start(Gatehouse::Options{.policy =
                               UrlPolicy(upstream_.url()) +
                               "limits: { inputRequestsPerOperation: 1 }\n"});
  const Visitor visitor = NewVisitor();
  const Message answer =
      Answer(visitor, Requiring(VisitParams("one") + "," + VisitParams("two")));
  EXPECT_EQ(answer.RawAt("/error/code"), "-31001");
  EXPECT_EQ(answer.At("/error/data/reason"), "budget_exhausted");
}

}  // namespace
}  // namespace gatehouse::testing
