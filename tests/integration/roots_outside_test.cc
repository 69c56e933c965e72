// `roots/list` outside of any call, over real sockets (DESIGN §6): answered
// from what the client said last, or the client is asked once on its GET
// stream. Defends invariants 1 (no decision in the worker), 2 (default deny), 3
// (one judge) and 5 (exactly one end).

#include <string>
#include <vector>

#include "tests/integration/url_stage.h"

namespace gatehouse::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kRootsList[] = "roots/list";
constexpr char kRoots[] = R"({"roots":[{"uri":"file:///home/a","x":1.0}]})";

class RootsOutsideTest : public UrlTest {
 protected:
  // The client's physical session, with nothing in flight and its GET stream
  // open.
  std::string Idle(const Visitor& visitor) {
    EXPECT_TRUE(visitor.client->CallTool("up__echo", "{}").ok());
    const auto listening = upstream_.AwaitListening(1);
    EXPECT_TRUE(listening.ok()) << listening.status();
    return listening.ok() ? listening->front() : "";
  }
  // Asks, and what comes back as the upstream's reply number `count`.
  Message Ask(const std::string& session, const std::string& method,
              const std::string& params, size_t count) {
    upstream_.AskSession(session, method, params);
    const auto replies = upstream_.AwaitReplies(count);
    EXPECT_TRUE(replies.ok()) << replies.status();
    return replies.ok() ? (*replies)[count - 1] : Message("");
  }
  static void AnswerRoots(const Visitor& visitor) {
    visitor.client->OnAsked(kRootsList, [](const Message&) {
      return absl::StrCat(R"("result":)", kRoots);
    });
  }
};

TEST_F(RootsOutsideTest, TheClientIsAskedOnceAndThenWhatItSaidIsTheAnswer) {
  StartUrl();
  const Visitor visitor = NewVisitor();
  AnswerRoots(visitor);
  const std::string session = Idle(visitor);
  EXPECT_EQ(Ask(session, kRootsList, "", 1).RawAt("/result"), kRoots);
  EXPECT_TRUE(visitor.stream->AwaitMethod(kRootsList).ok())
      << "it is asked on the session's own stream";
  EXPECT_EQ(Ask(session, kRootsList, "", 2).RawAt("/result"), kRoots);
  EXPECT_THAT(visitor.client->asked(kRootsList), SizeIs(1));
  EXPECT_THAT(Records("answered", 2), SizeIs(2));
  EXPECT_THAT(Records("forwarded"), SizeIs(1));
}

TEST_F(RootsOutsideTest, AfterAChangeTheClientIsAskedAgain) {
  StartUrl();
  const Visitor visitor = NewVisitor();
  AnswerRoots(visitor);
  const std::string session = Idle(visitor);
  Ask(session, kRootsList, "", 1);
  ASSERT_EQ(visitor.client->Notify("notifications/roots/list_changed", "{}"),
            202);
  // Until the control plane has heard of it the old answer may still come.
  size_t asked = 1;
  ASSERT_TRUE(Eventually(kPatience, [&] {
    EXPECT_EQ(Ask(session, kRootsList, "", ++asked).RawAt("/result"), kRoots);
    return visitor.client->asked(kRootsList).size() == 2;
  }));
}

TEST_F(RootsOutsideTest, AClientWithoutAStreamCannotBeAsked) {
  StartUrl();
  Visitor visitor;
  ScriptedClient::Options options;
  options.capabilities = kAllFeatures;
  visitor.client = Connect(std::move(options));
  const Message reply = Ask(Idle(visitor), kRootsList, "", 1);
  EXPECT_EQ(reply.RawAt("/error/code"), "-32603");
  EXPECT_EQ(reply.At("/error/data/reason"), "operation_ended");
}

TEST_F(RootsOutsideTest, AClientThatSaysNothingLetsItExpire) {
  StartUrl();
  const Visitor visitor = NewVisitor();
  const std::string session = Idle(visitor);
  upstream_.AskSession(session, kRootsList, "");
  ASSERT_TRUE(visitor.client->AwaitAsked(kRootsList).ok());
  upstream_.AskSession(session, kRootsList, "");  // while that is open
  const auto replies = upstream_.AwaitReplies(2);
  ASSERT_TRUE(replies.ok()) << replies.status();
  EXPECT_EQ((*replies)[0].At("/error/data/reason"), "too_many_open");
  EXPECT_EQ((*replies)[1].At("/error/data/reason"), "expired");
  EXPECT_TRUE(visitor.stream->AwaitMethod("notifications/cancelled").ok());
  EXPECT_THAT(visitor.client->asked(kRootsList), SizeIs(1));
}

TEST_F(RootsOutsideTest, AnUpstreamThatNoLongerAsksHasItWithdrawn) {
  StartUrl();
  const Visitor visitor = NewVisitor();
  const std::string session = Idle(visitor);
  upstream_.AskSession(session, kRootsList, "");
  ASSERT_TRUE(visitor.client->AwaitAsked(kRootsList).ok());
  // The harness counts its ids from 0.
  upstream_.NotifySession(session, "notifications/cancelled",
                          R"({"requestId":0})");
  const auto withdrawn = visitor.stream->AwaitMethod("notifications/cancelled");
  ASSERT_TRUE(withdrawn.ok()) << withdrawn.status();
  EXPECT_EQ(withdrawn->RawAt("/params/requestId"),
            visitor.client->asked(kRootsList)[0].id());
  EXPECT_THAT(Records("cancelled", 1), SizeIs(1));
}

TEST_F(RootsOutsideTest, BadRootsAreRefusedAndNotKept) {
  StartUrl();
  const Visitor visitor = NewVisitor();
  visitor.client->OnAsked(kRootsList, [](const Message&) {
    return R"("result":{"roots":[{"uri":"https://example.com/"}]})";
  });
  const std::string session = Idle(visitor);
  EXPECT_EQ(Ask(session, kRootsList, "", 1).At("/error/data/reason"),
            "invalid_response");
  EXPECT_EQ(Ask(session, kRootsList, "", 2).At("/error/data/reason"),
            "invalid_response");
  EXPECT_THAT(visitor.client->asked(kRootsList), SizeIs(2));
}

TEST_F(RootsOutsideTest, WhatThePolicyOrTheClientLacksIsRefused) {
  Start(Gatehouse::Options{
      .policy = PolicyText("dev", {{"up", upstream_.url()}},
                           "clientFeatures: { sampling: true }\n")});
  const Visitor visitor = NewVisitor();
  const std::string session = Idle(visitor);
  const Message reply = Ask(session, kRootsList, "", 1);
  EXPECT_EQ(reply.RawAt("/error/code"), "-32601");
  EXPECT_EQ(reply.At("/error/data/reason"), "not_permitted");
  EXPECT_THAT(visitor.client->asked(kRootsList), IsEmpty());
}

TEST_F(RootsOutsideTest, NothingElseMayBeAskedOutsideOfACall) {
  StartUrl();
  const Visitor visitor = NewVisitor();
  const std::string session = Idle(visitor);
  EXPECT_EQ(Ask(session, "sampling/createMessage", SamplingParams(), 1)
                .At("/error/data/reason"),
            "no_operation");
  EXPECT_EQ(Ask(session, kElicit, VisitParams("x"), 2).At("/error/data/reason"),
            "no_operation");
  EXPECT_THAT(visitor.client->asked(), IsEmpty());
}

}  // namespace
}  // namespace gatehouse::testing
