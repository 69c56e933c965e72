#include "dataplane/upstream/child_start.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared/base/status.h"

namespace gatehouse::upstream {
namespace {

constexpr int kExecDeadlineMs = 5'000;
// Where the child keeps the pipe that tells of a failed exec.
constexpr int kReportFd = 3;

// What the child must do, made ready before the fork: between fork and exec
// only async-signal-safe calls are allowed, so nothing there may allocate.
struct ChildPlan {
  std::vector<char*> argv;
  std::vector<char*> envp;
  std::vector<std::string> env_text;
  bool change_user = false;
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
  pid_t parent = 0;
  int stdin_fd = -1, stdout_fd = -1, stderr_fd = -1, report_fd = -1;
};

// Sent by the child through the report pipe when it cannot become the program.
struct ChildFailure {
  char step = 0;  // 'u': changing user, 'p': preparing, 'x': exec
  int error = 0;
};

[[noreturn]] void FailInChild(char step) {
  ChildFailure failure;
  failure.step = step;
  failure.error = errno;
  [[maybe_unused]] const ssize_t n =
      write(kReportFd, &failure, sizeof(failure));
  _exit(127);
}

// Raw system calls: glibc's wrappers would signal the threads that the fork
// left behind. Groups first, the user last, for after that nothing may change.
void BecomeUserInChild(const ChildPlan& plan) {
  if (syscall(SYS_setgroups, plan.groups.size(), plan.groups.data()) != 0 ||
      syscall(SYS_setresgid, plan.gid, plan.gid, plan.gid) != 0 ||
      syscall(SYS_setresuid, plan.uid, plan.uid, plan.uid) != 0) {
    FailInChild('u');
  }
  uid_t real = 0, effective = 0, saved = 0;
  gid_t real_group = 0, effective_group = 0, saved_group = 0;
  getresuid(&real, &effective, &saved);
  getresgid(&real_group, &effective_group, &saved_group);
  const bool is_user =
      real == plan.uid && effective == plan.uid && saved == plan.uid;
  const bool is_group = real_group == plan.gid && effective_group == plan.gid &&
                        saved_group == plan.gid;
  const bool way_back = plan.uid != 0 && syscall(SYS_setresuid, 0, 0, 0) == 0;
  if (!is_user || !is_group || way_back) {
    errno = EPERM;
    FailInChild('u');
  }
}

void ResetSignalsInChild() {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) {
    sigaction(number, &action, nullptr);  // fails for KILL and STOP: fine
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void RunChild(const ChildPlan& plan) {
  // The sources are all above 3 (MakePipe), so no step overwrites another's.
  dup3(plan.report_fd, kReportFd, O_CLOEXEC);
  if (dup2(plan.stdin_fd, 0) < 0 || dup2(plan.stdout_fd, 1) < 0 ||
      dup2(plan.stderr_fd, 2) < 0 ||
      syscall(SYS_close_range, kReportFd + 1, ~0U, 0) != 0) {
    FailInChild('p');
  }
  if (setsid() < 0) FailInChild('p');
  if (plan.change_user) BecomeUserInChild(plan);
  umask(077);
  if (chdir("/") != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    FailInChild('p');
  }
  // After the change of user, which clears it.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) FailInChild('p');
  if (getppid() != plan.parent) _exit(127);  // it died before that took hold
  ResetSignalsInChild();
  execve(plan.argv[0], plan.argv.data(), plan.envp.data());
  FailInChild('x');
}

absl::Status ErrnoStatus(int error, std::string_view what) {
  const std::string message =
      std::string(what) + ": " + std::string(strerror(error));
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return MakeStatus(absl::StatusCode::kNotFound, message);
    case EACCES:
    case EPERM:
      return MakeStatus(absl::StatusCode::kPermissionDenied, message);
    case ENOEXEC:
    case E2BIG:
    case ELOOP:
    case ENAMETOOLONG:
      return MakeStatus(absl::StatusCode::kInvalidArgument, message);
    default:
      return MakeStatus(absl::StatusCode::kResourceExhausted, message);
  }
}

struct Pipe {
  Fd read_end;
  Fd write_end;
};

// Both ends close on exec and are above kReportFd, also in a process that was
// started without its own standard streams.
absl::StatusOr<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return ErrnoStatus(errno, "pipe");
  Pipe made{Fd(ends[0]), Fd(ends[1])};
  for (Fd* end : {&made.read_end, &made.write_end}) {
    if (end->get() > kReportFd) continue;
    Fd moved(fcntl(end->get(), F_DUPFD_CLOEXEC, kReportFd + 1));
    if (!moved.valid()) return ErrnoStatus(errno, "pipe");
    *end = std::move(moved);
  }
  return made;
}

absl::Status PlanUser(const std::string& run_as, ChildPlan& plan) {
  if (geteuid() != 0) {
    return MakeStatus(absl::StatusCode::kPermissionDenied,
                      "run as '" + run_as +
                          "': only root can change user; start the worker as "
                          "root or leave runAs out");
  }
  std::vector<char> buffer(16 << 10);
  passwd entry = {};
  passwd* found = nullptr;
  const int error =
      getpwnam_r(run_as.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (found == nullptr) {
    if (error == ENOMEM || error == EMFILE || error == ENFILE) {
      return ErrnoStatus(error, "run as '" + run_as + "'");
    }
    return MakeStatus(absl::StatusCode::kNotFound,
                      "run as '" + run_as + "': no such user");
  }
  plan.change_user = true;
  plan.uid = entry.pw_uid;
  plan.gid = entry.pw_gid;
  int count = 64;
  plan.groups.resize(count);
  if (getgrouplist(run_as.c_str(), plan.gid, plan.groups.data(), &count) < 0) {
    plan.groups.resize(count);
    if (getgrouplist(run_as.c_str(), plan.gid, plan.groups.data(), &count) <
        0) {
      return MakeStatus(absl::StatusCode::kResourceExhausted,
                        "run as '" + run_as + "': the groups do not fit");
    }
  }
  plan.groups.resize(count);
  return absl::OkStatus();
}

bool HasNul(const std::string& text) {
  return text.find('\0') != std::string::npos;
}

// The pointers lead into `command` and the plan's own texts.
absl::Status PlanProgram(const std::vector<std::string>& command,
                         const std::map<std::string, std::string>& env,
                         ChildPlan& plan) {
  if (command.empty() || !command[0].starts_with('/')) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      (command.empty() ? "command" : command[0]) +
                          ": the program must be an absolute path");
  }
  for (const std::string& word : command) {
    if (HasNul(word)) {
      return MakeStatus(absl::StatusCode::kInvalidArgument,
                        command[0] + ": an argument holds a NUL byte");
    }
    plan.argv.push_back(const_cast<char*>(word.c_str()));
  }
  for (const auto& [name, value] : env) {
    if (name.empty() || name.find('=') != std::string::npos || HasNul(name) ||
        HasNul(value)) {
      return MakeStatus(absl::StatusCode::kInvalidArgument,
                        command[0] + ": env '" + name +
                            "' cannot be passed; names have no '=' or NUL");
    }
    plan.env_text.push_back(name + "=" + value);
  }
  for (std::string& text : plan.env_text) plan.envp.push_back(text.data());
  plan.argv.push_back(nullptr);
  plan.envp.push_back(nullptr);
  return absl::OkStatus();
}

