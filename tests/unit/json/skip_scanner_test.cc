// Invariant 9, bytes pass unchanged, and 4, judge, never repair: what is
// relayed unread has one outside that every reader sees alike.

#include "shared/json/skip_scanner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared/json/block.h"
#include "shared/json/json.h"

namespace gatehouse::json {
namespace {

std::string Repeat(std::string_view text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all.append(text);
  return all;
}

using Pair = std::pair<std::string, std::string>;

std::vector<Pair> Pairs(const std::vector<SkippedMember>& members) {
  std::vector<Pair> pairs;
  for (const SkippedMember& member : members) {
    pairs.emplace_back(member.name, member.value);
  }
  return pairs;
}

template <typename C>
std::string CaseName(const C& c) {
  return c.param.name;
}

struct SpanCase {
  const char* name;
  std::string text;
  std::vector<Pair> members;
  std::vector<Pair> opened;
};

class SpanTest : public testing::TestWithParam<SpanCase> {};

TEST_P(SpanTest, EveryMemberOfTheTwoLevelsHasItsBytes) {
  const absl::StatusOr<SkippedObject> got = SkipScan(GetParam().text, "result");
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(Pairs(got->members()), GetParam().members);
  EXPECT_EQ(Pairs(got->opened()), GetParam().opened);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, SpanTest,
    testing::ValuesIn<SpanCase>({
        {"AnEmptyObject", " {\r\n\t} ", {}, {}},
        {"Scalars",
         R"({"a":1,"b":-0.5e+7,"c":"x\"y","d":true,"e":false,"f":null})",
         {{"a", "1"},
          {"b", "-0.5e+7"},
          {"c", R"("x\"y")"},
          {"d", "true"},
          {"e", "false"},
          {"f", "null"}},
         {}},
        {"SpaceAroundBelongsToNoMember",
         "{ \"a\" :\t[ 1 ]\r\n, \"b\" : {\"c\":0} }",
         {{"a", "[ 1 ]"}, {"b", R"({"c":0})"}},
         {}},
        {"TheMembersOfTheResultToo",
         R"({"id":7,"result":{"content":[{"type":"text"}],"isError":false}})",
         {{"id", "7"},
          {"result", R"({"content":[{"type":"text"}],"isError":false})"}},
         {{"content", R"([{"type":"text"}])"}, {"isError", "false"}}},
        {"AResultWithinTheResultIsNotOpened",
         R"({"result":{"result":{"a":1}}})",
         {{"result", R"({"result":{"a":1}})"}},
         {{"result", R"({"a":1})"}}},
        {"AResultThatIsNoObjectHasNoMembers",
         R"({"result":[{"a":1}]})",
         {{"result", R"([{"a":1}])"}},
         {}},
        {"NamesAreDecoded",
         R"({"\u0072esult":{"resultTyp\u0065":"complete","\ud83d\ude00":1}})",
         {{"result", R"({"resultTyp\u0065":"complete","\ud83d\ude00":1})"}},
         {{"resultType", R"("complete")"}, {"\xF0\x9F\x98\x80", "1"}}},
        {"BracketsAndQuotesInStringsAreText",
         R"({"a":["}]\"\\",{"b":"[{\\\""}],"c":0})",
         {{"a", R"(["}]\"\\",{"b":"[{\\\""}])"}, {"c", "0"}},
         {}},
    }),
    CaseName<testing::TestParamInfo<SpanCase>>);

// Where a block ends must not matter. Blocks are counted from a container's
// bracket, so the space behind it puts each byte before, on and behind an edge.
TEST(SkipScannerTest, AnswersAlikeWhereverTheBlocksEnd) {
  const std::string_view inner[] = {
      R"(["\\","\"]","\\\"[",{"k":"\u00e9\ud83d\ude00\"]"}])",
      R"([[{"a":[]},"\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\"]])",
      "[\"\xC3\xA9\",\"\xF0\x9F\x98\x80 }\",{\"b\":[1, 2 ,\t3]}]"};
  for (const std::string_view value : inner) {
    for (size_t space = 0; space < 2 * kBlockBytes; ++space) {
      std::string moved(value);
      moved.insert(1, space, ' ');
      const std::string text = R"({"a":)" + moved + R"(,"b":"x\n"})";
      const absl::StatusOr<SkippedObject> got = SkipScan(text, "result");
      ASSERT_TRUE(got.ok()) << space << " " << got.status();
      ASSERT_EQ(got->members().size(), 2U);
      EXPECT_EQ(got->members()[0].value, moved) << space;
      EXPECT_EQ(got->members()[1].value, R"("x\n")") << space;
    }
  }
}

