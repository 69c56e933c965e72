#ifndef GATEHOUSE_TOOLS_DEMO_IO_H_
#define GATEHOUSE_TOOLS_DEMO_IO_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

// Blocking input and output of the demo programs, each call with a deadline.

namespace gatehouse::demo {

// Owns a descriptor. Movable, not copyable. Thread-compatible.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept;
  ~Fd() { Close(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  void Close();

 private:
  int fd_ = -1;
};

struct HostPort {
  std::string host;  // a numeric address or `localhost`
  uint16_t port = 0;
};

// `127.0.0.1:8800`; INVALID_ARGUMENT otherwise.
absl::StatusOr<HostPort> ParseHostPort(std::string_view text);

// UNAVAILABLE if nobody accepts within `timeout`.
absl::StatusOr<Fd> Connect(const HostPort& address, absl::Duration timeout);

// Port 0 takes any. ALREADY_EXISTS if the port is taken.
absl::StatusOr<Fd> Listen(const HostPort& address);
uint16_t LocalPort(const Fd& listener);

// Waits until `fd` can be read (or its peer is gone). False: not by `deadline`,
// which is on the steady clock.
bool WaitReadable(int fd, absl::Duration deadline);

// At most 64 KiB of what is there; empty at the end of the stream.
// DEADLINE_EXCEEDED if nothing came by `deadline`.
absl::StatusOr<std::string> ReadSome(int fd, absl::Duration deadline);

// All of it, whether or not `fd` is non-blocking. DEADLINE_EXCEEDED if the
// peer does not take it within `timeout`, UNAVAILABLE if it is gone.
absl::Status WriteAll(int fd, std::string_view bytes, absl::Duration timeout);

// Now, on the steady clock that the deadlines above are on.
absl::Duration SteadyNow();

// Cuts a stream of bytes into lines without their LF or CRLF.
// Thread-compatible.
class LineSplitter {
 public:
  explicit LineSplitter(size_t max_line_bytes)
      : max_line_bytes_(max_line_bytes) {}

  // RESOURCE_EXHAUSTED if a line is longer than allowed.
  absl::Status Feed(std::string_view bytes);
  // Moves the next whole line to `line`; false if there is none yet.
  bool Next(std::string* line);

 private:
  const size_t max_line_bytes_;
  std::string buffer_;
  size_t start_ = 0;    // of the line that Next() gives
  size_t scanned_ = 0;  // no LF before this
};

}  // namespace gatehouse::demo

#endif  // GATEHOUSE_TOOLS_DEMO_IO_H_