// All signals are blocked around the fork, so that no handler of ours runs in
// the child before it has reset them.
pid_t ForkWithSignalsBlocked(const ChildPlan& plan) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = fork();
  if (pid == 0) RunChild(plan);
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

// Nothing: the program runs (its exec closed the pipe).
std::optional<ChildFailure> AwaitExec(int report_fd) {
  pollfd wait = {report_fd, POLLIN, 0};
  int ready = 0;
  do {
    ready = poll(&wait, 1, kExecDeadlineMs);
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) return ChildFailure{'x', ETIMEDOUT};
  ChildFailure failure;
  ssize_t n = 0;
  do {
    n = read(report_fd, &failure, sizeof(failure));
  } while (n < 0 && errno == EINTR);
  if (n == 0) return std::nullopt;
  if (n != sizeof(failure)) return ChildFailure{'p', EIO};
  return failure;
}

void KillAndReap(pid_t pid) {
  kill(pid, SIGKILL);
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

void Fd::Close() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

absl::StatusOr<StartedChild> StartChild(
    const std::vector<std::string>& command,
    const std::map<std::string, std::string>& env, const std::string& run_as) {
  ChildPlan plan;
  GATEHOUSE_RETURN_IF_ERROR(PlanProgram(command, env, plan));
  if (!run_as.empty()) GATEHOUSE_RETURN_IF_ERROR(PlanUser(run_as, plan));
  GATEHOUSE_ASSIGN_OR_RETURN(Pipe in, MakePipe());
  GATEHOUSE_ASSIGN_OR_RETURN(Pipe out, MakePipe());
  GATEHOUSE_ASSIGN_OR_RETURN(Pipe err, MakePipe());
  GATEHOUSE_ASSIGN_OR_RETURN(Pipe report, MakePipe());
  plan.parent = getpid();
  plan.stdin_fd = in.read_end.get();
  plan.stdout_fd = out.write_end.get();
  plan.stderr_fd = err.write_end.get();
  plan.report_fd = report.write_end.get();
  for (const int fd :
       {in.write_end.get(), out.read_end.get(), err.read_end.get()}) {
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  }

  StartedChild child;
  child.pid = ForkWithSignalsBlocked(plan);
  if (child.pid < 0) return ErrnoStatus(errno, command[0] + ": fork");
  report.write_end.Close();
  if (const auto failure = AwaitExec(report.read_end.get())) {
    KillAndReap(child.pid);
    return ErrnoStatus(failure->error,
                       failure->step == 'u'
                           ? command[0] + ": running as '" + run_as + "'"
                           : command[0]);
  }
  child.pidfd = Fd(static_cast<int>(syscall(SYS_pidfd_open, child.pid, 0)));
  if (!child.pidfd.valid()) {
    const int error = errno;
    KillAndReap(child.pid);
    return ErrnoStatus(error, command[0] + ": watching the process");
  }
  child.stdin_fd = std::move(in.write_end);
  child.stdout_fd = std::move(out.read_end);
  child.stderr_fd = std::move(err.read_end);
  return child;
}

}  // namespace gatehouse::upstream
