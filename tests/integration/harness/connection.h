#ifndef GATEHOUSE_TESTS_INTEGRATION_HARNESS_CONNECTION_H_
#define GATEHOUSE_TESTS_INTEGRATION_HARNESS_CONNECTION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "tests/integration/harness/event_loop.h"

namespace gatehouse::testing {

// A stream socket served by an EventLoop. Created, used and ended on the
// loop's thread only. Owns its descriptor. Kept alive by the loop until it is
// closed; `on_close` is called once, also when our own Close() ended it.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using OnData = std::function<void(std::string_view)>;
  using OnClose = std::function<void()>;

  static std::shared_ptr<Connection> Adopt(EventLoop* loop, int fd,
                                           OnData on_data, OnClose on_close);
  ~Connection();

  void Write(std::string_view data);
  // Closes once everything written has left.
  void CloseAfterWriting();
  void Close();
  // Stops and goes on reading: a peer that does not read.
  void PauseReading(bool pause);
  bool closed() const { return fd_ < 0; }

 private:
  Connection(EventLoop* loop, int fd) : loop_(loop), fd_(fd) {}
  void OnEvents(uint32_t events);
  void ReadAvailable();
  void Flush();
  void Rearm();

  EventLoop* const loop_;
  int fd_;
  OnData on_data_;
  OnClose on_close_;
  std::string unsent_;
  bool closing_ = false;
  bool paused_ = false;
};

// Listening sockets and connects, on loopback or a Unix socket path.
// `address` is `HOST:PORT` (numeric host) or `unix:PATH`.
absl::StatusOr<int> ListenOn(const std::string& address);
// Non-blocking connect; a failure to connect shows as a close.
// `receive_buffer`: bytes, of the kernel's; 0 leaves its choice.
absl::StatusOr<int> ConnectTo(const std::string& address,
                              int receive_buffer = 0);
// `127.0.0.1:PORT` of a listening TCP socket.
std::string LocalAddress(int fd);

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_HARNESS_CONNECTION_H_
