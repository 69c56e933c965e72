#include "tools/demo/io.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "shared/base/clock.h"
#include "shared/base/status.h"

namespace gatehouse::demo {
namespace {

constexpr int kBacklog = 64;

absl::StatusOr<sockaddr_in> SocketAddress(const HostPort& address) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(address.port);
  const std::string host =
      address.host == "localhost" ? "127.0.0.1" : address.host;
  if (inet_pton(AF_INET, host.c_str(), &result.sin_addr) != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(address.host, ": give a numeric IPv4 address"));
  }
  return result;
}

absl::StatusOr<Fd> StreamSocket() {
  Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return absl::ErrnoToStatus(errno, "socket");
  const int one = 1;
  // Without it a small message waits for the acknowledgement of the last one.
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  return fd;
}

// Waits for `events` on `fd` until `deadline`; false if it came first.
bool WaitFor(int fd, int16_t events, absl::Duration deadline) {
  for (;;) {
    const absl::Duration left = deadline - SteadyNow();
    if (left <= absl::ZeroDuration()) return false;
    const int64_t ms =
        absl::ToInt64Milliseconds(std::min(left, absl::Minutes(1))) + 1;
    pollfd entry{fd, events, 0};
    const int ready = poll(&entry, 1, static_cast<int>(ms));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return true;  // the call after it fails
  }
}

}  // namespace

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    Close();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void Fd::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

absl::StatusOr<HostPort> ParseHostPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  HostPort result;
  if (colon != std::string_view::npos && colon > 0) {
    const std::string_view digits = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(
        digits.data(), digits.data() + digits.size(), result.port);
    if (error == std::errc() && end == digits.data() + digits.size()) {
      result.host = std::string(text.substr(0, colon));
      return result;
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(
      ToAbsl(text), ": expected HOST:PORT, such as 127.0.0.1:8800"));
}

absl::StatusOr<Fd> Connect(const HostPort& address, absl::Duration timeout) {
  GATEHOUSE_ASSIGN_OR_RETURN(const sockaddr_in target, SocketAddress(address));
  GATEHOUSE_ASSIGN_OR_RETURN(Fd fd, StreamSocket());
  const std::string name = absl::StrCat(address.host, ":", address.port);
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&target),
              sizeof(target)) == 0) {
    return fd;
  }
  if (errno != EINPROGRESS) return absl::UnavailableError(name);
  if (!WaitFor(fd.get(), POLLOUT, SteadyNow() + timeout)) {
    return absl::UnavailableError(absl::StrCat(name, ": no answer in time"));
  }
  int error = 0;
  socklen_t size = sizeof(error);
  getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) {
    return absl::UnavailableError(
        absl::StrCat(name, ": nobody listens there (error ", error, ")"));
  }
  return fd;
}

absl::StatusOr<Fd> Listen(const HostPort& address) {
  GATEHOUSE_ASSIGN_OR_RETURN(const sockaddr_in local, SocketAddress(address));
  GATEHOUSE_ASSIGN_OR_RETURN(Fd fd, StreamSocket());
  const int one = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
  if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&local),
           sizeof(local)) != 0 ||
      listen(fd.get(), kBacklog) != 0) {
    return absl::ErrnoToStatus(
        errno, absl::StrCat(address.host, ":", address.port,
                            ": cannot listen there; choose another port"));
  }
  return fd;
}

uint16_t LocalPort(const Fd& listener) {
  sockaddr_in local{};
  socklen_t size = sizeof(local);
  getsockname(listener.get(), reinterpret_cast<sockaddr*>(&local), &size);
  return ntohs(local.sin_port);
}

bool WaitReadable(int fd, absl::Duration deadline) {
  return WaitFor(fd, POLLIN, deadline);
}

absl::StatusOr<std::string> ReadSome(int fd, absl::Duration deadline) {
  std::string buffer(64 << 10, '\0');
  for (;;) {
    if (!WaitReadable(fd, deadline)) {
      return absl::DeadlineExceededError("nothing came in time");
    }
    const ssize_t count = read(fd, buffer.data(), buffer.size());
    if (count >= 0) {
      buffer.resize(static_cast<size_t>(count));
      return buffer;
    }
    if (errno != EINTR && errno != EAGAIN) {
      return absl::ErrnoToStatus(errno, "read");
    }
  }
}

absl::Status WriteAll(int fd, std::string_view bytes, absl::Duration timeout) {
  const absl::Duration deadline = SteadyNow() + timeout;
  while (!bytes.empty()) {
    if (!WaitFor(fd, POLLOUT, deadline)) {
      return absl::DeadlineExceededError("the peer does not read");
    }
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (errno != EINTR && errno != EAGAIN) {
      return absl::UnavailableError("the peer is gone");
    }
  }
  return absl::OkStatus();
}

absl::Duration SteadyNow() { return SystemClock().Steady(); }

absl::Status LineSplitter::Feed(std::string_view bytes) {
  // What was handed out is dropped only here, so that Next() is cheap.
  buffer_.erase(0, start_);
  scanned_ -= start_;
  start_ = 0;
  buffer_.append(bytes);
  const size_t last = buffer_.rfind('\n');
  const size_t open = last == std::string::npos ? 0 : last + 1;
  if (buffer_.size() - open > max_line_bytes_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a line is longer than ", max_line_bytes_, " bytes"));
  }
  return absl::OkStatus();
}

bool LineSplitter::Next(std::string* line) {
  const size_t end = buffer_.find('\n', scanned_);
  if (end == std::string::npos) {
    scanned_ = buffer_.size();
    return false;
  }
  *line = buffer_.substr(start_, end - start_);
  if (!line->empty() && line->back() == '\r') line->pop_back();
  start_ = scanned_ = end + 1;
  return true;
}

}  // namespace gatehouse::demo
