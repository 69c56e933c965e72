#include "dataplane/downstream/classify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace gatehouse::downstream {
namespace {

constexpr char kBoth[] = "application/json, text/event-stream";
constexpr char kSession[] = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
constexpr char kInitialize[] =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{}})";
constexpr char kPing[] = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
constexpr char kInitialized[] =
    R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
constexpr char kReply[] = R"({"jsonrpc":"2.0","id":"x","result":{}})";
constexpr char kErrorReply[] =
    R"({"jsonrpc":"2.0","id":"x","error":{"code":-1,"message":"no"}})";

http::Request Post(std::string body, http::Headers more = {}) {
  http::Request request;
  request.method = "POST";
  request.headers = {{"Content-Type", "application/json"}, {"Accept", kBoth}};
  for (auto& header : more) request.headers.push_back(std::move(header));
  request.body = std::move(body);
  return request;
}

http::Request InSession(std::string body, http::Headers more = {}) {
  more.emplace_back("Mcp-Session-Id", kSession);
  return Post(std::move(body), std::move(more));
}

http::Request Bare(std::string method, http::Headers headers,
                   std::string body = "") {
  http::Request request;
  request.method = std::move(method);
  request.headers = std::move(headers);
  request.body = std::move(body);
  return request;
}

struct ClassifyCase {
  const char* name;
  http::Request request;
  Intent intent;
  int status = 0;         // of a refusal
  const char* code = "";  // in its body
};

class ClassifyTest : public testing::TestWithParam<ClassifyCase> {};

TEST_P(ClassifyTest, SaysWhatTheRequestIs) {
  const Classified got = Classify(GetParam().request);
  EXPECT_EQ(got.intent, GetParam().intent) << got.refusal.body;
  if (GetParam().intent != Intent::kRefused) return;
  EXPECT_EQ(got.refusal.status, GetParam().status);
  EXPECT_THAT(got.refusal.body, testing::HasSubstr(GetParam().code));
  // What is refused at the door has no id.
  EXPECT_THAT(got.refusal.body, testing::Not(testing::HasSubstr("\"id\"")));
}