struct RefusedCase {
  const char* name;
  std::string text;
  const char* why;
};

class RefusedTest : public testing::TestWithParam<RefusedCase> {};

TEST_P(RefusedTest, SaysWhyAndTheStrictReaderRefusesItToo) {
  const absl::Status got = SkipScan(GetParam().text, "result").status();
  EXPECT_EQ(got.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(got.message()), testing::HasSubstr(GetParam().why));
  EXPECT_FALSE(Document::Parse(GetParam().text, {.max_depth = 512}).ok());
}

std::string InResult(std::string_view value) {
  return R"({"result":{"x":)" + std::string(value) + "}}";
}

INSTANTIATE_TEST_SUITE_P(
    Shallow, RefusedTest,
    testing::ValuesIn<RefusedCase>({
        {"Nothing", "", "expected an object"},
        {"AByteOrderMark", "\xEF\xBB\xBF{}", "expected an object"},
        {"NoEnd", "{", "expected a string"},
        {"TextAfterIt", "{} x", "text after"},
        {"NulAfterIt", std::string("{}\0", 3), "text after"},
        {"ATrailingComma", R"({"a":1,})", "expected a string"},
        {"ANameWithoutValue", R"({"a"})", "expected `:`"},
        {"TwoValues", R"({"a":1 2})", "expected `,`"},
        {"ALeadingZero", R"({"a":01})", "expected a value"},
        {"AWord", R"({"a":nul})", "expected a value"},
        {"NaN", R"({"result":{"a":NaN}})", "expected a value"},
        {"AControlByteInAName", "{\"a\x01\":1}", "control byte"},
        {"ALoneSurrogateInAName", R"({"\udc00":1})", "lone surrogate"},
        {"ALoneSurrogateInTheResultsMember", R"({"result":{"a":"\ud800"}})",
         "lone surrogate"},
        {"AMemberTwice", R"({"a":1,"a":2})", "stands twice"},
        {"AMemberTwiceByAnEscape", R"({"result":1,"r\u0065sult":2})",
         "stands twice"},
        {"AResultTypeTwice",
         R"({"result":{"resultType":"complete","resultTyp\u0065":"x"}})",
         "stands twice"},
        {"NotUtf8", "{\"a\":\"\xC0\xAF\"}", "not UTF-8"},
    }),
    CaseName<testing::TestParamInfo<RefusedCase>>);

