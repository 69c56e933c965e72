#include "dataplane/http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/http/server_fixture.h"

namespace gatehouse::http {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Response TextResponse(const std::string& body) {
  Response response;
  response.body = body;
  return response;
}

TEST_F(ServerTest, AnswersAndKeepsTheConnection) {
  StartServer();
  TestSocket peer = Connect();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(peer.Send(Post("/echo", "hello")));
    const std::string answer = peer.ReadUntil("hello");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\nDate: "));
    EXPECT_THAT(answer, HasSubstr("Content-Length: 5\r\n"));
    EXPECT_THAT(answer, Not(HasSubstr("Connection: close")));
  }
  EXPECT_EQ(server_->stats().requests, 20);
  EXPECT_EQ(server_->stats().connections, 1);
}

TEST_F(ServerTest, TheHandlerSeesRawRepeatedHeadersAndTheBody) {
  StartServer();
  TestSocket peer = Connect();
  ASSERT_TRUE(
      peer.Send("POST /m%2f?a=%20 HTTP/1.1\r\nHost: h\r\nX-A: %0d%0a\r\n"
                "x-a:  two \r\nTransfer-Encoding: chunked\r\n\r\n"
                "3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n"));
  const auto exchange = NextKept();
  ASSERT_NE(exchange, nullptr);
  const Request& request = exchange->request();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/m%2f");
  EXPECT_EQ(request.query, "a=%20");
  EXPECT_EQ(request.body, "abcd");
  EXPECT_EQ(CountHeader(request.headers, "x-a"), 2);
  EXPECT_EQ(FindHeader(request.headers, "X-A"), "%0d%0a");
  EXPECT_THAT(request.peer, StartsWith("127.0.0.1:"));
  exchange->Respond(TextResponse("x"));
}

TEST_F(ServerTest, PipelinedRequestsAreAnsweredInOrder) {
  StartServer();
  TestSocket peer = Connect();
  ASSERT_TRUE(peer.Send(Post("/slow", "1") + Post("/echo", "two") +
                        Post("/echo", "three")));
  const auto first = NextKept();
  ASSERT_NE(first, nullptr);
  std::atomic<bool> gone{false};
  first->OnPeerGone([&] { gone = true; });
  first->Respond(TextResponse("one"));
  const std::string answers = peer.ReadUntil("three");
  EXPECT_LT(answers.find("one"), answers.find("two"));
  EXPECT_THAT(answers, EndsWith("three"));
  // Bytes that wait are not a close.
  EXPECT_FALSE(gone);
}

TEST_F(ServerTest, MoreIsPipelinedThanIsReadAhead) {
  StartServer();
  TestSocket peer = Connect();
  ASSERT_TRUE(peer.Send(Post("/slow", "1")));
  const auto first = NextKept();
  ASSERT_NE(first, nullptr);
  const std::string body(100 << 10, 'x');
  std::thread sender([&] {
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(peer.Send(Post("/echo", body)));
  });
  first->Respond(TextResponse("one"));
  for (int i = 0; i < 10; ++i) EXPECT_NE(peer.ReadUntil(body), "");
  sender.join();
}

