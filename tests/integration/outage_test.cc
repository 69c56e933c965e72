// The control plane goes away and comes back: DESIGN §4 ("when the control
// plane does not answer"). Defends invariants 2 (fail closed) and 5.

#include <signal.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/integration/harness/fixture.h"
#include "tests/integration/harness/oracle.h"

namespace gatehouse::testing {
namespace {

constexpr char kSampling[] = "sampling/createMessage";
constexpr char kFirst[] = "/result/structuredContent/replies/0";

class OutageTest : public GatehouseTest {
 protected:
  std::string Reason(const absl::StatusOr<Message>& answer) {
    return answer.ok() ? answer->At(absl::StrCat(kFirst, "/error/data/reason"))
                       : answer.status().ToString();
  }
};

TEST_F(OutageTest, PlainCallsAndKnownSessionsGoOn) {
  Start();
  auto client = Connect();
  ASSERT_TRUE(client->CallTool("up__echo", "{}").ok());
  gatehouse_->KillControl();
  for (int i = 0; i < 20; ++i) {
    const absl::StatusOr<Message> answer = client->CallTool("up__echo", "{}");
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_TRUE(answer->Has("/result"));
  }
  EXPECT_TRUE(client->Request("tools/list", "{}")->Has("/result/tools"));
}

TEST_F(OutageTest, AnInputRequestFailsClosed) {
  Start();
  auto client = Connect();
  client->OnAsked(kSampling,
                  [](const Message&) { return SamplingReply("no!"); });
  ASSERT_TRUE(client->CallTool("up__echo", "{}").ok());
  gatehouse_->KillControl();
  const absl::StatusOr<Message> answer =
      client->CallTool("up__ask", AskArguments(kSampling, SamplingParams()));
  EXPECT_EQ(Reason(answer), "trust_unavailable");
  EXPECT_EQ(answer->At(absl::StrCat(kFirst, "/error/code")), "-32603");
  EXPECT_TRUE(client->asked(kSampling).empty());
}

// Hung, not dead: the deadline of the decision ends the wait.
TEST_F(OutageTest, AHungControlPlaneIsNotWaitedFor) {
  Start();
  auto client = Connect();
  ASSERT_TRUE(client->CallTool("up__echo", "{}").ok());
  gatehouse_->control().Signal(SIGSTOP);
  const absl::Time before = absl::Now();
  const absl::StatusOr<Message> answer =
      client->CallTool("up__ask", AskArguments(kSampling, SamplingParams()));
  EXPECT_EQ(Reason(answer), "trust_unavailable");
  EXPECT_LT(absl::Now() - before, absl::Seconds(4));
  gatehouse_->control().Signal(SIGCONT);
  // If the decision was made all the same, the worker has it taken back.
  ASSERT_TRUE(Eventually(kPatience, [&] {
    return client->CallTool("up__echo", "{}")->Has("/result") &&
           gatehouse_->Api("operator").Workers().ok();
  }));
  EXPECT_TRUE(client->asked(kSampling).empty());
  client->Delete();
  ASSERT_EQ(Records("session_ended", 1).size(), 1u);
  gatehouse_->KillWorker(0);
  gatehouse_->KillControl();
  const absl::StatusOr<OracleReport> report =
      Examine(gatehouse_->data_dir(), {}, /*at_rest=*/true);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->violations.empty()) << report->ToString();
}

TEST_F(OutageTest, ANewSessionAndAnUnknownOneGet503AndNever404) {
  Start(Gatehouse::Options{.policy = FullPolicy("dev", upstream_.url()),
                           .workers = 2});
  auto client = Connect({}, 0);
  gatehouse_->KillControl();
  auto newcomer = NewClient();
  const ClientCall call = newcomer->Start(
      "initialize", R"({"protocolVersion":"2025-11-25","capabilities":{},)"
                    R"("clientInfo":{"name":"c","version":"1"}})");
  EXPECT_EQ(call.exchange->Status().value_or(0), 503);
  EXPECT_NE(call.exchange->Header("retry-after"), "");
  // Known to worker 1, unknown to worker 2.
  client->MoveTo(gatehouse_->worker_address(1));
  const ClientCall ping = client->Start("ping", "{}");
  EXPECT_EQ(ping.exchange->Status().value_or(0), 503);
  EXPECT_NE(ping.exchange->Header("retry-after"), "");
}

TEST_F(OutageTest, AfterItsReturnEverythingGoesOnInTheSameSession) {
  Start();
  auto client = Connect();
  client->OnAsked(kSampling,
                  [](const Message&) { return SamplingReply("ok"); });
  ASSERT_TRUE(client->CallTool("up__echo", "{}").ok());
  gatehouse_->KillControl();
  ASSERT_TRUE(gatehouse_->StartControl().ok());
  absl::StatusOr<Message> answer = absl::UnknownError("");
  EXPECT_TRUE(Eventually(kPatience, [&] {
    answer =
        client->CallTool("up__ask", AskArguments(kSampling, SamplingParams()));
    return answer.ok() && answer->Has(absl::StrCat(kFirst, "/result"));
  })) << Reason(answer);
}

// The reply came in while nobody could judge it: the worker keeps it, and it
// is settled once the control plane is back.
TEST_F(OutageTest, AReplyDuringTheOutageIsSettledAfterIt) {
  Start("replyDeadline: 30s\n");
  auto client = Connect();
  const ClientCall call =
      client->StartTool("up__ask", AskArguments(kSampling, SamplingParams()));
  const absl::StatusOr<Message> asked = client->AwaitAsked(kSampling);
  ASSERT_TRUE(asked.ok()) << asked.status();
  gatehouse_->KillControl();
  EXPECT_EQ(client->Reply(asked->id(), SamplingReply("kept")), 202);
  ASSERT_TRUE(gatehouse_->StartControl().ok());
  const absl::StatusOr<Message> answer = call.Await(absl::Seconds(25));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_THAT(answer->raw(), ::testing::HasSubstr("kept"));
  EXPECT_EQ(Records("answered", 1).size(), 1u);
}

// An expiry that fell due during the outage is carried out after it, and told
// to the worker by its mailbox.
TEST_F(OutageTest, WhatFellDueMeanwhileExpiresAfterTheRestart) {
  Start();
  auto client = Connect();
  const ClientCall call =
      client->StartTool("up__ask", AskArguments(kSampling, SamplingParams()));
  ASSERT_TRUE(client->AwaitAsked(kSampling).ok());
  gatehouse_->KillControl();
  ASSERT_TRUE(gatehouse_->StartControl().ok());
  const absl::StatusOr<Message> answer = call.Await(absl::Seconds(25));
  EXPECT_EQ(Reason(answer), "expired");
  EXPECT_EQ(Records("expired", 1).size(), 1u);
}

}  // namespace
}  // namespace gatehouse::testing