INSTANTIATE_TEST_SUITE_P(
    Deep, RefusedTest,
    testing::ValuesIn<RefusedCase>({
        {"AnOpenString", InResult(R"(["a])"), "without its end"},
        {"AnOpenArray", InResult("["), "closes another"},
        {"ABracketOfTheOtherKind", InResult("[}"), "closes another"},
        {"CrossedBrackets", InResult("[{]}"), "closes another"},
        {"AControlByteInAString", InResult("[\"a\nb\"]"), "control byte"},
        {"AControlByteOutside", InResult("[\x01]"), "outside strings"},
        {"ANulByteOutside", InResult(std::string("[\0]", 3)),
         "outside strings"},
        {"AVerticalTab", InResult("[\v1]"), "outside strings"},
        {"LettersOutsideAscii", InResult("[\xC3\xA9]"), "outside strings"},
        {"AnUnknownEscape", InResult(R"(["\x"])"), "unknown escape"},
        {"AShortEscape", InResult(R"(["\u12"])"), "four hexadecimal"},
        {"ALoneSurrogate", InResult(R"(["\udc00"])"), "lone surrogate"},
        {"ALoneHighSurrogate", InResult(R"(["\ud800\n"])"), "lone surrogate"},
        {"ABackslashOutside", InResult(R"([\n])"), "outside strings"},
        {"InvalidUtf8", InResult("[\"\xED\xA0\x80\"]"), "not UTF-8"},
        // Readers that know comments would see other members than we do.
        {"AComment", InResult(R"([/*"*/ ]},"method":"x",{"a":[ /*"*/])"),
         "outside strings"},
        {"ALineComment", InResult("[1 #\n]"), "outside strings"},
        {"AStringInSingleQuotes", InResult(R"(['"'])"), "outside strings"},
        {"AStringInBackquotes", InResult("[`a`]"), "outside strings"},
        {"DeeperThanTheLimit", InResult(Repeat("[", 511) + Repeat("]", 511)),
         "too deep"},
        {"AMebibyteOfBrackets", Repeat("[", 1 << 20), "expected an object"},
        {"AMebibyteOfBracketsInTheResult", InResult(Repeat("[", 1 << 20)),
         "too deep"},
    }),
    CaseName<testing::TestParamInfo<RefusedCase>>);

// What the header says is left to the last reader.
TEST(SkipScannerTest, BelowTheTwoLevelsOnlyBracketsAndStringsAreRead) {
  for (const std::string_view value :
       {R"([1 2])", R"([,])", R"({"a" "b"})", R"([01])", R"([nul])",
        R"({"a":1,"a":2})", R"([1,])", "[--.e]"}) {
    EXPECT_TRUE(SkipScan(InResult(value), "result").ok()) << value;
    EXPECT_TRUE(SkipScan(R"({"x":)" + std::string(value) + "}", "result").ok())
        << value;
    EXPECT_FALSE(Document::Parse(InResult(value)).ok()) << value;
  }
}

TEST(SkipScannerTest, DepthIsCountedAsTheStrictReaderCountsIt) {
  for (const int max_depth : {1, 2, 3, 64, 512}) {
    for (const int depth : {max_depth, max_depth + 1}) {
      const auto inner = static_cast<size_t>(depth - 1);
      const std::string text = R"({"a":)" +
                               (inner == 0 ? "0" : Repeat("[", inner)) +
                               Repeat("]", inner) + "}";
      EXPECT_EQ(SkipScan(text, "result", {.max_depth = max_depth}).ok(),
                depth == max_depth);
      EXPECT_EQ(Document::Parse(text, {.max_depth = max_depth}).ok(),
                depth == max_depth);
    }
  }
  EXPECT_FALSE(SkipScan(R"({"a":)" + Repeat("[", 512) + Repeat("]", 512) + "}",
                        "result", {.max_depth = 100'000})
                   .ok());
}

TEST(SkipScannerTest, MembersOfBothLevelsAreBoundedTogether) {
  const std::string text = R"({"a":1,"result":{"b":1,"c":1}})";
  EXPECT_TRUE(SkipScan(text, "result", {.max_members = 4}).ok());
  EXPECT_FALSE(SkipScan(text, "result", {.max_members = 2}).ok());
}

TEST(SkipScannerTest, OverTheSizeIsResourceExhausted) {
  EXPECT_TRUE(SkipScan("{}", "result", {.max_bytes = 2}).ok());
  EXPECT_EQ(SkipScan("{ }", "result", {.max_bytes = 2}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

// Quadratic work over these members would take minutes.
TEST(SkipScannerTest, ManyMembersAreComparedInLinearTime) {
  std::string members = R"("m":0)";
  for (int i = 0; i < 150'000; ++i) {
    members.append(",\"m").append(std::to_string(i)).append("\":0");
  }
  EXPECT_TRUE(SkipScan("{" + members + "}", "result").ok());
  EXPECT_FALSE(SkipScan("{" + members + ",\"m7\":0}", "result").ok());
}

TEST(SkipScannerTest, AMovedObjectKeepsItsDecodedNames) {
  absl::StatusOr<SkippedObject> got = SkipScan(R"({"\u0061":1})", "result");
  ASSERT_TRUE(got.ok());
  const SkippedObject moved = *std::move(got);
  EXPECT_EQ(FindSkipped(moved.members(), "a"), "1");
  EXPECT_EQ(FindSkipped(moved.members(), "b"), std::nullopt);
}

}  // namespace
}  // namespace gatehouse::json
