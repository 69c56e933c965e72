#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "dataplane/http/client.h"
#include "dataplane/http/reactor.h"
#include "dataplane/http/tls_connector.h"
#include "tests/unit/http/client_answer.h"
#include "tests/unit/http/tls_peer.h"

// These tests defend that what the gateway sends an upstream reaches that
// upstream and nobody else (DESIGN §16), and invariant 8: each failure has its
// own code.
namespace gatehouse::http {
namespace {

using testing::HasSubstr;

class TlsClientTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(reactor_.Start().ok());
    client_ = Client::Create(reactor_);
    tls_ = Connector({});
  }

  // Trusts the test's authority unless `identity` says otherwise.
  std::shared_ptr<const TlsConnector> Connector(TlsIdentity identity) const {
    if (identity.ca.empty()) identity.ca = authority_.pem();
    auto made = TlsConnector::Create(identity);
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : nullptr;
  }

  std::shared_ptr<Answer> Start(const std::string& host = "127.0.0.1",
                                absl::Duration connect = absl::Seconds(5)) {
    ClientRequest request;
    request.url = *ParseUrl("https://" + host + ":" +
                            std::to_string(upstream_.port()) + "/mcp");
    request.tls = tls_;
    request.body = "hello";
    request.connect_timeout = connect;
    auto answer = std::make_shared<Answer>();
    client_->Start(std::move(request), answer);
    return answer;
  }

  // The upstream's side of the next connection.
  TlsPeer Accept(TlsPeerOptions options = {}) {
    if (options.own.cert.empty()) options.own = authority_.Issue();
    return TlsPeer::Server(upstream_.Accept(), options);
  }

  const TestAuthority authority_;
  TestListener upstream_;
  Reactor reactor_;
  std::unique_ptr<Client> client_;
  std::shared_ptr<const TlsConnector> tls_;
};

