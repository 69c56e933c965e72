#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <utility>

#include "dataplane/http/tls_acceptor.h"
#include "tests/unit/http/server_fixture.h"
#include "tests/unit/http/tls_peer.h"

// These tests defend that nobody on the way reads, changes or cuts what a
// client and the gateway say (DESIGN §16), and invariant 5: a call whose client
// is cut off is not taken for one that ended.
namespace gatehouse::http {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class TlsServerTest : public ServerTest {
 protected:
  void SetUp() override { WritePair({}); }

  void WritePair(const CertificateSpec& spec) {
    const TestCertificate pair = authority_.Issue(spec);
    files_.cert = folder_.Write("server.pem", pair.cert);
    files_.key = folder_.Write("server.key", pair.key);
  }

  void StartTls(ServerOptions options = {}) {
    auto acceptor = TlsAcceptor::Create(files_);
    ASSERT_TRUE(acceptor.ok()) << acceptor.status();
    acceptor_ = *std::move(acceptor);
    options.tls = acceptor_;
    StartServer(std::move(options));
  }

  TlsPeer ConnectTls(TlsPeerOptions options = {}) {
    if (options.ca.empty()) options.ca = authority_.pem();
    return TlsPeer::Client(TestSocket::Connect(server_->port()), options);
  }

  // Whether a peer with these options is served. With TLS 1.3 a client learns
  // that it was refused only from what it reads.
  bool IsServed(const TlsPeerOptions& options) {
    TlsPeer peer = ConnectTls(options);
    return peer.connected() && peer.Send(Post("/echo", "hello")) &&
           !peer.ReadUntil("hello").empty();
  }

