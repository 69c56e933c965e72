#ifndef GATEHOUSE_DATAPLANE_HTTP_TLS_CREDENTIALS_H_
#define GATEHOUSE_DATAPLANE_HTTP_TLS_CREDENTIALS_H_

#include <openssl/ssl.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Certificates and keys in PEM, as both sides of TLS take them in. Errors are
// INVALID_ARGUMENT unless said otherwise; they say what is wrong and never
// quote what was read.
namespace gatehouse::http {

// A PEM file's text, at most 1 MiB, a regular file; read now. NOT_FOUND or
// PERMISSION_DENIED name the path.
absl::StatusOr<std::string> ReadPemFile(const std::string& path);
// The same for a private key. FAILED_PRECONDITION if others than its owner and
// its group may read it, or others than its owner may write it.
absl::StatusOr<std::string> ReadKeyFile(const std::string& path);

// Makes the context show `chain` (its own certificate first) and use `key`,
// which must belong to it and not be encrypted. Refuses a certificate that has
// expired.
absl::Status UseCertificate(SSL_CTX* context, const std::string& chain,
                            const std::string& key);
// Makes the context trust the certificates in `bundle`, at least one, and
// nothing else. `names`: a server also tells its clients whom it trusts.
absl::Status TrustBundle(SSL_CTX* context, const std::string& bundle,
                         bool names);

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_TLS_CREDENTIALS_H_
