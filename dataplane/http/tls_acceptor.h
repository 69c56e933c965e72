#ifndef GATEHOUSE_DATAPLANE_HTTP_TLS_ACCEPTOR_H_
#define GATEHOUSE_DATAPLANE_HTTP_TLS_ACCEPTOR_H_

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dataplane/http/transport.h"
#include "shared/base/mutex.h"

namespace gatehouse::http {

// Files in PEM.
struct TlsFiles {
  std::string cert;  // the server's certificate, then its chain
  std::string key;   // without a passphrase, closed to others
  std::string
      client_ca;  // whose client certificates pass; empty: none is asked
  bool require_client_cert = false;  // with client_ca: one must be shown
};

// The server's side of TLS: 1.2 at least, HTTP/1.1 by ALPN, one full handshake
// a connection. A client's certificate, if one is asked for and shown, must be
// good for clients and signed by client_ca.
//
// Thread-safe. Connections go on with what they began with, whatever Reload
// does.
class TlsAcceptor {
 public:
  // Reads the files; the error names the file and what to do.
  static absl::StatusOr<std::shared_ptr<TlsAcceptor>> Create(TlsFiles files);

  // Reads the files again, for connections accepted from now on. On an error
  // nothing changes. Reads disks: not on a reactor's thread.
  absl::Status Reload() ABSL_LOCKS_EXCLUDED(mutex_);

  // Takes ownership of `fd`, connected and non-blocking. Null, and the
  // descriptor closed, if there is no memory for it.
  std::unique_ptr<Transport> Accept(int fd) const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  explicit TlsAcceptor(TlsFiles files) : files_(std::move(files)) {}

  const TlsFiles files_;
  mutable Mutex mutex_;
  std::shared_ptr<SSL_CTX> context_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_TLS_ACCEPTOR_H_
