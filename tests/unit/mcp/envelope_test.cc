// The JSON-RPC envelope. Invariant 4, judge, never repair: a message that two
// readers could take for two different ones is refused. Invariant 9, bytes pass
// unchanged: ids, params and results are views of what was written.

#include "shared/mcp/envelope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "shared/json/json.h"

namespace gatehouse::mcp {
namespace {

std::string Repeat(std::string_view text, size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  for (size_t i = 0; i < times; ++i) all.append(text);
  return all;
}

struct MessageCase {
  const char* name;
  std::string text;
  Envelope want;
};

class MessageTest : public testing::TestWithParam<MessageCase> {};

TEST_P(MessageTest, IsReadByItsMembers) {
  const absl::StatusOr<Envelope> got = ParseEnvelope(GetParam().text);
  ASSERT_TRUE(got.ok()) << got.status();
  const Envelope& want = GetParam().want;
  EXPECT_EQ(got->kind, want.kind);
  EXPECT_EQ(got->id, want.id);
  EXPECT_EQ(got->method, want.method);
  EXPECT_EQ(got->params, want.params);
  EXPECT_EQ(got->result, want.result);
  EXPECT_EQ(got->error, want.error);
}

constexpr MessageKind kRequest = MessageKind::kRequest;
constexpr MessageKind kNotification = MessageKind::kNotification;
constexpr MessageKind kResult = MessageKind::kResult;
constexpr MessageKind kError = MessageKind::kError;

INSTANTIATE_TEST_SUITE_P(
    Kinds, MessageTest,
    testing::ValuesIn<MessageCase>({
        {"ARequest",
         R"( {"jsonrpc":"2.0", "id" : 0 ,"method":"tools/call",)"
         R"("params": {"a":[1e400, "\u0000"]} } )",
         {kRequest, "0", "tools/call", R"({"a":[1e400, "\u0000"]})", "", ""}},
        {"ARequestWithAStringId",
         R"({"method":"ping","id":"1","jsonrpc":"2.0"})",
         {kRequest, "\"1\"", "ping", "", "", ""}},
        {"AnIdKeepsItsEscapes",
         R"({"jsonrpc":"2.0","id":"\u0061","method":"ping"})",
         {kRequest, R"("\u0061")", "ping", "", "", ""}},
        {"AnIdKeepsItsDigits",
         R"({"jsonrpc":"2.0","id":12345678901234567890123,"method":"ping"})",
         {kRequest, "12345678901234567890123", "ping", "", "", ""}},
        {"MinusZeroIsAnInteger",
         R"({"jsonrpc":"2.0","id":-0,"method":"ping"})",
         {kRequest, "-0", "ping", "", "", ""}},
        {"AnEmptyStringIsAnId",
         R"({"jsonrpc":"2.0","id":"","method":"ping"})",
         {kRequest, "\"\"", "ping", "", "", ""}},
        {"EscapedNamesAndValuesAreDecoded",
         R"({"json\u0072pc":"2\u002e0","\u006dethod":"\u0070ing","id":1})",
         {kRequest, "1", "ping", "", "", ""}},
        {"AMethodBeyondAsciiIsDecoded",
         R"({"jsonrpc":"2.0","method":"\u00e9\u20ac\ud83d\ude00\n"})",
         {kNotification, "", "\u00e9\u20ac\U0001F600\n", "", "", ""}},
        {"ANotification",
         R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{}})",
         {kNotification, "", "notifications/cancelled", "{}", "", ""}},
        {"AResult",
         R"({"jsonrpc":"2.0","id":7,"result":{"content":[] , "x":{"y":1}}})",
         {kResult, "7", "", "", R"({"content":[] , "x":{"y":1}})", ""}},
        {"AResultThatIsNoObjectIsForTheJudge",
         R"({"jsonrpc":"2.0","id":7,"result":null})",
         {kResult, "7", "", "", "null", ""}},
        {"AnError",
         R"({"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":"no"}})",
         {kError, "\"a\"", "", "", "", R"({"code":-1,"message":"no"})"}},
        {"AnErrorWithoutAnId",
         R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"bad"}})",
         {kError, "", "", "", "", R"({"code":-32700,"message":"bad"})"}},
        {"AnErrorWithANullId",
         R"({"jsonrpc":"2.0","id":null,"error":{}})",
         {kError, "", "", "", "", "{}"}},
        {"UnknownMembersPass",
         R"({"jsonrpc":"2.0","id":1,"method":"ping","param\u017f":{},"x":[]})",
         {kRequest, "1", "ping", "", "", ""}},
        {"OneNameInTwoPlacesPasses",
         R"({"jsonrpc":"2.0","id":1,"result":{"id":2,"result":{"id":3}}})",
         {kResult, "1", "", "", R"({"id":2,"result":{"id":3}})", ""}},
    }),
    [](const auto& row) { return std::string(row.param.name); });

