// `gatehousectl completion`: the scripts are made from the tree of commands, so
// what is tested is that shells get the right words out of the real ones.

#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/integration/harness/conversation.h"
#include "tests/integration/harness/fixture.h"

namespace gatehouse::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Not;

// Exit code and output of a program.
std::pair<int, std::string> RunProgram(std::vector<std::string> argv) {
  const auto program = Conversation::Start({.argv = std::move(argv)});
  EXPECT_TRUE(program.ok()) << program.status();
  if (!program.ok()) return {-1, ""};
  (*program)->CloseInput();
  const int exit = (*program)->AwaitExit().value_or(-1);
  return {exit, (*program)->heard()};
}

std::string Script(const std::string& shell) {
  const auto [exit, script] =
      RunProgram({BinaryPath("gatehousectl"), "completion", shell});
  EXPECT_EQ(exit, 0);
  return script;
}

// What bash would offer behind `line`, of which the last word is being typed.
std::vector<std::string> Offered(const std::string& line) {
  const TempDir dir;
  const std::string path = dir.path() + "/completion";
  EXPECT_TRUE(WriteFile(path, Script("bash")).ok());
  EXPECT_TRUE(WriteFile(dir.path() + "/a-file.yaml", "").ok());
  const auto [exit, words] = RunProgram(
      {"/bin/bash", "-c",
       absl::StrCat("cd '", dir.path(), "' && source ", path,
                    " && IFS=' ' read -ra COMP_WORDS <<<\"$1\" && [[ $1 == *' "
                    "' ]] && COMP_WORDS+=(''); COMP_CWORD=$((${#COMP_WORDS[@]} "
                    "- 1)); _gatehousectl && printf '%s\\n' "
                    "\"${COMPREPLY[@]}\""),
       "bash", line});
  EXPECT_EQ(exit, 0) << words;
  return absl::StrSplit(words, '\n', absl::SkipEmpty());
}

TEST(BashCompletionTest, TheFirstWordIsACommand) {
  EXPECT_THAT(
      Offered("gatehousectl "),
      AllOf(Contains("policy"), Contains("call"), Contains("stdio"),
            Contains("audit"), Contains("completion"), Not(Contains("apply"))));
  EXPECT_THAT(Offered("gatehousectl pol"),
              (std::vector<std::string>{"policy"}));
}

TEST(BashCompletionTest, CommandsWithinCommandsAndTheirFlags) {
  EXPECT_THAT(Offered("gatehousectl policy "),
              AllOf(Contains("apply"), Contains("import"), Contains("list"),
                    Not(Contains("call"))));
  EXPECT_THAT(Offered("gatehousectl policy import --"),
              AllOf(Contains("--partial"), Contains("--name"),
                    Contains("--control"), Not(Contains("--if-match"))));
  EXPECT_THAT(Offered("gatehousectl call --ro"),
              (std::vector<std::string>{"--root"}));
}

TEST(BashCompletionTest, TheValueOfAFlagIsNoCommand) {
  // `--control policy` has a value that looks like one.
  EXPECT_THAT(Offered("gatehousectl --control policy "),
              AllOf(Contains("policy"), Contains("call")));
  EXPECT_THAT(Offered("gatehousectl --json policy "), Contains("apply"));
}

TEST(BashCompletionTest, FilesWhereNeitherFits) {
  EXPECT_THAT(Offered("gatehousectl policy apply a-"),
              (std::vector<std::string>{"a-file.yaml"}));
  EXPECT_THAT(Offered("gatehousectl call dev --token-file a-"),
              (std::vector<std::string>{"a-file.yaml"}));
}

TEST(OtherShellsTest, KnowTheSameCommands) {
  for (const std::string shell : {"zsh", "fish"}) {
    const std::string script = Script(shell);
    for (const std::string word : {"policy", "import", "stdio", "partial"}) {
      EXPECT_THAT(script, ::testing::HasSubstr(word)) << shell;
    }
  }
  EXPECT_EQ(
      RunProgram({BinaryPath("gatehousectl"), "completion", "tcsh"}).first, 2);
}

class ShellSyntaxTest : public ::testing::TestWithParam<std::string> {};
TEST_P(ShellSyntaxTest, AcceptsItsScript) {
  const std::string program = "/usr/bin/" + GetParam();
  if (access(program.c_str(), X_OK) != 0) {
    GTEST_SKIP() << "not run: " << GetParam() << " is not installed";
  }
  const TempDir dir;
  const std::string path = dir.path() + "/script";
  ASSERT_TRUE(WriteFile(path, Script(GetParam())).ok());
  EXPECT_EQ(RunProgram({program, "-n", path}).first, 0);
}
INSTANTIATE_TEST_SUITE_P(Shells, ShellSyntaxTest,
                         ::testing::Values("bash", "zsh", "fish"),
                         [](const auto& c) { return c.param; });

}  // namespace
}  // namespace gatehouse::testing
