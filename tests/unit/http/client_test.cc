#include "dataplane/http/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dataplane/http/connection_pool.h"
#include "dataplane/http/reactor.h"
#include "dataplane/http/server.h"
#include "tests/unit/http/client_answer.h"
#include "tests/unit/http/test_socket.h"

namespace gatehouse::http {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr char kOk[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

class ClientTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(reactor_.Start().ok());
    client_ = Client::Create(reactor_);
  }

  ClientRequest Request(const std::string& body = "hello") const {
    ClientRequest request;
    request.url = *ParseUrl(
        "http://127.0.0.1:" + std::to_string(upstream_.port()) + "/mcp");
    request.headers = {{"Content-Type", "application/json"}};
    request.body = body;
    return request;
  }

  std::shared_ptr<Answer> Start(ClientRequest request) {
    auto answer = std::make_shared<Answer>();
    call_ = client_->Start(std::move(request), answer);
    return answer;
  }

  TestListener upstream_;
  Reactor reactor_;
  std::unique_ptr<Client> client_;
  std::shared_ptr<ClientCall> call_;
};

TEST_F(ClientTest, SendsAWellFormedRequest) {
  ClientRequest request = Request();
  request.headers.emplace_back("Host", "forged");
  request.headers.emplace_back("Content-Length", "99");
  request.headers.emplace_back("X-Bad", "a\r\nX-Forged: 1");
  const auto answer = Start(std::move(request));
  TestSocket peer = upstream_.Accept();
  const std::string sent = peer.ReadUntil("hello");
  EXPECT_THAT(sent, StartsWith("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:" +
                               std::to_string(upstream_.port()) + "\r\n"));
  EXPECT_THAT(sent, HasSubstr("\r\nContent-Type: application/json\r\n"));
  EXPECT_THAT(sent, HasSubstr("\r\nContent-Length: 5\r\n"));
  EXPECT_THAT(sent, HasSubstr("\r\nAccept-Encoding: identity\r\n"));
  EXPECT_THAT(sent, Not(HasSubstr("orged")));
  EXPECT_THAT(sent, Not(HasSubstr("99")));
  ASSERT_TRUE(peer.Send(kOk));
  EXPECT_TRUE(answer->AwaitEnd().ok());
  EXPECT_EQ(answer->status(), 200);
  EXPECT_EQ(answer->body(), "ok");
  EXPECT_EQ(FindHeader(answer->headers(), "content-length"), "2");
}

TEST_F(ClientTest, ReusesAConnectionThatIsInOrder) {
  auto answer = Start(Request("one"));
  TestSocket peer = upstream_.Accept();
  for (const char* body : {"one", "two", "three"}) {
    if (body != std::string("one")) answer = Start(Request(body));
    ASSERT_NE(peer.ReadUntil(body), "");
    ASSERT_TRUE(peer.Send(kOk));
    EXPECT_TRUE(answer->AwaitEnd().ok());
  }
}

struct NoReuseCase {
  const char* name;
  const char* bytes;
  bool peer_closes;  // else the connection stays open on its side
};

class NoReuseTest : public ClientTest,
                    public testing::WithParamInterface<NoReuseCase> {};

TEST_P(NoReuseTest, TheNextRequestGetsANewConnection) {
  auto answer = Start(Request("one"));
  TestSocket first = upstream_.Accept();
  ASSERT_NE(first.ReadUntil("one"), "");
  ASSERT_TRUE(first.Send(GetParam().bytes));
  if (GetParam().peer_closes) first.ShutdownWrite();
  EXPECT_TRUE(answer->AwaitEnd().ok());
  answer = Start(Request("two"));
  TestSocket second = upstream_.Accept();
  ASSERT_NE(second.ReadUntil("two"), "");
  ASSERT_TRUE(second.Send(kOk));
  EXPECT_TRUE(answer->AwaitEnd().ok());
}

INSTANTIATE_TEST_SUITE_P(
    Rows, NoReuseTest,
    testing::ValuesIn<NoReuseCase>(
        {{"ToldToClose",
          "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
          false},
         {"ReadToTheClose", "HTTP/1.1 200 OK\r\n\r\nok", true},
         {"OldVersion", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
          false},
         {"BytesAfterTheAnswer",
          "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more", false}}),
    [](const auto& c) { return std::string(c.param.name); });

