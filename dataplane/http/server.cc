#include "dataplane/http/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "dataplane/http/connection.h"
#include "dataplane/http/front.h"
#include "dataplane/http/resolver.h"
#include "dataplane/http/tls_acceptor.h"
#include "shared/base/mutex.h"
#include "shared/base/status.h"

namespace gatehouse::http {
namespace {

constexpr int kBacklog = 4096;
constexpr int kAcceptsPerTurn = 64;
// Over max_connections so many are still told 503; beyond, they are just
// closed.
constexpr int kRefusedConnections = 64;
// Of the limit of open files, kept for upstreams, pipes and logs (a quarter of
// it, where the limit is low); a new
// descriptor is the lowest free one, so its number tells how many are left.
constexpr int kReservedDescriptors = 256;
constexpr absl::Duration kAcceptPause = absl::Milliseconds(100);
constexpr absl::Duration kStopDeadline = absl::Seconds(10);

// The limit of open files, raised as far as it goes.
int RaiseDescriptorLimit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return INT_MAX;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<int>(std::min<rlim_t>(limit.rlim_cur, INT_MAX));
}

std::string PeerText(const sockaddr_storage& storage) {
  char text[INET6_ADDRSTRLEN] = "";
  if (storage.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof(text));
    return std::string(text) + ":" + std::to_string(ntohs(v4.sin_port));
  }
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
  inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof(text));
  return "[" + std::string(text) + "]:" + std::to_string(ntohs(v6.sin6_port));
}

int PortOf(int fd) {
  sockaddr_storage storage = {};
  socklen_t size = sizeof(storage);
  getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &size);
  return storage.ss_family == AF_INET
             ? ntohs(reinterpret_cast<sockaddr_in&>(storage).sin_port)
             : ntohs(reinterpret_cast<sockaddr_in6&>(storage).sin6_port);
}

// A bound, listening, non-blocking socket. Not SO_REUSEPORT: two workers on one
// port by mistake must be an error.
absl::StatusOr<int> Listen(const ServerOptions& options) {
  const std::string where = options.host + ":" + std::to_string(options.port);
  const std::vector<Address> addresses =
      LocalAddresses(options.host, options.port);
  if (addresses.empty()) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      where +
                          ": the host must be a numeric address or "
                          "localhost");
  }
  const Address& address = addresses.front();
  const int fd = socket(address.storage.ss_family,
                        SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  if (fd >= 0 &&
      setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
      bind(fd, reinterpret_cast<const sockaddr*>(&address.storage),
           address.size) == 0 &&
      listen(fd, kBacklog) == 0) {
    return fd;
  }
  const std::string why = strerror(errno);
  if (fd >= 0) close(fd);
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    where + ": cannot listen: " + why +
                        "; choose another port or end its owner");
}

class EpollServer : public Server {
 public:
  EpollServer(std::shared_ptr<Front> front, int listener, int descriptors)
      : front_(std::move(front)),
        port_(PortOf(listener)),
        descriptors_(descriptors),
        reserved_(std::min(kReservedDescriptors, descriptors / 4)),
        listener_(listener) {}
  ~EpollServer() override {
    Stop();
    if (listener_ >= 0) close(listener_);
  }

  absl::Status Start() override;
  int port() const override { return port_; }
  void Drain() override;
  void Stop() override;
  Stats stats() const override;

 private:
  absl::Status WatchListener();
  void CloseListener();
  void Accept();
  void Admit(int fd, const sockaddr_storage& address);
  void PauseAccepting();
  void CloseEverything();
  Reactor& acceptor() { return front_->reactors.first(); }

  const std::shared_ptr<Front> front_;
  const int port_;
  const int descriptors_;  // how many may be open in this process
  const int reserved_;     // of these, not for clients

  // The first reactor's thread only, once started.
  int listener_;
  size_t next_reactor_ = 0;

  Mutex mutex_;
  CondVar closed_cond_;
  bool started_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

absl::Status EpollServer::Start() {
  if (front_->own_reactors != nullptr) {
    GATEHOUSE_RETURN_IF_ERROR(front_->own_reactors->Start());
  }
  acceptor().Post([this] {
    if (!WatchListener().ok()) CloseListener();
  });
  const MutexLock lock(mutex_);
  started_ = true;
  return absl::OkStatus();
}

absl::Status EpollServer::WatchListener() {
  if (listener_ < 0) return absl::OkStatus();
  return acceptor().Watch(listener_, EPOLLIN, [this](uint32_t) { Accept(); });
}

void EpollServer::CloseListener() {
  if (listener_ < 0) return;
  acceptor().Unwatch(listener_);
  close(std::exchange(listener_, -1));
}

void EpollServer::Accept() {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    sockaddr_storage address = {};
    socklen_t size = sizeof(address);
    const int fd = accept4(listener_, reinterpret_cast<sockaddr*>(&address),
                           &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      Admit(fd, address);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
               errno == ENOMEM) {
      // The listener stays ready, and asking again at once would not help.
      return PauseAccepting();
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return;
    }
  }
}

