// `gatehousectl policy import` against the real control plane and a worker:
// what it prints can be applied, and what was applied works.

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/integration/cli_stage.h"

namespace gatehouse::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class PolicyImportTest : public CliStage {
 protected:
  void SetUp() override {
    Gatehouse::Options options;
    options.worker_env = {{"API_KEY", "s3cret"}};
    StartWith(std::move(options));
    ASSERT_TRUE(WriteFile(host_file(),
                          absl::StrCat(R"({"mcpServers":{"demo":{"command":")",
                                       dir_.path(),
                                       R"(/demo-upstream","env":{"API_KEY":)"
                                       R"("s3cret"}}}})"))
                    .ok());
  }
  std::string host_file() const { return dir_.path() + "/host.json"; }
  std::string home() const { return dir_.path() + "/home"; }
};

TEST_F(PolicyImportTest, WhatItPrintsPassesTheCheckAndHoldsNoSecret) {
  const auto [exit, policy] = Control(
      {"policy", "import", "--name", "second", "--home", home(), host_file()});
  ASSERT_EQ(exit, 0) << Stderr();
  EXPECT_THAT(policy, HasSubstr("API_KEY: \"env:API_KEY\""));
  EXPECT_THAT(policy, Not(HasSubstr("s3cret")));
  EXPECT_THAT(Stderr(), Not(HasSubstr("s3cret")));
  EXPECT_THAT(Stderr(), HasSubstr("API_KEY  (/mcpServers/demo/env/API_KEY)"));
  const std::string file = dir_.path() + "/second.yaml";
  ASSERT_TRUE(WriteFile(file, policy).ok());
  EXPECT_EQ(Control({"policy", "check", file}).first, 0) << Stderr();
}

TEST_F(PolicyImportTest, AppliedItIsServed) {
  const auto [exit, out] = Control({"policy", "import", "--apply", "--name",
                                    "second", "--home", home(), host_file()});
  ASSERT_EQ(exit, 0) << Stderr();
  EXPECT_THAT(out, HasSubstr("virtualServers/second is now version 1"));
  std::pair<int, std::string> called;
  // The worker hears of it by its stream.
  EXPECT_TRUE(Eventually(kPatience, [&] {
    called = RunToEnd({"call", "second", "demo__count", "to=2"});
    return called.first == 0;
  })) << Stderr();
  EXPECT_EQ(called.second, "Counted to 2.\n");
}

TEST_F(PolicyImportTest, AHomeForTheOtherUserIsMadeForNobodyElse) {
  const auto [exit, policy] =
      Control({"policy", "import", "--home", home(), host_file()});
  ASSERT_EQ(exit, 0) << Stderr();
  EXPECT_THAT(policy, HasSubstr(absl::StrCat("HOME: \"", home(), "\"")));
  if (geteuid() != 0) {
    EXPECT_THAT(policy, Not(HasSubstr("runAs")));
    return;
  }
  EXPECT_THAT(policy, HasSubstr("runAs: nobody"));
  struct stat facts = {};
  ASSERT_EQ(stat(home().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, getpwnam("nobody")->pw_uid);
  EXPECT_EQ(facts.st_mode & 0777, 0700u);
}

TEST_F(PolicyImportTest, WhatItCannotExpressStopsItUnlessThatIsWanted) {
  ASSERT_TRUE(WriteFile(host_file(),
                        absl::StrCat(R"({"mcpServers":{"demo":{"command":")",
                                     dir_.path(),
                                     R"(/demo-upstream"},"old":{"type":"sse",)"
                                     R"("url":"https://h.example/sse"}}})"))
                  .ok());
  const auto [exit, nothing] =
      Control({"policy", "import", "--home", home(), host_file()});
  EXPECT_EQ(exit, 2);
  EXPECT_EQ(nothing, "");
  EXPECT_THAT(Stderr(), HasSubstr("error: " + host_file() +
                                  ": /mcpServers/old/type: the HTTP+SSE"));
  const auto [partial_exit, policy] =
      Control({"policy", "import", "--partial", "--home", home(), host_file()});
  EXPECT_EQ(partial_exit, 0);
  EXPECT_THAT(policy, HasSubstr("- name: demo"));
}

TEST_F(PolicyImportTest, AFileThatIsThereIsNotOverwritten) {
  const std::string file = dir_.path() + "/mine.yaml";
  ASSERT_TRUE(WriteFile(file, "mine\n").ok());
  const auto [exit, out] = Control(
      {"policy", "import", "--home", home(), "--output", file, host_file()});
  EXPECT_EQ(exit, 2);
  EXPECT_THAT(Stderr(), HasSubstr("is there already"));
  EXPECT_EQ(ReadFile(file), "mine\n");
}

}  // namespace
}  // namespace gatehouse::testing
