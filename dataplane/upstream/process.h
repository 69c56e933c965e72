#ifndef GATEHOUSE_DATAPLANE_UPSTREAM_PROCESS_H_
#define GATEHOUSE_DATAPLANE_UPSTREAM_PROCESS_H_

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "dataplane/http/reactor.h"

namespace gatehouse::upstream {

struct ProcessOptions {
  std::vector<std::string> command;        // [0] is an absolute path
  std::map<std::string, std::string> env;  // all that it gets
  std::string run_as;                      // a user's name; empty: our own
  size_t max_line_bytes = 16 << 20;
  size_t max_queue_bytes = 16 << 20;  // unread by the child; then it ends
};

// Called on the reactor's thread, never after OnExit.
class ProcessObserver {
 public:
  virtual ~ProcessObserver() = default;
  virtual void OnLine(std::string_view line) = 0;        // of stdout, no LF/CR
  virtual void OnStderrLine(std::string_view line) = 0;  // at most 4 KiB
  // Once: the child is gone and reaped, or its stdout was closed, a line was
  // over the limit, or its queue was full (it is then killed and reaped).
  virtual void OnExit(std::string_view how) = 0;
};

// A child with pipes on its three standard streams: its own process group and
// session, no descriptor inherited, cwd `/`, umask 077, no new privileges; with
// `run_as`, that user's ids and groups and none of ours. Its end is noticed
// without a waiting thread (pidfd in the reactor).
//
// Thread-safe. Ownership: borrows the reactor, shares the observer. The
// destructor kills the process group; the reactor reaps it and still reports
// OnExit. The kernel also kills the child when the thread that spawned it ends:
// spawn on one that lives as long as the worker (an executor's, the reactor's).
class Process {
 public:
  // Errors: NOT_FOUND (program, user), PERMISSION_DENIED, RESOURCE_EXHAUSTED,
  // INVALID_ARGUMENT (relative program, NUL bytes, no executable format).
  static absl::StatusOr<std::shared_ptr<Process>> Spawn(
      http::Reactor& reactor, ProcessOptions options,
      std::shared_ptr<ProcessObserver> observer);
  virtual ~Process() = default;
  virtual pid_t pid() const = 0;
  // Queues `line` and a LF. False once it is gone or no longer reads. A CR or
  // LF within the line would forge a second one and is written as a space,
  // which means the same in JSON.
  virtual bool WriteLine(std::string_view line) = 0;
  // Closes stdin; after `grace` SIGTERM to the group, after another SIGKILL.
  virtual void Stop(absl::Duration grace) = 0;
};

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_DATAPLANE_UPSTREAM_PROCESS_H_
