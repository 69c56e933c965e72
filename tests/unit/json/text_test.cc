#include "shared/json/text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace gatehouse::json {
namespace {

struct NumberCase {
  const char* name;
  const char* text;
  size_t want;  // 0: none
};

class NumberLengthTest : public testing::TestWithParam<NumberCase> {};

TEST_P(NumberLengthTest, FollowsTheGrammar) {
  EXPECT_EQ(NumberLength(GetParam().text, 0).value_or(0), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, NumberLengthTest,
    testing::ValuesIn<NumberCase>({{"Zero", "0", 1},
                                   {"UpToAComma", "12,3", 2},
                                   {"UpToABrace", "-1.5e+3}", 7},
                                   {"UpToASpace", "7 ", 1},
                                   {"NotALeadingZero", "007", 0},
                                   {"NotAColonBehind", "7:", 0},
                                   {"NotAWord", "true", 0},
                                   {"NotNothing", "", 0},
                                   {"NotAPointAlone", "1.e5", 0}}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(NumberLengthTest, StartsWhereItIsTold) {
  EXPECT_EQ(NumberLength("[12]", 1), 2u);
  EXPECT_EQ(NumberLength("[12]", 4), std::nullopt);
}

// Every one- and two-byte text, and each lead byte of longer sequences against
// every second byte: compared with the definition of UTF-8 by code point.
bool IsUtf8ByDefinition(unsigned char a, unsigned char b) {
  if (a < 0x80) return b < 0x80;
  const uint32_t code_point = (a & 0x1Fu) << 6 | (b & 0x3Fu);
  return a >> 5 == 6 && b >> 6 == 2 && code_point >= 0x80;
}

TEST(Utf8Test, AgreesWithTheDefinitionOnEveryPairOfBytes) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string text{static_cast<char>(a), static_cast<char>(b)};
      EXPECT_EQ(IsUtf8(text), IsUtf8ByDefinition(static_cast<unsigned char>(a),
                                                 static_cast<unsigned char>(b)))
          << a << " " << b;
    }
  }
}

struct Utf8Case {
  const char* name;
  const char* text;
  size_t want;  // of the first sequence; 0: invalid
};

class Utf8LengthTest : public testing::TestWithParam<Utf8Case> {};

TEST_P(Utf8LengthTest, HoldsAtTheEdges) {
  EXPECT_EQ(Utf8Length(GetParam().text, 0), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Edges, Utf8LengthTest,
    testing::ValuesIn<Utf8Case>({{"FirstOfThreeBytes", "\xE0\xA0\x80", 3},
                                 {"OverlongThreeBytes", "\xE0\x9F\xBF", 0},
                                 {"LastBeforeSurrogates", "\xED\x9F\xBF", 3},
                                 {"FirstSurrogate", "\xED\xA0\x80", 0},
                                 {"LastSurrogate", "\xED\xBF\xBF", 0},
                                 {"FirstAfterSurrogates", "\xEE\x80\x80", 3},
                                 {"FirstOfFourBytes", "\xF0\x90\x80\x80", 4},
                                 {"OverlongFourBytes", "\xF0\x8F\xBF\xBF", 0},
                                 {"LastOfAll", "\xF4\x8F\xBF\xBF", 4},
                                 {"BeyondTheLast", "\xF4\x90\x80\x80", 0},
                                 {"CutShort", "\xF0\x90\x80", 0},
                                 {"LeadByteF5", "\xF5\x80\x80\x80", 0}}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Utf8Test, ReplacementKeepsWhatIsValid) {
  EXPECT_EQ(WithValidUtf8("\xC3\xA9\x80z"), "\xC3\xA9\uFFFDz");
  EXPECT_EQ(WithValidUtf8(""), "");
}

}  // namespace
}  // namespace gatehouse::json