INSTANTIATE_TEST_SUITE_P(
    Table, ClassifyTest,
    testing::ValuesIn<ClassifyCase>({
        {"InitializeOpensASession", Post(kInitialize), Intent::kInitialize},
        {"InitializeNeedsNoVersionHeader",
         Post(kInitialize, {{"MCP-Protocol-Version", "2025-11-25"}}),
         Intent::kInitialize},
        {"InitializeWithinASessionIsRefused", InSession(kInitialize),
         Intent::kRefused, 400, "-32600"},
        {"AcceptOfJsonAloneIsRefused",
         Bare("POST",
              {{"Content-Type", "application/json"},
               {"Accept", "application/json"}},
              kInitialize),
         Intent::kRefused, 406, "-32600"},
        {"AcceptOfAnythingIsRefused",
         Bare("POST", {{"Content-Type", "application/json"}, {"Accept", "*/*"}},
              kInitialize),
         Intent::kRefused, 406, "-32600"},
        {"NoAcceptIsRefused",
         Bare("POST", {{"Content-Type", "application/json"}}, kInitialize),
         Intent::kRefused, 406, "-32600"},
        {"AcceptInTwoHeadersWithQualitiesPasses",
         Bare("POST",
              {{"content-type", "application/json"},
               {"accept", "text/event-stream;q=0.5"},
               {"accept", "Application/JSON"}},
              kInitialize),
         Intent::kInitialize},
        {"TextPlainIsRefused",
         Bare("POST", {{"Content-Type", "text/plain"}, {"Accept", kBoth}},
              kInitialize),
         Intent::kRefused, 415, "-32600"},
        {"NoContentTypeIsRefused",
         Bare("POST", {{"Accept", kBoth}}, kInitialize), Intent::kRefused, 415,
         "-32600"},
        {"ContentTypeWithCharsetPasses",
         Bare("POST",
              {{"Content-Type", "application/json; charset=utf-8"},
               {"Accept", kBoth}},
              kInitialize),
         Intent::kInitialize},
        {"BrokenJsonIsAParseError", Post("{\"jsonrpc\""), Intent::kRefused, 400,
         "-32700"},
        {"AnEmptyBodyIsAParseError", Post(""), Intent::kRefused, 400, "-32700"},
        {"JsonThatIsNoJsonRpcIsInvalid", Post("{\"hello\":1}"),
         Intent::kRefused, 400, "-32600"},
        {"AnOldJsonRpcIsInvalid",
         InSession(R"({"jsonrpc":"1.0","id":1,"method":"ping"})"),
         Intent::kRefused, 400, "-32600"},
        {"ABatchIsInvalid", InSession(std::string("[") + kPing + "]"),
         Intent::kRefused, 400, "-32600"},
        {"AnEmptyBatchIsInvalid", InSession("[]"), Intent::kRefused, 400,
         "-32600"},
        {"AnIdOfNullIsInvalid",
         InSession(R"({"jsonrpc":"2.0","id":null,"method":"ping"})"),
         Intent::kRefused, 400, "-32600"},
        {"AFractionIsNoId",
         InSession(R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})"),
         Intent::kRefused, 400, "-32600"},
        {"AStringIsAnId",
         InSession(R"({"jsonrpc":"2.0","id":"a-string","method":"ping"})"),
         Intent::kRequest},
        {"ANegativeNumberIsAnId",
         InSession(R"({"jsonrpc":"2.0","id":-1,"method":"ping"})"),
         Intent::kRequest},
        {"ARequestWithinASessionPasses", InSession(kPing), Intent::kRequest},
        {"ARequestWithoutASessionIsRefused", Post(kPing), Intent::kRefused, 400,
         "-32600"},
        {"TwoSessionIdsAreRefused",
         InSession(kPing, {{"Mcp-Session-Id", "other"}}), Intent::kRefused, 400,
         "-32600"},
        {"ANotificationPasses", InSession(kInitialized), Intent::kNotification},
        {"ANotificationWithoutASessionIsRefused", Post(kInitialized),
         Intent::kRefused, 400, "-32600"},
        {"AResultIsAResponse", InSession(kReply), Intent::kResponse},
        {"AnErrorIsAResponse", InSession(kErrorReply), Intent::kResponse},
        {"AResponseWithoutASessionIsRefused", Post(kReply), Intent::kRefused,
         400, "-32600"},
        {"AKnownRevisionPasses",
         InSession(kPing, {{"MCP-Protocol-Version", "2025-03-26"}}),
         Intent::kRequest},
        {"AnUnknownRevisionIsRefused",
         InSession(kPing, {{"MCP-Protocol-Version", "1999-01-01"}}),
         Intent::kRefused, 400, "2025-11-25"},
        {"AModernRevisionIsRefusedHere",
         InSession(kPing, {{"MCP-Protocol-Version", "2026-07-28"}}),
         Intent::kRefused, 400, "-32022"},
        {"AModernProbeWithoutSessionIsRefused",
         Post(R"({"jsonrpc":"2.0","id":"p","method":"server/discover"})",
              {{"MCP-Protocol-Version", "2026-07-28"}}),
         Intent::kRefused, 400, "-32600"},
        {"GetOpensAStream",
         Bare("GET",
              {{"Accept", "text/event-stream"}, {"Mcp-Session-Id", kSession}}),
         Intent::kOpenStream},
        {"GetWithoutASessionIsRefused",
         Bare("GET", {{"Accept", "text/event-stream"}}), Intent::kRefused, 400,
         "-32600"},
        {"GetForJsonIsRefused",
         Bare("GET",
              {{"Accept", "application/json"}, {"Mcp-Session-Id", kSession}}),
         Intent::kRefused, 406, "-32600"},
        {"DeleteEndsTheSession", Bare("DELETE", {{"Mcp-Session-Id", kSession}}),
         Intent::kEndSession},
        {"DeleteWithoutASessionIsRefused", Bare("DELETE", {}), Intent::kRefused,
         400, "-32600"},
        {"PutIsRefused", Bare("PUT", {}), Intent::kRefused, 405, "-32600"},
        {"OptionsIsRefused", Bare("OPTIONS", {}), Intent::kRefused, 405,
         "-32600"},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST(IsSecretShapedTest, OnlyWhatGatehouseMintsIsLookedUp) {
  EXPECT_TRUE(IsSecretShaped(kSession));
  EXPECT_FALSE(IsSecretShaped(std::string(kSession) + "A"));
  EXPECT_FALSE(IsSecretShaped("7d147ee0-74aa-4d35-85e7-1a2dbd0da4b7"));
  EXPECT_FALSE(IsSecretShaped(std::string(43, ' ')));
  EXPECT_FALSE(IsSecretShaped(""));
}

}  // namespace
}  // namespace gatehouse::downstream
