// Replies that must change nothing but the log, and sessions that must not
// meet: invariant 5, and DESIGN §16 (bound to a principal).

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/integration/harness/fixture.h"

namespace gatehouse::testing {
namespace {

constexpr char kSampling[] = "sampling/createMessage";
constexpr char kModel[] = "/result/structuredContent/replies/0/result/model";

class RepliesTest : public GatehouseTest {
 protected:
  // A call whose sampling request has been shown to the client.
  struct Asked {
    ClientCall call;
    std::string id;
  };
  Asked AskOnce(ScriptedClient& client) {
    const size_t before = client.asked(kSampling).size();
    ClientCall call =
        client.StartTool("up__ask", AskArguments(kSampling, SamplingParams()));
    const absl::StatusOr<Message> asked =
        client.AwaitAsked(kSampling, before + 1);
    EXPECT_TRUE(asked.ok()) << asked.status();
    return {call, asked.ok() ? asked->id() : "\"\""};
  }
};

TEST_F(RepliesTest, AnUnknownReplyIsLoggedAndNothingElse) {
  Start();
  auto client = Connect();
  const Asked asked = AskOnce(*client);
  EXPECT_EQ(client->Reply("\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"",
                          SamplingReply("guess")),
            202);
  EXPECT_EQ(client->Reply("0", SamplingReply("guess")), 202);
  EXPECT_GE(Records("unknown_reply", 1).size(), 1u);
  EXPECT_TRUE(upstream_.replies().empty());
  client->Reply(asked.id, SamplingReply("true"));
  EXPECT_TRUE(asked.call.Await()->Has(kModel));
}

TEST_F(RepliesTest, ADuplicateIsDeliveredOnce) {
  Start();
  auto client = Connect();
  const Asked asked = AskOnce(*client);
  EXPECT_EQ(client->Reply(asked.id, SamplingReply("first")), 202);
  EXPECT_EQ(client->Reply(asked.id, SamplingReply("second")), 202);
  const absl::StatusOr<Message> answer = asked.call.Await();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_THAT(answer->raw(), ::testing::HasSubstr("first"));
  EXPECT_EQ(Records("answered", 1).size(), 1u);
  EXPECT_GE(Records("duplicate_reply").size() + Records("late_reply").size(),
            1u);
  EXPECT_EQ(upstream_.replies().size(), 1u);
}

TEST_F(RepliesTest, ManyDuplicatesAtOnceAreDeliveredOnce) {
  Start();
  auto client = Connect();
  const Asked asked = AskOnce(*client);
  std::vector<std::shared_ptr<Exchange>> posts;
  for (int i = 0; i < 20; ++i) {
    posts.push_back(client->Post(
        absl::StrCat("{\"jsonrpc\":\"2.0\",\"id\":", asked.id, ",",
                     SamplingReply(absl::StrCat("no. ", i)), "}")));
  }
  for (const auto& post : posts) EXPECT_EQ(post->Status().value_or(0), 202);
  ASSERT_TRUE(asked.call.Await()->Has(kModel));
  EXPECT_EQ(Records("answered", 1).size(), 1u);
  EXPECT_EQ(upstream_.replies().size(), 1u);
}

TEST_F(RepliesTest, ALateReplyChangesNothing) {
  Start();
  auto client = Connect();
  const Asked asked = AskOnce(*client);
  const absl::StatusOr<Message> answer = asked.call.Await();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->At("/result/structuredContent/replies/0/error/data/reason"),
            "expired");
  EXPECT_EQ(client->Reply(asked.id, SamplingReply("late")), 202);
  EXPECT_EQ(Records("late_reply", 1).size(), 1u);
  EXPECT_EQ(Records("answered").size(), 0u);
  EXPECT_EQ(upstream_.replies().size(), 1u);
}

TEST_F(RepliesTest, AnotherSessionsReplyIsNoReply) {
  Start();
  auto client = Connect();
  auto thief = Connect();
  const Asked asked = AskOnce(*client);
  EXPECT_EQ(thief->Reply(asked.id, SamplingReply("stolen")), 202);
  EXPECT_EQ(Records("unauthorized_reply", 1).size(), 1u);
  EXPECT_TRUE(upstream_.replies().empty());
  client->Reply(asked.id, SamplingReply("mine"));
  const absl::StatusOr<Message> answer = asked.call.Await();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_THAT(answer->raw(), ::testing::HasSubstr("mine"));
}

// Both clients' ids count from 0, and so do the upstream's in each session.
TEST_F(RepliesTest, TwoSessionsNeverCross) {
  Start();
  auto ann = Connect();
  auto bob = Connect();
  std::vector<ClientCall> anns, bobs;
  ann->OnAsked(kSampling,
               [](const Message&) { return SamplingReply("from-ann"); });
  bob->OnAsked(kSampling,
               [](const Message&) { return SamplingReply("from-bob"); });
  for (int i = 0; i < 10; ++i) {
    anns.push_back(ann->StartTool(
        "up__ask", AskArguments(kSampling, SamplingParams(10, "to-ann"))));
    bobs.push_back(bob->StartTool(
        "up__ask", AskArguments(kSampling, SamplingParams(10, "to-bob"))));
    EXPECT_EQ(anns.back().id, bobs.back().id);
  }
  for (const ClientCall& call : anns) {
    EXPECT_THAT(call.Await()->raw(), ::testing::HasSubstr("from-ann"));
  }
  for (const ClientCall& call : bobs) {
    EXPECT_THAT(call.Await()->raw(), ::testing::HasSubstr("from-bob"));
  }
  for (const Message& asked : ann->asked(kSampling)) {
    EXPECT_THAT(asked.raw(), ::testing::HasSubstr("to-ann"));
  }
  EXPECT_EQ(bob->asked(kSampling).size(), 10u);
}

class PrincipalTest : public RepliesTest {
 protected:
  void SetUp() override {
    Start(Gatehouse::Options{
        .policy = FullPolicy("dev", upstream_.url()),
        .clients = {{"ann", "anns-secret"}, {"bob", "bobs-secret"}}});
  }
};

TEST_F(PrincipalTest, WithoutATokenOrWithAWrongOneIs401) {
  for (const char* token : {"", "somebodys-secret"}) {
    auto client = NewClient({.token = token});
    const ClientCall call = client->Start(
        "initialize", R"({"protocolVersion":"2025-11-25","capabilities":{},)"
                      R"("clientInfo":{"name":"c","version":"1"}})");
    EXPECT_EQ(call.exchange->Status().value_or(0), 401);
  }
}

TEST_F(PrincipalTest, ASessionIsItsPrincipalsAlone) {
  auto ann = Connect({.token = "anns-secret"});
  const Asked asked = AskOnce(*ann);
  auto bob = Connect({.token = "bobs-secret"});
  bob->set_session_id(ann->session_id());
  EXPECT_EQ(bob->Start("ping", "{}").exchange->Status().value_or(0), 404);
  EXPECT_EQ(bob->OpenStream()->Status().value_or(0), 404);
  EXPECT_EQ(bob->Reply(asked.id, SamplingReply("bob")), 404);
  EXPECT_EQ(bob->Delete(), 404);
  ann->Reply(asked.id, SamplingReply("ann"));
  EXPECT_THAT(asked.call.Await()->raw(), ::testing::HasSubstr("ann"));
}

}  // namespace
}  // namespace gatehouse::testing
