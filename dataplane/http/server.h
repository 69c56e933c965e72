#ifndef GATEHOUSE_DATAPLANE_HTTP_SERVER_H_
#define GATEHOUSE_DATAPLANE_HTTP_SERVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace gatehouse::http {

class Executor;
class ReactorPool;

class TlsAcceptor;

using Headers = std::vector<std::pair<std::string, std::string>>;

// The first value of that name, compared without case; nullopt if absent.
std::optional<std::string_view> FindHeader(const Headers& headers,
                                           std::string_view name);
// How many times that name occurs.
int CountHeader(const Headers& headers, std::string_view name);

// One whole request, guarded and parsed. Header values are the raw bytes,
// outer space trimmed, repeated names kept.
struct Request {
  std::string method;  // upper case
  std::string path;    // without query; not decoded
  std::string query;
  Headers headers;
  std::string body;
  std::string peer;  // `127.0.0.1:4711`, for logs
};

struct Response {
  int status = 200;
  Headers headers;  // Content-Length, Date and Connection are the front's
  std::string body;
};

// One request that waits for its answer. The handler may answer at once or keep
// it and answer later, from any thread: nothing waits meanwhile.
//
// Thread-safe. Shared; when the last reference goes without an answer, the
// client gets 500 and an empty body (a bug, counted).
class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual const Request& request() const = 0;

  // A whole answer. Ignored after the first answer.
  virtual void Respond(Response response) = 0;

  // Begins a chunked answer, such as text/event-stream: status and headers go
  // out now. Ignored after the first answer.
  virtual void StartStream(int status, Headers headers) = 0;
  // Queues bytes of the stream, whole events if it is one of events. False if
  // the stream is lost: the peer is gone, or these bytes and those that wait
  // would pass max_stream_queue_bytes (then the connection is reset and
  // counted; a message of any size fits while nothing waits). From then on
  // everything is ignored.
  virtual bool Write(std::string_view bytes) = 0;
  // Ends the stream in good order; the connection may be used again.
  virtual void EndStream() = 0;

  // True once StartStream was called.
  virtual bool streaming() const = 0;

  // Called once, on the connection's reactor thread, if the peer is known to be
  // gone (it reset, or a write failed), the stream is lost or the server stops
  // before the answer is complete; at once (posted) if that has happened. Not
  // called after a complete answer. The last callback set wins. It must not
  // block.
  //
  // A peer that closes in good order is found out only by a write: at once on
  // an event stream, else with the answer.
  virtual void OnPeerGone(std::function<void()> callback) = 0;
  // The same for a peer that has ended its side of the connection. It may have
  // closed, or only half-closed and wait for its answer: TCP does not say. For
  // whoever takes a client that disconnects for one that cancels (the era of
  // 2026-07-28); a legacy call goes on.
  virtual void OnPeerHalfClosed(std::function<void()> callback) = 0;
};

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 0;     // 0: any; see Server::port
  int threads = 2;  // reactors of its own, where none are borrowed
  // Fewer where the limit of open files says so: then 503, as over this.
  int max_connections = 20'000;
  size_t max_header_bytes = 32 << 10;
  int max_header_lines = 100;
  size_t max_path_bytes = 1024;
  size_t max_body_bytes = 4 << 20;
  // Of all bodies that arrive or are being served. Over it one that is larger
  // than 64 KiB gets 503; small ones are bounded by max_connections.
  int64_t max_bodies_bytes = 512 << 20;
  // From the first byte of a request to its last.
  absl::Duration request_deadline = absl::Seconds(30);
  absl::Duration idle_deadline = absl::Minutes(5);  // between requests
  size_t max_stream_queue_bytes = 4 << 20;          // then the stream is lost
  // Between two `: keepalive` comments; infinite: none.
  absl::Duration stream_keepalive = absl::Seconds(15);
  // Null: plain HTTP. A handshake has request_deadline too.
  std::shared_ptr<TlsAcceptor> tls;
};

// The HTTP front (DESIGN §15): reactors park connections and assemble whole
// requests under limits and a deadline; then httplib parses them and the
// handler is called, on the connection's reactor or, for a body over 64 KiB, on
// the executor. Idle connections and slow clients cost no thread. Over TLS if
// the options say so.
//
// Thread-safe after Create. Stop() ends every connection; neither it nor the
// destructor may be called from a handler or a callback. Exchanges may outlive
// the server; they then do nothing.
class Server {
 public:
  using Handler = std::function<void(std::shared_ptr<Exchange>)>;

  // Binds and listens; FAILED_PRECONDITION if the address is taken (the message
  // names it). Serves from Start on. The handler must not block.
  // Has `threads` reactors of its own.
  static absl::StatusOr<std::unique_ptr<Server>> Create(ServerOptions options,
                                                        Handler handler);
  // On borrowed reactors, which the caller starts and stops after Stop; they
  // and the executor outlive the server and its exchanges.
  static absl::StatusOr<std::unique_ptr<Server>> Create(ServerOptions options,
                                                        Handler handler,
                                                        ReactorPool& reactors,
                                                        Executor& executor);
  virtual ~Server() = default;

  virtual absl::Status Start() = 0;
  virtual int port() const = 0;
  // Takes no new connection and no new request; answers 503 with Retry-After.
  virtual void Drain() = 0;
  virtual void Stop() = 0;

  struct Stats {
    int64_t connections = 0;        // open now
    int64_t requests = 0;           // ever
    int64_t bodies_bytes = 0;       // of request bodies, held now
    int64_t refused = 0;            // by the guard, ever
    int64_t handshakes_failed = 0;  // of TLS, ever
    int64_t streams = 0;            // open now
    int64_t streams_lost_slow = 0;  // ever
    int64_t unanswered = 0;         // exchanges let go without an answer, ever
  };
  virtual Stats stats() const = 0;
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_SERVER_H_
