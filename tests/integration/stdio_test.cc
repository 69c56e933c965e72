// Upstreams over stdio: DESIGN §9 (attribution), §15, §16 (strangers).

#include <pwd.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/integration/harness/fixture.h"

namespace gatehouse::testing {
namespace {

constexpr char kSampling[] = "sampling/createMessage";
constexpr char kFirst[] = "/result/structuredContent/replies/0";

bool AmRoot() { return geteuid() == 0; }

class StdioTest : public GatehouseTest {
 protected:
  // From a copy that the other user can reach, wherever the build lies.
  void SetUp() override {
    std::filesystem::permissions(dir_.path(), std::filesystem::perms(0755));
    program_ = dir_.path() + "/stdio-upstream";
    std::filesystem::copy_file(TestProgramPath("gatehouse_test_stdio_upstream"),
                               program_);
    std::filesystem::permissions(program_, std::filesystem::perms(0755));
    Start(Gatehouse::Options{
        .policy = StdioPolicy(AmRoot() ? ", runAs: nobody" : "")});
  }

  std::string StdioPolicy(const std::string& more) {
    return absl::StrCat(
        "kind: VirtualServer\nname: dev\nupstreams:\n  - name: up\n"
        "    stdio: { command: [\"",
        program_, "\"], env: { LANG: C.UTF-8, SHOWN: plainly }", more,
        " }\nclientFeatures: { sampling: true, elicitation: true }\n"
        "trust:\n  sampling: { route: client }\n"
        "  elicitation: { route: client }\nreplyDeadline: 5s\n");
  }

  const TempDir dir_;
  std::string program_;
};

TEST_F(StdioTest, ACallWithProgressAndAQuestion) {
  auto client = Connect();
  client->OnAsked(kSampling,
                  [](const Message&) { return SamplingReply("ok"); });
  const absl::StatusOr<Message> echo =
      client->CallTool("up__echo", R"({"n":18446744073709551615})");
  ASSERT_TRUE(echo.ok()) << echo.status();
  EXPECT_EQ(echo->At("/result/content/0/text"),
            R"({"n":18446744073709551615})");
  const ClientCall progress = client->StartTool(
      "up__progress", R"({"steps":3})", R"({"progressToken":5})");
  ASSERT_TRUE(progress.Await().ok());
  EXPECT_EQ(client->asked("notifications/progress").size(), 3u);
  const absl::StatusOr<Message> asked =
      client->CallTool("up__ask", AskArguments(kSampling, SamplingParams(), 2));
  ASSERT_TRUE(asked.ok()) << asked.status();
  EXPECT_TRUE(asked->Has("/result/structuredContent/replies/1/result"))
      << asked->raw();
}

TEST_F(StdioTest, WhatItAsksWhenNoCallRunsBelongsToNobody) {
  auto client = Connect();
  ASSERT_TRUE(
      client
          ->CallTool("up__ask_after", AskArguments(kSampling, SamplingParams()))
          ->Has("/result"));
  ASSERT_EQ(Records("refused", 1).size(), 1u);
  absl::StatusOr<Message> replies = absl::UnknownError("");
  ASSERT_TRUE(Eventually(kPatience, [&] {
    replies = client->CallTool("up__replies", "{}");
    return replies.ok() && replies->Has(kFirst);
  }));
  EXPECT_EQ(replies->At(absl::StrCat(kFirst, "/error/code")), "-32602");
  EXPECT_EQ(replies->At(absl::StrCat(kFirst, "/error/data/reason")),
            "no_operation");
  EXPECT_TRUE(client->asked(kSampling).empty());
}

// With a feature offered, eligible calls run one at a time on a process, so
// that each question has its parent.
TEST_F(StdioTest, ParallelCallsAreEachAskedForThemselves) {
  auto client = Connect();
  client->OnAsked(kSampling, [](const Message& asked) {
    return SamplingReply(asked.At("/params/messages/0/content/text"));
  });
  std::vector<ClientCall> calls;
  for (int i = 0; i < 6; ++i) {
    calls.push_back(client->StartTool(
        "up__ask",
        AskArguments(kSampling, SamplingParams(10, absl::StrCat("no. ", i)))));
  }
  for (int i = 0; i < 6; ++i) {
    const absl::StatusOr<Message> answer = calls[i].Await();
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->At(absl::StrCat(kFirst, "/result/content/text")),
              absl::StrCat("no. ", i));
  }
}

TEST_F(StdioTest, AProcessThatDiesFailsItsCallAndIsReplaced) {
  auto client = Connect();
  const absl::StatusOr<Message> answer = client->CallTool("up__exit", "{}");
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->At("/error/code"), "-32603");
  EXPECT_EQ(answer->At("/error/data/reason"), "upstream_unavailable");
  EXPECT_TRUE(Eventually(kPatience, [&] {
    const absl::StatusOr<Message> echo = client->CallTool("up__echo", "{}");
    return echo.ok() && echo->Has("/result");
  }));
}

TEST_F(StdioTest, ItHasTheNamedEnvironmentAndNoOther) {
  auto client = Connect();
  const absl::StatusOr<Message> answer = client->CallTool("up__whoami", "{}");
  ASSERT_TRUE(answer.ok()) << answer.status();
  const std::string text = answer->At("/result/content/0/text");
  EXPECT_THAT(text, ::testing::HasSubstr("env SHOWN=plainly"));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("GATEHOUSE_")));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("PATH=")));
  if (AmRoot()) {
    EXPECT_THAT(text, ::testing::HasSubstr(
                          absl::StrCat("uid ", getpwnam("nobody")->pw_uid)));
  }
}

TEST_F(StdioTest, ItEndsWithTheWorker) {
  auto client = Connect();
  ASSERT_TRUE(client->CallTool("up__echo", "{}").ok());
  const ProcessFacts facts = FactsOf(gatehouse_->worker(0).pid());
  ASSERT_FALSE(facts.children.empty());
  ASSERT_TRUE(gatehouse_->worker(0).Stop().ok());
  for (const pid_t child : facts.children) {
    EXPECT_TRUE(Eventually(kPatience, [&] { return kill(child, 0) != 0; }));
  }
}

// Show 6: a stranger on the same machine. Needs root, to become somebody else.
TEST_F(StdioTest, AsNobodyItReachesNothingOfTheControlPlane) {
  if (!AmRoot()) GTEST_SKIP() << "not run: only root can start another user";
  auto client = Connect();
  const std::string data = gatehouse_->data_dir();
  const absl::StatusOr<Message> answer = client->CallTool(
      "up__probe",
      absl::StrCat("{\"socket\":\"", gatehouse_->socket(), "\",\"address\":\"",
                   gatehouse_->control_address(), "\",\"files\":[\"", data,
                   "\",\"", data, "/tokens\",\"", data,
                   "/tokens/operator.token\",\"", data,
                   "/tokens/worker.token\"]}"),
      absl::Seconds(40));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->At("/result/content/0/text"),
            "address UNAUTHENTICATED\nguess UNAUTHENTICATED\nsocket EACCES\n"
            "file EACCES\nfile EACCES\nfile EACCES\nfile EACCES\n");
}

TEST_F(StdioTest, ARootWorkerStartsNoUpstreamWithoutRunAs) {
  if (!AmRoot()) GTEST_SKIP() << "not run: the rule is about root";
  Start(Gatehouse::Options{.policy = StdioPolicy("")});
  auto client = Connect();
  const absl::StatusOr<Message> answer = client->CallTool("up__echo", "{}");
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(answer->Has("/error")) << answer->raw();
}

}  // namespace
}  // namespace gatehouse::testing