  const TestAuthority authority_;
  const TestFolder folder_;
  TlsFiles files_;
  std::shared_ptr<TlsAcceptor> acceptor_;
};

class TlsVersionTest : public TlsServerTest,
                       public testing::WithParamInterface<int> {};

TEST_P(TlsVersionTest, AnswersAndKeepsTheConnection) {
  StartTls();
  TlsPeerOptions options;
  options.max_version = GetParam();
  TlsPeer peer = ConnectTls(options);
  ASSERT_TRUE(peer.connected());
  EXPECT_EQ(peer.version(), GetParam());
  // One record, several, and many in one go with others behind them.
  const std::string large = std::string(1 << 20, 'x') + "end";
  ASSERT_TRUE(peer.Send(Post("/echo", "small")));
  EXPECT_NE(peer.ReadUntil("small"), "");
  ASSERT_TRUE(peer.Send(Post("/echo", large)));
  EXPECT_NE(peer.ReadUntil("end"), "");
  std::string pipelined;
  for (int i = 0; i < 20; ++i) {
    pipelined += Post("/echo", "<" + std::to_string(i) + ">");
  }
  ASSERT_TRUE(peer.Send(pipelined));
  EXPECT_NE(peer.ReadUntil("<19>"), "");
  EXPECT_EQ(server_->stats().requests, 22);
  EXPECT_EQ(server_->stats().handshakes_failed, 0);
}

INSTANTIATE_TEST_SUITE_P(Versions, TlsVersionTest,
                         testing::Values(TLS1_2_VERSION, TLS1_3_VERSION));

TEST_F(TlsServerTest, OldVersionsAreRefused) {
  StartTls();
  TlsPeerOptions options;
  options.min_version = TLS1_VERSION;
  options.max_version = TLS1_1_VERSION;
  EXPECT_FALSE(ConnectTls(options).connected());
  EXPECT_TRUE(IsServed({}));
  EXPECT_EQ(server_->stats().handshakes_failed, 1);
}

TEST_F(TlsServerTest, OnlyHttp11IsAgreedOn) {
  StartTls();
  TlsPeerOptions options;
  options.alpn = "http/1.1";
  EXPECT_EQ(ConnectTls(options).alpn(), "http/1.1");
  options.alpn = "h2";
  EXPECT_FALSE(ConnectTls(options).connected());
}

TEST_F(TlsServerTest, AReloadIsForNewConnectionsAndABadOneForNobody) {
  CertificateSpec spec;
  spec.serial = 41;
  WritePair(spec);
  StartTls();
  TlsPeer old = ConnectTls();
  EXPECT_EQ(old.peer_serial(), 41);
  spec.serial = 42;
  WritePair(spec);
  ASSERT_TRUE(acceptor_->Reload().ok());
  EXPECT_EQ(ConnectTls().peer_serial(), 42);
  ASSERT_TRUE(old.Send(Post("/echo", "still here")));
  EXPECT_NE(old.ReadUntil("still here"), "");
  folder_.Write("server.key", "nonsense");
  EXPECT_FALSE(acceptor_->Reload().ok());
  EXPECT_EQ(ConnectTls().peer_serial(), 42);
}

TEST_F(TlsServerTest, AClientsCertificateMayBeShown) {
  files_.client_ca = folder_.Write("clients.pem", authority_.pem());
  StartTls();
  TlsPeerOptions known;
  known.own = authority_.Issue();
  TlsPeerOptions stranger;
  stranger.own = TestAuthority().Issue();
  EXPECT_TRUE(IsServed({}));
  EXPECT_TRUE(IsServed(known));
  EXPECT_FALSE(IsServed(stranger));
}

TEST_F(TlsServerTest, AClientsCertificateMayBeDemanded) {
  files_.client_ca = folder_.Write("clients.pem", authority_.pem());
  files_.require_client_cert = true;
  StartTls();
  TlsPeerOptions known;
  known.own = authority_.Issue();
  TlsPeerOptions expired;
  CertificateSpec spec;
  spec.until = -60;
  expired.own = authority_.Issue(spec);
  EXPECT_TRUE(IsServed(known));
  EXPECT_FALSE(IsServed({}));
  EXPECT_FALSE(IsServed(expired));
}

TEST_F(TlsServerTest, PlainHttpIsClosedInGoodOrder) {
  StartTls();
  TestSocket peer = Connect();
  ASSERT_TRUE(peer.Send(Post("/echo", "hello")));
  // An alert at most, and an end instead of a reset.
  EXPECT_THAT(peer.ReadToEnd(), testing::Not(HasSubstr("HTTP/")));
  EXPECT_TRUE(peer.ended());
  EXPECT_EQ(server_->stats().requests, 0);
  EXPECT_EQ(server_->stats().handshakes_failed, 1);
}

TEST_F(TlsServerTest, TlsOnAPlainPortIs400) {
  StartServer();
  TestSocket peer = Connect();
  // A ClientHello's record, as it begins.
  const std::string hello(
      "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 15);
  ASSERT_TRUE(peer.Send(hello));
  EXPECT_THAT(peer.ReadToEnd(), StartsWith("HTTP/1.1 400 "));
}

TEST_F(TlsServerTest, AHandshakeHasADeadline) {
  ServerOptions options;
  options.request_deadline = absl::Milliseconds(50);
  StartTls(options);
  TestSocket silent = Connect();
  TestSocket half = Connect();
  ASSERT_TRUE(half.Send(std::string("\x16\x03\x01\x02\x00", 5)));
  EXPECT_EQ(silent.ReadToEnd(), "");
  EXPECT_EQ(half.ReadToEnd(), "");
  EXPECT_TRUE(Eventually([&] { return server_->stats().connections == 0; }));
  EXPECT_EQ(server_->stats().requests, 0);
}

TEST_F(TlsServerTest, AnEndOfTheClientsSideIsHalfAClose) {
  StartTls();
  TlsPeer peer = ConnectTls();
  ASSERT_TRUE(peer.Send(Post("/slow", "")));
  const auto exchange = NextKept();
  ASSERT_NE(exchange, nullptr);
  bool half_closed = false;
  bool gone = false;
  exchange->OnPeerGone([&] { waiter_.Change([&] { gone = true; }); });
  exchange->OnPeerHalfClosed(
      [&] { waiter_.Change([&] { half_closed = true; }); });
  peer.CloseNotify();
  ASSERT_TRUE(waiter_.Await([&] { return half_closed; }));
  Response response;
  response.body = "answer";
  exchange->Respond(std::move(response));
  bool orderly = false;
  EXPECT_THAT(peer.ReadToEnd(&orderly), EndsWith("answer"));
  EXPECT_FALSE(gone);
  EXPECT_TRUE(Eventually([&] { return server_->stats().connections == 0; }));
}

TEST_F(TlsServerTest, ACutIsALoss) {
  StartTls();
  TlsPeer peer = ConnectTls();
  ASSERT_TRUE(peer.Send(Post("/slow", "")));
  const auto exchange = NextKept();
  ASSERT_NE(exchange, nullptr);
  bool gone = false;
  exchange->OnPeerGone([&] { waiter_.Change([&] { gone = true; }); });
  peer.Cut();  // what anyone on the way can do
  EXPECT_TRUE(waiter_.Await([&] { return gone; }));
}

TEST_F(TlsServerTest, TheAnswersEndIsAnEndOfTls) {
  StartTls();
  TlsPeer peer = ConnectTls();
  ASSERT_TRUE(peer.Send(Post("/echo", "last", "Connection: close\r\n")));
  bool orderly = false;
  EXPECT_THAT(peer.ReadToEnd(&orderly), EndsWith("last"));
  EXPECT_TRUE(orderly);
}

TEST_F(TlsServerTest, AStreamGoesOnOverTls) {
  ServerOptions options;
  options.stream_keepalive = absl::Milliseconds(20);
  StartTls(options);
  TlsPeer peer = ConnectTls();
  ASSERT_TRUE(peer.Send(Post("/stream", "")));
  const auto exchange = NextKept();
  ASSERT_NE(exchange, nullptr);
  exchange->StartStream(200, {{"Content-Type", "text/event-stream"}});
  EXPECT_NE(peer.ReadUntil(": keepalive\n\n"), "");
  EXPECT_TRUE(exchange->Write("data: 1\n\n"));
  EXPECT_NE(peer.ReadUntil("data: 1\n\n"), "");
}

TEST_F(TlsServerTest, ServesOnIpv6) {
  ServerOptions options;
  options.host = "::1";
  StartTls(options);
  TlsPeerOptions peer_options;
  peer_options.ca = authority_.pem();
  TlsPeer peer =
      TlsPeer::Client(TestSocket::ConnectV6(server_->port()), peer_options);
  ASSERT_TRUE(peer.connected());
  ASSERT_TRUE(peer.Send(Post("/slow", "")));
  const auto exchange = NextKept();
  ASSERT_NE(exchange, nullptr);
  EXPECT_THAT(exchange->request().peer, StartsWith("[::1]:"));
}

struct BadFilesCase {
  const char* name;
  // Changes good files into bad ones.
  void (*spoil)(const TestFolder& folder, const TestAuthority& authority,
                TlsFiles& files);
  const char* says;
};

class BadFilesTest : public TlsServerTest,
                     public testing::WithParamInterface<BadFilesCase> {};

TEST_P(BadFilesTest, AreRefusedWithAWordOnWhatToDo) {
  GetParam().spoil(folder_, authority_, files_);
  const auto acceptor = TlsAcceptor::Create(files_);
  ASSERT_FALSE(acceptor.ok());
  EXPECT_THAT(std::string(acceptor.status().message()),
              HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadFilesTest,
    testing::ValuesIn<BadFilesCase>(
        {{"NoCertificate",
          [](const TestFolder&, const TestAuthority&, TlsFiles& files) {
            std::remove(files.cert.c_str());
          },
          "server.pem: cannot be read"},
         {"KeyOpenToOthers",
          [](const TestFolder& folder, const TestAuthority& authority,
             TlsFiles&) {
            folder.Write("server.key", authority.Issue().key, 0644);
          },
          "chmod 0640"},
         {"KeyOfAnother",
          [](const TestFolder& folder, const TestAuthority& authority,
             TlsFiles&) { folder.Write("server.key", authority.Issue().key); },
          "does not belong to the certificate"},
         {"NotPem",
          [](const TestFolder& folder, const TestAuthority&, TlsFiles&) {
            folder.Write("server.pem", "-----BEGIN CERTIFICATE-----\nxx");
          },
          "no certificates in PEM"},
         {"HalfAChain",
          [](const TestFolder& folder, const TestAuthority& authority,
             TlsFiles&) {
            folder.Write(
                "server.pem",
                authority.Issue().cert + "-----BEGIN CERTIFICATE-----\nMIIB\n");
          },
          "no certificates in PEM"},
         {"Expired",
          [](const TestFolder& folder, const TestAuthority& authority,
             TlsFiles&) {
            CertificateSpec spec;
            spec.until = -60;
            const TestCertificate pair = authority.Issue(spec);
            folder.Write("server.pem", pair.cert);
            folder.Write("server.key", pair.key);
          },
          "has expired"},
         {"EmptyClientCa",
          [](const TestFolder& folder, const TestAuthority&, TlsFiles& files) {
            files.client_ca = folder.Write("clients.pem", "");
          },
          "clients.pem: no certificates"}}),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace gatehouse::http
