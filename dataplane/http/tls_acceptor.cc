#include "dataplane/http/tls_acceptor.h"

#include <openssl/err.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "dataplane/http/tls_credentials.h"
#include "dataplane/http/tls_transport.h"
#include "shared/base/status.h"

namespace gatehouse::http {
namespace {

// A client that knows only other protocols would not understand us.
int ChooseProtocol(SSL*, const unsigned char** out, unsigned char* out_size,
                   const unsigned char* in, unsigned int in_size, void*) {
  static const unsigned char kOurs[] = "\x08http/1.1";
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kOurs, sizeof(kOurs) - 1, in,
                            in_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

absl::StatusOr<std::shared_ptr<SSL_CTX>> Load(const TlsFiles& files) {
  Openssl<SSL_CTX> context = NewTlsContext(TLS_server_method());
  if (context == nullptr) {
    return absl::ResourceExhaustedError("no memory for TLS");
  }
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string chain, ReadPemFile(files.cert));
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string key, ReadKeyFile(files.key));
  if (absl::Status used = UseCertificate(context.get(), chain, key);
      !used.ok()) {
    return Annotate(used, files.cert + " and " + files.key);
  }
  SSL_CTX_set_alpn_select_cb(context.get(), ChooseProtocol, nullptr);
  if (!files.client_ca.empty()) {
    GATEHOUSE_ASSIGN_OR_RETURN(const std::string bundle,
                               ReadPemFile(files.client_ca));
    if (absl::Status trusted =
            TrustBundle(context.get(), bundle, /*names=*/true);
        !trusted.ok()) {
      return Annotate(trusted, files.client_ca);
    }
    SSL_CTX_set_verify(
        context.get(),
        SSL_VERIFY_PEER |
            (files.require_client_cert ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
        nullptr);
  }
  return std::shared_ptr<SSL_CTX>(std::move(context));
}

}  // namespace

absl::StatusOr<std::shared_ptr<TlsAcceptor>> TlsAcceptor::Create(
    TlsFiles files) {
  std::shared_ptr<TlsAcceptor> acceptor(new TlsAcceptor(std::move(files)));
  GATEHOUSE_RETURN_IF_ERROR(acceptor->Reload());
  return acceptor;
}

absl::Status TlsAcceptor::Reload() {
  GATEHOUSE_ASSIGN_OR_RETURN(std::shared_ptr<SSL_CTX> context, Load(files_));
  const MutexLock lock(mutex_);
  context_.swap(context);
  return absl::OkStatus();
}

std::unique_ptr<Transport> TlsAcceptor::Accept(int fd) const {
  std::shared_ptr<SSL_CTX> context;
  {
    const MutexLock lock(mutex_);
    context = context_;
  }
  ERR_clear_error();
  Openssl<SSL> ssl(SSL_new(context.get()));  // which keeps the context
  if (ssl == nullptr) {
    close(fd);
    return nullptr;
  }
  SSL_set_accept_state(ssl.get());
  return MakeTlsTransport(fd, std::move(ssl));
}

}  // namespace gatehouse::http
