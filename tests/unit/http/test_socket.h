#ifndef GATEHOUSE_TESTS_UNIT_HTTP_TEST_SOCKET_H_
#define GATEHOUSE_TESTS_UNIT_HTTP_TEST_SOCKET_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "shared/base/mutex.h"

namespace gatehouse::http {

inline constexpr int kTestDeadlineSeconds = 10;

// A blocking socket for tests whose every wait ends after 10 s. Movable.
class TestSocket {
 public:
  explicit TestSocket(int fd) : fd_(fd) {
    const timeval limit = {kTestDeadlineSeconds, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  }
  TestSocket(TestSocket&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)),
        connected_(other.connected_),
        ended_(other.ended_),
        seen_(std::move(other.seen_)) {}
  TestSocket& operator=(TestSocket&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(connected_, other.connected_);
    std::swap(ended_, other.ended_);
    std::swap(seen_, other.seen_);
    return *this;
  }
  ~TestSocket() { Close(); }

  // `receive_buffer`: bytes; 0 leaves the kernel's choice.
  static TestSocket Connect(int port, int receive_buffer = 0) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_buffer > 0) {
      setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer,
                 sizeof(receive_buffer));
    }
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    TestSocket made(fd);
    made.connected_ = connect(fd, reinterpret_cast<sockaddr*>(&address),
                              sizeof(address)) == 0;
    return made;
  }
  static TestSocket ConnectV6(int port) {
    sockaddr_in6 address = {};
    address.sin6_family = AF_INET6;
    address.sin6_addr = in6addr_loopback;
    address.sin6_port = htons(static_cast<uint16_t>(port));
    TestSocket made(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    made.connected_ = connect(made.fd_, reinterpret_cast<sockaddr*>(&address),
                              sizeof(address)) == 0;
    return made;
  }
  bool connected() const { return connected_; }
  int fd() const { return fd_; }

  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    return true;
  }

  // Everything up to and with `mark`, taken off; empty if it does not come.
  std::string ReadUntil(std::string_view mark) {
    while (true) {
      const size_t at = seen_.find(mark);
      if (at != std::string::npos) {
        std::string taken = seen_.substr(0, at + mark.size());
        seen_.erase(0, at + mark.size());
        return taken;
      }
      if (!ReadMore()) return {};
    }
  }
  // Everything up to the peer's close.
  std::string ReadToEnd() {
    while (ReadMore()) {
    }
    return std::exchange(seen_, {});
  }

  // After ReadToEnd: it ended, and was neither reset nor late.
  bool ended() const { return ended_; }

  void ShutdownWrite() { shutdown(fd_, SHUT_WR); }
  void Close() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }
  // Closes with a reset instead of an end.
  void Reset() {
    const linger at_once = {1, 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    Close();
  }

 private:
  bool ReadMore() {
    char buffer[64 << 10];
    const ssize_t n = recv(fd_, buffer, sizeof(buffer), 0);
    ended_ = n == 0;
    if (n <= 0) return false;
    seen_.append(buffer, static_cast<size_t>(n));
    return true;
  }

  int fd_;
  bool connected_ = false;
  bool ended_ = false;
  std::string seen_;
};

// A listening socket whose connections a test plays by hand.
class TestListener {
 public:
  TestListener() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval limit = {kTestDeadlineSeconds, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    bind(fd_, reinterpret_cast<sockaddr*>(&address), size);
    listen(fd_, 64);
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~TestListener() { Close(); }

  int port() const { return port_; }
  TestSocket Accept() { return TestSocket(accept(fd_, nullptr, nullptr)); }
  void Close() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
  int port_ = 0;
};

// Something that other threads do and a test waits for. Thread-safe.
class Waiter {
 public:
  // Calls `change` under the lock that Await's condition is read under.
  void Change(const std::function<void()>& change) {
    const MutexLock lock(mutex_);
    change();
    changed_.notify_all();
  }
  // False if `condition` is not true within 10 s.
  bool Await(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() +
                          std::chrono::seconds(kTestDeadlineSeconds);
    const MutexLock lock(mutex_);
    while (!condition()) {
      if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) {
        return condition();
      }
    }
    return true;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
};

// Polls what has no condition to wait on, such as a counter; 10 s at most.
inline bool Eventually(const std::function<bool()>& condition) {
  Mutex mutex;
  CondVar never;
  const auto deadline = std::chrono::steady_clock::now() +
                        std::chrono::seconds(kTestDeadlineSeconds);
  const MutexLock lock(mutex);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    never.wait_for(mutex, std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace gatehouse::http

#endif  // GATEHOUSE_TESTS_UNIT_HTTP_TEST_SOCKET_H_
