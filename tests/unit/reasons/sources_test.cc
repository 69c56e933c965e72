// Invariant 8, honest errors: the table of reasons and the product agree. A
// reason that no code gives is a promise that nobody keeps, unless its row says
// why it is not sent yet; one that says so must not be given.

#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "shared/reasons/reasons.h"

namespace gatehouse {
namespace {

std::string Source() {
  const char* const source = std::getenv("GATEHOUSE_SOURCE");
  return source == nullptr ? "" : source;
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// `kDeclined` and so on, in the enum's order.
std::vector<std::string> Enumerators() {
  const std::string header = ReadFile(Source() + "/shared/reasons/reasons.h");
  const std::string begin = "enum class Reason {";
  const size_t start = header.find(begin);
  if (start == std::string::npos) return {};
  std::istringstream lines(header.substr(
      start + begin.size(), header.find("};", start) - start - begin.size()));
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find("//"));
    const size_t name = line.find('k');
    const size_t comma = line.find(',');
    if (name == std::string::npos || comma == std::string::npos) continue;
    names.push_back(line.substr(name, comma - name));
  }
  return names;
}

// Whether what stands before a mention only looks at a reason.
bool OnlyCompares(const std::string& text, size_t at) {
  while (at > 0 && isspace(static_cast<unsigned char>(text[at - 1])) != 0) --at;
  const std::string before = text.substr(at < 5 ? 0 : at - 5, at < 5 ? at : 5);
  return before.ends_with("==") || before.ends_with("!=") ||
         before.ends_with("case");
}

void AddGiven(const std::string& text, std::set<std::string>& given) {
  constexpr std::string_view kBefore = "Reason::";
  for (size_t at = text.find(kBefore); at != std::string::npos;
       at = text.find(kBefore, at + 1)) {
    const size_t start = at + kBefore.size();
    size_t end = start;
    while (end < text.size() &&
           isalnum(static_cast<unsigned char>(text[end])) != 0) {
      ++end;
    }
    if (!OnlyCompares(text, at)) given.insert(text.substr(start, end - start));
  }
}

// The reasons that the two servers give.
std::set<std::string> Given() {
  std::set<std::string> given;
  for (const char* folder : {"/controlplane", "/dataplane", "/shared"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(Source() + folder)) {
      const std::string path = entry.path().string();
      if (path.find("/shared/reasons/") != std::string::npos) continue;
      if (!path.ends_with(".cc") && !path.ends_with(".h")) continue;
      AddGiven(ReadFile(path), given);
    }
  }
  return given;
}

TEST(ReasonSourcesTest, EveryReasonIsGivenSomewhereOrSaysWhyNotYet) {
  ASSERT_FALSE(Source().empty()) << "GATEHOUSE_SOURCE is not set";
  const std::vector<std::string> names = Enumerators();
  ASSERT_EQ(names.size(), AllReasons().size());
  const std::set<std::string> given = Given();
  for (const ReasonRow& row : AllReasons()) {
    const std::string& name = names[static_cast<size_t>(row.reason)];
    if (row.later.empty()) {
      EXPECT_TRUE(given.contains(name))
          << name << " is given nowhere: give it, or say in its row why not";
    } else {
      EXPECT_FALSE(given.contains(name))
          << name << " is given now: its row says that it is not";
    }
  }
}

TEST(ReasonSourcesTest, AComparisonIsNoUse) {
  std::set<std::string> given;
  AddGiven(
      "if (a == Reason::kOne) {} case Reason::kTwo: x = Reason::kThree;"
      "Fail(Reason::kFour)",
      given);
  EXPECT_EQ(given, (std::set<std::string>{"kThree", "kFour"}));
}

}  // namespace
}  // namespace gatehouse
