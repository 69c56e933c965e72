// Numbers are compared as they were written. Defends invariant 4: what a double
// would round is not repaired into fitting a form.

#include "controlplane/trust/numbers.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace gatehouse::trust {
namespace {

json::Value Number(const char* lexeme) {
  absl::StatusOr<json::Document> document = json::Document::Parse(lexeme);
  EXPECT_TRUE(document.ok()) << lexeme;
  return document->root();
}

struct OrderCase {
  const char* less;
  const char* more;
};

TEST(NumbersTest, AreOrderedWithoutLoss) {
  const OrderCase kCases[] = {
      {"1", "2"},
      {"-2", "-1"},
      {"-1", "0"},
      {"9007199254740992", "9007199254740993"},
      {"0.1", "0.10000000000000000000000000000000000001"},
      {"1e400", "1e401"},
      {"-1e401", "-1e400"},
      {"1e-400", "1e-399"},
      {"0", "1e-400"},
      {"-1e-400", "0"},
      {"99e-1", "10"},
      {"123456789012345678901", "123456789012345678902"},
      {"1e999999999999999999", "1.1e999999999999999999"},
  };
  for (const OrderCase& c : kCases) {
    EXPECT_LT(CompareNumbers(Number(c.less), Number(c.more)), 0)
        << c.less << " " << c.more;
    EXPECT_GT(CompareNumbers(Number(c.more), Number(c.less)), 0)
        << c.less << " " << c.more;
  }
}

TEST(NumbersTest, AreEqualHoweverTheyAreWritten) {
  for (const char* one : {"1", "1.0", "1e0", "10e-1", "0.1E+1", "1.000"}) {
    EXPECT_EQ(CompareNumbers(Number(one), Number("1")), 0) << one;
    EXPECT_EQ(CompareWithWhole(Number(one), 1), 0) << one;
  }
  for (const char* zero : {"0", "-0", "0.0", "-0e9", "0e-400"}) {
    EXPECT_EQ(CompareNumbers(Number(zero), Number("0")), 0) << zero;
  }
}

struct RoomCase {
  const char* low;
  bool low_included;
  const char* high;
  bool high_included;
  bool number;  // whether there is a number between them
  bool whole;   // whether there is a whole one
};

TEST(NumbersTest, AnIntervalHoldsWhatLiesWithin) {
  const RoomCase kCases[] = {
      {"1", true, "1", true, true, true},
      {"1", true, "1", false, false, false},
      {"1", false, "2", false, true, false},
      {"1", false, "2", true, true, true},
      {"1.2", true, "1.8", true, true, false},
      {"-1.8", true, "-1.2", true, true, false},
      {"-1.5", true, "-0.5", true, true, true},
      {"-0.5", false, "0.5", false, true, true},
      {"-1", false, "0", false, true, false},
      {"-2", false, "0", false, true, true},
      {"9.5", true, "10", true, true, true},
      {"9.5", true, "10", false, true, false},
      {"-10", false, "-9", false, true, false},
      {"99", false, "101", false, true, true},
      {"2", true, "1", true, false, false},
      {"1e400", true, "1e400", true, true, true},
      {"1e400", false, "1e401", false, true, true},
      {"1e-400", true, "2e-400", true, true, false},
      {"-1e401", false, "-1e400", false, true, true},
      {"9007199254740992", false, "9007199254740994", false, true, true},
      {"9007199254740992", false, "9007199254740993", false, true, false},
  };
  for (const RoomCase& c : kCases) {
    Interval interval;
    (c.low_included ? interval.minimum : interval.above) = Number(c.low);
    (c.high_included ? interval.maximum : interval.below) = Number(c.high);
    const std::string which = absl::StrCat(c.low, " to ", c.high);
    EXPECT_EQ(HoldsANumber(interval), c.number) << which;
    EXPECT_EQ(HoldsAWholeNumber(interval), c.whole) << which;
  }
}

TEST(NumbersTest, TheTighterOfTwoBoundsCounts) {
  Interval interval;
  interval.minimum = Number("1");
  interval.above = Number("1");
  interval.maximum = Number("2");
  EXPECT_TRUE(HoldsAWholeNumber(interval));
  interval.below = Number("2");
  EXPECT_FALSE(HoldsAWholeNumber(interval));
  interval.below = Number("5");
  EXPECT_TRUE(HoldsAWholeNumber(interval));
}

TEST(NumbersTest, ASideWithoutBoundIsOpen) {
  EXPECT_TRUE(HoldsAWholeNumber(Interval()));
  Interval interval;
  interval.above = Number("1e999");
  EXPECT_TRUE(HoldsAWholeNumber(interval));
}

}  // namespace
}  // namespace gatehouse::trust
