// A session seen from two workers (show 4 of the main job): the call runs on
// one, the reply and the end come in on the other. Invariant 5.

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/integration/harness/cut_proxy.h"
#include "tests/integration/harness/fixture.h"

namespace gatehouse::testing {
namespace {

constexpr char kSampling[] = "sampling/createMessage";

class TwoWorkersTest : public GatehouseTest {
 protected:
  // Worker 1 reaches the control plane through a proxy, worker 2 directly. The
  // proxy's path stands in the Gatehouse's own directory, so it is laid out
  // before anything starts.
  void SetUp() override {
    const std::string path = absl::StrCat("unix:", dir_.path(), "/cut.sock");
    gatehouse_ = std::make_unique<Gatehouse>(Gatehouse::Options{
        .policy = FullPolicy("dev", upstream_.url(), "replyDeadline: 30s\n"),
        .workers = 2,
        .control_addresses = {path}});
    ASSERT_TRUE(gatehouse_->StartControl().ok());
    proxy_ = std::make_unique<CutProxy>(
        &loop_, path, absl::StrCat("unix:", gatehouse_->socket()));
    for (int i = 0; i < 2; ++i) {
      const absl::Status started = gatehouse_->StartWorker(i);
      ASSERT_TRUE(started.ok()) << started;
    }
  }

  ClientCall AskOnWorkerOne(ScriptedClient& client, std::string* id) {
    ClientCall call =
        client.StartTool("up__ask", AskArguments(kSampling, SamplingParams()));
    const absl::StatusOr<Message> asked = client.AwaitAsked(kSampling);
    EXPECT_TRUE(asked.ok()) << asked.status();
    if (asked.ok()) *id = asked->id();
    return call;
  }

  const TempDir dir_;
  std::unique_ptr<CutProxy> proxy_;
};

TEST_F(TwoWorkersTest, TheReplyMayComeInOnTheOther) {
  auto client = Connect({}, 0);
  std::string id;
  const ClientCall call = AskOnWorkerOne(*client, &id);
  client->MoveTo(gatehouse_->worker_address(1));
  EXPECT_EQ(client->Reply(id, SamplingReply("over there")), 202);
  const absl::StatusOr<Message> answer = call.Await();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_THAT(answer->raw(), ::testing::HasSubstr("over there"));
  EXPECT_EQ(upstream_.replies().size(), 1u);
}

TEST_F(TwoWorkersTest, WhileTheOwnersAttachIsCutItIsDeliveredOnceAfterwards) {
  auto client = Connect({}, 0);
  std::string id;
  const ClientCall call = AskOnWorkerOne(*client, &id);
  proxy_->Cut();
  client->MoveTo(gatehouse_->worker_address(1));
  EXPECT_EQ(client->Reply(id, SamplingReply("held")), 202);
  EXPECT_EQ(client->Reply(id, SamplingReply("again")), 202);
  ASSERT_EQ(Records("answered", 1).size(), 1u);
  // Three seconds of darkness, less than the lease: nothing may get through.
  EXPECT_FALSE(call.Await(absl::Seconds(3)).ok());
  EXPECT_TRUE(upstream_.replies().empty());
  proxy_->Restore();
  const absl::StatusOr<Message> answer = call.Await();
  ASSERT_TRUE(answer.ok()) << answer.status();
  // Both were taken in with 202; which of the two came first nobody promises.
  EXPECT_THAT(answer->raw(), ::testing::AnyOf(::testing::HasSubstr("held"),
                                              ::testing::HasSubstr("again")));
  EXPECT_EQ(upstream_.replies().size(), 1u);
  EXPECT_EQ(Records("delivery_claimed", 1).size(), 1u);
  EXPECT_EQ(Records("delivery_acknowledged", 1).size(), 1u);
}

TEST_F(TwoWorkersTest, DeleteOnTheOtherEndsTheCall) {
  auto client = Connect({}, 0);
  std::string id;
  const ClientCall call = AskOnWorkerOne(*client, &id);
  client->MoveTo(gatehouse_->worker_address(1));
  const int status = client->Delete();
  EXPECT_TRUE(status == 200 || status == 204) << status;
  EXPECT_TRUE(call.exchange->AwaitEnd());
  EXPECT_TRUE(upstream_.AwaitReceived("notifications/cancelled").ok() ||
              upstream_.open_sessions() == 0);
  EXPECT_EQ(Records("cancelled", 1).size(), 1u);
  // And worker 1 knows that the session is over.
  client->MoveTo(gatehouse_->worker_address(0));
  EXPECT_TRUE(Eventually(kPatience, [&] {
    return client->Start("ping", "{}").exchange->Status().value_or(0) == 404;
  }));
}

TEST_F(TwoWorkersTest, CallsOfOneSessionRunOnBoth) {
  auto client = Connect({}, 0);
  client->OnAsked(kSampling,
                  [](const Message&) { return SamplingReply("ok"); });
  for (int worker : {1, 0, 1}) {
    client->MoveTo(gatehouse_->worker_address(worker));
    const absl::StatusOr<Message> answer =
        client->CallTool("up__ask", AskArguments(kSampling, SamplingParams()));
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_TRUE(answer->Has("/result/structuredContent/replies/0/result"));
  }
}

// The worker dies: what it held is LOST after its lease, and never written.
TEST_F(TwoWorkersTest, ADeadWorkersRequestsAreLost) {
  auto client = Connect({}, 0);
  std::string id;
  const ClientCall call = AskOnWorkerOne(*client, &id);
  gatehouse_->KillWorker(0);
  EXPECT_TRUE(call.exchange->AwaitEnd());
  ASSERT_TRUE(
      Eventually(absl::Seconds(25), [&] { return CountRecords("lost") == 1; }));
  client->MoveTo(gatehouse_->worker_address(1));
  EXPECT_EQ(client->Reply(id, SamplingReply("too late")), 202);
  EXPECT_EQ(Records("late_reply", 1).size(), 1u);
  EXPECT_TRUE(upstream_.replies().empty());
}

}  // namespace
}  // namespace gatehouse::testing