struct RefusalCase {
  const char* name;
  std::string text;
  int32_t want;
};

class EnvelopeRefusalTest : public testing::TestWithParam<RefusalCase> {};

TEST_P(EnvelopeRefusalTest, CarriesItsJsonRpcCode) {
  const absl::StatusOr<Envelope> envelope = ParseEnvelope(GetParam().text);
  ASSERT_FALSE(envelope.ok());
  EXPECT_EQ(envelope.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf(envelope.status()), GetParam().want) << envelope.status();
}

std::string CaseName(const testing::TestParamInfo<RefusalCase>& row) {
  return row.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    NoJsonRpc, EnvelopeRefusalTest,
    testing::ValuesIn<RefusalCase>({
        {"ABatch", R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])",
         kInvalidRequest},
        {"AnEmptyBatch", "[]", kInvalidRequest},
        {"AString", R"("ping")", kInvalidRequest},
        {"ANumberBeyondDouble", "1e400", kInvalidRequest},
        {"AnEmptyObject", "{}", kInvalidRequest},
        {"NoVersion", R"({"id":1,"method":"ping"})", kInvalidRequest},
        {"AVersionAsANumber", R"({"jsonrpc":2.0,"id":1,"method":"ping"})",
         kInvalidRequest},
        {"AnotherVersion", R"({"jsonrpc":"2.00","id":1,"method":"ping"})",
         kInvalidRequest},
        {"ANullId", R"({"jsonrpc":"2.0","id":null,"method":"ping"})",
         kInvalidRequest},
        {"AFractionAsId", R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})",
         kInvalidRequest},
        {"AWholeFractionAsId", R"({"jsonrpc":"2.0","id":1.0,"method":"ping"})",
         kInvalidRequest},
        {"AnExponentAsId", R"({"jsonrpc":"2.0","id":1e3,"method":"ping"})",
         kInvalidRequest},
        {"TrueAsId", R"({"jsonrpc":"2.0","id":true,"method":"ping"})",
         kInvalidRequest},
        {"AnObjectAsId", R"({"jsonrpc":"2.0","id":{},"method":"ping"})",
         kInvalidRequest},
        {"AnIdOverItsBound",
         R"({"jsonrpc":"2.0","method":"ping","id":")" + Repeat("x", 511) +
             "\"}",
         kInvalidRequest},
        {"AMethodAsANumber", R"({"jsonrpc":"2.0","id":1,"method":7})",
         kInvalidRequest},
        {"ANullMethod", R"({"jsonrpc":"2.0","id":1,"method":null})",
         kInvalidRequest},
        {"NamesAreExact", R"({"jsonrpc":"2.0","id":1,"Method":"ping"})",
         kInvalidRequest},
        {"AFoldedNameIsNoMethod",
         "{\"jsonrpc\":\"2.0\",\"id\":1,\"re\u017Fult\":{}}", kInvalidRequest},
        {"ResultBesideError",
         R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})", kInvalidRequest},
        {"ResultBesideMethod",
         R"({"jsonrpc":"2.0","id":1,"result":{},"method":"ping"})",
         kInvalidRequest},
        {"AResultWithoutAnId", R"({"jsonrpc":"2.0","result":{}})",
         kInvalidRequest},
        {"AResultWithANullId", R"({"jsonrpc":"2.0","id":null,"result":{}})",
         kInvalidRequest},
        {"AnErrorWithAFractionAsId", R"({"jsonrpc":"2.0","id":0.5,"error":{}})",
         kInvalidRequest},
    }),
    CaseName);

