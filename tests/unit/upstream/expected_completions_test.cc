// Which completions of visits to a URL are told on. Defends invariant 1: what
// was never shown, was told before or is too old says nothing to anybody.

#include "dataplane/upstream/expected_completions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "shared/base/fake_clock.h"

namespace gatehouse::upstream {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ExpectedCompletionsTest : public testing::Test {
 protected:
  void Add(const std::string& theirs, const std::string& ours) {
    expected_.Add(theirs, [this, ours] { told_.push_back(ours); });
  }
  // Whom that tells, in order.
  std::vector<std::string> Told(const std::string& theirs) {
    told_.clear();
    for (const auto& tell : expected_.Take(theirs)) tell();
    return told_;
  }

  FakeClock clock_;
  ExpectedCompletions expected_{clock_};
  std::vector<std::string> told_;
};

TEST_F(ExpectedCompletionsTest, EachIsToldOnce) {
  Add("a", "1");
  Add("b", "2");
  EXPECT_THAT(Told("b"), ElementsAre("2"));
  EXPECT_THAT(Told("b"), IsEmpty());
  EXPECT_THAT(Told("a"), ElementsAre("1"));
}

TEST_F(ExpectedCompletionsTest, AnUnknownOneTellsNothing) {
  EXPECT_THAT(Told("a"), IsEmpty());
  Add("a", "1");
  EXPECT_THAT(Told(""), IsEmpty());
  EXPECT_THAT(Told("A"), IsEmpty());
}

TEST_F(ExpectedCompletionsTest, WhatWasAskedTwiceUnderOneIdIsToldForBoth) {
  Add("a", "1");
  Add("b", "2");
  Add("a", "3");
  EXPECT_THAT(Told("a"), ElementsAre("1", "3"));
  EXPECT_THAT(Told("b"), ElementsAre("2"));
}

TEST_F(ExpectedCompletionsTest, AnHourLaterItIsForgotten) {
  Add("a", "1");
  clock_.Advance(absl::Minutes(30));
  Add("b", "2");
  EXPECT_EQ(expected_.TimeLeft(), absl::Hours(1));
  clock_.Advance(absl::Minutes(30));
  EXPECT_THAT(Told("a"), IsEmpty());
  EXPECT_EQ(expected_.TimeLeft(), absl::Minutes(30));
  EXPECT_THAT(Told("b"), ElementsAre("2"));
  EXPECT_EQ(expected_.TimeLeft(), absl::ZeroDuration());
}

TEST_F(ExpectedCompletionsTest, OverTheBoundTheOldestGoFirst) {
  for (int i = 0; i < 257; ++i) Add(absl::StrCat(i), absl::StrCat(i));
  EXPECT_THAT(Told("0"), IsEmpty());
  EXPECT_THAT(Told("1"), ElementsAre("1"));
  EXPECT_THAT(Told("256"), ElementsAre("256"));
}

}  // namespace
}  // namespace gatehouse::upstream
