#include "admin/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gatehouse::admin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ConfigFileTest, TextsAndListsAreReadWithTheirLines) {
  const ConfigFile file = ParseConfig(
      "# a worker\n"
      "listen: 127.0.0.1:8800\n"
      "allow-host:\n  - a.example\n  - b.example\n"
      "tls-require-client-cert: true\n");
  EXPECT_THAT(file.faults, testing::IsEmpty());
  ASSERT_EQ(file.members.size(), 3u);
  const ConfigValue& listen = file.members.at("listen");
  EXPECT_THAT(listen.values, ElementsAre("127.0.0.1:8800"));
  EXPECT_FALSE(listen.is_list);
  EXPECT_EQ(listen.line, 2);
  EXPECT_THAT(file.members.at("allow-host").values,
              ElementsAre("a.example", "b.example"));
  EXPECT_THAT(file.members.at("tls-require-client-cert").values,
              ElementsAre("true"));
}

TEST(ConfigFileTest, AnEmptyFileSaysNothingAndJsonIsRead) {
  EXPECT_TRUE(ParseConfig("").members.empty());
  EXPECT_TRUE(ParseConfig("# nothing yet\n").faults.empty());
  EXPECT_EQ(ParseConfig(R"({"name":"w1"})").members.size(), 1u);
}

struct FaultCase {
  const char* name;
  const char* text;
  const char* fault;
};
class ConfigFaultTest : public testing::TestWithParam<FaultCase> {};

TEST_P(ConfigFaultTest, IsToldWithItsLine) {
  const ConfigFile file = ParseConfig(GetParam().text);
  ASSERT_FALSE(file.faults.empty());
  EXPECT_THAT(file.faults.front(), HasSubstr(GetParam().fault));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, ConfigFaultTest,
    testing::ValuesIn<FaultCase>({
        {"AList", "- listen\n", "1: expected a map"},
        {"AText", "listen\n", "1: expected a map"},
        {"NoYaml", "listen: [a\n", ": not YAML: "},
        {"AMapWithin", "name: w1\nlisten: {host: x}\n", "2: listen: expected"},
        {"AValueThatIsMissing", "listen:\n", "1: listen: expected"},
        {"AnEmptyText", "listen: \"\"\n", "1: listen: expected"},
        {"AListOfLists", "allow-host: [[a]]\n", "1: allow-host: expected"},
        {"TheSameTwice", "name: a\nlisten: b\nname: c\n",
         "3: name: stands here for the second time"},
        {"ANameThatIsAList", "? [a]\n: b\n", "a name must be a text"},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST(NearestWordTest, OnlyASlipIsTakenForOne) {
  EXPECT_EQ(NearestWord("lisen", {"name", "listen"}), "listen");
  EXPECT_EQ(NearestWord("allow-hosts", {"allow-host", "allow-origin"}),
            "allow-host");
  EXPECT_EQ(NearestWord("colour", {"name", "listen"}), "");
  EXPECT_EQ(NearestWord(std::string(1 << 20, 'x'), {"name"}), "");
}

}  // namespace
}  // namespace gatehouse::admin