void EpollServer::PauseAccepting() {
  acceptor().Unwatch(listener_);
  acceptor().RunAfter(kAcceptPause, [this] {
    if (!WatchListener().ok()) PauseAccepting();
  });
}

void EpollServer::Admit(int fd, const sockaddr_storage& address) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  // A peer that vanished without a word is found out within minutes.
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  const int idle_seconds = 60;
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_seconds,
             sizeof(idle_seconds));
  const int64_t open = front_->open_connections;
  if (open >= front_->options.max_connections + kRefusedConnections ||
      fd >= descriptors_ - reserved_ / 2) {
    front_->refused.fetch_add(1);
    close(fd);
    return;
  }
  const bool refuse =
      open >= front_->options.max_connections || fd >= descriptors_ - reserved_;
  Reactor& reactor =
      front_->reactors.at(next_reactor_++ % front_->reactors.size());
  std::unique_ptr<Transport> transport = front_->options.tls == nullptr
                                             ? MakePlainTransport(fd)
                                             : front_->options.tls->Accept(fd);
  if (transport == nullptr) return;
  auto connection = std::make_shared<Connection>(
      front_, reactor, std::move(transport), PeerText(address));
  front_->Add(connection);
  reactor.Post([connection, refuse] {
    refuse ? connection->BeginRefused() : connection->Begin();
  });
}

void EpollServer::Drain() {
  front_->draining = true;
  acceptor().Post([this] { CloseListener(); });
}

// After this no connection is added: what Accept began is among those ended.
void EpollServer::CloseEverything() {
  CloseListener();
  for (const auto& connection : front_->All()) {
    connection->reactor().Post([connection] { connection->Shutdown(); });
  }
  const MutexLock lock(mutex_);
  closed_ = true;
  closed_cond_.notify_all();
}

void EpollServer::Stop() {
  front_->draining = true;
  {
    const MutexLock lock(mutex_);
    if (std::exchange(stopped_, true)) return;
    if (!started_) closed_ = true;
  }
  acceptor().Post([this] { CloseEverything(); });
  const auto deadline = std::chrono::steady_clock::now() +
                        absl::ToChronoMilliseconds(kStopDeadline);
  {
    const MutexLock lock(mutex_);
    while (!closed_ && closed_cond_.wait_until(mutex_, deadline) !=
                           std::cv_status::timeout) {
    }
  }
  {
    const MutexLock lock(front_->mutex);
    while (!front_->connections.empty() &&
           front_->none_open.wait_until(front_->mutex, deadline) !=
               std::cv_status::timeout) {
    }
  }
  if (front_->own_executor != nullptr) front_->own_executor->Stop();
  if (front_->own_reactors != nullptr) front_->own_reactors->Stop();
}

Server::Stats EpollServer::stats() const {
  Stats stats;
  stats.connections = front_->open_connections;
  stats.requests = front_->requests;
  stats.refused = front_->refused;
  stats.bodies_bytes = front_->bodies_bytes;
  stats.handshakes_failed = front_->handshakes_failed;
  stats.streams = front_->streams;
  stats.streams_lost_slow = front_->streams_lost_slow;
  stats.unanswered = front_->unanswered;
  return stats;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Create(ServerOptions options,
                                                       Handler handler) {
  GATEHOUSE_ASSIGN_OR_RETURN(const int listener, Listen(options));
  auto front = std::make_shared<Front>(std::move(options), std::move(handler));
  return std::unique_ptr<Server>(std::make_unique<EpollServer>(
      std::move(front), listener, RaiseDescriptorLimit()));
}

absl::StatusOr<std::unique_ptr<Server>> Server::Create(ServerOptions options,
                                                       Handler handler,
                                                       ReactorPool& reactors,
                                                       Executor& executor) {
  GATEHOUSE_ASSIGN_OR_RETURN(const int listener, Listen(options));
  auto front = std::make_shared<Front>(std::move(options), std::move(handler),
                                       reactors, executor);
  return std::unique_ptr<Server>(std::make_unique<EpollServer>(
      std::move(front), listener, RaiseDescriptorLimit()));
}

}  // namespace gatehouse::http
