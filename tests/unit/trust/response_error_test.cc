// What becomes of a client's error. Defends invariant 8 of the design: each
// failure has its own code and reason, and none says which machine, process,
// URL or library stood behind it.

#include "controlplane/trust/response_error.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/trust/verdicts.h"

namespace gatehouse::trust {
namespace {

struct ErrorCase {
  const char* name;
  std::string_view method;
  std::string_view error;
  const char* want;
  int32_t code;  // 0: the row's own
  const char* data;
};

class ClientErrorTest : public testing::TestWithParam<ErrorCase> {};

TEST_P(ClientErrorTest, ReachesTheListedOutcome) {
  ResponseFacts facts;
  facts.method = GetParam().method;
  facts.request_params = "{}";
  facts.error = GetParam().error;
  const ResponseVerdict verdict = JudgeResponse(OpenPolicy(), facts);
  EXPECT_EQ(Short(verdict), GetParam().want);
  ASSERT_TRUE(verdict.failure.has_value());
  EXPECT_EQ(verdict.failure->code.value_or(0), GetParam().code);
  EXPECT_EQ(DataOf(*verdict.failure), GetParam().data);
}

const ErrorCase kCases[] = {
    {"minus one for sampling is the user's no", kSampling,
     R"({"code":-1,"message":"User rejected sampling request"})",
     "declined: declined", -1, R"({"reason":"declined"})"},
    {"minus one for a form is an error like another", kElicitation,
     R"({"code":-1,"message":"no"})", "failed: client_error", -1,
     R"({"reason":"client_error","clientCode":-1})"},
    {"a code outside the reserved range passes", kSampling,
     R"({"code":4711,"message":"m"})", "failed: client_error", 4711,
     R"({"reason":"client_error","clientCode":4711})"},
    {"method not found becomes an internal error", kSampling,
     R"({"code":-32601,"message":"Method not found"})", "failed: client_error",
     -32603, R"({"reason":"client_error","clientCode":-32601})"},
    {"the lower end of the reserved range does not pass", kRoots,
     R"({"code":-32768,"message":"m"})", "failed: client_error", -32603,
     R"({"reason":"client_error","clientCode":-32768})"},
    {"just below the reserved range passes", kRoots,
     R"({"code":-32769,"message":"m"})", "failed: client_error", -32769,
     R"({"reason":"client_error","clientCode":-32769})"},
    {"the upper end of the reserved range does not pass", kRoots,
     R"({"code":-32000,"message":"m"})", "failed: client_error", -32603,
     R"({"reason":"client_error","clientCode":-32000})"},
    {"just above the reserved range passes", kRoots,
     R"({"code":-31999,"message":"m"})", "failed: client_error", -31999,
     R"({"reason":"client_error","clientCode":-31999})"},
    {"a code of the gateway's own does not pass", kRoots,
     R"({"code":-31001,"message":"m"})", "failed: client_error", -32603,
     R"({"reason":"client_error","clientCode":-31001})"},
    {"just beside the gateway's own range passes", kRoots,
     R"({"code":-31100,"message":"m"})", "failed: client_error", -31100,
     R"({"reason":"client_error","clientCode":-31100})"},
    {"a code that no JSON-RPC code can be does not pass", kRoots,
     R"({"code":5000000000,"message":"m"})", "failed: client_error", -32603,
     R"({"reason":"client_error","clientCode":5000000000})"},
    {"a code of more than 64 bits is not repeated", kRoots,
     R"({"code":99999999999999999999,"message":"m"})", "failed: client_error",
     -32603, R"({"reason":"client_error"})"},
    {"an error without a code is no answer", kSampling, R"({"message":"m"})",
     "invalid: invalid_response /code", 0,
     R"({"reason":"invalid_response","path":"/code"})"},
    {"an error whose code is a text is no answer", kSampling,
     R"({"code":"-1","message":"m"})", "invalid: invalid_response /code", 0,
     R"({"reason":"invalid_response","path":"/code"})"},
    {"an error without a message is no answer", kSampling, R"({"code":-1})",
     "invalid: invalid_response /message", 0,
     R"({"reason":"invalid_response","path":"/message"})"},
    {"an error that is a text is no answer", kSampling, R"("no")",
     "invalid: invalid_response", 0, R"({"reason":"invalid_response"})"},
    {"an error that cannot be read is no answer", kSampling, R"({"code":)",
     "invalid: invalid_response", 0, R"({"reason":"invalid_response"})"},
};

INSTANTIATE_TEST_SUITE_P(Errors, ClientErrorTest, testing::ValuesIn(kCases),
                         [](const auto& c) { return TestName(c.param.name); });

TEST(ClientErrorTest, TheMessageIsTheGatewaysWithTheClientsMasked) {
  ResponseFacts facts;
  facts.method = kElicitation;
  facts.request_params = "{}";
  facts.error = R"({"code":7,"message":"renderer at 10.0.0.7:80 broke",)"
                R"("data":{"stack":"/usr/lib/x.js"}})";
  const ResponseVerdict verdict = JudgeResponse(OpenPolicy(), facts);
  ASSERT_TRUE(verdict.failure.has_value());
  EXPECT_EQ(verdict.failure->message,
            "elicitation/create: the client answered with an error: renderer "
            "at [masked] broke");
  EXPECT_EQ(DataOf(*verdict.failure),
            R"({"reason":"client_error","clientCode":7,)"
            R"("clientData":{"stack":"[masked]"}})");
}

TEST(MaskedDataTest, KeepsShapesAndMasksTexts) {
  struct DataCase {
    const char* data;
    const char* want;  // empty: nothing may be shown
  };
  const DataCase kData[] = {
      {R"({"retry":true,"after":1.50,"why":["see /etc/passwd",null]})",
       R"({"retry":true,"after":1.50,"why":["see [masked]",null]})"},
      {R"("10.0.0.1:80")", R"("[masked]")"},
      {"5", "5"},
      {"4111111111111111", R"("[masked]")"},
      {R"({"phone":15550109999,"n":[123456,12345,1.5e10]})",
       R"({"phone":"[masked]","n":["[masked]",12345,1.5e10]})"},
      {R"({"4111111111111111":true})", ""},
      {R"({"ghp_abcdef0123456789":1})", ""},
      {R"({"/home/kit":1})", ""},
      {R"({"":1})", ""},
      {"[[[[[[[[1]]]]]]]]", ""},
      {"[[[[[[[1]]]]]]]", "[[[[[[[1]]]]]]]"},
  };
  for (const DataCase& c : kData) {
    EXPECT_EQ(MaskedData(json::Document::Parse(c.data)->root()), c.want)
        << c.data;
  }
  std::string many = "[0";
  for (int i = 0; i < 62; ++i) many += ",0";
  EXPECT_EQ(MaskedData(json::Document::Parse(many + "]")->root()), many + "]");
  EXPECT_EQ(MaskedData(json::Document::Parse(many + ",0]")->root()), "");
}

TEST(MaskedTextTest, HidesWhatNamesAMachineOrASecret) {
  struct MaskCase {
    const char* text;
    const char* want;
  };
  const MaskCase kTexts[] = {
      {"User rejected sampling request", "User rejected sampling request"},
      {"no roots today", "no roots today"},
      {"", ""},
      {"mail me@example.com now", "mail [masked] now"},
      {"see https://internal:8443/x", "see [masked]"},
      {"open /etc/passwd failed", "open [masked] failed"},
      {"C:\\Users\\x", "[masked]"},
      {"connect 127.0.0.1 refused", "connect [masked] refused"},
      {"host db:5432 down", "host [masked] down"},
      {"card 4111111111111111", "card [masked]"},
      {"key sk-abcdefghijklmnop1234", "key [masked]"},
      {"card 4111 1111 1111 1111 or 4111-1111-1111-1111",
       "card [masked] [masked] [masked] [masked] or [masked]"},
      {"card ４１１１１１１１１１１１１１１１", "card [masked]"},
      {"call +1-555-010-9999, or (555) 010 9999",
       "call [masked] or [masked] [masked] [masked]"},
      {"ssn 123-45-6789", "ssn [masked]"},
      {"host fe80::1 and 2001:db8::ff:a", "host [masked] and [masked]"},
      {"with pw=hunter2 or ghp_abc or xoxb-1",
       "with [masked] or [masked] or [masked]"},
      {"user＠example.com", "[masked]"},
      {"tried 3 of 5 in 1200 ms", "tried 3 of 5 in 1200 ms"},
      {"version 1.2 of 3", "version 1.2 of 3"},
      {"internationalisations stay", "internationalisations stay"},
      {"line\nbreak\ttab", "line break tab"},
      {"right\u202Eleft", "right left"},
      {"zero\u200Bwidth", "zero width"},
      {"Ü and 漢字 stay", "Ü and 漢字 stay"},
  };
  for (const MaskCase& c : kTexts) {
    EXPECT_EQ(MaskedText(c.text), c.want) << c.text;
  }
}

TEST(MaskedTextTest, IsBoundedAndNeverCutsACharacter) {
  std::string words;
  for (int i = 0; i < 2000; ++i) words += "äö ";
  const std::string masked = MaskedText(words);
  EXPECT_LE(masked.size(), 256U);
  EXPECT_GT(masked.size(), 240U);
  EXPECT_EQ(masked.substr(masked.size() - 4), "äö");
  // One endless word is left out altogether.
  EXPECT_EQ(MaskedText(std::string(5000, 'x')), "");
}

}  // namespace
}  // namespace gatehouse::trust
