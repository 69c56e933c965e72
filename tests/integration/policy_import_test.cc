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
    options.worker_env = {{"GATEHOUSE_SECRET_API_KEY", "s3cret"}};
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
  EXPECT_THAT(policy,
              HasSubstr("\"API_KEY\": \"env:GATEHOUSE_SECRET_API_KEY\""));
  EXPECT_THAT(policy, Not(HasSubstr("s3cret")));
  EXPECT_THAT(Stderr(), Not(HasSubstr("s3cret")));
  EXPECT_THAT(
      Stderr(),
      HasSubstr("GATEHOUSE_SECRET_API_KEY  (/mcpServers/demo/env/API_KEY)"));
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
  EXPECT_THAT(policy, HasSubstr(absl::StrCat("\"HOME\": \"", home(), "\"")));
  if (geteuid() != 0) {
    EXPECT_THAT(policy, Not(HasSubstr("runAs")));
    return;
  }
  EXPECT_THAT(policy, HasSubstr("runAs: \"nobody\""));
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
  EXPECT_THAT(policy, HasSubstr("- name: \"demo\""));
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

// The secrets go into a file of ours alone, or nowhere.
TEST_F(PolicyImportTest, SecretsAreWrittenIntoNoFileOfOthers) {
  const std::string file = dir_.path() + "/secrets";
  const auto import = [&](const std::string& to) {
    return Control({"policy", "import", "--home", home(), "--secrets", to,
                    host_file()})
        .first;
  };
  ASSERT_EQ(import(file), 0) << Stderr();
  EXPECT_EQ(ReadFile(file), "GATEHOUSE_SECRET_API_KEY=s3cret\n");
  struct stat facts = {};
  ASSERT_EQ(stat(file.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
  ASSERT_TRUE(
      WriteFile(file, "longer than what comes, and to be gone at all\n").ok());
  EXPECT_EQ(import(file), 0) << "one's own is replaced: " << Stderr();
  EXPECT_EQ(ReadFile(file), "GATEHOUSE_SECRET_API_KEY=s3cret\n");

  ASSERT_EQ(chmod(file.c_str(), 0640), 0);
  ASSERT_TRUE(WriteFile(file, "mine\n").ok());
  EXPECT_EQ(import(file), 2);
  EXPECT_THAT(Stderr(), HasSubstr("is open to others"));
  ASSERT_EQ(chmod(file.c_str(), 0600), 0);
  const std::string other_name = dir_.path() + "/hard";
  ASSERT_EQ(link(file.c_str(), other_name.c_str()), 0);
  EXPECT_EQ(import(other_name), 2);
  EXPECT_THAT(Stderr(), HasSubstr("is not yours alone"));
  ASSERT_EQ(unlink(other_name.c_str()), 0);
  ASSERT_EQ(symlink(file.c_str(), other_name.c_str()), 0);
  EXPECT_EQ(import(other_name), 2);
  EXPECT_THAT(Stderr(), HasSubstr("is a link"));
  if (geteuid() == 0) {
    ASSERT_EQ(chown(file.c_str(), getpwnam("nobody")->pw_uid, 0), 0);
    EXPECT_EQ(import(file), 2);
    EXPECT_THAT(Stderr(), HasSubstr("is not yours alone"));
  }
  EXPECT_EQ(ReadFile(file), "mine\n");
}

TEST_F(PolicyImportTest, AHomeIsNotMadeBehindALink) {
  if (geteuid() != 0) GTEST_SKIP() << "only root makes a home for others";
  const std::string to = dir_.path() + "/elsewhere";
  const std::string laid = dir_.path() + "/laid";
  ASSERT_EQ(mkdir(to.c_str(), 0755), 0);
  ASSERT_EQ(symlink(to.c_str(), laid.c_str()), 0);
  const auto [exit, out] =
      Control({"policy", "import", "--home", laid + "/home", host_file()});
  EXPECT_EQ(exit, 2);
  EXPECT_THAT(Stderr(), HasSubstr("laid is a link or no folder"));
  struct stat facts = {};
  EXPECT_NE(stat((to + "/home").c_str(), &facts), 0);
}

}  // namespace
}  // namespace gatehouse::testing
