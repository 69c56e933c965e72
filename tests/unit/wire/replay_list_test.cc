// The list of how each recorded trace is replayed is whole, and a list that is
// not would be found out.

#include "tests/wire/replay_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/wire/trace.h"
#include "tests/wire/trace_files.h"

namespace gatehouse::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ReplayListTest, EveryTraceHasOneLineAndEveryLineATrace) {
  const auto rows = ReadReplayList();
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(TraceNames().size(), 144u);
  EXPECT_THAT(Shortcomings(*rows, TraceNames()), IsEmpty());
}

// A place is `4`, an exchange, or `4.2`, the second thing said in it.
bool Exists(const Trace& trace, const std::string& place) {
  const size_t dot = place.find('.');
  const auto it = trace.exchanges.find(std::stoi(place.substr(0, dot)));
  if (it == trace.exchanges.end()) return false;
  return dot == std::string::npos ||
         std::stoul(place.substr(dot + 1)) <= it->second.said.size();
}

TEST(ReplayListTest, EveryDifferenceNamesAPlaceOfItsTrace) {
  const auto rows = ReadReplayList();
  ASSERT_TRUE(rows.ok()) << rows.status();
  for (const ReplayRow& row : *rows) {
    if (!row.Plays()) continue;
    const auto trace = ReadTrace(row.trace);
    ASSERT_TRUE(trace.ok()) << trace.status();
    for (const auto& [place, difference] : row.differs) {
      EXPECT_TRUE(Exists(*trace, place)) << row.trace << " " << place;
    }
  }
}

std::vector<ReplayRow> Never(int count) {
  std::vector<ReplayRow> rows(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    rows[static_cast<size_t>(i)].trace = absl::StrCat("t", i);
    rows[static_cast<size_t>(i)].never = "a reason";
  }
  return rows;
}

std::vector<std::string> NamesOf(const std::vector<ReplayRow>& rows) {
  std::vector<std::string> names;
  for (const ReplayRow& row : rows) names.push_back(row.trace);
  return names;
}

TEST(ReplayListTest, ATraceWithoutALineIsFoundOut) {
  EXPECT_THAT(Shortcomings(Never(1), {"new", "t0"}),
              ElementsAre("new: has no line"));
}

TEST(ReplayListTest, ALineWithoutATraceIsFoundOut) {
  EXPECT_THAT(Shortcomings(Never(2), {"t0"}),
              ElementsAre("t1: there is no trace"));
}

TEST(ReplayListTest, FifteenMayNeverBeReplayedAndNoMore) {
  EXPECT_THAT(Shortcomings(Never(15), NamesOf(Never(15))), IsEmpty());
  EXPECT_THAT(Shortcomings(Never(16), NamesOf(Never(16))),
              ElementsAre(HasSubstr("16 are never replayed")));
}

struct BadLine {
  const char* name;
  const char* line;
  const char* complaint;
};

class BadLineTest : public testing::TestWithParam<BadLine> {};

TEST_P(BadLineTest, IsRefusedWithItsPlace) {
  const auto line = json::Document::Parse(GetParam().line);
  ASSERT_TRUE(line.ok()) << line.status();
  const auto rows = ParseReplayList({*line});
  ASSERT_FALSE(rows.ok());
  EXPECT_THAT(std::string(rows.status().message()),
              HasSubstr(GetParam().complaint));
  EXPECT_THAT(std::string(rows.status().message()),
              HasSubstr("replay.jsonl:1"));
}

INSTANTIATE_TEST_SUITE_P(
    Lines, BadLineTest,
    testing::ValuesIn<BadLine>(
        {{"WaitsForWhatNobodyKnows",
          R"({"trace":"t","waits":["better times"]})", "/waits/0: not a need"},
         {"ALineOfItWaitsForWhatNobodyKnows",
          R"({"trace":"t","as":["client"],"differs":{"4":{"client":"nothing",)"
          R"("needs":"rain"}}})",
          "/differs/4/needs: not a need"},
         {"WaitsAndIsPlayed",
          R"({"trace":"t","as":["client"],"waits":["modern"]})",
          "waits, but is played"},
         {"IsReplayedInAnUnknownWay", R"({"trace":"t","as":["backwards"]})",
          "/as/0: not a way to replay"},
         {"NeverWithoutAReason", R"({"trace":"t","never":""})",
          "/never: empty"},
         {"NeverAndYet", R"({"trace":"t","never":"no","as":["client"]})",
          "`never` beside another way"},
         {"SaysNothing", R"({"trace":"t"})", "says neither"},
         {"HasAMemberThatNobodyReads",
          R"({"trace":"t","as":["client"],"why":"x"})", "/why: unknown member"},
         {"ADifferenceThatDiffersInNothing",
          R"({"trace":"t","as":["client"],"differs":{"4":{}}})",
          "says neither `client` nor `upstream`"}}),
    [](const auto& c) { return std::string(c.param.name); });

TEST(ReplayListTest, ATraceThatStandsTwiceIsFoundOut) {
  const auto line = json::Document::Parse(R"({"trace":"t","as":["judge"]})");
  ASSERT_TRUE(line.ok());
  const auto rows = ParseReplayList({*line, *line});
  EXPECT_EQ(rows.status().code(), absl::StatusCode::kAlreadyExists);
}

}  // namespace
}  // namespace gatehouse::wire
