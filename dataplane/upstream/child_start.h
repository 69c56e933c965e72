#ifndef GATEHOUSE_DATAPLANE_UPSTREAM_CHILD_START_H_
#define GATEHOUSE_DATAPLANE_UPSTREAM_CHILD_START_H_

#include <sys/types.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gatehouse::upstream {

// Owns one descriptor. Movable, not copyable. Thread-compatible.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() { Close(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  void Close();

 private:
  int fd_ = -1;  // -1: none
};

// A child that was started, and our ends of its pipes (non-blocking).
struct StartedChild {
  pid_t pid = -1;
  Fd pidfd;
  Fd stdin_fd;
  Fd stdout_fd;
  Fd stderr_fd;
};

// Starts a program as process.h promises: own session, no descriptor but the
// three pipes, cwd `/`, umask 077, no new privileges, signals as after boot; as
// user `run_as` if that is not empty. Returns once the program runs, or with
// the reason why it does not: NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED,
// INVALID_ARGUMENT. Waits for the kernel's exec, at most 5 s.
//
// The kernel kills the child when the calling thread ends, so call it on a
// thread that lives as long as the worker. Thread-safe.
absl::StatusOr<StartedChild> StartChild(
    const std::vector<std::string>& command,
    const std::map<std::string, std::string>& env, const std::string& run_as);

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_DATAPLANE_UPSTREAM_CHILD_START_H_