TEST_F(ClientTest, AnIdleConnectionThatThePeerClosedIsNotUsed) {
  auto answer = Start(Request("one"));
  {
    TestSocket first = upstream_.Accept();
    ASSERT_NE(first.ReadUntil("one"), "");
    ASSERT_TRUE(first.Send(kOk));
    EXPECT_TRUE(answer->AwaitEnd().ok());
  }
  answer = Start(Request("two"));
  TestSocket second = upstream_.Accept();
  ASSERT_NE(second.ReadUntil("two"), "");
  ASSERT_TRUE(second.Send(kOk));
  EXPECT_TRUE(answer->AwaitEnd().ok());
}

// Nothing is sent twice that may have run.
TEST_F(ClientTest, ARequestThatWasWrittenInFullIsNotSentAgain) {
  auto answer = Start(Request("one"));
  TestSocket peer = upstream_.Accept();
  ASSERT_NE(peer.ReadUntil("one"), "");
  ASSERT_TRUE(peer.Send(kOk));
  EXPECT_TRUE(answer->AwaitEnd().ok());
  answer = Start(Request("two"));
  ASSERT_NE(peer.ReadUntil("two"), "");
  peer.Close();
  EXPECT_EQ(answer->AwaitEnd().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ClientTest, ARequestThatAReusedConnectionDidNotTakeIsSentAgain) {
  auto answer = Start(Request("one"));
  std::string body(30 << 20, 'x');
  body += "end";
  {
    TestSocket peer = upstream_.Accept();
    ASSERT_NE(peer.ReadUntil("one"), "");
    ASSERT_TRUE(peer.Send(kOk));
    EXPECT_TRUE(answer->AwaitEnd().ok());
    answer = Start(Request(body));
    ASSERT_NE(peer.ReadUntil("Content-Length"), "");  // and no more
    peer.Reset();
  }
  TestSocket second = upstream_.Accept();
  ASSERT_NE(second.ReadUntil("end"), "");
  ASSERT_TRUE(second.Send(kOk));
  EXPECT_TRUE(answer->AwaitEnd().ok());
}

TEST_F(ClientTest, AStreamArrivesPieceByPiece) {
  const auto answer = Start(Request());
  TestSocket peer = upstream_.Accept();
  ASSERT_NE(peer.ReadUntil("hello"), "");
  ASSERT_TRUE(
      peer.Send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                "Transfer-Encoding: chunked\r\n\r\n"));
  ASSERT_TRUE(answer->AwaitHeaders());
  ASSERT_TRUE(peer.Send("3\r\none\r\n"));
  ASSERT_TRUE(answer->AwaitBody("one"));
  ASSERT_TRUE(peer.Send("3\r\ntwo\r\n"));
  ASSERT_TRUE(answer->AwaitBody("onetwo"));
  EXPECT_FALSE(answer->ended());
  ASSERT_TRUE(peer.Send("0\r\n\r\n"));
  EXPECT_TRUE(answer->AwaitEnd().ok());
}

struct BrokenCase {
  const char* name;
  const char* bytes;
  absl::StatusCode want;
};

class BrokenAnswerTest : public ClientTest,
                         public testing::WithParamInterface<BrokenCase> {};

// Defends invariant 8: each failure has its own code.
TEST_P(BrokenAnswerTest, EndsWithItsCode) {
  const auto answer = Start(Request());
  TestSocket peer = upstream_.Accept();
  ASSERT_NE(peer.ReadUntil("hello"), "");
  ASSERT_TRUE(peer.Send(GetParam().bytes));
  peer.Close();
  EXPECT_EQ(answer->AwaitEnd().code(), GetParam().want);
}

// A body that ends with the connection has no other mark of its end.
TEST_F(ClientTest, AResetIsNoEndOfABody) {
  const auto answer = Start(Request());
  TestSocket peer = upstream_.Accept();
  ASSERT_NE(peer.ReadUntil("hello"), "");
  ASSERT_TRUE(peer.Send("HTTP/1.1 200 OK\r\n\r\nsome"));
  ASSERT_TRUE(answer->AwaitBody("some"));
  peer.Reset();
  EXPECT_EQ(answer->AwaitEnd().code(), absl::StatusCode::kDataLoss);
}

