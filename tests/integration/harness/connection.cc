#include "tests/integration/harness/connection.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gatehouse::testing {
namespace {

// A socket address of either family.
struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

absl::StatusOr<Address> ParseAddress(const std::string& text) {
  Address address;
  if (text.rfind("unix:", 0) == 0) {
    auto* un = reinterpret_cast<sockaddr_un*>(&address.storage);
    const std::string path = text.substr(5);
    if (path.size() >= sizeof(un->sun_path)) {
      return absl::InvalidArgumentError(absl::StrCat(text, ": path too long"));
    }
    un->sun_family = AF_UNIX;
    std::memcpy(un->sun_path, path.c_str(), path.size() + 1);
    address.size = sizeof(sockaddr_un);
    return address;
  }
  const size_t colon = text.rfind(':');
  auto* in = reinterpret_cast<sockaddr_in*>(&address.storage);
  in->sin_family = AF_INET;
  if (colon == std::string::npos ||
      inet_pton(AF_INET, text.substr(0, colon).c_str(), &in->sin_addr) != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(text, ": expected a numeric HOST:PORT or unix:PATH"));
  }
  in->sin_port =
      htons(static_cast<uint16_t>(std::atoi(text.c_str() + colon + 1)));
  address.size = sizeof(sockaddr_in);
  return address;
}

absl::Status ErrnoStatus(const std::string& what) {
  return absl::UnavailableError(absl::StrCat(what, ": ", strerror(errno)));
}

void DisableNagle(int fd) {
  const int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

}  // namespace

std::shared_ptr<Connection> Connection::Adopt(EventLoop* loop, int fd,
                                              OnData on_data,
                                              OnClose on_close) {
  std::shared_ptr<Connection> connection(new Connection(loop, fd));
  connection->on_data_ = std::move(on_data);
  connection->on_close_ = std::move(on_close);
  loop->Watch(fd, EPOLLIN,
              [connection](uint32_t events) { connection->OnEvents(events); });
  return connection;
}

Connection::~Connection() {
  if (fd_ >= 0) close(fd_);
}

void Connection::Write(std::string_view data) {
  if (closed()) return;
  unsent_.append(data);
  Flush();
}

void Connection::CloseAfterWriting() {
  closing_ = true;
  Flush();
}

void Connection::Close() {
  if (closed()) return;
  const std::shared_ptr<Connection> keep = shared_from_this();
  const int fd = std::exchange(fd_, -1);
  loop_->Unwatch(fd);
  close(fd);
  const OnClose on_close = std::exchange(on_close_, nullptr);
  on_data_ = nullptr;
  if (on_close) on_close();
}

void Connection::PauseReading(bool pause) {
  paused_ = pause;
  if (!closed()) Rearm();
}

void Connection::OnEvents(uint32_t events) {
  const std::shared_ptr<Connection> keep = shared_from_this();
  if (events == EventLoop::kLoopEnds) Close();
  if (events & EPOLLOUT) Flush();
  if (!closed() && (events & (EPOLLIN | EPOLLHUP | EPOLLERR))) {
    ReadAvailable();
  }
}

void Connection::ReadAvailable() {
  std::array<char, 65536> buffer;
  while (!closed()) {
    const ssize_t size = read(fd_, buffer.data(), buffer.size());
    if (size > 0) {
      if (on_data_) {
        const OnData on_data = on_data_;  // it may close us
        on_data(std::string_view(buffer.data(), size));
      }
      if (static_cast<size_t>(size) < buffer.size()) return;
      continue;
    }
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return;
    Close();
  }
}

void Connection::Flush() {
  while (!closed() && !unsent_.empty()) {
    const ssize_t sent =
        send(fd_, unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      unsent_.erase(0, sent);
      continue;
    }
    if (errno == EINTR) continue;
    // ENOTCONN, EINPROGRESS: a connect that is still on its way.
    if (errno == EAGAIN || errno == ENOTCONN || errno == EINPROGRESS) break;
    Close();
    return;
  }
  if (closed()) return;
  if (unsent_.empty() && closing_) {
    Close();
    return;
  }
  Rearm();
}

void Connection::Rearm() {
  loop_->Modify(fd_,
                (paused_ ? 0u : static_cast<uint32_t>(EPOLLIN)) |
                    (unsent_.empty() ? 0u : static_cast<uint32_t>(EPOLLOUT)));
}

absl::StatusOr<int> ListenOn(const std::string& address) {
  absl::StatusOr<Address> parsed = ParseAddress(address);
  if (!parsed.ok()) return parsed.status();
  const int fd = socket(parsed->storage.ss_family,
                        SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return ErrnoStatus(address);
  if (parsed->storage.ss_family == AF_UNIX) {
    unlink(address.c_str() + 5);
  } else {
    const int one = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
  }
  if (bind(fd, parsed->get(), parsed->size) != 0 || listen(fd, 4096) != 0) {
    const absl::Status status = ErrnoStatus(address);
    close(fd);
    return status;
  }
  return fd;
}

absl::StatusOr<int> ConnectTo(const std::string& address, int receive_buffer) {
  absl::StatusOr<Address> parsed = ParseAddress(address);
  if (!parsed.ok()) return parsed.status();
  const int fd = socket(parsed->storage.ss_family,
                        SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return ErrnoStatus(address);
  DisableNagle(fd);
  if (receive_buffer > 0) {
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer,
               sizeof(receive_buffer));
  }
  if (connect(fd, parsed->get(), parsed->size) != 0 && errno != EINPROGRESS) {
    const absl::Status status = ErrnoStatus(address);
    close(fd);
    return status;
  }
  return fd;
}

std::string LocalAddress(int fd) {
  sockaddr_in in{};
  socklen_t size = sizeof(in);
  getsockname(fd, reinterpret_cast<sockaddr*>(&in), &size);
  return absl::StrCat("127.0.0.1:", ntohs(in.sin_port));
}

}  // namespace gatehouse::testing