INSTANTIATE_TEST_SUITE_P(
    NoJson, EnvelopeRefusalTest,
    testing::ValuesIn<RefusalCase>({
        {"TheEmptyText", "", kParseError},
        {"AMethodTwice",
         R"({"jsonrpc":"2.0","method":"ping","\u006dethod":"tools/call"})",
         kParseError},
        {"AnUnknownMemberTwice",
         R"({"jsonrpc":"2.0","method":"ping","x":1,"x":1})", kParseError},
        {"AMemberOfTheResultTwice",
         R"({"jsonrpc":"2.0","id":1,"result":{"isError":true,)"
         R"("is\u0045rror":false}})",
         kParseError},
        {"ALeadingZeroInAnId", R"({"jsonrpc":"2.0","id":01,"method":"ping"})",
         kParseError},
        {"AByteOrderMark",
         "\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}", kParseError},
        {"GarbageBehindANul",
         std::string("{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}\0x", 35),
         kParseError},
        {"ANulInAString",
         std::string("{\"jsonrpc\":\"2.0\",\"method\":\"p\0g\"}", 32),
         kParseError},
        {"TwoMessages", R"({"jsonrpc":"2.0","method":"a"}{})", kParseError},
        {"ATrailingComma", R"({"jsonrpc":"2.0","method":"a",})", kParseError},
        {"AMebibyteOfBrackets", Repeat("[", 1 << 20), kParseError},
        {"AMebibyteOfBracketsInParams",
         R"({"jsonrpc":"2.0","method":"a","params":)" + Repeat("[", 1 << 20),
         kParseError},
        {"ABadBatchIsNoJsonFirst", "[{]", kParseError},
    }),
    CaseName);

// Deep inside params everything but duplicates is still checked, so that what
// is relayed is JSON for everyone.
class DeepTest : public testing::TestWithParam<std::pair<const char*, bool>> {};

