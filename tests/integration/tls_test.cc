// TLS on both sides of a worker: a client that checks it, and an upstream that
// it checks and that checks it. Defends DESIGN §16 (nobody on the way reads or
// changes what passes) and invariant 8 (what fails there says so honestly, and
// not whose certificate it was).

#include <signal.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dataplane/http/server.h"
#include "dataplane/http/tls_acceptor.h"
#include "tests/integration/harness/fixture.h"
#include "tests/unit/http/tls_peer.h"

namespace gatehouse::testing {
namespace {

using ::testing::HasSubstr;

// The least MCP server that a worker opens a session with.
http::Response AnswerOf(const http::Request& request) {
  http::Response response;
  response.headers = {{"Content-Type", "application/json"}};
  const Message message(request.body);
  std::string result;
  if (request.method == "GET") {
    response.status = 405;
    return response;
  }
  if (message.method() == "initialize") {
    response.headers.emplace_back("Mcp-Session-Id", "of-the-upstream");
    result = R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
             R"("serverInfo":{"name":"secure","version":"1"}})";
  } else if (message.method() == "tools/list") {
    result = R"({"tools":[{"name":"t","inputSchema":{"type":"object"}}]})";
  } else if (message.method() == "tools/call") {
    result = R"({"content":[{"type":"text","text":"over TLS"}]})";
  } else {
    response.status = request.method == "POST" ? 202 : 200;
    return response;
  }
  response.body = absl::StrCat(R"({"jsonrpc":"2.0","id":)", message.id(),
                               R"(,"result":)", result, "}");
  return response;
}

class TlsTest : public ::testing::Test {
 protected:
  // An upstream that demands a certificate of `authority_`, and a worker that
  // trusts `trusted` for it.
  void Start(const std::string& trusted) {
    const http::TestCertificate upstream = authority_.Issue();
    auto acceptor = http::TlsAcceptor::Create(
        {folder_.Write("upstream.pem", upstream.cert),
         folder_.Write("upstream.key", upstream.key),
         folder_.Write("clients.pem", authority_.pem()),
         /*require_client_cert=*/true});
    ASSERT_TRUE(acceptor.ok()) << acceptor.status();
    http::ServerOptions options;
    options.tls = *std::move(acceptor);
    auto server = http::Server::Create(
        options, [](std::shared_ptr<http::Exchange> exchange) {
          exchange->Respond(AnswerOf(exchange->request()));
        });
    ASSERT_TRUE(server.ok()) << server.status();
    upstream_ = *std::move(server);
    ASSERT_TRUE(upstream_->Start().ok());

    WriteWorkersPair(1);
    const http::TestCertificate own = authority_.Issue();
    Gatehouse::Options gatehouse;
    gatehouse.policy = absl::StrCat(
        "kind: VirtualServer\nname: dev\nupstreams:\n  - name: up\n"
        "    http:\n      url: https://127.0.0.1:",
        upstream_->port(),
        "/mcp\n      tls: { ca: ", folder_.Write("ca.pem", trusted),
        ", cert: ", folder_.Write("own.pem", own.cert),
        ", key: \"file:", folder_.Write("own.key", own.key), "\" }\n");
    gatehouse.worker_env = {{"GATEHOUSE_WORKER_TLS_CERT", cert_},
                            {"GATEHOUSE_WORKER_TLS_KEY", key_}};
    auto started = Gatehouse::Start(std::move(gatehouse));
    ASSERT_TRUE(started.ok()) << started.status();
    gatehouse_ = *std::move(started);
  }
  void TearDown() override {
    gatehouse_.reset();
    if (upstream_ != nullptr) upstream_->Stop();
  }

  void WriteWorkersPair(long serial) {
    http::CertificateSpec spec;
    spec.serial = serial;
    const http::TestCertificate pair = authority_.Issue(spec);
    cert_ = folder_.Write("worker.pem", pair.cert);
    key_ = folder_.Write("worker.key", pair.key);
  }

