#include "tests/bench/link.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::bench {
namespace {

constexpr int kBacklog = 4096;

absl::Status ErrnoStatus(std::string_view what) {
  return MakeStatus(absl::StatusCode::kUnavailable,
                    absl::StrCat(ToAbsl(what), ": ", strerror(errno)));
}

absl::StatusOr<sockaddr_in> ParseAddress(std::string_view address) {
  sockaddr_in in{};
  in.sin_family = AF_INET;
  const size_t colon = address.rfind(':');
  uint32_t port = 0;
  if (colon == std::string_view::npos ||
      inet_pton(AF_INET, std::string(address.substr(0, colon)).c_str(),
                &in.sin_addr) != 1 ||
      !absl::SimpleAtoi(ToAbsl(address.substr(colon + 1)), &port) ||
      port > 65535) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      absl::StrCat(ToAbsl(address),
                                   ": expected a numeric HOST:PORT, such as "
                                   "127.0.0.1:8800"));
  }
  in.sin_port = htons(static_cast<uint16_t>(port));
  return in;
}

absl::StatusOr<int> NewSocket(std::string_view address) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return ErrnoStatus(address);
  return fd;
}

}  // namespace

Link::Link(int fd, size_t read_bytes) : fd_(fd), read_bytes_(read_bytes) {
  const int one = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

Link::~Link() { close(fd_); }

bool Link::Receive() {
  while (reader_.held() <= 2 * HttpReader::kMaxBodyBytes) {
    char* const space = reader_.Space(read_bytes_);
    const size_t room = reader_.space();
    const ssize_t size = recv(fd_, space, room, 0);
    if (size > 0) {
      reader_.Filled(static_cast<size_t>(size));
      // A short read has emptied the socket: more would be a new edge.
      if (static_cast<size_t>(size) < room) return true;
      continue;
    }
    if (size < 0 && errno == EINTR) continue;
    return size < 0 && (errno == EAGAIN || errno == ENOTCONN);
  }
  return false;  // more than any message here has
}

bool Link::Send(std::string_view copied, std::string_view lasting) {
  const bool idle = sent_ == copied_.size() && lasting_.empty();
  if (idle) {
    copied_.clear();
    sent_ = 0;
  }
  copied_.append(lasting_);
  copied_.append(copied);
  lasting_ = lasting;
  return Flush();
}

bool Link::Flush() {
  while (sent_ < copied_.size() || !lasting_.empty()) {
    iovec parts[2] = {{copied_.data() + sent_, copied_.size() - sent_},
                      {const_cast<char*>(lasting_.data()), lasting_.size()}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    const ssize_t size = sendmsg(fd_, &message, MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    // ENOTCONN: still connecting; the edge of being connected flushes.
    if (size < 0) return errno == EAGAIN || errno == ENOTCONN;
    const size_t from_copied =
        std::min(static_cast<size_t>(size), copied_.size() - sent_);
    sent_ += from_copied;
    lasting_.remove_prefix(static_cast<size_t>(size) - from_copied);
  }
  return true;
}

Poller::Poller() : fd_(epoll_create1(EPOLL_CLOEXEC)) {}

Poller::~Poller() { close(fd_); }

absl::Status Poller::Add(int fd, uint64_t tag) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.u64 = tag;
  if (epoll_ctl(fd_, EPOLL_CTL_ADD, fd, &event) != 0) {
    return ErrnoStatus("epoll");
  }
  return absl::OkStatus();
}

std::span<const epoll_event> Poller::Wait(absl::Duration timeout) {
  const int64_t ms = std::clamp<int64_t>(
      absl::ToInt64Milliseconds(timeout + absl::Microseconds(999)), 0, 60'000);
  const int count =
      epoll_wait(fd_, events_.data(), static_cast<int>(events_.size()),
                 static_cast<int>(ms));
  return {events_.data(), static_cast<size_t>(std::max(count, 0))};
}

absl::StatusOr<int> ListenOn(std::string_view address) {
  GATEHOUSE_ASSIGN_OR_RETURN(const sockaddr_in in, ParseAddress(address));
  GATEHOUSE_ASSIGN_OR_RETURN(const int fd, NewSocket(address));
  const int one = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
  if (bind(fd, reinterpret_cast<const sockaddr*>(&in), sizeof(in)) != 0 ||
      listen(fd, kBacklog) != 0) {
    const absl::Status status = ErrnoStatus(address);
    close(fd);
    return status;
  }
  return fd;
}

absl::StatusOr<int> ConnectTo(std::string_view address) {
  GATEHOUSE_ASSIGN_OR_RETURN(const sockaddr_in in, ParseAddress(address));
  GATEHOUSE_ASSIGN_OR_RETURN(const int fd, NewSocket(address));
  if (connect(fd, reinterpret_cast<const sockaddr*>(&in), sizeof(in)) != 0 &&
      errno != EINPROGRESS) {
    const absl::Status status = ErrnoStatus(address);
    close(fd);
    return status;
  }
  return fd;
}

std::string AddressOf(int fd) {
  sockaddr_in in{};
  socklen_t size = sizeof(in);
  getsockname(fd, reinterpret_cast<sockaddr*>(&in), &size);
  char host[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &in.sin_addr, host, sizeof(host));
  return absl::StrCat(host, ":", ntohs(in.sin_port));
}

void RaiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace gatehouse::bench
