#ifndef GATEHOUSE_TESTS_BENCH_LINK_H_
#define GATEHOUSE_TESTS_BENCH_LINK_H_

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tests/bench/http_reader.h"

namespace gatehouse::bench {

// A non-blocking TCP socket with what was read off it and what is to be
// written. Thread-compatible. Owns the descriptor.
class Link {
 public:
  // `read_bytes` at least are read at a time: less costs less memory.
  static constexpr size_t kReadBytes = 64 << 10;
  explicit Link(int fd, size_t read_bytes = kReadBytes);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  int fd() const { return fd_; }
  HttpReader& reader() { return reader_; }

  // Takes in all that is there. False: the peer has closed or reset.
  bool Receive();
  // Sends `copied` and after it `lasting`, which must outlive the sending.
  // What does not fit now leaves by Flush(). False: the peer is gone.
  bool Send(std::string_view copied, std::string_view lasting = {});
  // Sends on; to be called when the socket may be written to.
  bool Flush();

 private:
  const int fd_;
  const size_t read_bytes_;
  HttpReader reader_;
  std::string copied_;
  std::string_view lasting_;
  size_t sent_ = 0;  // of copied_
};

// An edge-triggered epoll set. Thread-compatible. Owns its descriptor; each
// socket is reported under the tag that it was added with.
class Poller {
 public:
  Poller();
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  // For reading and writing. Closing the socket removes it.
  absl::Status Add(int fd, uint64_t tag);
  // Events that came within `timeout`; none if it passed. Valid until the next
  // call.
  std::span<const epoll_event> Wait(absl::Duration timeout);

 private:
  const int fd_;
  std::array<epoll_event, 256> events_;
};

// `127.0.0.1:PORT`; numeric, for every peer of a measurement is on loopback.
// Errors: INVALID_ARGUMENT for another address, UNAVAILABLE from the kernel.
absl::StatusOr<int> ListenOn(std::string_view address);
// Starts connecting; the socket is writable once it is connected.
absl::StatusOr<int> ConnectTo(std::string_view address);
// The address that a listening socket got.
std::string AddressOf(int fd);
// Raises the limit of open descriptors as far as this process may.
void RaiseDescriptorLimit();

}  // namespace gatehouse::bench

#endif  // GATEHOUSE_TESTS_BENCH_LINK_H_
