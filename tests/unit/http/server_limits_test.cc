// Defends DESIGN §16: everything read from a peer has a bound, in bytes and in
// time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "tests/unit/http/server_fixture.h"

namespace gatehouse::http {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct RefusalCase {
  const char* name;
  std::string bytes;
  const char* want;
};

class RefusalTest : public ServerTest,
                    public testing::WithParamInterface<RefusalCase> {};

TEST_P(RefusalTest, IsAnsweredInFullAndTheConnectionClosed) {
  ServerOptions options;
  options.max_body_bytes = 100'000;
  options.max_header_bytes = 8 << 10;
  StartServer(options);
  TestSocket peer = Connect();
  // The server may stop reading before the end of it.
  peer.Send(GetParam().bytes);
  const std::string answer = peer.ReadToEnd();
  EXPECT_THAT(answer, StartsWith(GetParam().want));
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  EXPECT_EQ(server_->stats().refused, 1);
  peer.Close();
  EXPECT_TRUE(Eventually([&] { return server_->stats().connections == 0; }));
  // Another peer does not notice.
  TestSocket other = Connect();
  ASSERT_TRUE(other.Send(
      "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nok"));
  EXPECT_NE(other.ReadUntil("ok"), "");
}

INSTANTIATE_TEST_SUITE_P(
    Rows, RefusalTest,
    testing::ValuesIn<RefusalCase>({
        {"HugeHeader",
         "GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(1 << 20, 'x'),
         "HTTP/1.1 431 "},
        {"HugeBodyAnnounced",
         "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n" +
             std::string(1'000'000, 'x'),
         "HTTP/1.1 413 "},
        {"HugeBodyInChunks",
         "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
         "fffff\r\n" +
             std::string(0xfffff, 'x'),
         "HTTP/1.1 413 "},
        {"BothFramings",
         "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n"
         "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         "HTTP/1.1 400 "},
        {"NoHost", "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 "},
        {"Head", "HEAD / HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 405 "},
        {"NoHttp", "\x16\x03\x01\x02\x01\r\n\r\n", "HTTP/1.1 400 "},
        {"UnknownMethod", "BREW / HTTP/1.1\r\nHost: h\r\n\r\n",
         "HTTP/1.1 405 "},
    }),
    [](const auto& c) { return std::string(c.param.name); });

// Many peers, each within its own limit, are together within one as well.
TEST_F(ServerTest, BodiesHaveATotal) {
  ServerOptions options;
  options.max_bodies_bytes = 300 << 10;
  StartServer(options);
  const std::string half(100 << 10, 'x');
  const std::string head =
      "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 204800\r\n\r\n";
  TestSocket first = Connect();
  ASSERT_TRUE(first.Send(head + half));
  TestSocket second = Connect();
  ASSERT_TRUE(second.Send(head + half));
  ASSERT_TRUE(
      Eventually([&] { return server_->stats().bodies_bytes == 200 << 10; }));
  TestSocket third = Connect();
  third.Send(head + half + half);
  EXPECT_THAT(third.ReadToEnd(), StartsWith("HTTP/1.1 503 "));
  // A small one is served all the same, and what began first ends well.
  TestSocket small = Connect();
  ASSERT_TRUE(small.Send(Post("/echo", "small")));
  EXPECT_NE(small.ReadUntil("small"), "");
  second.Close();
  EXPECT_TRUE(
      Eventually([&] { return server_->stats().bodies_bytes == 100 << 10; }));
  ASSERT_TRUE(first.Send(half));
  EXPECT_THAT(first.ReadUntil("xxxx"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ServerTest, ARefusalInAPipelineFollowsTheAnswersBeforeIt) {
  StartServer();
  TestSocket peer = Connect();
  ASSERT_TRUE(peer.Send(Post("/echo", "first") + "GET / HTTP/1.1\r\n\r\n" +
                        Post("/echo", "never")));
  const std::string answers = peer.ReadToEnd();
  EXPECT_THAT(answers, StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(answers, HasSubstr("firstHTTP/1.1 400 "));
  EXPECT_EQ(answers.find("never"), std::string::npos);
}

TEST_F(ServerTest, ASlowSenderGets408HoweverItDrips) {
  ServerOptions options;
  options.request_deadline = absl::Milliseconds(150);
  StartServer(options);
  TestSocket peer = Connect();
  const std::string head = "POST /echo HTTP/1.1\r\nHost: h\r\nX: ";
  ASSERT_TRUE(peer.Send(head));
  // Each byte comes well within the deadline; the whole does not. The server
  // says when it has had enough.
  ASSERT_TRUE(Eventually([&] {
    peer.Send("x");
    return server_->stats().refused == 1;
  }));
  EXPECT_THAT(peer.ReadToEnd(), StartsWith("HTTP/1.1 408 "));
}

TEST_F(ServerTest, TheDeadlineIsOfEachRequestNotOfTheConnection) {
  ServerOptions options;
  options.request_deadline = absl::Milliseconds(200);
  StartServer(options);
  TestSocket peer = Connect();
  ASSERT_TRUE(peer.Send(Post("/slow", "")));
  const auto exchange = NextKept();
  ASSERT_NE(exchange, nullptr);
  // Another connection's 408 tells that the deadline has passed.
  TestSocket other = Connect();
  ASSERT_TRUE(other.Send("POST "));
  EXPECT_THAT(other.ReadToEnd(), StartsWith("HTTP/1.1 408 "));
  Response response;
  response.body = "patience";
  exchange->Respond(std::move(response));
  EXPECT_THAT(peer.ReadUntil("patience"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ServerTest, AnIdleConnectionIsClosedInTheEnd) {
  ServerOptions options;
  options.idle_deadline = absl::Milliseconds(50);
  StartServer(options);
  TestSocket silent = Connect();
  TestSocket used = Connect();
  ASSERT_TRUE(used.Send(Post("/echo", "once")));
  ASSERT_NE(used.ReadUntil("once"), "");
  EXPECT_EQ(silent.ReadToEnd(), "");
  EXPECT_EQ(used.ReadToEnd(), "");
  EXPECT_TRUE(Eventually([&] { return server_->stats().connections == 0; }));
}

TEST_F(ServerTest, ARequestThatWaitsIsNotIdle) {
  ServerOptions options;
  options.idle_deadline = absl::Milliseconds(30);
  StartServer(options);
  TestSocket peer = Connect();
  ASSERT_TRUE(peer.Send(Post("/slow", "")));
  const auto exchange = NextKept();
  ASSERT_NE(exchange, nullptr);
  TestSocket silent = Connect();
  EXPECT_EQ(silent.ReadToEnd(), "");  // the idle deadline has passed
  Response response;
  response.body = "patience";
  exchange->Respond(std::move(response));
  EXPECT_NE(peer.ReadUntil("patience"), "");
}

TEST_F(ServerTest, AnAnswerThatNobodyReadsIsGivenUp) {
  ServerOptions options;
  options.idle_deadline = absl::Milliseconds(100);
  StartServer(options);
  TestSocket peer = Connect(/*receive_buffer=*/4096);
  ASSERT_TRUE(peer.Send(Post("/slow", "")));
  const auto exchange = NextKept();
  ASSERT_NE(exchange, nullptr);
  Response response;
  response.body = std::string(20 << 20, 'x');
  exchange->Respond(std::move(response));
  EXPECT_TRUE(Eventually([&] { return server_->stats().connections == 0; }));
}

TEST_F(ServerTest, ExpectContinueIsAnsweredBeforeTheBody) {
  StartServer();
  TestSocket peer = Connect();
  ASSERT_TRUE(
      peer.Send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n"
                "Expect: 100-continue\r\n\r\n"));
  EXPECT_EQ(peer.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  ASSERT_TRUE(peer.Send("body"));
  EXPECT_THAT(peer.ReadUntil("body"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ServerTest, OneConnectionTooManyGets503) {
  ServerOptions options;
  options.max_connections = 3;
  StartServer(options);
  std::vector<TestSocket> peers;
  for (int i = 0; i < 3; ++i) {
    peers.push_back(Connect());
    ASSERT_TRUE(peers.back().Send(Post("/echo", "in")));
    ASSERT_NE(peers.back().ReadUntil("in"), "");
  }
  TestSocket late = Connect();
  late.Send(Post("/echo", "out"));
  const std::string refused = late.ReadToEnd();
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(refused, HasSubstr("Retry-After: "));
  late.Close();
  peers.pop_back();
  ASSERT_TRUE(Eventually([&] { return server_->stats().connections == 2; }));
  TestSocket next = Connect();
  ASSERT_TRUE(next.Send(Post("/echo", "in")));
  EXPECT_NE(next.ReadUntil("in"), "");
}

// Two descriptors a connection here, of 96: 503 comes while the worker still
// has some for upstreams, and what is closed makes room.
int ServeNearTheDescriptorLimit() {
  const rlimit few = {96, 96};
  if (setrlimit(RLIMIT_NOFILE, &few) != 0) return 2;
  auto server = Server::Create(
      {}, [](std::shared_ptr<Exchange> exchange) { exchange->Respond({}); });
  if (!server.ok() || !(*server)->Start().ok()) return 3;
  const auto answer = [&](TestSocket& peer) {
    peer.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    return peer.ReadUntil("\r\n\r\n").substr(9, 3);
  };
  {
    std::vector<TestSocket> peers;
    std::string status = "200";
    while (status == "200" && peers.size() < 96) {
      peers.push_back(TestSocket::Connect((*server)->port()));
      status = answer(peers.back());
    }
    if (status != "503" || peers.size() < 10) return 4;
  }
  if (!Eventually([&] { return (*server)->stats().connections == 0; })) {
    return 5;
  }
  TestSocket next = TestSocket::Connect((*server)->port());
  return answer(next) == "200" ? 0 : 6;
}

TEST(DescriptorLimitDeathTest, NearItAConnectionGets503AndLaterOnesAreServed) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(exit(ServeNearTheDescriptorLimit()), testing::ExitedWithCode(0),
              "");
}

}  // namespace
}  // namespace gatehouse::http
