// The harness tests itself: a scripted client straight at a scripted upstream.
// What fails here is the tests' own fault, not Gatehouse's.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/integration/harness/cut_proxy.h"
#include "tests/integration/harness/event_loop.h"
#include "tests/integration/harness/scripted_client.h"
#include "tests/integration/harness/scripted_upstream.h"

namespace gatehouse::testing {
namespace {

class HarnessTest : public ::testing::Test {
 protected:
  HarnessTest() : upstream_(&loop_, {}) { AddStandardTools(upstream_); }

  ScriptedClient NewClient(const std::string& address) {
    return ScriptedClient(&loop_, {.address = address});
  }

  EventLoop loop_;
  ScriptedUpstream upstream_;
};

TEST_F(HarnessTest, ACallIsAnsweredWithJson) {
  ScriptedClient client = NewClient(upstream_.address());
  ASSERT_TRUE(client.Initialize().ok());
  const ClientCall call = client.StartTool("echo", R"({"n":7})");
  const absl::StatusOr<Message> answer = call.Await();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->At("/result/content/0/text"), R"({"n":7})");
  EXPECT_EQ(call.exchange->Header("content-type"), "application/json");
}

TEST_F(HarnessTest, AskedOnAStreamTheClientReplies) {
  ScriptedClient client = NewClient(upstream_.address());
  client.OnAsked("sampling/createMessage",
                 [](const Message&) { return SamplingReply("hello"); });
  ASSERT_TRUE(client.Initialize().ok());
  const absl::StatusOr<Message> answer = client.CallTool(
      "ask", R"({"method":"sampling/createMessage","params":{},"times":3})");
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->At("/result/structuredContent/replies/2/result/model"),
            "scripted-model");
  EXPECT_EQ(client.asked("sampling/createMessage").size(), 3u);
  EXPECT_EQ(upstream_.replies().size(), 3u);
}

TEST_F(HarnessTest, ManyCallsAreOpenAtOnceOnOneThread) {
  ScriptedClient client = NewClient(upstream_.address());
  ASSERT_TRUE(client.Initialize().ok());
  std::vector<ClientCall> calls;
  for (int i = 0; i < 500; ++i) {
    calls.push_back(
        client.StartTool("ask", R"({"method":"roots/list","params":{}})"));
  }
  ASSERT_TRUE(client.AwaitAsked("roots/list", 500).ok());
  for (const Message& asked : client.asked("roots/list")) {
    client.Reply(asked.id(), R"("result":{"roots":[]})");
  }
  for (const ClientCall& call : calls) EXPECT_TRUE(call.Await().ok());
}

TEST_F(HarnessTest, ACutProxyEndsWhatIsOpenAndComesBack) {
  CutProxy proxy(&loop_, "127.0.0.1:0", upstream_.address());
  ScriptedClient client = NewClient(proxy.address());
  ASSERT_TRUE(client.Initialize().ok());
  const ClientCall hanging = client.StartTool("hang", "{}");
  ASSERT_TRUE(upstream_.AwaitReceived("tools/call").ok());
  proxy.Cut();
  EXPECT_TRUE(hanging.exchange->AwaitEnd());
  EXPECT_FALSE(client.CallTool("echo", "{}").ok());
  proxy.Restore();
  EXPECT_TRUE(client.CallTool("echo", "{}").ok());
}

TEST_F(HarnessTest, WhatTheGetStreamCarriesIsRecorded) {
  ScriptedClient client = NewClient(upstream_.address());
  ASSERT_TRUE(client.Initialize().ok());
  const auto stream = client.OpenStream();
  ASSERT_EQ(stream->Status().value_or(0), 200);
  const ClientCall call =
      client.StartTool("ask_on_get", R"({"method":"roots/list","params":{}})");
  const absl::StatusOr<Message> asked = stream->AwaitMethod("roots/list");
  ASSERT_TRUE(asked.ok()) << asked.status();
  EXPECT_EQ(client.Reply(asked->id(), ErrorReply(-1, "no")), 202);
  EXPECT_EQ(call.Await()->At("/result/structuredContent/replies/0/error/code"),
            "-1");
}

}  // namespace
}  // namespace gatehouse::testing
