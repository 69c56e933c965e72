#ifndef GATEHOUSE_TESTS_UNIT_HTTP_TLS_PEER_H_
#define GATEHOUSE_TESTS_UNIT_HTTP_TLS_PEER_H_

#include <memory>
#include <string>
#include <string_view>

#include "dataplane/http/tls_transport.h"
#include "tests/unit/http/test_socket.h"

namespace gatehouse::http {

// What a certificate of a test says. Times are seconds from now.
struct CertificateSpec {
  std::string names = "DNS:localhost,IP:127.0.0.1,IP:::1";  // subjectAltName
  long serial = 1;
  long from = -3600;
  long until = 3600;
};

struct TestCertificate {
  std::string cert;  // PEM
  std::string key;   // PEM
};

// A certificate authority that lives as long as a test: no key is committed.
class TestAuthority {
 public:
  TestAuthority();
  TestCertificate Issue(const CertificateSpec& spec = {}) const;
  const std::string& pem() const { return pem_; }

 private:
  Openssl<EVP_PKEY> key_;
  Openssl<X509> certificate_;
  std::string pem_;
};

// A folder for a test's files; gone with it.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  // Writes a file of that mode and returns its path.
  std::string Write(const std::string& name, const std::string& text,
                    unsigned mode = 0600) const;

 private:
  std::string path_;
};

struct TlsPeerOptions {
  // As a client: whom it trusts, or nobody, then it takes any certificate.
  std::string ca;
  // What it shows.
  TestCertificate own;
  int min_version = 0;  // such as TLS1_2_VERSION; 0: the library's
  int max_version = 0;
  std::string alpn;            // as a client: one protocol to offer
  std::string server_name;     // as a client
  bool demand_client = false;  // as a server, of `ca`
};

// A blocking TLS peer for tests, in either role, over a TestSocket: every wait
// ends after 10 s. Movable.
class TlsPeer {
 public:
  static TlsPeer Client(TestSocket socket, const TlsPeerOptions& options = {});
  static TlsPeer Server(TestSocket socket, const TlsPeerOptions& options);

  bool connected() const { return connected_; }
  bool Send(std::string_view bytes);
  std::string ReadUntil(std::string_view mark);
  // Everything up to the end or the loss; `orderly` is true for an end.
  std::string ReadToEnd(bool* orderly = nullptr);
  // Ends our side of TLS, not of TCP.
  void CloseNotify() { SSL_shutdown(ssl_.get()); }
  // Ends our side of TCP, not of TLS.
  void Cut() { socket_.ShutdownWrite(); }
  void Close() { socket_.Close(); }

  long peer_serial() const;
  int version() const { return SSL_version(ssl_.get()); }
  std::string alpn() const;
  std::string server_name() const;  // as a server: what the client asked for

 private:
  TlsPeer(TestSocket socket, const TlsPeerOptions& options, bool client);
  bool ReadMore(bool* orderly);

  TestSocket socket_;
  Openssl<SSL> ssl_;
  bool connected_ = false;
  std::string seen_;
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_TESTS_UNIT_HTTP_TLS_PEER_H_
