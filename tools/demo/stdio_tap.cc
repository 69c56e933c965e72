#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "tools/demo/tap.h"

namespace gatehouse::demo {
namespace {

constexpr size_t kMaxLineBytes = 16 << 20;
constexpr absl::Duration kWriteTimeout = absl::Seconds(30);
constexpr absl::Duration kChildGrace = absl::Seconds(2);

// The process behind the tap. Ends it on every path.
class Child {
 public:
  static absl::StatusOr<Child> Start(const std::vector<std::string>& command);
  Child(Child&& other) noexcept = default;
  ~Child();

  // Waits for its end: politely at first, then by force.
  int Wait();
  void Terminate() { kill(pid_.get_pid(), SIGTERM); }

  Fd input;
  Fd output;

 private:
  // A pid that is moved, never copied.
  class Pid {
   public:
    explicit Pid(pid_t pid) : pid_(pid) {}
    Pid(Pid&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
    pid_t get_pid() const { return pid_; }
    void Clear() { pid_ = -1; }

   private:
    pid_t pid_;
  };
  Child(pid_t pid, Fd to, Fd from)
      : input(std::move(to)), output(std::move(from)), pid_(pid) {}
  // True once it is reaped.
  bool WaitFor(absl::Duration time, int* status);

  Pid pid_;
};

[[noreturn]] void RunChild(std::vector<char*>& arguments, int in, int out) {
  // What main() blocked or ignores is no business of the command.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a killed tap leaves nothing running
  execv(arguments[0], arguments.data());
  _exit(127);
}

absl::StatusOr<Child> Child::Start(const std::vector<std::string>& command) {
  int to[2];
  int from[2];
  if (pipe2(to, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  Fd to_read(to[0]);
  Fd to_write(to[1]);
  if (pipe2(from, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  Fd from_read(from[0]);
  Fd from_write(from[1]);
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  const pid_t pid = fork();
  if (pid < 0) return absl::ErrnoToStatus(errno, "fork");
  if (pid == 0) RunChild(arguments, to_read.get(), from_write.get());
  return Child(pid, std::move(to_write), std::move(from_read));
}

bool Child::WaitFor(absl::Duration time, int* status) {
  // The end of the child is the end of its stdout, unless it closed that
  // early; so the wait is on SIGCHLD, which main() blocked.
  const absl::Duration deadline = SteadyNow() + time;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  for (;;) {
    if (waitpid(pid_.get_pid(), status, WNOHANG) != 0) return true;
    const absl::Duration left = deadline - SteadyNow();
    if (left <= absl::ZeroDuration()) return false;
    const timespec timeout = absl::ToTimespec(left);
    sigtimedwait(&set, nullptr, &timeout);
  }
}

int Child::Wait() {
  input.Close();
  int status = 0;
  if (!WaitFor(kChildGrace, &status)) {
    Terminate();
    if (!WaitFor(kChildGrace, &status)) {
      kill(pid_.get_pid(), SIGKILL);
      waitpid(pid_.get_pid(), &status, 0);
    }
  }
  pid_.Clear();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Child::~Child() {
  if (pid_.get_pid() > 0) Wait();
}

// One direction: what it read is recorded line by line, then passed on.
class Lane {
 public:
  Lane(bool to_server, RecordingWriter* recording)
      : to_server_(to_server), recording_(recording), lines_(kMaxLineBytes) {}

  absl::Status Pass(std::string_view bytes, int to) {
    GATEHOUSE_RETURN_IF_ERROR(lines_.Feed(bytes));
    std::string line;
    while (lines_.Next(&line)) {
      if (line.empty()) continue;
      GATEHOUSE_RETURN_IF_ERROR(
          recording_->Append({.to_server = to_server_,
                              .channel = absl::StrCat(getpid()),
                              .http = "",
                              .message = std::move(line)}));
    }
    return WriteAll(to, bytes, kWriteTimeout);
  }

 private:
  const bool to_server_;
  RecordingWriter* const recording_;
  LineSplitter lines_;
};

// Reads what is there and passes it on; false once the stream has ended.
absl::StatusOr<bool> Move(int from, int to, Lane* lane) {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string bytes,
                             ReadSome(from, SteadyNow() + absl::Seconds(1)));
  if (bytes.empty()) return false;
  GATEHOUSE_RETURN_IF_ERROR(lane->Pass(bytes, to));
  return true;
}

absl::Status PassUntilEnd(Child* child, RecordingWriter* recording, int stop) {
  Lane to_server(true, recording);
  Lane to_client(false, recording);
  for (;;) {
    pollfd entries[3] = {{stop, POLLIN, 0},
                         {child->output.get(), POLLIN, 0},
                         {child->input.valid() ? STDIN_FILENO : -1, POLLIN, 0}};
    if (poll(entries, 3, -1) < 0) {
      if (errno == EINTR) continue;
      return absl::ErrnoToStatus(errno, "poll");
    }
    if (entries[0].revents != 0) return absl::OkStatus();
    if (entries[1].revents != 0) {
      GATEHOUSE_ASSIGN_OR_RETURN(
          const bool more,
          Move(child->output.get(), STDOUT_FILENO, &to_client));
      if (!more) return absl::OkStatus();
    }
    if (entries[2].revents != 0) {
      GATEHOUSE_ASSIGN_OR_RETURN(
          const bool more, Move(STDIN_FILENO, child->input.get(), &to_server));
      if (!more) child->input.Close();
    }
  }
}

}  // namespace

absl::StatusOr<int> RunStdioTap(const std::vector<std::string>& command,
                                RecordingWriter recording, int stop) {
  GATEHOUSE_ASSIGN_OR_RETURN(Child child, Child::Start(command));
  const absl::Status passed = PassUntilEnd(&child, &recording, stop);
  const int code = child.Wait();
  if (!passed.ok()) return passed;
  return code;
}

}  // namespace gatehouse::demo
