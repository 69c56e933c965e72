// The legacy handshake and the session as an HTTP client sees it: DESIGN §15,
// PROTOCOL §2 and §4.

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/integration/harness/fixture.h"

namespace gatehouse::testing {
namespace {

class HandshakeTest : public GatehouseTest {
 protected:
  void SetUp() override { Start(); }

  int StatusOf(const std::shared_ptr<Exchange>& exchange) {
    return exchange->Status().value_or(0);
  }
};

struct RevisionCase {
  const char* name;
  const char* asked;
  const char* granted;
};

class RevisionTest : public HandshakeTest,
                     public ::testing::WithParamInterface<RevisionCase> {};

TEST_P(RevisionTest, IsGrantedAsListed) {
  auto client = NewClient({.revision = GetParam().asked});
  const absl::StatusOr<Message> result = client->Initialize();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->At("/result/protocolVersion"), GetParam().granted);
  EXPECT_TRUE(result->Has("/result/capabilities/tools"));
  EXPECT_FALSE(result->Has("/result/capabilities/prompts"));
  EXPECT_FALSE(result->Has("/result/capabilities/resources"));
  EXPECT_GE(client->session_id().size(), 43u);  // 256 bits in base64url
}

INSTANTIATE_TEST_SUITE_P(
    Revisions, RevisionTest,
    ::testing::ValuesIn<RevisionCase>(
        {{"The2025March", "2025-03-26", "2025-03-26"},
         {"The2025June", "2025-06-18", "2025-06-18"},
         {"The2025November", "2025-11-25", "2025-11-25"},
         {"AnUnknownOneGetsTheLatest", "1999-01-01", "2025-11-25"}}),
    [](const auto& c) { return std::string(c.param.name); });

TEST_F(HandshakeTest, SessionIdsOfTwoClientsDiffer) {
  EXPECT_NE(Connect()->session_id(), Connect()->session_id());
}

TEST_F(HandshakeTest, ABatchIsRefusedInEveryRevision) {
  for (const char* revision : {"2025-03-26", "2025-06-18", "2025-11-25"}) {
    auto client = Connect({.revision = revision});
    const auto exchange =
        client->Post(R"([{"jsonrpc":"2.0","id":90,"method":"ping"},)"
                     R"({"jsonrpc":"2.0","id":91,"method":"tools/list"}])");
    EXPECT_EQ(StatusOf(exchange), 400) << revision;
    ASSERT_TRUE(exchange->AwaitEnd());
    ASSERT_EQ(exchange->messages().size(), 1u) << revision;
    EXPECT_EQ(exchange->messages()[0].At("/error/code"), "-32600");
  }
}

TEST_F(HandshakeTest, PingIsAnsweredByTheGatewayItself) {
  auto client = Connect();
  const absl::StatusOr<Message> pong = client->Request("ping", "{}");
  ASSERT_TRUE(pong.ok()) << pong.status();
  EXPECT_EQ(pong->RawAt("/result"), "{}");
  EXPECT_TRUE(upstream_.received("ping").empty());
}

TEST_F(HandshakeTest, AnUnknownMethodIsMethodNotFound) {
  auto client = Connect();
  EXPECT_EQ(client->Request("sessions/steal", "{}")->At("/error/code"),
            "-32601");
}

TEST_F(HandshakeTest, ARequestWithoutASessionIs400AndAnUnknownOne404) {
  auto client = Connect();
  const std::string ping = R"({"jsonrpc":"2.0","id":5,"method":"ping"})";
  EXPECT_EQ(StatusOf(client->Post(ping, {{"Mcp-Session-Id", ""}})), 400);
  EXPECT_EQ(StatusOf(client->Post(ping, {{"Mcp-Session-Id", "nobodys"}})), 404);
}

TEST_F(HandshakeTest, AnUnsupportedVersionHeaderIs400) {
  auto client = Connect();
  const std::string ping = R"({"jsonrpc":"2.0","id":5,"method":"ping"})";
  EXPECT_EQ(
      StatusOf(client->Post(ping, {{"MCP-Protocol-Version", "1999-01-01"}})),
      400);
  // Its absence is no fault: 2025-03-26 has no such header.
  EXPECT_EQ(StatusOf(client->Post(ping, {{"MCP-Protocol-Version", ""}})), 200);
}

TEST_F(HandshakeTest, AnUnknownVirtualServerIs404AndSpeaksOfNoSession) {
  auto client = NewClient({.virtual_server = "elsewhere"});
  const ClientCall call = client->Start(
      "initialize", R"({"protocolVersion":"2025-11-25","capabilities":{},)"
                    R"("clientInfo":{"name":"c","version":"1"}})");
  EXPECT_EQ(StatusOf(call.exchange), 404);
  const absl::StatusOr<std::string> body = call.exchange->Body();
  ASSERT_TRUE(body.ok());
  EXPECT_THAT(*body, ::testing::Not(::testing::HasSubstr("ession")));
  EXPECT_EQ(call.exchange->Header("mcp-session-id"), "");
}

TEST_F(HandshakeTest, AfterDeleteTheSessionIsGone) {
  auto client = Connect();
  const auto stream = client->OpenStream();
  ASSERT_EQ(StatusOf(stream), 200);
  const int status = client->Delete();
  EXPECT_TRUE(status == 200 || status == 204) << status;
  EXPECT_EQ(
      StatusOf(client->Post(R"({"jsonrpc":"2.0","id":1,"method":"ping"})")),
      404);
  EXPECT_TRUE(stream->AwaitEnd());
  EXPECT_EQ(Records("session_ended", 1).size(), 1u);
}

TEST_F(HandshakeTest, NotificationsAndStrayRepliesGet202) {
  auto client = Connect();
  EXPECT_EQ(client->Notify("notifications/roots/list_changed", "{}"), 202);
  EXPECT_EQ(client->Notify("notifications/nobody/knows", "{}"), 202);
  EXPECT_EQ(client->Reply("\"never-asked\"", SamplingReply("?")), 202);
}

TEST_F(HandshakeTest, BrokenJsonIs400WithTheParseErrorsCode) {
  auto client = Connect();
  const auto exchange = client->Post("{\"jsonrpc\":\"2.0\",");
  EXPECT_EQ(StatusOf(exchange), 400);
  ASSERT_TRUE(exchange->AwaitEnd());
  ASSERT_EQ(exchange->messages().size(), 1u);
  EXPECT_EQ(exchange->messages()[0].At("/error/code"), "-32700");
}

TEST_F(HandshakeTest, ForeignHostAndOriginAre403) {
  auto client = Connect();
  const std::string ping = R"({"jsonrpc":"2.0","id":5,"method":"ping"})";
  EXPECT_EQ(StatusOf(client->Post(ping, {{"Origin", "http://evil.example"}})),
            403);
  EXPECT_EQ(StatusOf(client->Post(ping, {{"Host", "evil.example"}})), 403);
}

TEST_F(HandshakeTest, AnIdInFlightTwiceIsRefused) {
  auto client = Connect();
  const std::string call = R"({"jsonrpc":"2.0","id":77,"method":"tools/call",)"
                           R"("params":{"name":"up__hang","arguments":{}}})";
  const auto first = client->Post(call);
  ASSERT_TRUE(upstream_.AwaitReceived("tools/call").ok());
  const auto second = client->Post(call);
  EXPECT_EQ(StatusOf(second), 400);
  ASSERT_TRUE(second->AwaitEnd());
  ASSERT_EQ(second->messages().size(), 1u);
  EXPECT_EQ(second->messages()[0].At("/error/code"), "-32600");
  EXPECT_EQ(second->messages()[0].At("/error/data/reason"), "duplicate_id");
}

}  // namespace
}  // namespace gatehouse::testing
