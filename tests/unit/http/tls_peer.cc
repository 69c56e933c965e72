#include "tests/unit/http/tls_peer.h"

#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "dataplane/http/tls_credentials.h"

namespace gatehouse::http {
namespace {

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<size_t>(size));
}

std::string PemOf(X509* certificate) {
  const Openssl<BIO> bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  return TextOf(bio.get());
}

std::string PemOf(EVP_PKEY* key) {
  const Openssl<BIO> bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr,
                           nullptr);
  return TextOf(bio.get());
}

void AddExtension(X509* certificate, int nid, const std::string& value) {
  X509_EXTENSION* const extension =
      X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str());
  ASSERT_NE(extension, nullptr) << value;
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

// A certificate for `key`, not signed yet.
Openssl<X509> NewCertificate(EVP_PKEY* key, const CertificateSpec& spec,
                             const char* name) {
  Openssl<X509> certificate(X509_new());
  X509* const made = certificate.get();
  X509_set_version(made, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made), spec.serial);
  X509_gmtime_adj(X509_getm_notBefore(made), spec.from);
  X509_gmtime_adj(X509_getm_notAfter(made), spec.until);
  X509_set_pubkey(made, key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name), -1,
                             -1, 0);
  return certificate;
}

}  // namespace

TestAuthority::TestAuthority() : key_(EVP_EC_gen("P-256")) {
  CertificateSpec spec;
  spec.until = 24 * 3600;
  certificate_ = NewCertificate(key_.get(), spec, "test authority");
  X509_set_issuer_name(certificate_.get(),
                       X509_get_subject_name(certificate_.get()));
  AddExtension(certificate_.get(), NID_basic_constraints, "critical,CA:TRUE");
  X509_sign(certificate_.get(), key_.get(), EVP_sha256());
  pem_ = PemOf(certificate_.get());
}

TestCertificate TestAuthority::Issue(const CertificateSpec& spec) const {
  const Openssl<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const Openssl<X509> certificate = NewCertificate(key.get(), spec, "test");
  X509_set_issuer_name(certificate.get(),
                       X509_get_subject_name(certificate_.get()));
  AddExtension(certificate.get(), NID_subject_alt_name, spec.names);
  X509_sign(certificate.get(), key_.get(), EVP_sha256());
  return {PemOf(certificate.get()), PemOf(key.get())};
}

TestFolder::TestFolder() {
  std::string name =
      (std::filesystem::temp_directory_path() / "gatehouse-tls-XXXXXX")
          .string();
  EXPECT_NE(mkdtemp(name.data()), nullptr);
  path_ = name;
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TestFolder::Write(const std::string& name, const std::string& text,
                              unsigned mode) const {
  const std::string path = path_ + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(chmod(path.c_str(), mode), 0);
  return path;
}

TlsPeer::TlsPeer(TestSocket socket, const TlsPeerOptions& options, bool client)
    : socket_(std::move(socket)) {
  const Openssl<SSL_CTX> context(
      SSL_CTX_new(client ? TLS_client_method() : TLS_server_method()));
  if (options.max_version != 0 && options.max_version < TLS1_2_VERSION) {
    SSL_CTX_set_security_level(context.get(), 0);  // old ones are off else
  }
  SSL_CTX_set_min_proto_version(context.get(), options.min_version);
  SSL_CTX_set_max_proto_version(context.get(), options.max_version);
  if (!options.ca.empty()) {
    EXPECT_TRUE(TrustBundle(context.get(), options.ca, !client).ok());
    SSL_CTX_set_verify(context.get(),
                       client || options.demand_client
                           ? SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT
                           : SSL_VERIFY_NONE,
                       nullptr);
  }
  if (!options.own.cert.empty()) {
    // Not UseCertificate: a test may show an expired one.
    const Openssl<BIO> cert(BIO_new_mem_buf(options.own.cert.data(), -1));
    const Openssl<X509> parsed(
        PEM_read_bio_X509(cert.get(), nullptr, nullptr, nullptr));
    const Openssl<BIO> key(BIO_new_mem_buf(options.own.key.data(), -1));
    const Openssl<EVP_PKEY> parsed_key(
        PEM_read_bio_PrivateKey(key.get(), nullptr, nullptr, nullptr));
    SSL_CTX_use_certificate(context.get(), parsed.get());
    SSL_CTX_use_PrivateKey(context.get(), parsed_key.get());
  }
  ssl_.reset(SSL_new(context.get()));
  if (!options.alpn.empty()) {
    const std::string offer =
        static_cast<char>(options.alpn.size()) + options.alpn;
    SSL_set_alpn_protos(ssl_.get(),
                        reinterpret_cast<const unsigned char*>(offer.data()),
                        static_cast<unsigned>(offer.size()));
  }
  if (client && !options.server_name.empty()) {
    SSL_set_tlsext_host_name(ssl_.get(), options.server_name.c_str());
  }
  SSL_set_fd(ssl_.get(), socket_.fd());
  ERR_clear_error();
  connected_ = (client ? SSL_connect(ssl_.get()) : SSL_accept(ssl_.get())) == 1;
}

TlsPeer TlsPeer::Client(TestSocket socket, const TlsPeerOptions& options) {
  return TlsPeer(std::move(socket), options, /*client=*/true);
}

TlsPeer TlsPeer::Server(TestSocket socket, const TlsPeerOptions& options) {
  return TlsPeer(std::move(socket), options, /*client=*/false);
}

bool TlsPeer::Send(std::string_view bytes) {
  ERR_clear_error();
  return SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())) ==
         static_cast<int>(bytes.size());
}

bool TlsPeer::ReadMore(bool* orderly) {
  char buffer[64 << 10];
  ERR_clear_error();
  const int n = SSL_read(ssl_.get(), buffer, sizeof(buffer));
  if (n <= 0) {
    if (orderly != nullptr) {
      *orderly = SSL_get_error(ssl_.get(), n) == SSL_ERROR_ZERO_RETURN;
    }
    return false;
  }
  seen_.append(buffer, static_cast<size_t>(n));
  return true;
}

std::string TlsPeer::ReadUntil(std::string_view mark) {
  while (true) {
    const size_t at = seen_.find(mark);
    if (at != std::string::npos) {
      std::string taken = seen_.substr(0, at + mark.size());
      seen_.erase(0, at + mark.size());
      return taken;
    }
    if (!ReadMore(nullptr)) return {};
  }
}

std::string TlsPeer::ReadToEnd(bool* orderly) {
  while (ReadMore(orderly)) {
  }
  return std::exchange(seen_, {});
}

long TlsPeer::peer_serial() const {
  const Openssl<X509> certificate(SSL_get1_peer_certificate(ssl_.get()));
  return certificate == nullptr
             ? 0
             : ASN1_INTEGER_get(X509_get0_serialNumber(certificate.get()));
}

std::string TlsPeer::alpn() const {
  const unsigned char* data = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &data, &size);
  return std::string(reinterpret_cast<const char*>(data), size);
}

std::string TlsPeer::server_name() const {
  const char* const name =
      SSL_get_servername(ssl_.get(), TLSEXT_NAMETYPE_host_name);
  return name == nullptr ? "" : name;
}

}  // namespace gatehouse::http
