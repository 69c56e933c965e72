#include "dataplane/upstream/messages.h"

#include <string>

#include "absl/status/status.h"
#include "dataplane/upstream/http_trouble.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gatehouse::upstream {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct TokenCase {
  const char* name;
  const char* params;
  const char* want;
};
class TokenTest : public testing::TestWithParam<TokenCase> {};

// Invariant 9: a token of ours is all that is added to a call's params.
TEST_P(TokenTest, AddsOnlyTheToken) {
  EXPECT_EQ(WithProgressToken(GetParam().params, 7), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, TokenTest,
    testing::ValuesIn<TokenCase>({
        {"WithoutParamsTheyAreMade", "", R"({"_meta":{"progressToken":7}})"},
        {"ParamsWithoutMetaGetOne", R"({"name":"x","n":1.50})",
         R"({"name":"x","n":1.50,"_meta":{"progressToken":7}})"},
        {"MetaKeepsWhatItHas", R"({"_meta":{"a":1} ,"name":"x"})",
         R"({"_meta":{"a":1,"progressToken":7} ,"name":"x"})"},
    }),
    [](const auto& c) { return std::string(c.param.name); });

struct RevisionCase {
  const char* name;
  const char* result;
  bool want;
};
class RevisionTest : public testing::TestWithParam<RevisionCase> {};

TEST_P(RevisionTest, IsTakenOrRefused) {
  EXPECT_EQ(RevisionOf(GetParam().result).ok(), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, RevisionTest,
    testing::ValuesIn<RevisionCase>({
        {"TheOldestOfOurs", R"({"protocolVersion":"2025-03-26"})", true},
        {"TheMiddle", R"({"protocolVersion":"2025-06-18"})", true},
        {"TheNewest", R"({"protocolVersion":"2025-11-25"})", true},
        {"OneBeforeOurs", R"({"protocolVersion":"2024-11-05"})", false},
        {"OneOfTheModernEra", R"({"protocolVersion":"2026-07-28"})", false},
        {"None", R"({"serverInfo":{}})", false},
        {"ANumber", R"({"protocolVersion":20251125})", false},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST(MessagesTest, InitializeOffersWhatIsOfferedAndNoMore) {
  mcp::ClientFeatures offered;
  offered.elicitation_form = true;
  const std::string params = InitializeParams(offered, "1.2.3");
  EXPECT_THAT(params, HasSubstr(R"("protocolVersion":"2025-11-25")"));
  EXPECT_THAT(params, HasSubstr("elicitation"));
  EXPECT_THAT(params, Not(HasSubstr("sampling")));
  EXPECT_THAT(params, Not(HasSubstr("roots")));
  EXPECT_THAT(params, HasSubstr(R"({"name":"gatehouse","version":"1.2.3"})"));
}

TEST(MessagesTest, ATokenOfAnotherTypeIsNotOurs) {
  EXPECT_EQ(ProgressTokenOf(R"({"progressToken":7,"progress":1})"), 7);
  EXPECT_EQ(ProgressTokenOf(R"({"progressToken":"7","progress":1})"),
            std::nullopt);
  EXPECT_EQ(ProgressTokenOf(R"({"progress":1})"), std::nullopt);
}

TEST(MessagesTest, ThePeersTokenKeepsItsLexeme) {
  EXPECT_EQ(AskedProgressToken(R"({"_meta":{"progressToken":"7"}})"), "\"7\"");
  EXPECT_EQ(AskedProgressToken(R"({"_meta":{"progressToken":7}})"), "7");
  EXPECT_EQ(AskedProgressToken(R"({"progressToken":7})"), "");
  EXPECT_EQ(WithReplyToken(R"({"progress":1})", "\"7\""),
            R"({"progress":1,"progressToken":"7"})");
}

TEST(MessagesTest, AnErrorNeedsAnIntegerCodeAndAMessage) {
  EXPECT_TRUE(IsErrorObject(R"({"code":-32602,"message":"no","data":[1]})"));
  EXPECT_FALSE(IsErrorObject(R"({"code":"-1","message":"no"})"));
  EXPECT_FALSE(IsErrorObject(R"({"code":-1})"));
  EXPECT_FALSE(IsErrorObject("null"));
}

TEST(MessagesTest, AnEmptyCursorIsACursor) {
  const auto page = ReadToolsPage(R"({"tools":[{"name":"a"}, {"b":1.0}],)"
                                  R"("nextCursor":""})");
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(page->tools, ElementsAre(R"({"name":"a"})", R"({"b":1.0})"));
  EXPECT_EQ(page->next_cursor, "");
  EXPECT_EQ(ToolsPageParams(page->next_cursor), R"({"cursor":""})");
  EXPECT_FALSE(ReadToolsPage(R"({"tools":{}})").ok());
}

struct TroubleCase {
  const char* name;
  ExchangeEnd end;
  bool has_session;
  Reason want;
  bool want_lost;
};
class HttpTroubleTest : public testing::TestWithParam<TroubleCase> {};

// Invariant 8: each failure has its own reason.
TEST_P(HttpTroubleTest, HasItsReason) {
  const HttpTrouble trouble = TroubleOf(GetParam().end, GetParam().has_session);
  EXPECT_EQ(trouble.trouble.reason, GetParam().want);
  EXPECT_EQ(trouble.session_lost, GetParam().want_lost);
}

ExchangeEnd Answered(int http_status, bool event_stream = false) {
  ExchangeEnd end;
  end.http_status = http_status;
  end.event_stream = event_stream;
  return end;
}
ExchangeEnd Broke(absl::Status status, int http_status = 0) {
  ExchangeEnd end;
  end.status = std::move(status);
  end.http_status = http_status;
  return end;
}

INSTANTIATE_TEST_SUITE_P(
    Rows, HttpTroubleTest,
    testing::ValuesIn<TroubleCase>({
        {"RefusedConnection", Broke(absl::UnavailableError("x")), false,
         Reason::kUpstreamUnavailable, false},
        {"NoAnswerInTime", Broke(absl::DeadlineExceededError("x")), false,
         Reason::kUpstreamTimeout, false},
        {"NoHttp", Broke(absl::DataLossError("x")), false,
         Reason::kUpstreamProtocolError, false},
        {"ResetWithinTheAnswer", Broke(absl::DataLossError("x"), 200), true,
         Reason::kUpstreamUnavailable, false},
        {"ForgottenSession", Answered(404), true, Reason::kUpstreamUnavailable,
         true},
        {"ForgottenSessionOfAnOlderServer", Answered(400), true,
         Reason::kUpstreamUnavailable, true},
        {"NoSuchEndpoint", Answered(404), false, Reason::kUpstreamUnavailable,
         false},
        {"BadRequestWithoutSession", Answered(400), false,
         Reason::kUpstreamProtocolError, false},
        {"RefusedCredentials", Answered(401), true,
         Reason::kUpstreamUnavailable, false},
        {"ServerError", Answered(502), true, Reason::kUpstreamUnavailable,
         false},
        {"Redirect", Answered(302), true, Reason::kUpstreamProtocolError,
         false},
        {"AcceptedARequest", Answered(202), true,
         Reason::kUpstreamProtocolError, false},
        {"StreamWithoutAnswer", Answered(200, true), true,
         Reason::kUpstreamProtocolError, false},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST(HttpTroubleTest, RetryIsHonouredAndBackoffGrowsToItsBound) {
  const absl::Duration second = absl::Seconds(1);
  const absl::Duration minute = absl::Minutes(1);
  EXPECT_EQ(RetryDelay(300, 0, second, minute), absl::Milliseconds(300));
  EXPECT_EQ(RetryDelay(std::nullopt, 0, second, minute), second);
  EXPECT_EQ(RetryDelay(std::nullopt, 3, second, minute), absl::Seconds(8));
  EXPECT_EQ(RetryDelay(std::nullopt, 1000, second, minute), minute);
  EXPECT_EQ(RetryDelay(1, 3, second, minute), absl::Seconds(8));
}

}  // namespace
}  // namespace gatehouse::upstream
