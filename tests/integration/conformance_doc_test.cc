// docs/conformance.md stays true: each rule has its row, each row a status that
// says why where it is not `met`, and each proof is a test that the build has.
// The programs are asked for their tests, so that neither a comment nor a test
// that is not compiled counts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/integration/conformance_ids.h"
#include "tests/integration/harness/program.h"

namespace gatehouse::testing {
namespace {

constexpr char kPage[] = "docs/conformance.md";
constexpr char kNoProof[] = "–";

// A line of a table of the page.
struct Row {
  std::string id, strength, rule, whose, status, proof;

  // The first word or two of the status, and what is said behind the colon.
  std::string StatusWord() const {
    return std::string(
        absl::StripAsciiWhitespace(std::string(status, 0, status.find(':'))));
  }
  std::string Why() const {
    const size_t colon = status.find(':');
    if (colon == std::string::npos) return "";
    return std::string(absl::StripAsciiWhitespace(status.substr(colon + 1)));
  }
  // `program Suite.Test` of each proof, without its marks.
  std::vector<std::string> Proofs() const {
    std::vector<std::string> proofs;
    if (proof == kNoProof) return proofs;
    for (const absl::string_view part : absl::StrSplit(proof, "<br>")) {
      proofs.emplace_back(part.size() < 2 ? part
                                          : part.substr(1, part.size() - 2));
    }
    return proofs;
  }
};

// The cells of `| a | b |`.
std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells = absl::StrSplit(line, '|');
  if (cells.size() < 2) return {};
  cells.erase(cells.begin());
  cells.pop_back();
  for (std::string& cell : cells) {
    cell = std::string(absl::StripAsciiWhitespace(cell));
  }
  return cells;
}

// Every row whose heading is that of the tables of rules.
std::vector<Row> ReadRows() {
  const char* root = std::getenv("GATEHOUSE_SOURCE");
  EXPECT_NE(root, nullptr) << "run by ctest, which sets GATEHOUSE_SOURCE";
  std::istringstream page(
      ReadFile(absl::StrCat(root == nullptr ? "." : root, "/", kPage)));
  std::vector<Row> rows;
  bool in_rules = false;
  for (std::string line; std::getline(page, line);) {
    const std::vector<std::string> cells = Cells(line);
    if (cells.empty() || !absl::StartsWith(line, "|")) {
      in_rules = false;
    } else if (cells[0] == "id") {
      in_rules = true;
    } else if (in_rules && !absl::StartsWith(cells[0], "---")) {
      EXPECT_EQ(cells.size(), 6u) << kPage << ": no six cells: " << line;
      if (cells.size() == 6) {
        rows.push_back(
            {cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]});
      }
    }
  }
  return rows;
}

// What a program answers when it is asked for its tests: `Suite.Test`, and of
// a table also `Suite.Test/Row`.
std::set<std::string> TestsOf(const std::string& program) {
  const TempDir dir;
  Program::Options options;
  options.argv = {TestProgramPath(program), "--gtest_list_tests"};
  options.log_path = dir.path() + "/list";
  absl::StatusOr<std::unique_ptr<Program>> run =
      Program::Start(std::move(options));
  EXPECT_TRUE(run.ok()) << run.status();
  if (!run.ok() || (*run)->AwaitExit().value_or(-1) != 0) return {};
  std::istringstream list(ReadFile(dir.path() + "/list.out"));
  std::set<std::string> tests;
  std::string suite;
  for (std::string line; std::getline(list, line);) {
    line = line.substr(0, line.find("  # "));
    if (!absl::StartsWith(line, "  ")) {
      suite = line;
      continue;
    }
    const std::string test = absl::StrCat(suite, line.substr(2));
    tests.insert(test);
    const size_t row = test.find('/', suite.size());
    if (row != std::string::npos) tests.insert(test.substr(0, row));
  }
  return tests;
}

// The same, asked once of each.
const std::set<std::string>& KnownTests(const std::string& program) {
  static auto& known = *new std::map<std::string, std::set<std::string>>();
  const auto it = known.find(program);
  if (it != known.end()) return it->second;
  return known[program] = TestsOf(program);
}

TEST(ConformanceDocTest, EveryRuleHasItsRow) {
  std::vector<std::string> rows;
  for (const Row& row : ReadRows()) {
    rows.push_back(absl::StrCat(row.id, " ", row.strength));
  }
  const std::vector<std::string> want(std::begin(kConformanceIds),
                                      std::end(kConformanceIds));
  EXPECT_EQ(rows, want) << kPage << " and conformance_ids.h differ";
}

TEST(ConformanceDocTest, EachStatusIsKnownAndSaysWhyWhereItIsNotMet) {
  const std::set<std::string> kStatuses = {"met",      "partly", "departed",
                                           "not used", "later",  "not ours"};
  for (const Row& row : ReadRows()) {
    EXPECT_TRUE(kStatuses.count(row.StatusWord()) > 0)
        << row.id << ": no status: " << row.status;
    EXPECT_EQ(row.StatusWord() == "met", row.Why().empty())
        << row.id << ": `met` needs no reason, anything else does";
    EXPECT_FALSE(row.rule.empty()) << row.id;
  }
}

// What holds, in part or otherwise on purpose, is shown by a test; what does
// not yet, or never will here, cannot be.
TEST(ConformanceDocTest, WhatHoldsHasAProofAndNothingElse) {
  for (const Row& row : ReadRows()) {
    const bool claims =
        row.StatusWord() != "later" && row.StatusWord() != "not ours";
    EXPECT_EQ(claims, !row.Proofs().empty()) << row.id;
  }
}

TEST(ConformanceDocTest, EachProofIsATestOfTheBuild) {
  int proofs = 0;
  for (const Row& row : ReadRows()) {
    for (const std::string& proof : row.Proofs()) {
      const size_t space = proof.find(' ');
      ASSERT_NE(space, std::string::npos) << row.id << ": " << proof;
      const std::string program = proof.substr(0, space);
      EXPECT_TRUE(KnownTests(program).count(proof.substr(space + 1)) > 0)
          << row.id << ": " << program << " has no test "
          << proof.substr(space + 1) << "; or is it not built?";
      ++proofs;
    }
  }
  EXPECT_GT(proofs, 100);
}

}  // namespace
}  // namespace gatehouse::testing
