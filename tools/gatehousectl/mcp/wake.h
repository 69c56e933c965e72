#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_WAKE_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_WAKE_H_

#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdint>

namespace gatehouse::ctl {

// A descriptor that becomes readable when some thread calls Ring(): for a
// thread that waits in poll. Thread-safe. Owns the descriptor.
class Wake {
 public:
  Wake() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Wake() { close(fd_); }
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;

  int fd() const { return fd_; }
  void Ring() const {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t n = write(fd_, &one, sizeof(one));
  }
  void Clear() const {
    uint64_t count = 0;
    [[maybe_unused]] const ssize_t n = read(fd_, &count, sizeof(count));
  }

 private:
  const int fd_;
};

// SIGINT and SIGTERM as a descriptor; they are blocked for the calling thread
// and those that it starts. SIGPIPE is ignored. Owns the descriptor.
class EndSignals {
 public:
  EndSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    signal(SIGPIPE, SIG_IGN);
    fd_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~EndSignals() { close(fd_); }
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_WAKE_H_
