#include "tests/integration/harness/bad_input_page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/integration/harness/program.h"

namespace gatehouse::testing {
namespace {

constexpr char kPage[] = "docs/bad_input.md";
constexpr char kHeadings[] =
    "| case | our answer | test |\n| --- | --- | --- |\n";

// A file of the sources; empty if it cannot be read.
std::string SourceText(const std::string& name) {
  const char* root = std::getenv("GATEHOUSE_SOURCE");
  return ReadFile(absl::StrCat(root == nullptr ? "." : root, "/", name));
}

// The lines between a group's mark and the end; nullopt without such a mark.
std::optional<std::string> SectionOf(const std::string& page,
                                     const std::string& group) {
  const std::string mark = absl::StrCat("<!-- rows: ", group, " -->\n");
  const size_t found = page.find(mark);
  if (found == std::string::npos) return std::nullopt;
  const size_t start = found + mark.size();
  const size_t end = page.find("<!-- end -->", start);
  return page.substr(start, std::max(end, start) - start);
}

// Rows of a section, without its two lines of headings.
size_t CountRows(const std::string& section) {
  const auto lines = std::count(section.begin(), section.end(), '\n');
  return static_cast<size_t>(std::max<int64_t>(lines - 2, 0));
}

void ExpectSection(const std::string& group, const std::string& want) {
  const std::optional<std::string> have = SectionOf(SourceText(kPage), group);
  ASSERT_TRUE(have.has_value()) << kPage << ": no rows of `" << group
                                << "` in it; or is GATEHOUSE_SOURCE not set?";
  EXPECT_EQ(*have, want) << kPage << ": stale; between the marks of `" << group
                         << "` write:\n"
                         << want << "<<<";
}

}  // namespace

void ExpectDocumented(const std::string& group,
                      const std::vector<BadInputRow>& rows) {
  std::string want = kHeadings;
  for (const BadInputRow& row : rows) {
    absl::StrAppend(&want, "| ", row.sent, " | ", row.answer, " | `", row.name,
                    "` |\n");
  }
  ExpectSection(group, want);
}

void ExpectHeldElsewhere(const std::vector<HeldElsewhere>& rows) {
  std::string want = kHeadings;
  for (const HeldElsewhere& row : rows) {
    absl::StrAppend(&want, "| ", row.sent, " | ", row.answer, " | `", row.file,
                    "`: `", row.test, "` |\n");
    EXPECT_NE(SourceText(row.file).find(row.test), std::string::npos)
        << row.file << ": has no " << row.test;
  }
  ExpectSection("elsewhere", want);
}

bool IsDocumented(const std::string& answer, const std::string& test) {
  return absl::StrContains(SourceText(kPage),
                           absl::StrCat(" | ", answer, " | `", test, "` |\n"));
}

void ExpectCounted() {
  const std::string page = SourceText(kPage);
  size_t all = 0;
  size_t later = 0;
  const std::string mark = "<!-- rows: ";
  for (size_t at = page.find(mark); at != std::string::npos;
       at = page.find(mark, at + 1)) {
    const size_t start = at + mark.size();
    const std::string group =
        page.substr(start, page.find(" -->", start) - start);
    const size_t rows = CountRows(SectionOf(page, group).value_or(""));
    all += rows;
    if (group == "later") later = rows;
  }
  const std::string want =
      absl::StrCat(all, " cases, of which ", later, " wait for a later part.");
  EXPECT_NE(page.find(want), std::string::npos)
      << kPage << ": it must say: " << want;
}

bool HasText(const std::string& text, const std::string& part) {
  return absl::StrContains(absl::AsciiStrToLower(text),
                           absl::AsciiStrToLower(part));
}

void ProbeTable::Add(const std::string& name, const std::string& sent,
                     const std::string& answer, const std::string& connection) {
  if (rows_.empty()) rows_.push_back({"name", "sent", "answer", "connection"});
  rows_.push_back({name, sent, answer, connection});
}

ProbeTable::~ProbeTable() {
  if (rows_.empty()) return;
  std::vector<size_t> widths(4, 0);
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::cout << "\n" << title_ << ": " << rows_.size() - 1 << " probes\n";
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      std::cout << (i == 0 ? "" : " | ") << std::left
                << std::setw(static_cast<int>(widths[i])) << row[i];
    }
    std::cout << "\n";
  }
  std::cout << std::flush;
}

}  // namespace gatehouse::testing