TEST_F(ServerTest, AStreamIsChunkedAndTheConnectionIsUsedAgain) {
  StartServer();
  TestSocket peer = Connect();
  ASSERT_TRUE(peer.Send(Post("/stream", "")));
  const auto exchange = NextKept();
  ASSERT_NE(exchange, nullptr);
  EXPECT_FALSE(exchange->streaming());
  exchange->StartStream(200, {{"Content-Type", "text/event-stream"}});
  EXPECT_TRUE(exchange->streaming());
  EXPECT_THAT(peer.ReadUntil("\r\n\r\n"),
              HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_TRUE(exchange->Write("data: 1\n\n"));
  EXPECT_EQ(peer.ReadUntil("\n\n\r\n"), "9\r\ndata: 1\n\n\r\n");
  EXPECT_EQ(server_->stats().streams, 1);
  exchange->EndStream();
  EXPECT_EQ(peer.ReadUntil("0\r\n\r\n"), "0\r\n\r\n");
  EXPECT_FALSE(exchange->Write("late"));
  exchange->Respond(TextResponse("late"));  // ignored
  EXPECT_EQ(server_->stats().streams, 0);
  ASSERT_TRUE(peer.Send(Post("/echo", "again")));
  EXPECT_THAT(peer.ReadUntil("again"), StartsWith("HTTP/1.1 200"));
}

TEST_F(ServerTest, AQuietEventStreamIsKeptAlive) {
  ServerOptions options;
  options.stream_keepalive = absl::Milliseconds(20);
  StartServer(options);
  TestSocket peer = Connect();
  ASSERT_TRUE(peer.Send(Post("/stream", "")));
  const auto exchange = NextKept();
  ASSERT_NE(exchange, nullptr);
  exchange->StartStream(200, {{"Content-Type", "text/event-stream"}});
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(peer.ReadUntil(": keepalive\n\n"), "");
  }
  // Never within an event.
  exchange->Write("data: un");
  ASSERT_NE(peer.ReadUntil("data: un\r\n"), "");
  TestSocket other = Connect();  // another stream tells that time has passed
  ASSERT_TRUE(other.Send(Post("/stream", "")));
  const auto clock = NextKept();
  ASSERT_NE(clock, nullptr);
  clock->StartStream(200, {{"Content-Type", "text/event-stream"}});
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(other.ReadUntil(": keepalive\n\n"), "");
  }
  exchange->Write("finished\n\n");
  EXPECT_EQ(peer.ReadUntil("\n\n\r\n"), "a\r\nfinished\n\n\r\n");
}

TEST_F(ServerTest, AStreamOfAnotherTypeIsLeftAlone) {
  ServerOptions options;
  options.stream_keepalive = absl::Milliseconds(5);
  StartServer(options);
  TestSocket peer = Connect();
  ASSERT_TRUE(peer.Send(Post("/stream", "", "Connection: close\r\n")));
  const auto exchange = NextKept();
  ASSERT_NE(exchange, nullptr);
  exchange->StartStream(200, {{"Content-Type", "application/json"}});
  exchange->Write("{}");
  exchange->EndStream();
  EXPECT_THAT(peer.ReadToEnd(), Not(HasSubstr("keepalive")));
}

// Defends invariant 5: an operation whose client left comes to an end.
TEST_F(ServerTest, AResetIsReportedOnceDuringARequestAndDuringAStream) {
  StartServer();
  for (const bool stream : {false, true}) {
    TestSocket peer = Connect();
    ASSERT_TRUE(peer.Send(Post("/slow", "")));
    const auto exchange = NextKept();
    ASSERT_NE(exchange, nullptr);
    int calls = 0;
    exchange->OnPeerGone([&] { waiter_.Change([&] { ++calls; }); });
    if (stream) {
      exchange->StartStream(200, {{"Content-Type", "text/event-stream"}});
      ASSERT_NE(peer.ReadUntil("\r\n\r\n"), "");
    }
    peer.Reset();
    ASSERT_TRUE(waiter_.Await([&] { return calls == 1; }));
    EXPECT_FALSE(exchange->Write("data: late\n\n"));
    exchange->Respond(TextResponse("late"));
    // One that asks late is told at once.
    int late = 0;
    exchange->OnPeerGone([&] { waiter_.Change([&] { ++late; }); });
    ASSERT_TRUE(waiter_.Await([&] { return late == 1; }));
    EXPECT_TRUE(waiter_.Await([&] { return calls == 1; }));
  }
  EXPECT_EQ(server_->stats().streams, 0);
  EXPECT_TRUE(Eventually([&] { return server_->stats().connections == 0; }));
}

