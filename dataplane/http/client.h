#ifndef GATEHOUSE_DATAPLANE_HTTP_CLIENT_H_
#define GATEHOUSE_DATAPLANE_HTTP_CLIENT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "dataplane/http/reactor.h"
#include "dataplane/http/server.h"

namespace gatehouse::http {

class TlsConnector;

// `http://host[:port]/path[?query]`, or the same with https, split.
struct Url {
  bool tls = false;
  std::string host;       // without brackets
  int port = 80;          // 443 with tls
  std::string target;     // path and query, at least "/"
  std::string authority;  // for the Host header
};
// INVALID_ARGUMENT for anything else: other schemes, userinfo, fragments,
// control bytes, over 1,024 bytes.
absl::StatusOr<Url> ParseUrl(std::string_view text);

struct ClientRequest {
  std::string method = "POST";
  Url url;
  Headers headers;  // Host, Content-Length and Connection are the client's
  std::string body;
  // For https, and needed there: whom to trust.
  std::shared_ptr<const TlsConnector> tls;
  // Looking the name up, connecting, and the handshake of TLS, together.
  absl::Duration connect_timeout = absl::Seconds(5);
  // From the first byte of the request to its last.
  absl::Duration write_timeout = absl::Seconds(60);
  // From the request's last byte to the answer's header.
  absl::Duration header_timeout = absl::Seconds(60);
  // Longest silence within the body; infinite for streams that may be quiet.
  absl::Duration silence_timeout = absl::InfiniteDuration();
};

// What comes back, on the reactor's thread, in this order: OnHeaders once,
// OnBody any number of times, OnEnd once, and nothing after it. OnEnd may come
// first if there is no answer:
//   OK                 the body is complete
//   UNAVAILABLE        not reached, not whom we expect (TLS), or closed before
//                      any byte of an answer
//   DEADLINE_EXCEEDED  a timeout passed
//   DATA_LOSS          the answer broke off, or is no HTTP (or over a limit);
//                      so does one that ends with the connection if that was
//                      reset, or cut without an end of TLS
//   CANCELLED          Cancel was called
//   INVALID_ARGUMENT   the request is malformed, or https without `tls`
class ClientObserver {
 public:
  virtual ~ClientObserver() = default;
  virtual void OnHeaders(int status, const Headers& headers) = 0;
  virtual void OnBody(std::string_view bytes) = 0;
  virtual void OnEnd(absl::Status status) = 0;
};

// One request under way. Thread-safe. Dropping the reference does not cancel.
class ClientCall {
 public:
  virtual ~ClientCall() = default;
  // Closes the connection; OnEnd(CANCELLED) follows unless it already came.
  virtual void Cancel() = 0;
};

// A keep-alive HTTP/1.1 client on the reactor: no thread waits for an answer.
// Connections are pooled by host, port and `tls` and reused. A request is sent
// again only if a reused connection closed before any byte of the answer and
// the request had not been written in full: nothing is retried that may have
// run. No redirects are followed; nothing is decompressed (identity is asked
// for). Every phase has its timeout; the whole is ended by Cancel. Names are
// resolved off the reactor's thread.
//
// Thread-safe. Ownership: borrows the reactors.
class Client {
 public:
  static std::unique_ptr<Client> Create(Reactor& reactor);
  // A call lives on the reactor of the thread that starts it, with a pool of
  // connections for each reactor.
  static std::unique_ptr<Client> Create(ReactorPool& reactors);
  virtual ~Client() = default;  // cancels everything
  virtual std::shared_ptr<ClientCall> Start(
      ClientRequest request, std::shared_ptr<ClientObserver> observer) = 0;
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_CLIENT_H_
