// One option, four sources: flag over environment over file over default, and
// no mistake is passed over.
#include "admin/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace gatehouse::admin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A program with one option of each kind.
class OptionTableTest : public testing::Test {
 protected:
  OptionTableTest()
      : table_({"thing", "1.2.3", "THING_", "A thing.", "Example: thing"}) {
    table_.Text("listen", "HOST:PORT", "where it listens", &listen_);
    table_.Text("name", "NAME", "its name", &name_);
    table_.List("allow-host", "NAME", "who may", &hosts_);
    table_.Switch("strict", "be strict", &strict_);
    table_.Duration("patience", "how long", absl::Seconds(1), absl::Minutes(5),
                    /*or_off=*/true, &patience_);
    table_.Choice("level", {"low", "high"}, "how much", &level_);
    std::string pattern = testing::TempDir() + "thing-XXXXXX";
    const int fd = mkstemp(pattern.data());
    EXPECT_GE(fd, 0);
    close(fd);
    file_ = pattern;
  }
  ~OptionTableTest() override { unlink(file_.c_str()); }

  // Reads these flags; the environment and the file are the members' own.
  OptionTable::Outcome Read(std::vector<const char*> flags) {
    flags.insert(flags.begin(), "thing");
    return table_.Read(static_cast<int>(flags.size()), flags.data(),
                       [this](const char* name) -> const char* {
                         const auto it = env_.find(name);
                         return it == env_.end() ? nullptr : it->second.c_str();
                       });
  }
  void WriteFile(const std::string& text) {
    std::ofstream(file_) << text;
    env_["THING_CONFIG"] = file_;
  }

  std::string listen_ = "default:1";
  std::string name_;
  std::vector<std::string> hosts_;
  bool strict_ = false;
  absl::Duration patience_ = absl::Seconds(15);
  std::string level_ = "low";
  OptionTable table_;
  std::string file_;
  std::map<std::string, std::string> env_;
};

struct PrecedenceCase {
  const char* name;
  bool in_file;
  bool in_environment;
  bool is_flag;
  const char* value;
  const char* source;
};
class PrecedenceTest : public OptionTableTest,
                       public testing::WithParamInterface<PrecedenceCase> {};

TEST_P(PrecedenceTest, TheStrongestSourceWins) {
  if (GetParam().in_file) WriteFile("listen: file:2\n");
  if (GetParam().in_environment) env_["THING_LISTEN"] = "environment:3";
  const OptionTable::Outcome outcome =
      GetParam().is_flag ? Read({"--listen", "flag:4"}) : Read({});
  EXPECT_FALSE(outcome.exit_code.has_value()) << outcome.err;
  EXPECT_EQ(listen_, GetParam().value);
  const std::string source = GetParam().source;
  EXPECT_EQ(table_.Where("listen"),
            source == "file" ? file_ + ":1: listen" : source);
}

