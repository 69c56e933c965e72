#include "admin/port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "admin/loopback.h"

namespace gatehouse::admin {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr int kPatienceMs = 15'000;

// A plain blocking connection to the port.
class Peer {
 public:
  explicit Peer(const std::string& address) {
    const auto loopback = ParseLoopback(address);
    EXPECT_TRUE(loopback.ok());
    socket_ = socket(loopback->storage.ss_family, SOCK_STREAM, 0);
    EXPECT_EQ(
        connect(socket_, reinterpret_cast<const sockaddr*>(&loopback->storage),
                loopback->size),
        0);
  }
  ~Peer() { close(socket_); }
  Peer(const Peer&) = delete;

  void Send(const std::string& text) {
    EXPECT_EQ(send(socket_, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  // All up to the port's end; what came is whole if `ended`.
  std::string ReadAll() {
    std::string all;
    for (;;) {
      pollfd readable = {socket_, POLLIN, 0};
      if (poll(&readable, 1, kPatienceMs) <= 0) return all + "(no end)";
      char buffer[4096];
      const ssize_t got = read(socket_, buffer, sizeof(buffer));
      if (got <= 0) return all;
      all.append(buffer, static_cast<size_t>(got));
    }
  }

 private:
  int socket_;
};

class PortTest : public testing::Test {
 protected:
  PortTest() {
    absl::StatusOr<std::unique_ptr<Port>> port =
        Port::Open("127.0.0.1:0",
                   {{"/healthz", [] { return Says(200, "ok"); }},
                    {"/readyz", [] { return Says(503, "not yet"); }},
                    {"/large",
                     [] {
                       return Answer{200, "text/plain", large()};
                     }}},
                   clock_);
    EXPECT_TRUE(port.ok()) << port.status();
    port_ = *std::move(port);
  }
  static std::string large() { return std::string(4 << 20, 'x'); }

  std::string Ask(const std::string& request) {
    Peer peer(port_->address());
    peer.Send(request);
    return peer.ReadAll();
  }

  SystemClock clock_;
  std::unique_ptr<Port> port_;
};

struct AskCase {
  const char* name;
  const char* request;
  const char* status;
  const char* part;
};
class PortAnswerTest : public PortTest,
                       public testing::WithParamInterface<AskCase> {};

TEST_P(PortAnswerTest, EachRequestHasItsAnswer) {
  const std::string answer = Ask(GetParam().request);
  EXPECT_THAT(answer, StartsWith(std::string("HTTP/1.1 ") + GetParam().status));
  EXPECT_THAT(answer, HasSubstr(GetParam().part));
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(answer, testing::Not(HasSubstr("(no end)")));
}

INSTANTIATE_TEST_SUITE_P(
    Requests, PortAnswerTest,
    testing::ValuesIn<AskCase>({
        {"APage", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "200 OK",
         "\r\n\r\nok\n"},
        {"APageWithAQuery", "GET /healthz?x=1 HTTP/1.0\r\n\r\n", "200 OK",
         "ok\n"},
        {"APageThatFails", "GET /readyz HTTP/1.1\r\nHost: [::1]:1\r\n\r\n",
         "503 ", "not yet\n"},
        {"OnlyTheHead", "HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
         "200 OK", "Content-Length: 3\r\n"},
        {"AnUnknownPath", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "404 ",
         "/healthz /large /readyz"},
        {"AnotherMethod",
         "POST /healthz HTTP/1.1\r\nHost: localhost\r\n"
         "Content-Length: 2\r\n\r\n{}",
         "405 ", "Allow: GET, HEAD\r\n"},
        {"AWebPageThatWasMadeToLeadHere",
         "GET /healthz HTTP/1.1\r\nHost: rebind.example\r\n\r\n", "403 ",
         "Host: "},
        {"Nonsense", "\x16\x03\x01 hello\r\n\r\n", "400 ", "expected"},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST_F(PortTest, AHeadWithoutEndIsRefusedAtItsLimit) {
  EXPECT_THAT(Ask("GET /healthz HTTP/1.1\r\nX: " + std::string(5000, 'x')),
              StartsWith("HTTP/1.1 431 "));
}

TEST_F(PortTest, ALargePageArrivesWhole) {
  const std::string answer = Ask("GET /large HTTP/1.0\r\n\r\n");
  const size_t body = answer.find("\r\n\r\n");
  ASSERT_NE(body, std::string::npos);
  EXPECT_EQ(answer.size() - body - 4, large().size());
}

TEST_F(PortTest, ASecondRequestOnAConnectionIsNotServed) {
  const std::string answer =
      Ask("GET /healthz HTTP/1.1\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n");
  EXPECT_EQ(answer.find("HTTP/1.1 200"), answer.rfind("HTTP/1.1 200"));
}

// Peers that say nothing, or a little at a time, take all the places; they lose
// them after two seconds, and a probe that comes then is answered.
TEST_F(PortTest, SlowPeersDoNotKeepAProbeOut) {
  std::vector<std::unique_ptr<Peer>> slow;
  for (int i = 0; i < 40; ++i) {
    slow.push_back(std::make_unique<Peer>(port_->address()));
  }
  slow.front()->Send("GET /healthz HT");
  EXPECT_EQ(slow.front()->ReadAll(), "");  // ended by the port
  EXPECT_THAT(Ask("GET /healthz HTTP/1.0\r\n\r\n"), HasSubstr("ok\n"));
}

// As many as are kept, all silent: the newest is served all the same.
TEST_F(PortTest, IdlePeersDoNotKeepAProbeOut) {
  std::vector<std::unique_ptr<Peer>> idle;
  for (int i = 0; i < 64; ++i) {
    idle.push_back(std::make_unique<Peer>(port_->address()));
  }
  EXPECT_THAT(Ask("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
              HasSubstr("ok\n"));
}

TEST_F(PortTest, ATakenAddressIsToldAndFreedWithItsPort) {
  const std::string address = port_->address();
  const absl::Status taken = Port::Open(address, {}, clock_).status();
  EXPECT_EQ(taken.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(taken.message()), StartsWith(address));
  port_.reset();
  EXPECT_TRUE(Port::Open(address, {}, clock_).ok());
}

TEST_F(PortTest, AnAddressOffLoopbackIsRefused) {
  EXPECT_EQ(Port::Open("0.0.0.0:0", {}, clock_).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace gatehouse::admin
