#include "dataplane/http/connection.h"

#include <sys/epoll.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "dataplane/http/exchange.h"

namespace gatehouse::http {
namespace {

constexpr size_t kReadBytes = 64 << 10;
constexpr int kReadsPerTurn = 4;
constexpr size_t kMaxReadAheadBytes = 64 << 10;
// A refused peer may still be sending. Closing at once would reset the
// connection and with it the answer that says why, so we listen a little.
constexpr absl::Duration kLingerTime = absl::Seconds(2);
constexpr size_t kMaxLingerBytes = 8 << 20;

// What the handler reads is no burden for the reactor's other sockets up to
// here; a longer one is read on the executor's threads.
constexpr size_t kLightBodyBytes = 64 << 10;

constexpr uint32_t kWatchPeer = EPOLLIN | EPOLLRDHUP;

GuardLimits LimitsOf(const ServerOptions& options) {
  return {options.max_header_bytes, options.max_header_lines,
          options.max_path_bytes, options.max_body_bytes};
}

}  // namespace

Connection::Connection(std::shared_ptr<Front> front, Reactor& reactor,
                       std::unique_ptr<Transport> transport, std::string peer)
    : front_(std::move(front)),
      reactor_(reactor),
      peer_(std::move(peer)),
      transport_(std::move(transport)),
      assembler_(LimitsOf(front_->options)),
      account_(front_->bodies_bytes),
      last_activity_(front_->clock.Steady()) {
  front_->open_connections.fetch_add(1);
}

Connection::~Connection() {
  if (transport_ == nullptr) return;
  // Only if the reactor stopped under it.
  front_->open_connections.fetch_sub(1);
}

void Connection::Begin() {
  watched_ = kWatchPeer;
  const absl::Status status = reactor_.Watch(
      transport_->fd(), watched_,
      [self = shared_from_this()](uint32_t events) { self->OnReady(events); });
  if (!status.ok()) return Close(/*reset=*/true);
  GoOnWithHandshake();
  if (state_ == State::kHandshake) ArmRequestDeadline();
  ArmTick();
}

void Connection::BeginRefused() {
  Begin();
  if (state_ == State::kReading) return Refuse(503);
  front_->refused.fetch_add(1);
  Close(/*reset=*/true);
}

void Connection::GoOnWithHandshake() {
  switch (transport_->Handshake()) {
    case Io::kDone:
      reactor_.CancelTimer(std::exchange(request_timer_, 0));
      state_ = State::kReading;
      last_activity_ = front_->clock.Steady();
      WatchFor(kWatchPeer);
      return ReadWhatIsBuffered();
    case Io::kWantsRead:
      return WatchFor(kWatchPeer);
    case Io::kWantsWrite:
      return WatchFor(EPOLLOUT);
    case Io::kEnded:
    case Io::kBroken:
      front_->handshakes_failed.fetch_add(1);
      return Close(/*reset=*/false);
  }
}

// ---- Sending ---------------------------------------------------------------

Connection::Sent Connection::Send(std::string bytes, End end, size_t limit) {
  {
    const MutexLock lock(mutex_);
    if (gone_) return Sent::kGone;
    // A peer that has read everything may be sent a message of any size.
    if (limit > 0 && !out_.empty() && out_.size() + bytes.size() > limit) {
      return Sent::kOverLimit;
    }
    out_.Append(std::move(bytes));
    end_ = end;
    if (std::exchange(flushing_, true)) return Sent::kQueued;
  }
  reactor_.Post([self = shared_from_this()] { self->Flush(); });
  return Sent::kQueued;
}

void Connection::Reset() {
  reactor_.Post([self = shared_from_this()] {
    const std::shared_ptr<HttpExchange> exchange = self->exchange_.lock();
    self->Close(/*reset=*/true);
    if (exchange != nullptr) exchange->PeerGone();
  });
}

void Connection::Flush() {
  while (state_ != State::kClosed) {
    IoResult wrote;
    std::optional<End> flushed;
    {
      // Written under the lock, so that whoever learns from the peer that it
      // has these bytes also finds them off the account. It does not block.
      const MutexLock lock(mutex_);
      if (out_.empty()) {
        flushing_ = false;
        flushed = std::exchange(end_, End::kOpen);
      } else {
        wrote = transport_->Write(out_.Front());
        out_.Consume(wrote.bytes);
      }
    }
    if (flushed.has_value()) {
      blocked_ = false;
      return OnFlushed(*flushed);
    }
    if (!OnWritten(wrote)) return;
  }
}

bool Connection::OnWritten(const IoResult& wrote) {
  switch (wrote.state) {
    case Io::kDone:
      last_activity_ = front_->clock.Steady();
      return true;
    case Io::kWantsRead:
    case Io::kWantsWrite:
      blocked_ = true;
      WatchFor(watched_ | EPOLLOUT);
      return false;
    case Io::kEnded:
    case Io::kBroken:
      OnPeerGone();
      return false;
  }
  return false;
}

void Connection::OnFlushed(End end) {
  WatchFor(watched_ & ~static_cast<uint32_t>(EPOLLOUT));
  if (end == End::kOpen || state_ == State::kClosed) return;
  if (end == End::kClose || state_ == State::kClosing) return Linger();
  exchange_.reset();
  state_ = State::kReading;
  last_activity_ = front_->clock.Steady();
  if (!half_closed_) WatchFor(kWatchPeer);
  if (!pending_.empty()) {
    const std::string bytes = std::exchange(pending_, {});
    Consume(bytes);
  }
  if (!half_closed_) return ReadWhatIsBuffered();
  if (state_ == State::kReading) Close(/*reset=*/false);
}

// ---- Reading ---------------------------------------------------------------

void Connection::OnReady(uint32_t events) {
  if (state_ == State::kHandshake) return GoOnWithHandshake();
  if (events & EPOLLOUT) {
    if (state_ == State::kLingering) return Linger();
    Flush();
  }
  if (state_ == State::kClosed) return;
  if (events & (EPOLLERR | EPOLLHUP)) return OnPeerGone();
  if (state_ == State::kServing && (events & EPOLLRDHUP) &&
      ReadAheadRoom() == 0) {
    return OnPeerHalfClosedBehindReadAhead();
  }
  const bool retry =
      (events & EPOLLOUT) && std::exchange(read_wants_write_, false);
  if (retry || (events & kWatchPeer)) OnReadable();
}

void Connection::OnReadable() {
  switch (state_) {
    case State::kReading:
      return ReadRequest();
    case State::kServing:
      return ReadAhead();
    case State::kLingering:
      return Discard();
    case State::kHandshake:
    case State::kClosing:
    case State::kClosed:
      return;
  }
}

void Connection::ReadRequest() {
  char buffer[kReadBytes];
  for (int i = 0; i < kReadsPerTurn && state_ == State::kReading; ++i) {
    const IoResult read = transport_->Read(buffer, sizeof(buffer));
    if (MustWait(read.state)) return;
    if (read.state != Io::kDone) return Close(/*reset=*/false);
    Consume(std::string_view(buffer, read.bytes));
    if (read.bytes < sizeof(buffer)) break;
  }
  ReadWhatIsBuffered();
}

void Connection::ReadAhead() {
  if (half_closed_) return;
  char buffer[kReadBytes];
  const size_t room = std::min(sizeof(buffer), ReadAheadRoom());
  // What is left shows itself again when this request is answered. The peer's
  // end shows itself all the same.
  if (room == 0) return WatchFor(watched_ & ~static_cast<uint32_t>(EPOLLIN));
  const IoResult read = transport_->Read(buffer, room);
  if (MustWait(read.state)) return;
  if (read.state == Io::kEnded) return OnPeerHalfClosed();
  if (read.state != Io::kDone) return OnPeerGone();
  pending_.append(buffer, read.bytes);
  ReadWhatIsBuffered();
}

size_t Connection::ReadAheadRoom() const {
  return kMaxReadAheadBytes - std::min(pending_.size(), kMaxReadAheadBytes);
}

bool Connection::MustWait(Io read) {
  if (read == Io::kWantsWrite) {
    read_wants_write_ = true;
    WatchFor(watched_ | EPOLLOUT);
  }
  return read == Io::kWantsRead || read == Io::kWantsWrite;
}

// What the transport took off the descriptor makes that ready no more.
void Connection::ReadWhatIsBuffered() {
  if (state_ == State::kClosed || !transport_->HasBuffered()) return;
  reactor_.Post([self = shared_from_this()] { self->OnReadable(); });
}

void Connection::Consume(std::string_view bytes) {
  last_activity_ = front_->clock.Steady();
  while (state_ == State::kReading && !bytes.empty()) {
    switch (assembler_.Next(bytes)) {
      case RequestAssembler::Step::kMore:
        account_.Set(assembler_.body_bytes());
        if (assembler_.body_bytes() > kLightBodyBytes &&
            front_->bodies_bytes > front_->options.max_bodies_bytes) {
          return Refuse(503);
        }
        break;
      case RequestAssembler::Step::kContinue:
        Send("HTTP/1.1 100 Continue\r\n\r\n", End::kOpen);
        break;
      case RequestAssembler::Step::kWhole:
        Dispatch();
        break;
      case RequestAssembler::Step::kRefused:
        return Refuse(assembler_.refusal().status);
    }
  }
  if (state_ == State::kServing) pending_.append(bytes);
  if (state_ == State::kReading && assembler_.begun() && request_timer_ == 0) {
    ArmRequestDeadline();
  }
}

void Connection::ArmRequestDeadline() {
  request_timer_ = reactor_.RunAfter(front_->options.request_deadline,
                                     [self = shared_from_this()] {
                                       self->request_timer_ = 0;
                                       if (self->state_ == State::kReading)
                                         self->Refuse(408);
                                       if (self->state_ == State::kHandshake)
                                         self->Close(/*reset=*/true);
                                     });
}

void Connection::Dispatch() {
  reactor_.CancelTimer(std::exchange(request_timer_, 0));
  account_.Set(assembler_.body_bytes());
  RequestAssembler::Whole whole = assembler_.Take();
  if (front_->draining) return Refuse(503);
  front_->requests.fetch_add(1);
  state_ = State::kServing;
  auto exchange = std::make_shared<HttpExchange>(
      front_, shared_from_this(), std::move(whole.head), std::move(whole.body),
      peer_, std::move(account_));
  exchange_ = exchange;
  const size_t body_bytes = exchange->request().body.size();
  if (body_bytes <= kLightBodyBytes) {
    return HttpExchange::Serve(std::move(exchange));
  }
  front_->executor.Post([exchange = std::move(exchange)]() mutable {
    HttpExchange::Serve(std::move(exchange));
  });
}

void Connection::Refuse(int status) {
  front_->refused.fetch_add(1);
  reactor_.CancelTimer(std::exchange(request_timer_, 0));
  state_ = State::kClosing;
  pending_ = {};
  assembler_.Drop();
  account_.Set(0);
  WatchFor(0);
  Response response;
  response.status = status;
  response.headers = RefusalHeaders(status);
  Send(AnswerBytes(response, /*close=*/true), End::kClose);
}

// ---- Ending ----------------------------------------------------------------

void Connection::OnPeerGone() {
  const std::shared_ptr<HttpExchange> exchange = exchange_.lock();
  Close(/*reset=*/false);
  if (exchange != nullptr) exchange->PeerGone();
}

void Connection::OnPeerHalfClosed() {
  half_closed_ = true;
  WatchFor(watched_ & ~kWatchPeer);  // which would tell of it for ever
  if (const auto exchange = exchange_.lock()) exchange->PeerHalfClosed();
}

// It ended its side behind more than we read ahead. What it sent before is read
// once this request is answered, and the end then met again.
void Connection::OnPeerHalfClosedBehindReadAhead() {
  WatchFor(watched_ & ~kWatchPeer);
  if (const auto exchange = exchange_.lock()) exchange->PeerHalfClosed();
}

void Connection::Linger() {
  if (state_ != State::kLingering) {
    exchange_.reset();
    state_ = State::kLingering;
    pending_ = {};
    reactor_.CancelTimer(std::exchange(request_timer_, 0));
    request_timer_ =
        reactor_.RunAfter(kLingerTime, [self = shared_from_this()] {
          self->request_timer_ = 0;
          self->Close(/*reset=*/false);
        });
  }
  const Io ended = transport_->ShutdownWrite();
  if (ended == Io::kWantsWrite) return WatchFor(EPOLLOUT);
  if (ended == Io::kBroken || half_closed_) return Close(/*reset=*/false);
  WatchFor(kWatchPeer);
  ReadWhatIsBuffered();
}

void Connection::Discard() {
  char buffer[kReadBytes];
  for (int i = 0; i < kReadsPerTurn; ++i) {
    const IoResult read = transport_->Read(buffer, sizeof(buffer));
    if (read.state == Io::kWantsRead || read.state == Io::kWantsWrite) return;
    if (read.state != Io::kDone) return Close(/*reset=*/false);
    discarded_ += read.bytes;
    if (discarded_ > kMaxLingerBytes) return Close(/*reset=*/true);
  }
  ReadWhatIsBuffered();
}

void Connection::Close(bool reset) {
  const State before = std::exchange(state_, State::kClosed);
  if (before == State::kClosed) return;
  const auto self = shared_from_this();
  {
    const MutexLock lock(mutex_);
    gone_ = true;
    out_.Clear();
  }
  reactor_.CancelTimer(std::exchange(request_timer_, 0));
  reactor_.CancelTimer(std::exchange(tick_timer_, 0));
  reactor_.Unwatch(transport_->fd());
  if (reset) transport_->ResetOnClose();
  // An answer that was cut must not look like one that ended.
  if (!reset && before == State::kReading) transport_->ShutdownWrite();
  transport_.reset();
  pending_ = {};
  front_->open_connections.fetch_sub(1);
  front_->Remove(self);
}

// ---- Time ------------------------------------------------------------------

absl::Duration Connection::NextTick() const {
  const std::shared_ptr<HttpExchange> exchange = exchange_.lock();
  const bool kept_alive = exchange != nullptr && exchange->is_event_stream();
  return kept_alive && !blocked_ ? std::min(front_->options.stream_keepalive,
                                            front_->options.idle_deadline)
                                 : front_->options.idle_deadline;
}

void Connection::ArmTick() {
  if (state_ == State::kClosed) return;
  reactor_.CancelTimer(tick_timer_);
  // What is overdue has been looked at; look again after a whole period.
  absl::Duration left = last_activity_ + NextTick() - front_->clock.Steady();
  if (left <= absl::ZeroDuration()) left = NextTick();
  tick_timer_ =
      reactor_.RunAfter(left, [self = shared_from_this()] { self->OnTick(); });
}

void Connection::OnTick() {
  const absl::Duration idle = front_->clock.Steady() - last_activity_;
  const bool long_idle = idle >= front_->options.idle_deadline;
  // Nobody reads what we send.
  if (long_idle && blocked_) return Reset();
  if (long_idle && state_ == State::kReading && !assembler_.begun()) {
    return Close(/*reset=*/false);
  }
  if (state_ == State::kServing && idle >= NextTick()) {
    // What waits for an operation may wait as long as that does.
    const auto exchange = exchange_.lock();
    if (exchange != nullptr &&
        front_->options.stream_keepalive != absl::InfiniteDuration()) {
      exchange->KeepAlive();
    }
    last_activity_ = front_->clock.Steady();
  }
  ArmTick();
}

void Connection::WatchFor(uint32_t events) {
  if (state_ == State::kClosed || events == watched_) return;
  watched_ = events;
  const absl::Status status = reactor_.Rewatch(transport_->fd(), events);
  if (!status.ok()) OnPeerGone();
}

}  // namespace gatehouse::http