INSTANTIATE_TEST_SUITE_P(
    Sources, PrecedenceTest,
    testing::ValuesIn<PrecedenceCase>({
        {"Nothing", false, false, false, "default:1", "default"},
        {"TheFile", true, false, false, "file:2", "file"},
        {"TheEnvironment", false, true, false, "environment:3", "THING_LISTEN"},
        {"TheEnvironmentOverTheFile", true, true, false, "environment:3",
         "THING_LISTEN"},
        {"AFlag", false, false, true, "flag:4", "--listen"},
        {"AFlagOverTheFile", true, false, true, "flag:4", "--listen"},
        {"AFlagOverTheEnvironment", false, true, true, "flag:4", "--listen"},
        {"AFlagOverBoth", true, true, true, "flag:4", "--listen"},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST_F(OptionTableTest, EveryKindIsReadFromTheFile) {
  WriteFile(
      "allow-host: [a, b]\nstrict: true\npatience: 2m\nlevel: high\n"
      "name: 17\n");
  ASSERT_FALSE(Read({}).exit_code.has_value());
  EXPECT_THAT(hosts_, ElementsAre("a", "b"));
  EXPECT_TRUE(strict_);
  EXPECT_EQ(patience_, absl::Minutes(2));
  EXPECT_EQ(level_, "high");
  EXPECT_EQ(name_, "17");
}

TEST_F(OptionTableTest, EveryKindIsReadFromTheEnvironment) {
  env_ = {{"THING_ALLOW_HOST", "a,b"},
          {"THING_STRICT", "yes"},
          {"THING_PATIENCE", "off"},
          {"THING_LEVEL", "high"},
          {"THING_NAME", ""}};  // an empty variable is none
  name_ = "kept";
  ASSERT_FALSE(Read({}).exit_code.has_value());
  EXPECT_THAT(hosts_, ElementsAre("a", "b"));
  EXPECT_TRUE(strict_);
  EXPECT_EQ(patience_, absl::InfiniteDuration());
  EXPECT_EQ(name_, "kept");
}

TEST_F(OptionTableTest, EveryKindIsReadFromFlags) {
  env_["THING_STRICT"] = "true";
  ASSERT_FALSE(Read({"--allow-host", "a", "--allow-host=b,c", "--strict=false",
                     "--patience", "2s", "--level=high"})
                   .exit_code.has_value());
  EXPECT_THAT(hosts_, ElementsAre("a", "b", "c"));
  EXPECT_FALSE(strict_);
  EXPECT_EQ(patience_, absl::Seconds(2));
}

TEST_F(OptionTableTest, TheFlagNamesTheFileAndTheVariableDoesIfItDoesNot) {
  WriteFile("name: mine\n");
  const std::string config = file_;
  env_["THING_CONFIG"] = "/nowhere/thing.yaml";
  EXPECT_FALSE(Read({"--config", config.c_str()}).exit_code.has_value());
  EXPECT_EQ(name_, "mine");
  const OptionTable::Outcome outcome = Read({});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("/nowhere/thing.yaml: cannot be read"));
}

TEST_F(OptionTableTest, EveryMistakeIsToldAtOnce) {
  WriteFile(
      "lisen: x\nallow-host: one\nname: [a, b]\npatience: soon\n"
      "strict: maybe\n");
  env_["THING_LEVEL"] = "middle";
  const OptionTable::Outcome outcome = Read({"--patience", "1h"});
  EXPECT_EQ(outcome.exit_code, 2);
  for (const char* const part :
       {":1: lisen: no option of that name; did you mean listen?",
        ":2: allow-host: expected a list",
        ":3: name: expected one value, not a list",
        ":4: patience: soon: expected 1s to 5m, or off",
        ":5: strict: maybe: expected true or false",
        "THING_LEVEL: middle: expected one of low, high",
        "--patience: 1h: expected 1s to 5m, or off"}) {
    EXPECT_THAT(outcome.err, HasSubstr(part));
  }
  EXPECT_THAT(outcome.err, HasSubstr("thing: " + file_ + ":1: lisen"));
}

TEST_F(OptionTableTest, AnUnknownFlagIsToldWithWhatItMayMean) {
  const OptionTable::Outcome outcome = Read({"--lisen", "x"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean --listen?"));
}

TEST_F(OptionTableTest, AFlagWithoutItsValueAndOneTooOftenAreMistakes) {
  EXPECT_EQ(Read({"--listen"}).exit_code, 2);
  EXPECT_EQ(Read({"--listen", "a", "--listen", "b"}).exit_code, 2);
  EXPECT_EQ(Read({"stray"}).exit_code, 2);
}

TEST_F(OptionTableTest, HelpNamesEveryFlagVariableAndDefault) {
  const OptionTable::Outcome outcome = Read({"--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* const part :
       {"--listen HOST:PORT", "[$THING_LISTEN] (default: default:1)",
        "--allow-host NAME", "[$THING_ALLOW_HOST]", "--strict",
        "--patience DURATION", "(default: 15s)", "--level low|high",
        "--config FILE", "[$THING_CONFIG]", "--print-config", "--version"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
}

TEST_F(OptionTableTest, VersionIsOneLine) {
  const OptionTable::Outcome outcome = Read({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "thing 1.2.3\n");
}

TEST_F(OptionTableTest, PrintConfigShowsValuesAndSourcesAndCanBeReadAgain) {
  WriteFile("allow-host: [\"a\"]\n");
  env_["THING_LEVEL"] = "high";
  const OptionTable::Outcome outcome =
      Read({"--listen=flag:4", "--print-config"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out,
            "# thing 1.2.3: the values in effect\n"
            "listen: \"flag:4\"  # --listen\n"
            "# name: not set\n"
            "allow-host: [\"a\"]  # " +
                file_ +
                ":1: allow-host\n"
                "strict: \"false\"  # default\n"
                "patience: \"15s\"  # default\n"
                "level: \"high\"  # THING_LEVEL\n");
  WriteFile(outcome.out);
  env_.erase("THING_LEVEL");
  listen_ = level_ = "";
  ASSERT_FALSE(Read({}).exit_code.has_value());
  EXPECT_EQ(listen_, "flag:4");
  EXPECT_EQ(level_, "high");
}

TEST_F(OptionTableTest, AMessageAboutAValueSaysWhereThatStands) {
  WriteFile("listen: nowhere\n");
  env_["THING_NAME"] = "n";
  ASSERT_FALSE(Read({"--level", "high"}).exit_code.has_value());
  EXPECT_EQ(table_.Explained("--listen: nowhere: no\n--name: n: no\n"
                             "--level: high: no\nother"),
            file_ +
                ":1: listen: as --listen: nowhere: no\n"
                "THING_NAME: as --name: n: no\n"
                "--level: high: no\nother");
}

}  // namespace
}  // namespace gatehouse::admin
