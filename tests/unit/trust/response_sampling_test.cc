// The rules about a sampling result. Defends invariants 1 and 4 of the design:
// nothing that a client answered reaches an upstream unjudged, and a wrong
// shape is refused, never coerced; and 9: what passes is delivered as it came.

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/trust/verdicts.h"

namespace gatehouse::trust {
namespace {

#define ASKED \
  R"({"messages":[{"role":"user","content":{"type":"text","text":"?"}}],"maxTokens":9)"
constexpr std::string_view kPlain = ASKED "}";
constexpr std::string_view kWithTools =
    ASKED R"(,"tools":[{"name":"w","inputSchema":{}}]})";
constexpr std::string_view kNoTools = ASKED
    R"(,"tools":[{"name":"w","inputSchema":{}}],"toolChoice":{"mode":"none"}})";
constexpr std::string_view kMustUse = ASKED
    R"(,"tools":[{"name":"w","inputSchema":{}}],"toolChoice":{"mode":"required"}})";

#define TEXT R"({"type":"text","text":"t"})"
#define USE R"({"type":"tool_use","id":"1","name":"w","input":{}})"
#define RESULT(content) \
  R"({"role":"assistant","model":"m","content":)" content "}"
#define RESULT_WITH(content, more) \
  R"({"role":"assistant","model":"m","content":)" content "," more "}"

struct ResultCase {
  const char* name;
  std::string_view request;
  std::string_view result;
  const char* want;
  mcp::Revision upstream = k1125;
  mcp::Revision client = k1125;
};

class SamplingResultTest : public testing::TestWithParam<ResultCase> {};

TEST_P(SamplingResultTest, ReachesTheListedOutcome) {
  ResponseFacts facts =
      Answered(kSampling, GetParam().request, GetParam().result);
  facts.upstream_revision = GetParam().upstream;
  facts.client_revision = GetParam().client;
  const ResponseVerdict verdict = JudgeResponse(OpenPolicy(), facts);
  EXPECT_EQ(Short(verdict), GetParam().want);
}

const ResultCase kCases[] = {
    {"a text is an answer", kPlain, RESULT(TEXT), "answered"},
    {"the role may be the user's", kPlain,
     R"({"role":"user","model":"m","content":)" TEXT "}", "answered"},
    {"an unknown stop reason passes", kPlain,
     RESULT_WITH(TEXT, R"("stopReason":"bored","x":1)"), "answered"},
    {"blocks in an array are an answer", kPlain, RESULT("[" TEXT "," TEXT "]"),
     "answered"},
    {"an array is none of a 2025-06-18 client", kPlain, RESULT("[" TEXT "]"),
     "invalid: invalid_response /content", k1125, k0618},
    {"several blocks do not fit a 2025-06-18 upstream", kPlain,
     RESULT("[" TEXT "," TEXT "]"), "invalid: not_representable /content",
     k0618, k1125},
    {"one block in an array fits a 2025-06-18 upstream", kPlain,
     RESULT("[" TEXT "]"), "answered", k0618, k1125},
    {"a missing model is refused", kPlain,
     R"({"role":"assistant","content":)" TEXT "}",
     "invalid: invalid_response /model"},
    {"a model that is a number is refused", kPlain,
     R"({"role":"assistant","model":4,"content":)" TEXT "}",
     "invalid: invalid_response /model"},
    {"a missing role is refused", kPlain, R"({"model":"m","content":)" TEXT "}",
     "invalid: invalid_response /role"},
    {"another role is refused", kPlain,
     R"({"role":"nobody","model":"m","content":42})",
     "invalid: invalid_response /role"},
    {"missing content is refused", kPlain, R"({"role":"user","model":"m"})",
     "invalid: invalid_response /content"},
    {"content that is a number is refused", kPlain, RESULT("42"),
     "invalid: invalid_response /content"},
    {"a stop reason that is a number is refused", kPlain,
     RESULT_WITH(TEXT, R"("stopReason":1)"),
     "invalid: invalid_response /stopReason"},
    {"_meta that is a text is refused", kPlain,
     RESULT_WITH(TEXT, R"("_meta":"x")"), "invalid: invalid_response /_meta"},
    {"a tool use nobody offered is refused", kPlain, RESULT(USE),
     "invalid: invalid_response /content"},
    {"stop reason toolUse without tools is refused", kPlain,
     RESULT_WITH(TEXT, R"("stopReason":"toolUse")"),
     "invalid: invalid_response /stopReason"},
    {"a tool that was offered is used", kWithTools,
     RESULT_WITH("[" TEXT "," USE "]", R"("stopReason":"toolUse")"),
     "answered"},
    {"another tool than those offered is refused", kWithTools,
     RESULT(R"({"type":"tool_use","id":"1","name":"rm","input":{}})"),
     "invalid: invalid_response /content/name"},
    {"a tool use without an object as its input is refused", kWithTools,
     RESULT(R"({"type":"tool_use","id":"1","name":"w","input":[]})"),
     "invalid: invalid_response /content/input"},
    {"the same tool use id twice is refused", kWithTools,
     RESULT("[" USE "," USE "]"), "invalid: invalid_response /content/1/id"},
    {"a tool use of the user's is refused", kWithTools,
     R"({"role":"user","model":"m","content":)" USE "}",
     "invalid: invalid_response /role"},
    {"a tool result is no completion", kWithTools,
     RESULT(R"({"type":"tool_result","toolUseId":"1","content":[]})"),
     "invalid: invalid_response /content"},
    {"tool choice none is honoured", kNoTools, RESULT(USE),
     "invalid: invalid_response /content"},
    {"tool choice none with a text is an answer", kNoTools, RESULT(TEXT),
     "answered"},
    {"tool choice required is honoured", kMustUse, RESULT(TEXT),
     "invalid: invalid_response /content"},
    {"tool choice required may run out of tokens", kMustUse,
     RESULT_WITH(TEXT, R"("stopReason":"maxTokens")"), "answered"},
    {"tool choice required with a tool use is an answer", kMustUse, RESULT(USE),
     "answered"},
    {"broken JSON is refused", kPlain, R"({"role":)",
     "invalid: invalid_response"},
    {"a duplicate key is refused", kPlain,
     R"({"role":"user","role":"assistant"})",
     "invalid: invalid_response /role"},
    {"a result that is a text is refused", kPlain, R"("Paris")",
     "invalid: invalid_response"},
};

INSTANTIATE_TEST_SUITE_P(Results, SamplingResultTest, testing::ValuesIn(kCases),
                         [](const auto& c) { return TestName(c.param.name); });

TEST(SamplingDeliveryTest, AnAnswerIsDeliveredAsItCame) {
  const std::string result =
      "{ \"x\":1.50,\"role\":\"assistant\" ,\n\"model\":\"m\",\"content\":" TEXT
      R"(,"n":12345678901234567890,"_meta":{"a":"\u0041"} })";
  const ResponseVerdict verdict =
      JudgeResponse(OpenPolicy(), Answered(kSampling, kPlain, result));
  ASSERT_EQ(Short(verdict), "answered");
  EXPECT_EQ(*verdict.result, result);
}

TEST(SamplingDeliveryTest, ASingleBlockLosesItsArrayForAnOlderUpstream) {
  ResponseFacts facts =
      Answered(kSampling, kPlain, RESULT_WITH("[ " TEXT " ]", R"("x":[1])"));
  facts.upstream_revision = k0618;
  const ResponseVerdict verdict = JudgeResponse(OpenPolicy(), facts);
  ASSERT_EQ(Short(verdict), "answered");
  EXPECT_EQ(*verdict.result, RESULT_WITH(TEXT, R"("x":[1])"));
}

TEST(ResponseSizeTest, TheLimitHolds) {
  policy::VirtualServer policy = OpenPolicy();
  const std::string_view result = RESULT(TEXT);
  policy.limits.input_response_bytes = static_cast<int64_t>(result.size());
  EXPECT_EQ(Short(JudgeResponse(policy, Answered(kSampling, kPlain, result))),
            "answered");
  policy.limits.input_response_bytes -= 1;
  EXPECT_EQ(Short(JudgeResponse(policy, Answered(kSampling, kPlain, result))),
            "invalid: too_large");
}

TEST(ResponseSizeTest, WhatWasTooLargeToBeSentIsRefusedWithTheLimit) {
  ResponseFacts facts;
  facts.method = kSampling;
  facts.request_params = kPlain;
  facts.oversized_bytes = 2'000'000;
  const ResponseVerdict verdict = JudgeResponse(OpenPolicy(), facts);
  ASSERT_EQ(Short(verdict), "invalid: too_large");
  EXPECT_EQ(verdict.failure->reason, Reason::kResponseTooLarge);
  EXPECT_EQ(DataOf(*verdict.failure),
            R"({"reason":"too_large","limit":1048576,"size":2000000})");
}

TEST(ResponseShapeTest, NeitherResultNorErrorIsNoAnswer) {
  ResponseFacts facts;
  facts.method = kSampling;
  facts.request_params = kPlain;
  EXPECT_EQ(Short(JudgeResponse(OpenPolicy(), facts)),
            "invalid: invalid_response");
}

TEST(ResponseShapeTest, ResultBesideErrorIsNoAnswer) {
  ResponseFacts facts = Answered(kSampling, kPlain, RESULT(TEXT));
  facts.error = R"({"code":1,"message":"m"})";
  EXPECT_EQ(Short(JudgeResponse(OpenPolicy(), facts)),
            "invalid: invalid_response");
}

}  // namespace
}  // namespace gatehouse::trust
