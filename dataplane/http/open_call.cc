#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "dataplane/http/client_core.h"
#include "dataplane/http/http_text.h"
#include "dataplane/http/tls_connector.h"
#include "shared/base/status.h"

namespace gatehouse::http {
namespace {

constexpr size_t kReadBytes = 64 << 10;
constexpr int kReadsPerTurn = 4;

absl::Status Failed(absl::StatusCode code, const Url& url,
                    std::string_view what) {
  return MakeStatus(code, url.authority + ": " + std::string(what));
}

std::string RequestBytes(const ClientRequest& request) {
  std::string wire = request.method + " " + request.url.target +
                     " HTTP/1.1\r\nHost: " + request.url.authority + "\r\n";
  AppendHeaders(request.headers,
                {"host", "content-length", "connection", "transfer-encoding",
                 "accept-encoding"},
                wire);
  wire += "Accept-Encoding: identity\r\n";
  if (!request.body.empty() || request.method == "POST") {
    wire += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  }
  wire += "\r\n";
  wire += request.body;
  return wire;
}

// Connections are lent only to those who expect the same peer.
std::string PoolKey(const ClientRequest& request) {
  std::string key = request.url.host + ":" + std::to_string(request.url.port);
  if (request.tls != nullptr) key += "#" + std::to_string(request.tls->id());
  return key;
}

void SetSocketOptions(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  // An upstream that vanished without a word is found out within minutes, also
  // on a stream that may be quiet.
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  const int idle_seconds = 60;
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_seconds,
             sizeof(idle_seconds));
}

bool IsWellFormed(const ClientRequest& request) {
  return request.url.tls == (request.tls != nullptr) &&
         IsToken(request.method) && request.url.target.starts_with('/') &&
         IsFieldValue(request.url.target) &&
         request.url.target.find_first_of(" \t") == std::string::npos &&
         IsFieldValue(request.url.authority);
}

}  // namespace

OpenCall::OpenCall(const std::shared_ptr<ClientCore>& core,
                   ClientRequest request)
    : weak_core_(core), request_(std::move(request)), key_(PoolKey(request_)) {}

OpenCall::~OpenCall() {
  if (connecting_ >= 0) close(connecting_);  // only if the reactor stopped
}

void OpenCall::Cancel() {
  if (cancelled_.exchange(true)) return;
  const std::shared_ptr<ClientCore> core = weak_core_.lock();
  if (core == nullptr) return;
  core->Post([self = shared_from_this()] {
    self->Finish(absl::CancelledError("cancelled"));
  });
}

void OpenCall::Begin(std::shared_ptr<ClientObserver> observer) {
  observer_ = std::move(observer);
  // The core keeps this call, so a plain pointer back makes no circle.
  core_ = weak_core_.lock().get();
  if (cancelled_) return Finish(absl::CancelledError("cancelled"));
  if (!IsWellFormed(request_)) {
    return Finish(Failed(absl::StatusCode::kInvalidArgument, request_.url,
                         "method or target is malformed, or https has no "
                         "tls"));
  }
  wire_ = RequestBytes(request_);
  if (may_reuse_) {
    if (auto transport = core_->pool().Take(key_); transport != nullptr) {
      reused_ = true;
      return UseConnection(std::move(transport));
    }
  }
  reused_ = false;
  ArmTimer(request_.connect_timeout, "no connection in time");
  const Url& url = request_.url;
  if (auto known = LocalAddresses(url.host, url.port); !known.empty()) {
    return Connect(std::move(known));
  }
  const bool queued = core_->resolver().Resolve(
      url.host, url.port,
      [weak = weak_core_,
       self = shared_from_this()](absl::StatusOr<std::vector<Address>> found) {
        const std::shared_ptr<ClientCore> core = weak.lock();
        if (core == nullptr) return;
        core->Post([self, found = std::move(found)]() mutable {
          if (!found.ok()) return self->Finish(found.status());
          self->Connect(*std::move(found));
        });
      });
  if (!queued) {
    Finish(Failed(absl::StatusCode::kUnavailable, url,
                  "too many names are being looked up"));
  }
}

void OpenCall::ArmTimer(absl::Duration delay, const char* what) {
  core_->reactor().CancelTimer(timer_);
  timer_ = 0;
  if (delay == absl::InfiniteDuration()) return;
  timer_ = core_->reactor().RunAfter(delay, [self = shared_from_this(), what] {
    self->Finish(
        Failed(absl::StatusCode::kDeadlineExceeded, self->request_.url, what));
  });
}

