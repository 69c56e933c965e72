#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "tests/unit/http/server_fixture.h"

// What a peer that ends its side gets, and how one that is gone is found out.
// Defends invariant 5: nothing ends because of a guess.
namespace gatehouse::http {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class HalfCloseTest : public ServerTest {
 protected:
  // A request that waits, with its two signals written down.
  std::shared_ptr<Exchange> Kept(TestSocket& peer) {
    EXPECT_TRUE(peer.Send(Post("/slow", "")));
    std::shared_ptr<Exchange> exchange = NextKept();
    if (exchange == nullptr) return nullptr;
    exchange->OnPeerGone([this] { waiter_.Change([this] { ++gone_; }); });
    exchange->OnPeerHalfClosed(
        [this] { waiter_.Change([this] { ++half_closed_; }); });
    return exchange;
  }
  static Response TextResponse(const std::string& body) {
    Response response;
    response.body = body;
    return response;
  }

  int gone_ = 0;
  int half_closed_ = 0;
};

TEST_F(HalfCloseTest, AWholeRequestGetsItsAnswer) {
  StartServer();
  TestSocket peer = Connect();
  const auto exchange = Kept(peer);
  ASSERT_NE(exchange, nullptr);
  peer.ShutdownWrite();
  ASSERT_TRUE(waiter_.Await([&] { return half_closed_ == 1; }));
  exchange->Respond(TextResponse("answer"));
  EXPECT_THAT(peer.ReadToEnd(), EndsWith("answer"));
  EXPECT_TRUE(peer.ended());
  EXPECT_EQ(gone_, 0);
  EXPECT_TRUE(Eventually([&] { return server_->stats().connections == 0; }));
}

TEST_F(HalfCloseTest, SoDoPipelinedOnes) {
  StartServer();
  TestSocket peer = Connect();
  const auto exchange = Kept(peer);
  ASSERT_NE(exchange, nullptr);
  ASSERT_TRUE(peer.Send(Post("/echo", "two") + Post("/echo", "three")));
  peer.ShutdownWrite();
  ASSERT_TRUE(waiter_.Await([&] { return half_closed_ == 1; }));
  exchange->Respond(TextResponse("one"));
  const std::string answers = peer.ReadToEnd();
  EXPECT_THAT(answers, HasSubstr("one"));
  EXPECT_THAT(answers, HasSubstr("two"));
  EXPECT_THAT(answers, EndsWith("three"));
  EXPECT_TRUE(peer.ended());
}

TEST_F(HalfCloseTest, HalfARequestGetsNone) {
  StartServer();
  TestSocket peer = Connect();
  ASSERT_TRUE(peer.Send("POST /echo HTTP/1.1\r\nHost: h\r\n"));
  peer.ShutdownWrite();
  EXPECT_EQ(peer.ReadToEnd(), "");
  EXPECT_TRUE(peer.ended());
}

TEST_F(HalfCloseTest, AnEventStreamGoesOnAndIsProbed) {
  StartServer();
  TestSocket peer = Connect();
  const auto exchange = Kept(peer);
  ASSERT_NE(exchange, nullptr);
  exchange->StartStream(200, {{"Content-Type", "text/event-stream"}});
  ASSERT_NE(peer.ReadUntil("\r\n\r\n"), "");
  peer.ShutdownWrite();
  EXPECT_NE(peer.ReadUntil(": keepalive\n\n"), "");  // long before its time
  EXPECT_TRUE(exchange->Write("data: 1\n\n"));
  EXPECT_NE(peer.ReadUntil("data: 1\n\n"), "");
  exchange->EndStream();
  EXPECT_THAT(peer.ReadToEnd(), EndsWith("0\r\n\r\n"));
  EXPECT_EQ(gone_, 0);
  EXPECT_EQ(half_closed_, 1);
}

TEST_F(HalfCloseTest, AClosedEventStreamIsFoundOutAtOnce) {
  StartServer();
  TestSocket peer = Connect();
  const auto exchange = Kept(peer);
  ASSERT_NE(exchange, nullptr);
  exchange->StartStream(200, {{"Content-Type", "text/event-stream"}});
  ASSERT_NE(peer.ReadUntil("\r\n\r\n"), "");
  peer.Close();
  ASSERT_TRUE(waiter_.Await([&] { return gone_ == 1; }));
  EXPECT_FALSE(exchange->Write("data: late\n\n"));
  EXPECT_EQ(server_->stats().streams, 0);
  EXPECT_TRUE(Eventually([&] { return server_->stats().connections == 0; }));
}

// A peer may pipeline more than is read ahead: its end stands behind that.
TEST_F(HalfCloseTest, SoIsOneBehindMoreThanIsReadAhead) {
  StartServer();
  TestSocket peer = Connect();
  const auto exchange = Kept(peer);
  ASSERT_NE(exchange, nullptr);
  exchange->StartStream(200, {{"Content-Type", "text/event-stream"}});
  ASSERT_NE(peer.ReadUntil("\r\n\r\n"), "");
  ASSERT_TRUE(peer.Send(std::string(80 << 10, '\n')));
  peer.Close();
  ASSERT_TRUE(waiter_.Await([&] { return gone_ == 1; }));
  EXPECT_EQ(server_->stats().streams, 0);
}

TEST_F(HalfCloseTest, ACloseDuringACallIsNotTakenForItsEnd) {
  StartServer();
  TestSocket peer = Connect();
  const auto exchange = Kept(peer);
  ASSERT_NE(exchange, nullptr);
  peer.Close();
  ASSERT_TRUE(waiter_.Await([&] { return half_closed_ == 1; }));
  // One that asks late is told at once.
  int late = 0;
  exchange->OnPeerHalfClosed([&] { waiter_.Change([&] { ++late; }); });
  ASSERT_TRUE(waiter_.Await([&] { return late == 1; }));
  EXPECT_EQ(gone_, 0);
  exchange->Respond(TextResponse("nobody reads it"));
  EXPECT_TRUE(Eventually([&] { return server_->stats().connections == 0; }));
}

TEST_F(HalfCloseTest, AResetAfterAHalfCloseIsReported) {
  StartServer();
  TestSocket peer = Connect();
  const auto exchange = Kept(peer);
  ASSERT_NE(exchange, nullptr);
  peer.ShutdownWrite();
  ASSERT_TRUE(waiter_.Await([&] { return half_closed_ == 1; }));
  peer.Reset();
  EXPECT_TRUE(waiter_.Await([&] { return gone_ == 1; }));
}

}  // namespace
}  // namespace gatehouse::http
