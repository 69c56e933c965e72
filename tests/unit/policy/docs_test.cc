// docs/policy.md and the parser say the same: every field that is enforced has
// its row, with the default and the bounds that hold, and no other has one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "controlplane/policy/fields.h"
#include "controlplane/policy/limit_rows.h"
#include "tests/unit/policy/documents.h"

namespace gatehouse::policy {
namespace {

std::string ReadDocs() {
  const char* source = std::getenv("GATEHOUSE_SOURCE");
  EXPECT_NE(source, nullptr) << "run by ctest, which sets GATEHOUSE_SOURCE";
  std::ifstream file(std::string(source == nullptr ? "." : source) +
                     "/docs/policy.md");
  EXPECT_TRUE(file.good());
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string Trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// The cells of each row of the table, by the field in its first.
std::map<std::string, std::vector<std::string>> Rows(const std::string& docs) {
  std::map<std::string, std::vector<std::string>> rows;
  std::istringstream lines(docs);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("| `", 0) != 0) continue;
    std::vector<std::string> cells;
    std::istringstream rest(line.substr(1));
    for (std::string cell; std::getline(rest, cell, '|');) {
      cells.push_back(Trimmed(cell));
    }
    rows[cells.at(0).substr(1, cells.at(0).size() - 2)] = cells;
  }
  return rows;
}

TEST(PolicyDocsTest, HaveARowForEachEnforcedFieldAndNoOther) {
  std::set<std::string> documented;
  for (const auto& [field, cells] : Rows(ReadDocs())) documented.insert(field);
  std::set<std::string> enforced;
  for (const FieldRow& row : AllFields()) {
    if (row.standing == Standing::kEnforced) {
      enforced.insert(std::string(row.pattern));
    }
  }
  EXPECT_EQ(documented, enforced);
}

TEST(PolicyDocsTest, SayTheDefaultsAndBoundsOfTheLimits) {
  const auto rows = Rows(ReadDocs());
  const Limits defaults;
  for (const LimitRow& limit : kLimitRows) {
    const auto row = rows.find("limits." + std::string(limit.name));
    ASSERT_NE(row, rows.end()) << limit.name;
    EXPECT_EQ(row->second.at(1), std::to_string(defaults.*limit.field));
    EXPECT_EQ(row->second.at(2), std::to_string(limit.least) + " to " +
                                     std::to_string(limit.most));
  }
}

TEST(PolicyDocsTest, TheirExampleIsValid) {
  const std::string docs = ReadDocs();
  const std::string fence = "```yaml\n";
  const size_t start = docs.find(fence);
  ASSERT_NE(start, std::string::npos);
  const size_t end = docs.find("```", start + fence.size());
  const ParseResult result = ParseVirtualServer(
      docs.substr(start + fence.size(), end - start - fence.size()));
  EXPECT_THAT(Texts(result), testing::IsEmpty());
}

}  // namespace
}  // namespace gatehouse::policy
