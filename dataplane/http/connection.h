#ifndef GATEHOUSE_DATAPLANE_HTTP_CONNECTION_H_
#define GATEHOUSE_DATAPLANE_HTTP_CONNECTION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "dataplane/http/body_account.h"
#include "dataplane/http/front.h"
#include "dataplane/http/out_buffer.h"
#include "dataplane/http/request_assembler.h"
#include "dataplane/http/transport.h"
#include "shared/base/mutex.h"

namespace gatehouse::http {

class HttpExchange;

// One accepted socket. Reads whole requests, hands each to an exchange, and
// writes what the exchange sends, one request at a time: what a peer pipelines
// waits, unread beyond 64 KiB.
//
//   handshake ──done──▶
//   reading ──whole request──▶ serving ──answer sent──▶ reading
//      └──refused──▶ closing ──answer sent──▶ lingering ──▶ closed
//
// A peer that ends its side after a whole request still gets its answer, for
// it may only have half-closed: that it is gone is known when it resets or
// when a write fails. On an event stream a comment is written at once, which
// makes a peer that has closed reset.
//
// Send and Reset are thread-safe; everything else runs on the reactor's thread.
// Ownership: kept alive by the front until closed; owns its transport.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<Front> front, Reactor& reactor,
             std::unique_ptr<Transport> transport, std::string peer);
  ~Connection();

  // How the answer stands after these bytes.
  enum class End {
    kOpen,   // more follows
    kReuse,  // complete; another request may come
    kClose,  // complete; then the connection is closed
  };
  enum class Sent { kQueued, kGone, kOverLimit };
  // Queues bytes for the peer, in the order of the calls. With `limit`, bytes
  // that would make more than `limit` wait beside others are refused.
  Sent Send(std::string bytes, End end, size_t limit = 0)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Drops what is queued and resets the connection, soon.
  void Reset();

  Reactor& reactor() { return reactor_; }

  void Begin();
  // Answers 503 and closes: there is no room for this connection. Without a
  // word if TLS would have to be agreed on for it.
  void BeginRefused();
  // The server stops: ends the exchange and closes.
  void Shutdown() { OnPeerGone(); }
  // An event stream has begun: its keep-alives need an earlier tick.
  void ArmTick();

 private:
  enum class State {
    kHandshake,
    kReading,
    kServing,
    kClosing,
    kLingering,
    kClosed,
  };

  void OnReady(uint32_t events);
  void OnReadable();
  void GoOnWithHandshake();
  void ReadRequest();
  void ReadAhead();
  // What a peer may pipeline behind the request that is served.
  size_t ReadAheadRoom() const;
  void Discard();
  // True if `read` brought nothing for now; sees that it is called again.
  bool MustWait(Io read);
  void ReadWhatIsBuffered();
  void Consume(std::string_view bytes);
  void ArmRequestDeadline();
  void Dispatch();
  void Refuse(int status);
  void Flush();
  // False when the socket takes no more, or broke.
  bool OnWritten(const IoResult& wrote);
  void OnFlushed(End end);
  void OnPeerGone();
  void OnPeerHalfClosed();
  void OnPeerHalfClosedBehindReadAhead();
  void Linger();
  void Close(bool reset);
  void OnTick();
  absl::Duration NextTick() const;
  void WatchFor(uint32_t events);

  const std::shared_ptr<Front> front_;
  Reactor& reactor_;  // the one that it lives on; the front's, or outlives it
  const std::string peer_;

  // The reactor's thread only.
  std::unique_ptr<Transport> transport_;  // null once closed
  State state_ = State::kHandshake;
  uint32_t watched_ = 0;
  bool read_wants_write_ = false;  // TLS has to say something first
  bool half_closed_ = false;       // the peer has ended its side
  RequestAssembler assembler_;
  BodyAccount account_;  // of what the assembler holds
  std::string pending_;  // read, but after the request that is served
  std::weak_ptr<HttpExchange> exchange_;
  bool blocked_ = false;  // the socket took no more
  size_t discarded_ = 0;
  absl::Duration last_activity_;
  Reactor::TimerId request_timer_ = 0;
  Reactor::TimerId tick_timer_ = 0;

  Mutex mutex_;
  OutBuffer out_ ABSL_GUARDED_BY(mutex_);
  End end_ ABSL_GUARDED_BY(mutex_) = End::kOpen;
  bool flushing_ ABSL_GUARDED_BY(mutex_) = false;  // posted, or blocked
  bool gone_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_CONNECTION_H_
