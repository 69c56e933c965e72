// Defends DESIGN §11's rule for whatever a person reads: nothing that came from
// the server acts on the terminal.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tools/gatehousectl/output.h"
#include "tools/gatehousectl/policy_files.h"

namespace gatehouse::ctl {
namespace {

struct VisibleCase {
  const char* name;
  std::string text;
  std::string shown;
};
class VisibleTest : public testing::TestWithParam<VisibleCase> {};
TEST_P(VisibleTest, ShowsWhatATerminalWouldActOn) {
  EXPECT_EQ(Visible(GetParam().text), GetParam().shown);
}
INSTANTIATE_TEST_SUITE_P(
    Rules, VisibleTest,
    testing::ValuesIn<VisibleCase>(
        {{"PlainTextPasses", "a b", "a b"},
         {"LettersOfAnyScriptPass", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
          "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
         {"EscapeIsShown", "\x1b[2J", "\\u001b[2J"},
         {"LineFeedIsShown", "a\nb", "a\\u000ab"},
         {"NulIsShown", std::string("a\0b", 3), "a\\u0000b"},
         {"C1IsShown", "\xc2\x9b", "\\u009b"},
         {"RightToLeftOverrideIsShown", "\xe2\x80\xae", "\\u202e"},
         {"ZeroWidthSpaceIsShown", "\xe2\x80\x8b", "\\u200b"},
         {"TagCharacterIsShown", "\xf3\xa0\x81\xa1", "\\udb40\\udc61"},
         {"BrokenUtf8IsShown", "\xff\xc3", "\\xff\\xc3"},
         {"OverlongUtf8IsShown", "\xc0\xaf", "\\xc0\\xaf"},
         {"SurrogateIsShown", "\xed\xa0\x80", "\\xed\\xa0\\x80"}}),
    [](const auto& c) { return std::string(c.param.name); });

TEST(VisibleJsonTest, KeepsThePrintersLineFeeds) {
  EXPECT_EQ(VisibleJson("{\n \"a\": \"\xe2\x80\xae\"\n}\n"),
            "{\n \"a\": \"\\u202e\"\n}\n");
}

TEST(TableTest, ColumnsAreAsWideAsTheyNeedAndCellsAreVisible) {
  Table table({"A", "LONGER"});
  table.Add({"\x1b", ""});
  EXPECT_EQ(table.ToString(), "A       LONGER\n\\u001b  -\n");
}

TEST(PolicyFilesTest, AFolderStandsForItsDocumentsByName) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "policies";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  EXPECT_FALSE(ReadPolicyFiles(folder.string()).ok());
  for (const char* name : {"b.yaml", "a.json", "notes.txt"}) {
    std::ofstream(folder / name) << name;
  }
  const auto files = ReadPolicyFiles(folder.string());
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_EQ(files->size(), 2U);
  EXPECT_EQ((*files)[0].text, "a.json");
  EXPECT_EQ((*files)[1].text, "b.yaml");
  std::filesystem::remove_all(folder);
}

TEST(PolicyFilesTest, WhatCannotBeReadOrIsTooLargeSaysWhich) {
  EXPECT_THAT(
      std::string(ReadPolicyFiles("/nowhere/a.yaml").status().message()),
      testing::HasSubstr("/nowhere/a.yaml: no such file"));
  const std::string path = testing::TempDir() + "/large.yaml";
  std::ofstream(path) << std::string((1 << 20) + 1, 'x');
  EXPECT_FALSE(ReadPolicyFiles(path).ok());
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace gatehouse::ctl
