#include "dataplane/http/tls_credentials.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <climits>
#include <utility>
#include <vector>

#include "dataplane/http/small_file.h"
#include "dataplane/http/tls_transport.h"
#include "shared/base/status.h"

namespace gatehouse::http {
namespace {

constexpr size_t kMaxPemBytes = 1 << 20;
constexpr size_t kMaxCertificates = 1000;

absl::Status Wrong(std::string_view what) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, what);
}

Openssl<BIO> BioOver(const std::string& text) {
  return Openssl<BIO>(
      BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// A key that wants a passphrase is refused, not asked about on a terminal.
int NoPassphrase(char*, int, int, void*) { return 0; }

absl::StatusOr<std::vector<Openssl<X509>>> ParseCertificates(
    const std::string& text) {
  std::vector<Openssl<X509>> certificates;
  const Openssl<BIO> bio = BioOver(text);
  ERR_clear_error();
  while (bio != nullptr && certificates.size() <= kMaxCertificates) {
    Openssl<X509> next(
        PEM_read_bio_X509(bio.get(), nullptr, NoPassphrase, nullptr));
    if (next == nullptr) break;
    certificates.push_back(std::move(next));
  }
  const unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  // What ends a good file is that there is no further beginning.
  const bool clean = ERR_GET_LIB(error) == ERR_LIB_PEM &&
                     ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
  if (certificates.empty() || !clean) {
    return Wrong("no certificates in PEM that can be read");
  }
  return certificates;
}

}  // namespace

absl::StatusOr<std::string> ReadPemFile(const std::string& path) {
  GATEHOUSE_ASSIGN_OR_RETURN(SmallFile file, ReadSmallFile(path, kMaxPemBytes));
  return std::move(file.text);
}

absl::StatusOr<std::string> ReadKeyFile(const std::string& path) {
  GATEHOUSE_ASSIGN_OR_RETURN(SmallFile file, ReadSmallFile(path, kMaxPemBytes));
  if ((file.mode & (S_IRWXO | S_IWGRP | S_IXGRP)) != 0) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      path +
                          ": a private key that others may read or write; "
                          "chmod 0640 or 0600 it");
  }
  return std::move(file.text);
}

absl::Status UseCertificate(SSL_CTX* context, const std::string& chain,
                            const std::string& key) {
  GATEHOUSE_ASSIGN_OR_RETURN(std::vector<Openssl<X509>> certificates,
                             ParseCertificates(chain));
  if (X509_cmp_current_time(X509_get0_notAfter(certificates[0].get())) < 0) {
    return Wrong("the certificate has expired; renew it");
  }
  ERR_clear_error();
  if (SSL_CTX_use_certificate(context, certificates[0].get()) != 1) {
    return Wrong("the certificate cannot be used: " + TakeOpensslError());
  }
  for (size_t i = 1; i < certificates.size(); ++i) {
    // The context owns it from here on.
    if (SSL_CTX_add0_chain_cert(context, certificates[i].get()) != 1) {
      return Wrong("the chain cannot be used: " + TakeOpensslError());
    }
    certificates[i].release();
  }
  const Openssl<BIO> bio = BioOver(key);
  const Openssl<EVP_PKEY> parsed(
      bio == nullptr
          ? nullptr
          : PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassphrase, nullptr));
  if (parsed == nullptr) {
    ERR_clear_error();
    return Wrong("no private key in PEM without a passphrase");
  }
  if (SSL_CTX_use_PrivateKey(context, parsed.get()) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    return Wrong("the key does not belong to the certificate: " +
                 TakeOpensslError());
  }
  return absl::OkStatus();
}

absl::Status TrustBundle(SSL_CTX* context, const std::string& bundle,
                         bool names) {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::vector<Openssl<X509>> certificates,
                             ParseCertificates(bundle));
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  for (const Openssl<X509>& certificate : certificates) {
    if (X509_STORE_add_cert(store, certificate.get()) != 1 ||
        (names && SSL_CTX_add_client_CA(context, certificate.get()) != 1)) {
      return Wrong("a certificate cannot be trusted: " + TakeOpensslError());
    }
  }
  return absl::OkStatus();
}

}  // namespace gatehouse::http
