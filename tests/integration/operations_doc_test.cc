// docs/operations.md lists every option of the programs, under each of its
// names, and none that is not there: --help says which there are.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/integration/harness/program.h"

namespace gatehouse::testing {
namespace {

// The names of one option: `--listen` and its variable.
using Options = std::map<std::string, std::string>;

// The text between `from` and the next `to`; empty if there is none.
std::string Between(const std::string& text, const std::string& from,
                    const std::string& to, size_t start = 0) {
  const size_t begin = text.find(from, start);
  if (begin == std::string::npos) return "";
  const size_t end = text.find(to, begin + from.size());
  if (end == std::string::npos) return "";
  return text.substr(begin + from.size(), end - begin - from.size());
}

// What `program --help` lists, those aside that each program has.
Options OfHelp(const std::string& program) {
  const TempDir dir;
  Program::Options run_options;
  run_options.argv = {BinaryPath(program), "--help"};
  run_options.log_path = dir.path() + "/help";
  absl::StatusOr<std::unique_ptr<Program>> run =
      Program::Start(std::move(run_options));
  EXPECT_TRUE(run.ok()) << run.status();
  EXPECT_EQ((*run)->AwaitExit().value_or(-1), 0);
  Options options;
  std::istringstream help(ReadFile(dir.path() + "/help.out"));
  std::string name;
  for (std::string line; std::getline(help, line);) {
    const std::string flag = Between(line + " ", "  --", " ");
    if (line.starts_with("  --")) name = "--" + flag;
    const std::string variable = Between(line, "[$", "]");
    if (!variable.empty() && name != "--config") options[name] = variable;
  }
  return options;
}

// The rows of the program's table: `| `--NAME VALUE` | `VARIABLE` | `KEY` |`.
Options OfPage(const std::string& program) {
  const std::string page = ReadFile(
      absl::StrCat(std::getenv("GATEHOUSE_SOURCE"), "/docs/operations.md"));
  Options options;
  std::istringstream section(
      Between(page, absl::StrCat("\n## ", program, "\n"), "\n## "));
  for (std::string line; std::getline(section, line);) {
    if (!line.starts_with("| `--")) continue;
    const std::string flag = Between(line, "| `", "`");
    const std::string name = flag.substr(0, flag.find(' '));
    options[name] = Between(line, "| `GATEHOUSE", "`");
    options[name] = "GATEHOUSE" + options[name];
    EXPECT_EQ(Between(line, options[name] + "` | `", "`"), name.substr(2))
        << "the key of " << line;
  }
  return options;
}

class OperationsDocTest : public ::testing::TestWithParam<const char*> {};

TEST_P(OperationsDocTest, ThePageListsWhatHelpDoes) {
  const std::string program = GetParam();
  const Options help = OfHelp(program);
  EXPECT_THAT(help, ::testing::Contains(::testing::Key("--log-level")));
  EXPECT_EQ(OfPage(program), help);
}

INSTANTIATE_TEST_SUITE_P(Programs, OperationsDocTest,
                         ::testing::Values("gatehouse-control",
                                           "gatehouse-worker"),
                         [](const auto& c) {
                           return std::string(c.param) == "gatehouse-worker"
                                      ? "TheWorkersOptions"
                                      : "TheControlPlanesOptions";
                         });

}  // namespace
}  // namespace gatehouse::testing