TEST_F(ServerTest, ACloseAfterTheAnswerIsNotReported) {
  StartServer();
  TestSocket peer = Connect();
  ASSERT_TRUE(peer.Send(Post("/slow", "")));
  const auto exchange = NextKept();
  ASSERT_NE(exchange, nullptr);
  std::atomic<bool> gone{false};
  exchange->OnPeerGone([&] { gone = true; });
  exchange->Respond(TextResponse("done"));
  ASSERT_NE(peer.ReadUntil("done"), "");
  peer.Close();
  ASSERT_TRUE(Eventually([&] { return server_->stats().connections == 0; }));
  EXPECT_FALSE(gone);
}

TEST_F(ServerTest, AStreamThatIsNotReadIsLostAndCounted) {
  ServerOptions options;
  options.max_stream_queue_bytes = 100 << 10;
  StartServer(options);
  TestSocket peer = Connect(/*receive_buffer=*/4096);
  ASSERT_TRUE(peer.Send(Post("/stream", "")));
  const auto exchange = NextKept();
  ASSERT_NE(exchange, nullptr);
  bool gone = false;
  exchange->OnPeerGone([&] { waiter_.Change([&] { gone = true; }); });
  exchange->StartStream(200, {{"Content-Type", "text/event-stream"}});
  const std::string event = "data: " + std::string(10'000, 'x') + "\n\n";
  // The kernel's buffers take some megabytes first.
  int written = 0;
  while (written < 100'000 && exchange->Write(event)) ++written;
  EXPECT_LT(written, 100'000);
  EXPECT_TRUE(waiter_.Await([&] { return gone; }));
  EXPECT_EQ(server_->stats().streams_lost_slow, 1);
  EXPECT_EQ(server_->stats().streams, 0);
  EXPECT_TRUE(Eventually([&] { return server_->stats().connections == 0; }));
}

TEST_F(ServerTest, OneLargeMessageFitsAStreamThatHasCaughtUp) {
  ServerOptions options;
  options.max_stream_queue_bytes = 1000;
  StartServer(options);
  TestSocket peer = Connect();
  ASSERT_TRUE(peer.Send(Post("/stream", "")));
  const auto exchange = NextKept();
  ASSERT_NE(exchange, nullptr);
  exchange->StartStream(200, {{"Content-Type", "text/event-stream"}});
  ASSERT_NE(peer.ReadUntil("\r\n\r\n"), "");
  const std::string event = "data: " + std::string(2 << 20, 'x') + "\n\n";
  EXPECT_TRUE(exchange->Write(event));
  EXPECT_NE(peer.ReadUntil("\n\n\r\n"), "");
}

TEST_F(ServerTest, AnExchangeLetGoWithoutAnAnswerIs500) {
  StartServer();
  TestSocket peer = Connect();
  ASSERT_TRUE(peer.Send(Post("/slow", "")));
  auto exchange = NextKept();
  ASSERT_NE(exchange, nullptr);
  exchange.reset();
  const std::string answer = peer.ReadToEnd();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(answer, EndsWith("Content-Length: 0\r\n\r\n"));
  EXPECT_EQ(server_->stats().unanswered, 1);
}

TEST_F(ServerTest, AnAnswerMayComeFromAnyThreadAfterTheServer) {
  StartServer();
  TestSocket peer = Connect();
  ASSERT_TRUE(peer.Send(Post("/slow", "")));
  const auto exchange = NextKept();
  ASSERT_NE(exchange, nullptr);
  bool gone = false;
  exchange->OnPeerGone([&] { waiter_.Change([&] { gone = true; }); });
  server_->Stop();
  EXPECT_TRUE(waiter_.Await([&] { return gone; }));  // the stop ends it
  server_.reset();
  exchange->Respond(TextResponse("late"));
  EXPECT_EQ(peer.ReadToEnd(), "");
}

TEST_F(ServerTest, HeaderValuesCannotBreakOutOfTheirLine) {
  StartServer();
  TestSocket peer = Connect();
  ASSERT_TRUE(peer.Send(Post("/slow", "", "Connection: close\r\n")));
  const auto exchange = NextKept();
  ASSERT_NE(exchange, nullptr);
  Response response = TextResponse("ok");
  response.headers = {{"X-Bad", "a\r\nX-Forged: 1"},
                      {"X-Good", "b"},
                      {"Content-Length", "999"},
                      {"Transfer-Encoding", "chunked"}};
  exchange->Respond(std::move(response));
  const std::string answer = peer.ReadToEnd();
  EXPECT_THAT(answer, Not(HasSubstr("Forged")));
  EXPECT_THAT(answer, Not(HasSubstr("999")));
  EXPECT_THAT(answer, Not(HasSubstr("chunked")));
  EXPECT_THAT(answer, HasSubstr("X-Good: b\r\n"));
}

TEST_F(ServerTest, DrainingAnswers503AndLetsCallsFinish) {
  StartServer();
  TestSocket busy = Connect();
  TestSocket idle = Connect();
  ASSERT_TRUE(idle.Send(Post("/echo", "first")));
  ASSERT_NE(idle.ReadUntil("first"), "");
  ASSERT_TRUE(busy.Send(Post("/slow", "")));
  const auto exchange = NextKept();
  ASSERT_NE(exchange, nullptr);
  server_->Drain();
  ASSERT_TRUE(idle.Send(Post("/echo", "second")));
  const std::string refused = idle.ReadToEnd();
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(refused, HasSubstr("Retry-After: "));
  exchange->Respond(TextResponse("finished"));
  EXPECT_THAT(busy.ReadToEnd(), EndsWith("finished"));
  EXPECT_FALSE(TestSocket::Connect(server_->port()).connected());
}

TEST_F(ServerTest, ATakenAddressIsSaidByName) {
  StartServer();
  ServerOptions options;
  options.port = server_->port();
  const auto second = Server::Create(options, [](std::shared_ptr<Exchange>) {});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(second.status().message()),
              HasSubstr("127.0.0.1:" + std::to_string(options.port)));
}

TEST_F(ServerTest, ServesTwoHundredClientsAtOnce) {
  StartServer();
  std::atomic<int> good{0};
  std::vector<std::thread> clients;
  for (int c = 0; c < 200; ++c) {
    clients.emplace_back([&, c] {
      TestSocket peer = TestSocket::Connect(server_->port());
      for (int i = 0; i < 5; ++i) {
        const std::string body = "<" + std::to_string(c * 10 + i) + ">";
        if (peer.Send(Post("/echo", body)) && !peer.ReadUntil(body).empty()) {
          ++good;
        }
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(good, 1000);
  EXPECT_EQ(server_->stats().requests, 1000);
}

int ThreadsOfThisProcess() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    int count = 0;
    if (word == "Threads:" && status >> count) return count;
  }
  return -1;
}

TEST_F(ServerTest, WaitingRequestsAndOpenStreamsCostNoThread) {
  StartServer();
  TestSocket first = Connect();
  ASSERT_TRUE(first.Send(Post("/echo", "up")));
  ASSERT_NE(first.ReadUntil("up"), "");
  const int before = ThreadsOfThisProcess();
  constexpr int kPeers = 300;
  std::vector<TestSocket> peers;
  std::vector<std::shared_ptr<Exchange>> waiting;
  for (int i = 0; i < kPeers; ++i) {
    peers.push_back(Connect());
    ASSERT_TRUE(peers.back().Send(Post("/slow", "")));
    waiting.push_back(NextKept());
    ASSERT_NE(waiting.back(), nullptr);
    if (i % 2 == 0) {
      waiting.back()->StartStream(200, {{"Content-Type", "text/event-stream"}});
    }
  }
  EXPECT_EQ(ThreadsOfThisProcess(), before);
  EXPECT_EQ(server_->stats().streams, kPeers / 2);
  // Others do not notice.
  ASSERT_TRUE(first.Send(Post("/echo", "still")));
  EXPECT_NE(first.ReadUntil("still"), "");
}

}  // namespace
}  // namespace gatehouse::http