TEST_F(ClientTest, ARedirectIsAnAnswerAndNotFollowed) {
  const auto answer = Start(Request());
  TestSocket peer = upstream_.Accept();
  ASSERT_NE(peer.ReadUntil("hello"), "");
  ASSERT_TRUE(
      peer.Send("HTTP/1.1 307 Temporary Redirect\r\nLocation: /else\r\n"
                "Content-Length: 0\r\n\r\n"));
  EXPECT_TRUE(answer->AwaitEnd().ok());
  EXPECT_EQ(answer->status(), 307);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BrokenAnswerTest,
    testing::ValuesIn<BrokenCase>(
        {{"NothingAtAll", "", absl::StatusCode::kUnavailable},
         {"NoHttp", "220 mail.example ESMTP\r\n\r\n",
          absl::StatusCode::kDataLoss},
         {"HalfAHeader", "HTTP/1.1 200 OK\r\nContent-",
          absl::StatusCode::kDataLoss},
         {"HalfABody", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok",
          absl::StatusCode::kDataLoss},
         {"HalfAChunk",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nok",
          absl::StatusCode::kDataLoss},
         {"TwoFramings",
          "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"
          "Transfer-Encoding: chunked\r\n\r\n",
          absl::StatusCode::kDataLoss}}),
    [](const auto& c) { return std::string(c.param.name); });

