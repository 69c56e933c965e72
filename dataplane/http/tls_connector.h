#ifndef GATEHOUSE_DATAPLANE_HTTP_TLS_CONNECTOR_H_
#define GATEHOUSE_DATAPLANE_HTTP_TLS_CONNECTOR_H_

#include <openssl/ssl.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "dataplane/http/transport.h"

namespace gatehouse::http {

// What a client trusts and shows, in PEM.
struct TlsIdentity {
  std::string ca;  // whom it trusts, instead of the system's CAs; may be empty
  std::string cert;  // what it shows, with its chain; empty: nothing
  std::string key;   // of cert, without a passphrase
};

// The client's side of TLS: 1.2 at least. The server must show a certificate
// that leads to a CA that is trusted, holds now, is good for servers and has
// the host's name, or its address, among its subject alternative names: there
// is no way to switch any of that off.
//
// Immutable, so thread-safe.
class TlsConnector {
 public:
  // INVALID_ARGUMENT says what is wrong with `identity`; FAILED_PRECONDITION
  // if the system's CAs are wanted and there are none. Reads disks for those.
  static absl::StatusOr<std::shared_ptr<const TlsConnector>> Create(
      const TlsIdentity& identity);

  // For a connection to `host`, a name or an address without brackets. Takes
  // ownership of `fd`, connected and non-blocking. Null, and the descriptor
  // closed, if there is no memory or `host` can be no certificate's name.
  std::unique_ptr<Transport> Connect(int fd, const std::string& host) const;

  // No two connectors of a process have the same.
  uint64_t id() const { return id_; }

 private:
  explicit TlsConnector(std::shared_ptr<SSL_CTX> context);

  const std::shared_ptr<SSL_CTX> context_;
  const uint64_t id_;
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_TLS_CONNECTOR_H_