TEST_P(DeepTest, AgreesWithTheStrictReader) {
  const auto& [inner, is_good] = GetParam();
  const std::string text =
      std::string(R"({"jsonrpc":"2.0","method":"a","params":{"x":[)") + inner +
      "]}}";
  const absl::StatusOr<Envelope> envelope = ParseEnvelope(text);
  EXPECT_EQ(envelope.ok(), is_good) << envelope.status();
  EXPECT_EQ(json::Document::Parse(text).ok(), is_good);
  if (!is_good) {
    EXPECT_EQ(CodeOf(envelope.status()), kParseError);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Texts, DeepTest,
    testing::Values(
        std::pair(R"({})", true), std::pair(R"([],[[]],{"a":{}})", true),
        std::pair(R"("\ud83d\ude00\b\f\n\r\t\/\\\"")", true),
        std::pair("\"\xED\x9F\xBF\xF4\x8F\xBF\xBF\x7F\"", true),
        std::pair("-0,0.5,1e400,2E-7", true),
        std::pair("true , false\t,\r\nnull", true),
        std::pair(R"("\udc00")", false), std::pair(R"("\ud800")", false),
        std::pair(R"("\ud800\u0041")", false), std::pair(R"("\ud800x")", false),
        std::pair(R"("\u00g0")", false), std::pair(R"("\x")", false),
        std::pair("\"\xED\xA0\x80\"", false), std::pair("\"\xC0\xAF\"", false),
        std::pair("\"\xFF\"", false), std::pair("\"\x1F\"", false),
        std::pair("\"open", false), std::pair("1,", false),
        std::pair(",1", false), std::pair("1,,2", false),
        std::pair("1 2", false), std::pair("{1:2}", false),
        std::pair(R"({"a"})", false), std::pair(R"({"a":})", false),
        std::pair(R"({"a":1,})", false), std::pair(R"({"a"::1})", false),
        std::pair(R"({"a":1]])", false), std::pair("[}", false),
        std::pair("NaN", false), std::pair("01", false),
        std::pair("1.2.3", false), std::pair("+1", false),
        std::pair("tru", false), std::pair("nulL", false),
        std::pair("truefalse", false), std::pair("/*c*/1", false)));

TEST(EnvelopeTest, DuplicatesDeeperAreLeftToTheStrictReader) {
  EXPECT_TRUE(
      ParseEnvelope(R"({"jsonrpc":"2.0","id":1,"result":{"x":{"a":1,"a":2}}})")
          .ok());
}

// PROTOCOL §13.1: two readers that disagree about such an object are a way
// around whoever judges by one of them.
class UniqueParamsTest
    : public testing::TestWithParam<std::pair<const char*, bool>> {};

TEST_P(UniqueParamsTest, AMemberTwiceAtAnyDepthOfParamsIsRefused) {
  const auto& [params, is_good] = GetParam();
  const std::string text =
      std::string(R"({"jsonrpc":"2.0","method":"a","params":)") + params + "}";
  EnvelopeLimits limits;
  EXPECT_TRUE(ParseEnvelope(text, limits).ok());
  limits.unique_params = true;
  const absl::StatusOr<Envelope> envelope = ParseEnvelope(text, limits);
  EXPECT_EQ(envelope.ok(), is_good) << envelope.status();
  if (!is_good) {
    EXPECT_EQ(CodeOf(envelope.status()), kParseError);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Texts, UniqueParamsTest,
    testing::Values(
        std::pair(R"({"a":1,"b":{"a":2,"b":3},"c":[{"a":1},{"a":1}]})", true),
        std::pair(R"({"a":"a","A":1,"":0,"\u0000":0})", true),
        std::pair(R"({})", true), std::pair(R"([{},{}])", true),
        std::pair(R"({"a":1,"a":1})", false),
        std::pair(R"({"a":1,"b":2,"a":3})", false),
        std::pair(R"({"a":1,"\u0061":2})", false),
        std::pair(R"({"\/":1,"/":2})", false),
        std::pair(R"({"":1,"":2})", false),
        std::pair(R"({"x":[{"y":{"z":0,"z":0}}]})", false),
        std::pair(R"({"a":{"b":1},"c":2,"a":3})", false),
        std::pair(R"([[{"k1":1,"k2":2,"k3":3,"k4":4,"k5":5,"k6":6,"k7":7,)"
                  R"("k8":8,"k9":9,"k5":0}]])",
                  false)));

TEST(EnvelopeTest, DepthIsCountedAsTheStrictReaderCountsIt) {
  const auto nested = [](size_t depth) {
    return R"({"jsonrpc":"2.0","id":1,"result":{"x":)" +
           Repeat("[", depth - 2) + Repeat("]", depth - 2) + "}}";
  };
  EXPECT_TRUE(ParseEnvelope(nested(64)).ok());
  EXPECT_TRUE(json::Document::Parse(nested(64)).ok());
  EXPECT_EQ(CodeOf(ParseEnvelope(nested(65)).status()), kParseError);
  EXPECT_FALSE(json::Document::Parse(nested(65)).ok());

  EnvelopeLimits limits;
  limits.max_depth = 1;
  const std::string flat = R"({"jsonrpc":"2.0","id":1,"result":)";
  EXPECT_TRUE(ParseEnvelope(flat + "0}", limits).ok());
  EXPECT_EQ(CodeOf(ParseEnvelope(flat + "{}}", limits).status()), kParseError);
  EXPECT_EQ(CodeOf(ParseEnvelope(flat + "[]}", limits).status()), kParseError);
}

TEST(EnvelopeTest, OverTheSizeIsResourceExhausted) {
  EnvelopeLimits limits;
  const std::string text = R"({"jsonrpc":"2.0","method":"a"})";
  limits.max_bytes = text.size();
  EXPECT_TRUE(ParseEnvelope(text, limits).ok());
  --limits.max_bytes;
  EXPECT_EQ(ParseEnvelope(text, limits).status().code(),
            absl::StatusCode::kResourceExhausted);
}

// Quadratic work over these members would take minutes.
TEST(EnvelopeTest, ManyMembersAreComparedInLinearTime) {
  std::string text = R"({"jsonrpc":"2.0","method":"a")";
  for (int i = 0; i < 150'000; ++i) {
    text.append(",\"m").append(std::to_string(i)).append("\":0");
  }
  EXPECT_TRUE(ParseEnvelope(text + "}").ok());
  EXPECT_EQ(CodeOf(ParseEnvelope(text + ",\"m7\":0}").status()), kParseError);
}

TEST(EnvelopeTest, OtherErrorsAreInternal) {
  EXPECT_EQ(CodeOf(absl::UnavailableError("elsewhere")), kInternalError);
}

TEST(IdTest, IsAnIntegerOrAStringLiteral) {
  for (const std::string& id :
       {std::string("0"), std::string("-0"), std::string("-12"),
        std::string("\"\""), std::string(R"("\u0061")"),
        "\"" + Repeat("x", 510) + "\"", Repeat("9", 512)}) {
    EXPECT_TRUE(IsValidId(id)) << id;
  }
  for (const std::string& id :
       {std::string(), std::string("null"), std::string("1.0"),
        std::string("1e3"), std::string("01"), std::string(" 1"),
        std::string("1 "), std::string("+1"), std::string("\""),
        std::string("\"a"), std::string("\"a\"b"), std::string("\"a\" "),
        std::string(" \"a\""), std::string("[]"), std::string("true"),
        "\"" + Repeat("x", 511) + "\"", Repeat("9", 513)}) {
    EXPECT_FALSE(IsValidId(id)) << id;
  }
}

}  // namespace
}  // namespace gatehouse::mcp
