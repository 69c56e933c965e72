// Every rule of the judge by the rows that name it. Defends invariants 2, 3 and
// 4; that the rows notice a rule that is gone or too strict is for
// mutate_rules, which runs in every build.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "controlplane/trust/rule.h"
#include "tests/unit/trust/rules/rows.h"

namespace gatehouse::trust {
namespace {

class RuleRowTest : public testing::TestWithParam<Row> {};

TEST_P(RuleRowTest, ReachesTheListedOutcome) {
  const Row& row = GetParam();
  EXPECT_EQ(row.ask(), row.want) << row.rule << ": " << row.says;
}

// The rule that decides is the row's own, and a trace changes nothing.
TEST_P(RuleRowTest, IsDecidedByItsRule) {
  const Row& row = GetParam();
  Trace trace;
  EXPECT_EQ(row.ask.Judge(&trace), row.want) << row.rule << ": " << row.says;
  std::string_view decided;
  for (const EvaluatedRule& rule : trace) {
    if (rule.failure.has_value() && decided.empty()) decided = rule.rule;
  }
  EXPECT_EQ(decided, row.Passes() ? "" : row.rule) << row.says;
}

std::string NameOf(const testing::TestParamInfo<Row>& info) {
  std::string name;
  for (const std::string_view text :
       {info.param.rule, std::string_view(info.param.says)}) {
    bool upper = true;
    for (const char c : text) {
      const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9');
      if (is_word) {
        name += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
      }
      upper = !is_word;
    }
    name += '_';
  }
  return name + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(Rows, RuleRowTest, testing::ValuesIn(AllRows()),
                         NameOf);

TEST(RuleTest, NamesAreUniqueAndEachSaysWhatItAsksAndWhereFrom) {
  std::set<std::string_view> names;
  for (const NamedRule& rule : AllRules()) {
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
    EXPECT_FALSE(rule.summary.empty()) << rule.name;
    EXPECT_TRUE(rule.source.starts_with("DESIGN ") ||
                rule.source.starts_with("PROTOCOL "))
        << rule.name;
  }
}

TEST(RuleTest, RowsNameRulesThatExist) {
  std::set<std::string_view> names;
  for (const NamedRule& rule : AllRules()) names.insert(rule.name);
  for (const Row& row : AllRows()) {
    EXPECT_TRUE(names.contains(row.rule)) << row.rule << ": " << row.says;
  }
}

// A trace asks the rules behind the first that is broken as well.
TEST(RuleTest, ATraceHasEveryFault) {
  Trace trace;
  const std::string want =
      Ask(kSampling, R"({"includeContext":"thisServer","messages":[],)"
                     R"("maxTokens":0,"temperature":"x"})")
          .Judge(&trace);
  EXPECT_EQ(want, "not_permitted /includeContext");
  std::vector<std::string> broken;
  for (const EvaluatedRule& rule : trace) {
    if (rule.failure.has_value()) broken.emplace_back(rule.rule);
  }
  EXPECT_EQ(broken, (std::vector<std::string>{
                        "context-not-included", "messages-present",
                        "max-tokens-positive", "temperature"}));
}

// What is shipped cannot bend a rule: the mask's symbol is in the tests' build
// alone.
class ShippedProgramTest : public testing::TestWithParam<const char*> {};

bool HasTheMask(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  return bytes.find("gatehouse_rule_mask") != std::string::npos;
}

TEST_P(ShippedProgramTest, HasNoRuleMask) {
  const char* const folder = std::getenv("GATEHOUSE_BIN");
  ASSERT_NE(folder, nullptr);
  EXPECT_FALSE(HasTheMask(std::string(folder) + "/" + GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, ShippedProgramTest,
                         testing::Values("gatehouse-control",
                                         "gatehouse-worker", "gatehousectl"),
                         [](const testing::TestParamInfo<const char*>& p) {
                           std::string name(p.param);
                           std::erase(name, '-');
                           return name;
                         });

TEST(MaskedProgramTest, HasTheRuleMask) {
  const char* const folder = std::getenv("GATEHOUSE_BIN");
  ASSERT_NE(folder, nullptr);
  EXPECT_TRUE(HasTheMask(std::string(folder) + "/../tests/mutate_rules"));
}

}  // namespace
}  // namespace gatehouse::trust