void OpenCall::Connect(std::vector<Address> addresses) {
  if (ended_) return;
  addresses_ = std::move(addresses);
  next_address_ = 0;
  ConnectNext();
}

void OpenCall::ConnectNext() {
  const char* why = "no address";
  while (next_address_ < addresses_.size()) {
    const Address& address = addresses_[next_address_++];
    connecting_ = socket(address.storage.ss_family,
                         SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (connecting_ < 0) {
      why = strerror(errno);
      continue;
    }
    SetSocketOptions(connecting_);
    const int rc = connect(connecting_,
                           reinterpret_cast<const sockaddr*>(&address.storage),
                           address.size);
    if (rc == 0 || errno == EINPROGRESS) {
      const absl::Status status = core_->reactor().Watch(
          connecting_, EPOLLOUT,
          [self = shared_from_this()](uint32_t) { self->OnConnected(); });
      if (status.ok()) return;
    }
    why = strerror(errno);
    DropConnection();
  }
  Finish(Failed(absl::StatusCode::kUnavailable, request_.url, why));
}

void OpenCall::OnConnected() {
  int error = 0;
  socklen_t size = sizeof(error);
  getsockopt(connecting_, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error == 0) {
    core_->reactor().Unwatch(connecting_);
    const int fd = std::exchange(connecting_, -1);
    if (request_.tls == nullptr) return UseConnection(MakePlainTransport(fd));
    transport_ = request_.tls->Connect(fd, request_.url.host);
    return OnReadyForHandshake();
  }
  DropConnection();
  if (next_address_ < addresses_.size()) return ConnectNext();
  Finish(Failed(absl::StatusCode::kUnavailable, request_.url, strerror(error)));
}

void OpenCall::OnReadyForHandshake() {
  if (transport_ == nullptr) {
    return Finish(Failed(absl::StatusCode::kUnavailable, request_.url,
                         "TLS cannot be begun with this host"));
  }
  const absl::Status status = core_->reactor().Watch(
      transport_->fd(), EPOLLOUT,
      [self = shared_from_this()](uint32_t) { self->GoOnWithHandshake(); });
  if (!status.ok()) Finish(Annotate(status, request_.url.authority));
}

void OpenCall::GoOnWithHandshake() {
  const Io outcome = transport_->Handshake();
  if (outcome == Io::kDone) {
    core_->reactor().Unwatch(transport_->fd());
    return UseConnection(std::move(transport_));
  }
  if (outcome != Io::kWantsRead && outcome != Io::kWantsWrite) {
    // Not tried at another address: that would be the same peer, or a stranger.
    return Finish(Failed(absl::StatusCode::kUnavailable, request_.url,
                         "the TLS handshake failed: " + transport_->Trouble()));
  }
  const absl::Status status = core_->reactor().Rewatch(
      transport_->fd(), outcome == Io::kWantsRead ? EPOLLIN : EPOLLOUT);
  if (!status.ok()) Finish(Annotate(status, request_.url.authority));
}

void OpenCall::UseConnection(std::unique_ptr<Transport> transport) {
  transport_ = std::move(transport);
  sent_ = 0;
  reader_ = std::make_unique<ResponseReader>(request_.method == "HEAD");
  auto ready = [self = shared_from_this()](uint32_t events) {
    self->OnReady(events);
  };
  Reactor& reactor = core_->reactor();
  const int fd = transport_->fd();
  // One that comes from the pool is watched.
  const absl::Status status = reused_ ? reactor.Rewatch(fd, EPOLLIN, ready)
                                      : reactor.Watch(fd, EPOLLIN, ready);
  if (!status.ok()) {
    return Finish(Annotate(status, request_.url.authority));
  }
  slow_to_take_ = false;
  Send();
}

void OpenCall::OnReady(uint32_t events) {
  if (events & EPOLLOUT) {
    Send();
    if (ended_ || transport_ == nullptr) return;
  }
  const bool retry =
      (events & EPOLLOUT) && std::exchange(read_wants_write_, false);
  if (retry || (events & (EPOLLIN | EPOLLHUP | EPOLLERR))) Read();
}

void OpenCall::Send() {
  while (sent_ < wire_.size()) {
    const IoResult wrote =
        transport_->Write(std::string_view(wire_).substr(sent_));
    // A peer that closed may still have answered: Read finds out.
    if (wrote.state == Io::kBroken) return Read();
    if (wrote.state != Io::kDone) {
      if (!std::exchange(slow_to_take_, true)) {
        ArmTimer(request_.write_timeout, "the request was not taken in time");
      }
      return WatchFor(EPOLLIN | EPOLLOUT);
    }
    sent_ += wrote.bytes;
  }
  WatchFor(EPOLLIN);
  if (ended_) return;
  // A peer may answer before it has read everything.
  if (!has_head_) ArmTimer(request_.header_timeout, "no answer in time");
}

void OpenCall::WatchFor(uint32_t events) {
  const absl::Status status =
      core_->reactor().Rewatch(transport_->fd(), events);
  if (!status.ok()) Finish(Annotate(status, request_.url.authority));
}

void OpenCall::Read() {
  const auto self = shared_from_this();
  char buffer[kReadBytes];
  for (int i = 0; i < kReadsPerTurn; ++i) {
    const IoResult read = transport_->Read(buffer, sizeof(buffer));
    if (read.state == Io::kWantsRead) return;
    if (read.state == Io::kWantsWrite) {
      read_wants_write_ = true;
      return WatchFor(EPOLLIN | EPOLLOUT);
    }
    if (read.state != Io::kDone) return OnClosed(read.state == Io::kEnded);
    if (!Take(std::string_view(buffer, read.bytes))) return;
    if (read.bytes < sizeof(buffer)) break;
  }
  // What TLS took off the descriptor makes that ready no more.
  if (!transport_->HasBuffered()) return;
  core_->Post([self] {
    if (!self->ended_ && self->transport_ != nullptr) self->Read();
  });
}

bool OpenCall::Take(std::string_view bytes) {
  while (!cancelled_) {
    switch (reader_->Next(bytes)) {
      case ResponseReader::Step::kMore:
        return true;
      case ResponseReader::Step::kHead:
        has_head_ = true;
        ArmTimer(request_.silence_timeout, "the answer fell silent");
        observer_->OnHeaders(reader_->status(), reader_->headers());
        break;
      case ResponseReader::Step::kBody:
        if (request_.silence_timeout != absl::InfiniteDuration()) {
          ArmTimer(request_.silence_timeout, "the answer fell silent");
        }
        observer_->OnBody(reader_->body());
        break;
      case ResponseReader::Step::kDone:
        Complete(bytes.empty());
        return false;
      case ResponseReader::Step::kBroken:
        Finish(Failed(absl::StatusCode::kDataLoss, request_.url,
                      "the answer is no HTTP that we accept"));
        return false;
    }
    if (ended_) return false;
  }
  return false;  // Finish is on its way
}

void OpenCall::OnClosed(bool orderly) {
  if (cancelled_) return Finish(absl::CancelledError("cancelled"));
  if (!reader_->started()) {
    if (MayRetry()) {
      DropConnection();
      may_reuse_ = false;
      return Begin(std::move(observer_));
    }
    const std::string why = transport_->Trouble();
    return Finish(Failed(
        absl::StatusCode::kUnavailable, request_.url,
        "closed before it answered" + (why.empty() ? why : " (" + why + ")")));
  }
  if (orderly && reader_->AtClose() == ResponseReader::Step::kDone) {
    return Complete(/*nothing_left=*/false);
  }
  Finish(Failed(absl::StatusCode::kDataLoss, request_.url,
                "the answer broke off"));
}

// Only what cannot have run: the peer never had the whole request.
bool OpenCall::MayRetry() const { return reused_ && sent_ < wire_.size(); }

void OpenCall::Complete(bool nothing_left) {
  if (nothing_left && reader_->keep_alive() && sent_ == wire_.size()) {
    core_->Keep(key_, std::move(transport_));
  }
  Finish(absl::OkStatus());
}

void OpenCall::DropConnection() {
  if (connecting_ >= 0) {
    core_->reactor().Unwatch(connecting_);
    close(std::exchange(connecting_, -1));
  }
  if (transport_ == nullptr) return;
  core_->reactor().Unwatch(transport_->fd());
  transport_.reset();
}

void OpenCall::Finish(absl::Status status) {
  if (std::exchange(ended_, true)) return;
  const auto self = shared_from_this();
  if (cancelled_) status = absl::CancelledError("cancelled");
  if (core_ != nullptr) {
    DropConnection();
    core_->reactor().CancelTimer(timer_);
    std::exchange(core_, nullptr)->Leave(self);
  }
  wire_ = {};
  const std::shared_ptr<ClientObserver> observer = std::move(observer_);
  if (observer != nullptr) observer->OnEnd(std::move(status));
}

}  // namespace gatehouse::http