TEST_F(ClientTest, ARefusedConnectionIsUnavailable) {
  ClientRequest request = Request();
  upstream_.Close();
  const auto answer = Start(std::move(request));
  EXPECT_EQ(answer->AwaitEnd().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(answer->status(), 0);
}

TEST_F(ClientTest, NoHeaderInTimeIsDeadlineExceeded) {
  ClientRequest request = Request();
  request.header_timeout = absl::Milliseconds(30);
  const auto answer = Start(std::move(request));
  TestSocket peer = upstream_.Accept();
  EXPECT_EQ(answer->AwaitEnd().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_NE(peer.ReadToEnd(), "");  // it was sent, then the connection closed
}

TEST_F(ClientTest, SilenceInTheBodyIsDeadlineExceeded) {
  ClientRequest request = Request();
  request.silence_timeout = absl::Milliseconds(50);
  const auto answer = Start(std::move(request));
  TestSocket peer = upstream_.Accept();
  ASSERT_NE(peer.ReadUntil("hello"), "");
  ASSERT_TRUE(peer.Send("HTTP/1.1 200 OK\r\n\r\nfirst"));
  EXPECT_EQ(answer->AwaitEnd().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(answer->body(), "first");
}

TEST_F(ClientTest, APeerThatDoesNotReadIsDeadlineExceeded) {
  ClientRequest request = Request(std::string(30 << 20, 'x'));
  request.write_timeout = absl::Milliseconds(50);
  const auto answer = Start(std::move(request));
  TestSocket peer = upstream_.Accept();
  EXPECT_EQ(answer->AwaitEnd().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(ClientTest, CancelClosesTheConnection) {
  const auto answer = Start(Request());
  TestSocket peer = upstream_.Accept();
  ASSERT_NE(peer.ReadUntil("hello"), "");
  ASSERT_TRUE(peer.Send("HTTP/1.1 200 OK\r\n\r\nfirst"));
  ASSERT_TRUE(answer->AwaitBody("first"));
  call_->Cancel();
  call_->Cancel();
  EXPECT_EQ(answer->AwaitEnd().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(peer.ReadToEnd(), "");
}

TEST_F(ClientTest, DroppingTheCallDoesNotCancel) {
  const auto answer = Start(Request());
  call_.reset();
  TestSocket peer = upstream_.Accept();
  ASSERT_NE(peer.ReadUntil("hello"), "");
  ASSERT_TRUE(peer.Send(kOk));
  EXPECT_TRUE(answer->AwaitEnd().ok());
}

TEST_F(ClientTest, TheEndOfTheClientCancelsItsCalls) {
  const auto answer = Start(Request());
  TestSocket peer = upstream_.Accept();
  ASSERT_NE(peer.ReadUntil("hello"), "");
  client_.reset();
  EXPECT_EQ(answer->AwaitEnd().code(), absl::StatusCode::kCancelled);
  call_->Cancel();  // nobody is left to tell; nothing happens
}

TEST_F(ClientTest, NamesAreLookedUpOffTheReactor) {
  ClientRequest request = Request();
  request.url = *ParseUrl("http://no-such-name.invalid/");
  request.connect_timeout = absl::Milliseconds(300);
  const auto unknown = Start(std::move(request));
  // Meanwhile others are served.
  request = Request();
  request.url = *ParseUrl(
      "http://localhost:" + std::to_string(upstream_.port()) + "/mcp");
  const auto local = Start(std::move(request));
  TestSocket peer = upstream_.Accept();
  ASSERT_NE(peer.ReadUntil("hello"), "");
  ASSERT_TRUE(peer.Send(kOk));
  EXPECT_TRUE(local->AwaitEnd().ok());
  // Where there is no resolver the deadline for connecting ends it.
  const absl::StatusCode code = unknown->AwaitEnd().code();
  EXPECT_TRUE(code == absl::StatusCode::kUnavailable ||
              code == absl::StatusCode::kDeadlineExceeded);
}

TEST_F(ClientTest, OneHundredCallsAtOnceThroughOurOwnServer) {
  auto server = Server::Create({}, [](std::shared_ptr<Exchange> exchange) {
    exchange->StartStream(200, {{"Content-Type", "text/event-stream"}});
    exchange->Write("data: " + exchange->request().body + "\n\n");
    exchange->EndStream();
  });
  ASSERT_TRUE(server.ok());
  ASSERT_TRUE((*server)->Start().ok());
  for (int round = 0; round < 3; ++round) {
    std::vector<std::shared_ptr<Answer>> answers;
    for (int i = 0; i < 100; ++i) {
      ClientRequest request = Request(std::to_string(i));
      request.url.port = (*server)->port();
      request.url.authority = "127.0.0.1:" + std::to_string((*server)->port());
      answers.push_back(Start(std::move(request)));
    }
    for (int i = 0; i < 100; ++i) {
      EXPECT_TRUE(answers[i]->AwaitEnd().ok());
      EXPECT_EQ(answers[i]->body(), "data: " + std::to_string(i) + "\n\n");
    }
  }
  // Three rounds, but no more connections than calls at once.
  EXPECT_LE((*server)->stats().connections, 100);
  (*server)->Stop();
}

TEST(ConnectionPoolTest, GivesTheLatestAndForgetsTheOldest) {
  TestListener listener;
  ConnectionPool pool;
  std::vector<TestSocket> peers;
  const auto open = [&] {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(listener.port()));
    EXPECT_EQ(
        connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    peers.push_back(listener.Accept());
    return fd;
  };
  const int a = open();
  const int b = open();
  pool.Put("x:1", MakePlainTransport(a), absl::Seconds(0));
  pool.Put("x:1", MakePlainTransport(b), absl::Seconds(2));
  EXPECT_EQ(pool.Take("y:1"), nullptr);
  EXPECT_EQ(pool.CloseExpired(absl::Seconds(4)), absl::Seconds(6));
  EXPECT_EQ(peers[0].ReadToEnd(), "");  // the first is closed
  std::unique_ptr<Transport> taken = pool.Take("x:1");
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->fd(), b);
  EXPECT_EQ(pool.Take("x:1"), nullptr);
  pool.Put("x:1", std::move(taken), absl::Seconds(3));
  const auto fill = [&](const std::string& key, int count) {
    for (int i = 0; i < count; ++i) {
      pool.Put(key, MakePlainTransport(open()), absl::Seconds(3));
    }
  };
  fill("z:1", 256);  // of which it keeps 64
  taken = pool.Take("x:1");
  EXPECT_NE(taken, nullptr);
  pool.Put("x:1", std::move(taken), absl::Seconds(3));
  int kept = 0;
  while (pool.Take("z:1") != nullptr) ++kept;
  EXPECT_EQ(kept, 64);
  for (const char* key : {"a:1", "b:1", "c:1", "d:1"}) fill(key, 64);
  EXPECT_EQ(pool.Take("x:1"), nullptr);  // at most 256 in all
}

}  // namespace
}  // namespace gatehouse::http
