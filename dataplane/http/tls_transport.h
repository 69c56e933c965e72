#ifndef GATEHOUSE_DATAPLANE_HTTP_TLS_TRANSPORT_H_
#define GATEHOUSE_DATAPLANE_HTTP_TLS_TRANSPORT_H_

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "dataplane/http/transport.h"

namespace gatehouse::http {

// OpenSSL's objects with an owner.
struct OpensslFree {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
template <typename T>
using Openssl = std::unique_ptr<T, OpensslFree>;

// What both sides of TLS have in common: 1.2 at least, no renegotiation, no
// compression, no resumption (a ticket of one worker is nothing to another),
// buffers given back while a connection is idle. Null if OpenSSL is out of
// memory.
Openssl<SSL_CTX> NewTlsContext(const SSL_METHOD* method);

// The last error of this thread's OpenSSL queue in words; empties the queue.
std::string TakeOpensslError();

// TLS over a descriptor, in either role. The end of the peer's side is its
// close_notify and nothing else: a connection that just closes is kBroken, for
// anyone on the way can do that. One call takes at most 256 KiB of records off
// the descriptor, so a peer that sends records without content cannot keep the
// reactor busy.
//
// Takes ownership of `fd`, connected and non-blocking, and of `ssl`, whose role
// and peer name are set.
std::unique_ptr<Transport> MakeTlsTransport(int fd, Openssl<SSL> ssl);

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_TLS_TRANSPORT_H_