  http::TlsPeer Connect() {
    const std::string& address = gatehouse_->worker_address(0);
    http::TlsPeerOptions options;
    options.ca = authority_.pem();
    return http::TlsPeer::Client(http::TestSocket::Connect(std::stoi(
                                     address.substr(address.rfind(':') + 1))),
                                 options);
  }

  // One request on that connection, and the answer up to `mark`.
  std::string Post(http::TlsPeer& peer, const std::string& body,
                   const std::string& mark) {
    const std::string session =
        session_.empty() ? "" : "Mcp-Session-Id: " + session_ + "\r\n";
    EXPECT_TRUE(peer.Send(absl::StrCat(
        "POST /mcp/dev HTTP/1.1\r\nHost: ", gatehouse_->worker_address(0),
        "\r\nContent-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\n",
        session, "Content-Length: ", body.size(), "\r\n\r\n", body)));
    return peer.ReadUntil(mark);
  }

  void OpenSession(http::TlsPeer& peer) {
    ASSERT_TRUE(peer.connected());
    const std::string answer =
        Post(peer,
             R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":)"
             R"({"protocolVersion":"2025-11-25","capabilities":{},)"
             R"("clientInfo":{"name":"c","version":"1"}}})",
             R"("protocolVersion":"2025-11-25")");
    const std::string name = "Mcp-Session-Id: ";
    const size_t at = answer.find(name);
    ASSERT_NE(at, std::string::npos) << answer;
    session_ = answer.substr(at + name.size(),
                             answer.find("\r\n", at) - at - name.size());
    EXPECT_THAT(Post(peer,
                     R"({"jsonrpc":"2.0","method":"notifications/)"
                     R"(initialized"})",
                     "HTTP/1.1 202"),
                HasSubstr("202"));
  }
  std::string CallTool(http::TlsPeer& peer, const std::string& mark) {
    return Post(peer,
                R"({"jsonrpc":"2.0","id":1,"method":"tools/call",)"
                R"("params":{"name":"up__t","arguments":{}}})",
                mark);
  }

  const http::TestAuthority authority_;
  const http::TestFolder folder_;
  std::string cert_;
  std::string key_;
  std::string session_;
  std::unique_ptr<http::Server> upstream_;
  std::unique_ptr<Gatehouse> gatehouse_;
};

TEST_F(TlsTest, ACallGoesOverTlsOnBothSidesAndAReloadIsSeenByNewConnections) {
  Start(authority_.pem());
  http::TlsPeer first = Connect();
  EXPECT_EQ(first.peer_serial(), 1);
  OpenSession(first);
  EXPECT_THAT(CallTool(first, "over TLS"), HasSubstr("over TLS"));

  WriteWorkersPair(2);
  gatehouse_->worker(0).Signal(SIGHUP);
  EXPECT_TRUE(
      Eventually(kPatience, [&] { return Connect().peer_serial() == 2; }));
  EXPECT_THAT(CallTool(first, "over TLS"), HasSubstr("over TLS"));

  folder_.Write("worker.key", "no key");
  gatehouse_->worker(0).Signal(SIGHUP);
  EXPECT_TRUE(Eventually(kPatience, [&] {
    return gatehouse_->worker(0).log().find("reload_failed") !=
           std::string::npos;
  }));
  EXPECT_EQ(Connect().peer_serial(), 2);
  EXPECT_THAT(CallTool(first, "over TLS"), HasSubstr("over TLS"));
}

TEST_F(TlsTest, AnUpstreamOfAnotherAuthorityIsUnavailableAndTheLogSaysWhy) {
  Start(http::TestAuthority().pem());
  http::TlsPeer peer = Connect();
  OpenSession(peer);
  const std::string answer = CallTool(peer, "upstream_unavailable");
  EXPECT_THAT(answer, HasSubstr("-32603"));
  EXPECT_THAT(answer, ::testing::Not(HasSubstr("certificate")));
  EXPECT_THAT(answer, ::testing::Not(HasSubstr("127.0.0.1")));
  EXPECT_THAT(gatehouse_->worker(0).log(), HasSubstr("certificate"));
}

}  // namespace
}  // namespace gatehouse::testing
