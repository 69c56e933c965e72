// Nobody gets what is another's, however alike they look: clients that all
// count their ids from the same number, upstreams that do too, and two people
// who share one upstream. Defends invariants 1 and 5, and what others got wrong
// (GHSA-345p-7cg4-v4c7; fastmcp#3408).

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/integration/harness/fixture.h"

namespace gatehouse::testing {
namespace {

constexpr char kSampling[] = "sampling/createMessage";
constexpr int kPairs = 500;
constexpr int kPairsAtOnce = 100;
constexpr int kTurns = 200;  // of A and B together

// A client with a name, whose model says its own name and what it was asked.
struct Named {
  std::string name;
  std::unique_ptr<ScriptedClient> client;
  std::shared_ptr<Exchange> call;
};

// What the named one is asked, and must answer.
std::string QuestionOf(const std::string& name) {
  return absl::StrCat("question of ", name);
}
std::string AnswerOf(const std::string& name, const std::string& question) {
  return absl::StrCat(name, " heard: ", question);
}

class CrossingTest : public GatehouseTest {
 protected:
  Named Join(const std::string& name) {
    Named one{name, Connect(), nullptr};
    one.client->OnAsked(kSampling, [name](const Message& asked) {
      return SamplingReply(
          AnswerOf(name, asked.At("/params/messages/0/content/text")));
    });
    return one;
  }

  static std::string AskParams(const std::string& name,
                               const std::string& method) {
    return absl::StrCat(
        R"({"name":"up__ask","arguments":)",
        AskArguments(method, SamplingParams(10, QuestionOf(name))), "}");
  }

  // `tools/call` under id 1, whoever it is.
  static void CallAsNumberOne(Named& one) {
    one.call = one.client->Post(
        absl::StrCat(R"({"jsonrpc":"2.0","id":1,"method":"tools/call",)",
                     R"("params":)", AskParams(one.name, kSampling), "}"));
  }

  // That its answer is its own, and that it was asked nothing else.
  static void ExpectItsOwn(const Named& one) {
    const absl::StatusOr<Message> answer = one.call->AwaitResponse("1");
    ASSERT_TRUE(answer.ok()) << one.name << ": " << answer.status();
    EXPECT_EQ(
        answer->At("/result/structuredContent/replies/0/result/content/text"),
        AnswerOf(one.name, QuestionOf(one.name)))
        << answer->raw();
    const std::vector<Message> asked = one.client->asked(kSampling);
    ASSERT_EQ(asked.size(), 1u) << one.name;
    EXPECT_EQ(asked[0].At("/params/messages/0/content/text"),
              QuestionOf(one.name));
  }
};

TEST_F(CrossingTest, FiveHundredPairsUnderTheSameIdGetEachTheirOwn) {
  Start(
      "limits: { openInputRequestsPerUpstream: 1000 }\n"
      "replyDeadline: 30s\n");
  for (int first = 0; first < kPairs; first += kPairsAtOnce) {
    std::vector<Named> clients;
    for (int i = first; i < first + kPairsAtOnce; ++i) {
      clients.push_back(Join(absl::StrCat("left ", i)));
      clients.push_back(Join(absl::StrCat("right ", i)));
    }
    for (Named& one : clients) CallAsNumberOne(one);
    for (const Named& one : clients) ExpectItsOwn(one);
    for (const Named& one : clients) one.client->Delete();
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(Records("answered").size(), size_t{2} * kPairs);
}

TEST_F(CrossingTest, TwoWhoTakeTurnsOverOneStdioUpstreamGetEachTheirOwn) {
  const TempDir dir;
  std::filesystem::permissions(dir.path(), std::filesystem::perms(0755));
  const std::string program = dir.path() + "/stdio-upstream";
  std::filesystem::copy_file(TestProgramPath("gatehouse_test_stdio_upstream"),
                             program);
  std::filesystem::permissions(program, std::filesystem::perms(0755));
  Start(Gatehouse::Options{
      .policy = absl::StrCat(
          "kind: VirtualServer\nname: dev\nupstreams:\n  - name: up\n"
          "    stdio: { command: [\"",
          program, "\"]", geteuid() == 0 ? ", runAs: nobody" : "",
          " }\nclientFeatures: { sampling: true }\nreplyDeadline: 30s\n")});
  Named a = Join("A");
  Named b = Join("B");
  // The call of one begins while the other's is still asking.
  std::vector<std::pair<const Named*, ClientCall>> calls;
  for (int turn = 0; turn < kTurns; ++turn) {
    const Named& one = turn % 2 == 0 ? a : b;
    calls.emplace_back(
        &one,
        one.client->StartTool(
            "up__ask",
            AskArguments(kSampling,
                         SamplingParams(10, absl::StrCat("turn ", turn, " of ",
                                                         one.name)))));
    if (turn == 0) continue;
    const auto& [whose, before] = calls[turn - 1];
    const absl::StatusOr<Message> answer = before.Await();
    ASSERT_TRUE(answer.ok()) << turn << ": " << answer.status();
    EXPECT_EQ(
        answer->At("/result/structuredContent/replies/0/result/content/text"),
        AnswerOf(whose->name,
                 absl::StrCat("turn ", turn - 1, " of ", whose->name)))
        << answer->raw();
  }
  ASSERT_TRUE(calls.back().second.Await().ok());
  for (const Named* one : {&a, &b}) {
    const std::vector<Message> asked = one->client->asked(kSampling);
    EXPECT_EQ(asked.size(), static_cast<size_t>(kTurns / 2));
    for (const Message& question : asked) {
      EXPECT_THAT(question.At("/params/messages/0/content/text"),
                  ::testing::EndsWith(absl::StrCat(" of ", one->name)));
    }
  }
}

}  // namespace
}  // namespace gatehouse::testing
