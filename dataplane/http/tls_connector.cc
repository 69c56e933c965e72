#include "dataplane/http/tls_connector.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <atomic>
#include <utility>

#include "dataplane/http/tls_credentials.h"
#include "dataplane/http/tls_transport.h"
#include "shared/base/status.h"

namespace gatehouse::http {
namespace {

std::atomic<uint64_t> next_id{1};

bool IsAddress(const std::string& host) {
  in6_addr any;
  return inet_pton(AF_INET, host.c_str(), &any) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &any) == 1;
}

// Whom the server must be.
bool ExpectHost(SSL* ssl, const std::string& host) {
  X509_VERIFY_PARAM* const wanted = SSL_get0_param(ssl);
  if (IsAddress(host)) {
    return X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) == 1;
  }
  X509_VERIFY_PARAM_set_hostflags(wanted,
                                  X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS |
                                      X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  return X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), host.size()) == 1 &&
         SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
}

}  // namespace

TlsConnector::TlsConnector(std::shared_ptr<SSL_CTX> context)
    : context_(std::move(context)), id_(next_id.fetch_add(1)) {}

absl::StatusOr<std::shared_ptr<const TlsConnector>> TlsConnector::Create(
    const TlsIdentity& identity) {
  Openssl<SSL_CTX> context = NewTlsContext(TLS_client_method());
  if (context == nullptr) {
    return absl::ResourceExhaustedError("no memory for TLS");
  }
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  if (identity.ca.empty()) {
    if (SSL_CTX_set_default_verify_paths(context.get()) != 1) {
      ERR_clear_error();
      return absl::FailedPreconditionError(
          "the system's certificate authorities cannot be read; install them, "
          "or name a ca");
    }
  } else if (absl::Status trusted =
                 TrustBundle(context.get(), identity.ca, /*names=*/false);
             !trusted.ok()) {
    return Annotate(trusted, "ca");
  }
  if (!identity.cert.empty()) {
    absl::Status used =
        UseCertificate(context.get(), identity.cert, identity.key);
    if (!used.ok()) return Annotate(used, "cert and key");
  }
  static const unsigned char kProtocols[] = "\x08http/1.1";
  SSL_CTX_set_alpn_protos(context.get(), kProtocols, sizeof(kProtocols) - 1);
  return std::shared_ptr<const TlsConnector>(
      new TlsConnector(std::shared_ptr<SSL_CTX>(std::move(context))));
}

std::unique_ptr<Transport> TlsConnector::Connect(
    int fd, const std::string& host) const {
  ERR_clear_error();
  Openssl<SSL> ssl(SSL_new(context_.get()));  // which keeps the context
  if (ssl == nullptr || !ExpectHost(ssl.get(), host)) {
    ERR_clear_error();
    close(fd);
    return nullptr;
  }
  SSL_set_connect_state(ssl.get());
  return MakeTlsTransport(fd, std::move(ssl));
}

}  // namespace gatehouse::http