constexpr char kOk[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

TEST_F(TlsClientTest, AsksByNameAndReusesTheConnection) {
  auto answer = Start("localhost");
  TlsPeer peer = Accept();
  ASSERT_TRUE(peer.connected());
  EXPECT_EQ(peer.server_name(), "localhost");
  EXPECT_EQ(peer.version(), TLS1_3_VERSION);
  for (int i = 0; i < 3; ++i) {
    if (i > 0) answer = Start("localhost");
    ASSERT_NE(peer.ReadUntil("hello"), "");
    ASSERT_TRUE(peer.Send(kOk));
    EXPECT_TRUE(answer->AwaitEnd().ok());
    EXPECT_EQ(answer->body(), "ok");
  }
}

TEST_F(TlsClientTest, ConnectionsAreNotLentToThoseWhoTrustOthers) {
  auto answer = Start();
  TlsPeer first = Accept();
  ASSERT_NE(first.ReadUntil("hello"), "");
  ASSERT_TRUE(first.Send(kOk));
  EXPECT_TRUE(answer->AwaitEnd().ok());
  tls_ = Connector({});
  answer = Start();
  TlsPeer second = Accept();
  ASSERT_NE(second.ReadUntil("hello"), "");
  ASSERT_TRUE(second.Send(kOk));
  EXPECT_TRUE(answer->AwaitEnd().ok());
}

TEST_F(TlsClientTest, AnIdleConnectionThatThePeerEndedIsNotUsed) {
  auto answer = Start();
  TlsPeer first = Accept();
  ASSERT_NE(first.ReadUntil("hello"), "");
  ASSERT_TRUE(first.Send(kOk));
  EXPECT_TRUE(answer->AwaitEnd().ok());
  first.CloseNotify();
  first.Close();
  answer = Start();
  TlsPeer second = Accept();
  ASSERT_NE(second.ReadUntil("hello"), "");
  ASSERT_TRUE(second.Send(kOk));
  EXPECT_TRUE(answer->AwaitEnd().ok());
}

TEST_F(TlsClientTest, ALargeAnswerArrivesWhole) {
  const auto answer = Start();
  TlsPeer peer = Accept();
  ASSERT_NE(peer.ReadUntil("hello"), "");
  const std::string body(3 << 20, 'x');
  ASSERT_TRUE(peer.Send("HTTP/1.1 200 OK\r\nContent-Length: " +
                        std::to_string(body.size()) + "\r\n\r\n"));
  ASSERT_TRUE(peer.Send(body));
  EXPECT_TRUE(answer->AwaitEnd().ok());
  EXPECT_EQ(answer->body(), body);
}

TEST_F(TlsClientTest, ShowsItsCertificateWhereOneIsDemanded) {
  const TestCertificate own = authority_.Issue({.serial = 77});
  tls_ = Connector({authority_.pem(), own.cert, own.key});
  const auto answer = Start();
  TlsPeerOptions options;
  options.ca = authority_.pem();
  options.demand_client = true;
  TlsPeer peer = Accept(options);
  ASSERT_TRUE(peer.connected());
  EXPECT_EQ(peer.peer_serial(), 77);
  ASSERT_NE(peer.ReadUntil("hello"), "");
  ASSERT_TRUE(peer.Send(kOk));
  EXPECT_TRUE(answer->AwaitEnd().ok());
}

TEST_F(TlsClientTest, WithoutADemandedCertificateItIsUnavailable) {
  const auto answer = Start();
  TlsPeerOptions options;
  options.ca = authority_.pem();
  options.demand_client = true;
  EXPECT_FALSE(Accept(options).connected());
  EXPECT_EQ(answer->AwaitEnd().code(), absl::StatusCode::kUnavailable);
}

TEST_F(TlsClientTest, ASilentHandshakeIsDeadlineExceeded) {
  const auto answer = Start("127.0.0.1", absl::Milliseconds(50));
  TestSocket peer = upstream_.Accept();
  EXPECT_EQ(answer->AwaitEnd().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(TlsClientTest, HttpsWithoutTrustIsNotTried) {
  tls_ = nullptr;
  EXPECT_EQ(Start()->AwaitEnd().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(TlsClientTest, ABadIdentityIsSaid) {
  const TestCertificate own = authority_.Issue();
  EXPECT_THAT(
      std::string(TlsConnector::Create({"no pem", "", ""}).status().message()),
      HasSubstr("ca: no certificates"));
  EXPECT_THAT(std::string(TlsConnector::Create({authority_.pem(), own.cert,
                                                authority_.Issue().key})
                              .status()
                              .message()),
              HasSubstr("does not belong"));
}

struct StrangerCase {
  const char* name;
  CertificateSpec certificate;
  bool other_authority;
  int max_version;
  const char* host;
  const char* says;
};

class StrangerTest : public TlsClientTest,
                     public testing::WithParamInterface<StrangerCase> {};

// Not a byte of the request reaches a peer that is not the one we expect.
TEST_P(StrangerTest, IsUnavailableAndHearsNothing) {
  const auto answer = Start(GetParam().host);
  TlsPeerOptions options;
  options.own = GetParam().other_authority
                    ? TestAuthority().Issue(GetParam().certificate)
                    : authority_.Issue(GetParam().certificate);
  options.max_version = GetParam().max_version;
  TlsPeer peer = Accept(options);
  const absl::Status end = answer->AwaitEnd();
  EXPECT_EQ(end.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(end.message()), HasSubstr(GetParam().says));
  EXPECT_EQ(peer.ReadToEnd(), "");
}

INSTANTIATE_TEST_SUITE_P(
    Rows, StrangerTest,
    testing::ValuesIn<StrangerCase>(
        {{"AnotherName",
          {.names = "DNS:other.example"},
          false,
          0,
          "localhost",
          "hostname mismatch"},
         {"AnotherAddress",
          {.names = "DNS:localhost,IP:127.0.0.2"},
          false,
          0,
          "127.0.0.1",
          "IP address mismatch"},
         {"AWildcardOfAPart",
          {.names = "DNS:local*"},
          false,
          0,
          "localhost",
          "hostname mismatch"},
         {"Expired", {.until = -60}, false, 0, "localhost", "has expired"},
         {"NotYetValid",
          {.from = 1800},
          false,
          0,
          "localhost",
          "not yet valid"},
         {"UnknownAuthority", {}, true, 0, "localhost", "certificate"},
         {"AnOldVersion",
          {},
          false,
          TLS1_1_VERSION,
          "localhost",
          "handshake failed"}}),
    [](const auto& c) { return std::string(c.param.name); });

struct CutCase {
  const char* name;
  const char* bytes;
  bool orderly;  // with an end of TLS
  absl::StatusCode want;
};

class CutTest : public TlsClientTest,
                public testing::WithParamInterface<CutCase> {};

// Whoever is on the way can close a connection, but not end TLS.
TEST_P(CutTest, EndsWithItsCode) {
  const auto answer = Start();
  TlsPeer peer = Accept();
  ASSERT_NE(peer.ReadUntil("hello"), "");
  if (GetParam().bytes[0] != '\0') {
    ASSERT_TRUE(peer.Send(GetParam().bytes));
  }
  if (GetParam().orderly) peer.CloseNotify();
  peer.Cut();
  EXPECT_EQ(answer->AwaitEnd().code(), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, CutTest,
    testing::ValuesIn<CutCase>(
        {{"BeforeAnyAnswer", "", false, absl::StatusCode::kUnavailable},
         {"WithinALength", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok",
          false, absl::StatusCode::kDataLoss},
         {"WithinAStream",
          "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
          "Transfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n",
          false, absl::StatusCode::kDataLoss},
         {"WithinABodyToTheClose", "HTTP/1.1 200 OK\r\n\r\nok", false,
          absl::StatusCode::kDataLoss},
         {"ABodyToTheCloseThatEnded", "HTTP/1.1 200 OK\r\n\r\nok", true,
          absl::StatusCode::kOk},
         {"AnEndWithinALength",
          "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok", true,
          absl::StatusCode::kDataLoss}}),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace gatehouse::http
