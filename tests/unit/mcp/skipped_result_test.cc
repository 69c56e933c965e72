// Invariants 1 and 9: an upstream's result passes by its outside, unread and
// unchanged; whatever it asks or reports besides is read whole, for it is
// judged.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "shared/mcp/envelope.h"

namespace gatehouse::mcp {
namespace {

constexpr EnvelopeLimits kUpstream = {
    .max_bytes = 16 << 20, .max_depth = 512, .skip_results = true};

struct MessageCase {
  const char* name;
  std::string text;
  int32_t code;  // 0: it is read
};

class UpstreamMessageTest : public testing::TestWithParam<MessageCase> {};

TEST_P(UpstreamMessageTest, IsReadOrRefusedAsListed) {
  const absl::StatusOr<Envelope> got =
      ParseEnvelope(GetParam().text, kUpstream);
  EXPECT_EQ(got.ok() ? 0 : CodeOf(got.status()), GetParam().code)
      << got.status();
}

// What a reader of everything would refuse, deep enough to be skipped.
constexpr std::string_view kDeep = R"({"x":{"y":[01,,nul]}})";

std::string With(std::string_view members) {
  return R"({"jsonrpc":"2.0","id":1,)" + std::string(members) +
         std::string(kDeep) + "}";
}

INSTANTIATE_TEST_SUITE_P(
    Messages, UpstreamMessageTest,
    testing::ValuesIn<MessageCase>({
        {"AResultIsSkipped", With(R"("result":)"), 0},
        {"ARequestIsRead", With(R"("method":"roots/list","params":)"),
         kParseError},
        {"AnErrorIsRead", With(R"("error":)"), kParseError},
        {"ANotificationIsRead",
         R"({"jsonrpc":"2.0","method":"a","params":)" + std::string(kDeep) +
             "}",
         kParseError},
        {"ARequestInAResult",
         R"({"jsonrpc":"2.0","id":1,"method":"roots/list","result":{}})",
         kInvalidRequest},
        {"ARequestBehindAComment",
         R"({"jsonrpc":"2.0","id":1,"result":{"a":{"b":[/*"*/ ]}},)"
         R"("method":"roots/list","params":{"c":{"d":[ /*"*/]}}})",
         kParseError},
        {"AResultAndAnError", With(R"("result":{},"error":)"), kInvalidRequest},
        {"AResultTwice", With(R"("result":{},"r\u0065sult":)"), kParseError},
        {"ABatch", R"([{"jsonrpc":"2.0","id":1,"result":{}}])",
         kInvalidRequest},
        {"NoMessage", "hello", kParseError},
        {"Nothing", "  ", kParseError},
        {"ALoneSurrogateInAResult",
         R"({"jsonrpc":"2.0","id":1,"result":{"a":[["\udc00"]]}})",
         kParseError},
    }),
    [](const auto& c) { return std::string(c.param.name); });

struct TypeCase {
  const char* name;
  const char* result;
  const char* type;
};

class ResultTypeTest : public testing::TestWithParam<TypeCase> {};

TEST_P(ResultTypeTest, IsTheLexemeHoweverTheResultIsRead) {
  const std::string text = std::string(R"({"jsonrpc":"2.0","id":1,"result":)") +
                           GetParam().result + "}";
  const absl::StatusOr<Envelope> skipped = ParseEnvelope(text, kUpstream);
  const absl::StatusOr<Envelope> whole = ParseEnvelope(text);
  ASSERT_TRUE(skipped.ok()) << skipped.status();
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(skipped->result_type, GetParam().type);
  EXPECT_EQ(whole->result_type, GetParam().type);
  EXPECT_EQ(skipped->result, GetParam().result);
}

INSTANTIATE_TEST_SUITE_P(
    Results, ResultTypeTest,
    testing::ValuesIn<TypeCase>({
        {"Absent", R"({"content":[]})", ""},
        {"Complete", R"({"resultType":"complete"})", R"("complete")"},
        {"BehindEverythingElse",
         R"({"content":[{"text":"{}"}], "resultType" : "input_required" })",
         R"("input_required")"},
        {"ByAnEscape", R"({"result\u0054ype":"task"})", R"("task")"},
        {"OfAnotherKind", R"({"resultType":{"a":[1]}})", R"({"a":[1]})"},
        {"DeeperIsNone", R"({"content":[{"resultType":"task"}]})", ""},
        {"InNoObject", R"([{"resultType":"task"}])", ""},
    }),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace gatehouse::mcp
