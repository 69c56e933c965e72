// Policy documents applied while everything runs: DESIGN §10.

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/integration/harness/fixture.h"

namespace gatehouse::testing {
namespace {

constexpr char kSampling[] = "sampling/createMessage";
constexpr char kFirst[] = "/result/structuredContent/replies/0";

class PolicyTest : public GatehouseTest {
 protected:
  std::string NarrowPolicy() {
    return PolicyText("dev", {{"up", upstream_.url()}},
                      "clientFeatures: { elicitation: true }\n"
                      "trust: { elicitation: { route: client } }\n");
  }
};

TEST_F(PolicyTest, ANarrowerOneHoldsForTheNextInputRequest) {
  Start();
  auto client = Connect();
  client->OnAsked(kSampling,
                  [](const Message&) { return SamplingReply("ok"); });
  const std::string arguments = AskArguments(kSampling, SamplingParams());
  ASSERT_TRUE(client->CallTool("up__ask", arguments)
                  ->Has(absl::StrCat(kFirst, "/result")));
  const auto applied = gatehouse_->Api("operator").Apply(NarrowPolicy());
  ASSERT_TRUE(applied.ok()) << applied.status();
  EXPECT_TRUE(applied->changed());
  EXPECT_EQ(applied->virtual_server().version(), 2);
  const absl::StatusOr<Message> answer = client->CallTool("up__ask", arguments);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->At(absl::StrCat(kFirst, "/error/data/reason")),
            "not_permitted");
  EXPECT_EQ(client->asked(kSampling).size(), 1u);
}

// Under way when the policy changed: checked by the new one all the same.
TEST_F(PolicyTest, ACallInFlightIsJudgedByTheNewOne) {
  std::shared_ptr<ToolCall> held;
  Signal arrived;
  upstream_.AddTool("waits", [&](const std::shared_ptr<ToolCall>& call) {
    arrived.Change([&] { held = call; });
  });
  Start();
  auto client = Connect();
  const ClientCall call = client->StartTool("up__waits", "{}");
  ASSERT_TRUE(arrived.WaitUntil(kPatience, [&] { return held != nullptr; }));
  ASSERT_TRUE(gatehouse_->Api("operator").Apply(NarrowPolicy()).ok());
  loop_.Run([&] {
    held->Ask(kSampling, SamplingParams(), [&](const Message& reply) {
      held->FinishWithText(reply.At("/error/data/reason"));
    });
  });
  const absl::StatusOr<Message> answer = call.Await();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->At("/result/content/0/text"), "not_permitted");
  EXPECT_TRUE(client->asked(kSampling).empty());
  loop_.Run([&] { held.reset(); });
}

TEST_F(PolicyTest, TheSameDocumentAgainChangesNothing) {
  Start();
  const auto applied =
      gatehouse_->Api("operator").Apply(FullPolicy("dev", upstream_.url()));
  ASSERT_TRUE(applied.ok()) << applied.status();
  EXPECT_FALSE(applied->changed());
  EXPECT_EQ(applied->virtual_server().version(), 1);
}

// PROTOCOL §2.5: each message on exactly one stream.
TEST_F(PolicyTest, AnotherPolicyIsToldOnOneStreamOfEachSession) {
  Start();
  auto first = Connect();
  auto second = Connect();
  auto other = NewClient({.virtual_server = "other"});
  ASSERT_TRUE(gatehouse_->Api("operator")
                  .Apply(FullPolicy("other", upstream_.url()))
                  .ok());
  ASSERT_TRUE(Eventually(kPatience, [&] { return other->Initialize().ok(); }));
  const auto streams = {first->OpenStream(), first->OpenStream(),
                        second->OpenStream(), other->OpenStream()};
  for (const auto& stream : streams) {
    ASSERT_EQ(*stream->Status(), 200);
  }
  ASSERT_TRUE(gatehouse_->Api("operator").Apply(NarrowPolicy()).ok());
  constexpr char kChanged[] = "notifications/tools/list_changed";
  EXPECT_TRUE(first->AwaitAsked(kChanged).ok());
  EXPECT_TRUE(second->AwaitAsked(kChanged).ok());
  // What was sent before this answer is here too.
  EXPECT_TRUE(first->CallTool("up__echo", "{}").ok());
  EXPECT_EQ(first->asked(kChanged).size(), 1u);
  EXPECT_TRUE(other->asked(kChanged).empty());
}

TEST_F(PolicyTest, ANewVirtualServerIsServedWithoutARestart) {
  Start();
  ASSERT_TRUE(gatehouse_->Api("operator")
                  .Apply(FullPolicy("fresh", upstream_.url()))
                  .ok());
  auto client = NewClient({.virtual_server = "fresh"});
  ASSERT_TRUE(Eventually(kPatience, [&] { return client->Initialize().ok(); }));
  EXPECT_TRUE(client->CallTool("up__echo", "{}")->Has("/result"));
}

TEST_F(PolicyTest, EveryErrorIsReportedAtOnceWithItsPath) {
  Start();
  const auto applied =
      gatehouse_->Api("operator")
          .Apply(
              "kind: VirtualServer\nname: dev\nupstreams:\n  - name: up\n"
              "    http: { url: \"http://127.0.0.1:1/mcp\" }\n"
              "trust: { sampling: { route: reviewer } }\n"
              "privacy: { email: mask }\nreplyDeadline: 1s\n");
  EXPECT_EQ(applied.status().code(), absl::StatusCode::kInvalidArgument);
  const auto servers = gatehouse_->Api("operator").VirtualServers();
  ASSERT_TRUE(servers.ok()) << servers.status();
  ASSERT_EQ(servers->size(), 1u);
  EXPECT_EQ((*servers)[0].version(), 1);
}

TEST_F(PolicyTest, ValidateOnlyChangesNothing) {
  Start();
  const auto applied =
      gatehouse_->Api("operator").Apply(NarrowPolicy(), /*validate_only=*/true);
  ASSERT_TRUE(applied.ok()) << applied.status();
  EXPECT_EQ(gatehouse_->Api("operator").VirtualServers()->at(0).version(), 1);
}

// DESIGN §10: the store is the truth; the file is applied only if it differs
// from what was last applied from it.
TEST_F(PolicyTest, AnEditByApiSurvivesARestart) {
  Start();
  ASSERT_TRUE(gatehouse_->Api("operator").Apply(NarrowPolicy()).ok());
  ASSERT_TRUE(gatehouse_->control().Stop().ok());
  ASSERT_TRUE(gatehouse_->StartControl().ok());
  const auto servers = gatehouse_->Api("operator").VirtualServers();
  ASSERT_TRUE(servers.ok()) << servers.status();
  EXPECT_EQ(servers->at(0).version(), 2);
  EXPECT_FALSE(servers->at(0).client_features().sampling());
}

}  // namespace
}  // namespace gatehouse::testing
