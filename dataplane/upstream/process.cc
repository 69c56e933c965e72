#include "dataplane/upstream/process.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "dataplane/upstream/child_start.h"
#include "dataplane/upstream/line_buffer.h"
#include "shared/base/mutex.h"
#include "shared/base/status.h"

namespace gatehouse::upstream {
namespace {

constexpr size_t kReadBytes = 64 << 10;
constexpr int kReadsPerTurn = 4;
// What a dead child may have left in its pipes; a grandchild that lives on in
// another session could otherwise keep us reading for ever.
constexpr int kReadsAfterExit = 32;
constexpr size_t kMaxStderrLineBytes = 4 << 10;
// A child that closes its stdout is usually exiting; its status says more.
constexpr absl::Duration kExitAfterEof = absl::Milliseconds(500);

std::string DescribeExit(const siginfo_t& info) {
  if (info.si_code == CLD_EXITED) {
    return "exited with status " + std::to_string(info.si_status);
  }
  return "killed by signal " + std::to_string(info.si_status);
}

// One child, from its start to its reaping. Kept alive by its watches in the
// reactor until it is reaped. Methods run on the reactor's thread unless they
// say otherwise.
class Child : public std::enable_shared_from_this<Child> {
 public:
  Child(http::Reactor& reactor, const ProcessOptions& options,
        StartedChild started, std::shared_ptr<ProcessObserver> observer)
      : reactor_(reactor),
        max_queue_bytes_(options.max_queue_bytes),
        pid_(started.pid),
        observer_(std::move(observer)),
        fds_(std::move(started)),
        stdout_(options.max_line_bytes),
        stderr_(kMaxStderrLineBytes) {}

  // Only a stopped reactor leaves a child for here.
  ~Child() {
    const MutexLock lock(mutex_);
    if (reaped_) return;
    kill(-pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  void Begin() {
    const auto self = shared_from_this();
    absl::Status status = reactor_.Watch(fds_.pidfd.get(), EPOLLIN,
                                         [self](uint32_t) { self->OnDead(); });
    if (status.ok()) {
      status = reactor_.Watch(fds_.stdout_fd.get(), EPOLLIN,
                              [self](uint32_t) { self->OnStdout(); });
    }
    if (status.ok()) {
      status = reactor_.Watch(fds_.stderr_fd.get(), EPOLLIN,
                              [self](uint32_t) { self->OnStderr(); });
    }
    if (!status.ok()) EndBecause("could not be watched");
  }

  pid_t pid() const { return pid_; }

  bool WriteLine(std::string_view line);  // any thread
  void Stop(absl::Duration grace);        // any thread
  void KillGroup(int signal_number);      // any thread

 private:
  void FlushStdin();
  void CloseStdin();
  void OnStdout();
  void OnStderr();
  void OnDead();
  void OnStdoutEof();
  void BeginStop(absl::Duration grace);
  void EndBecause(std::string_view why);
  // False at the end of the stream.
  template <typename OnBytes>
  bool ReadSome(int fd, int reads, const OnBytes& on_bytes);
  void DrainOutput();
  void TakeStdout(std::string_view bytes);
  void Forget();

  http::Reactor& reactor_;
  const size_t max_queue_bytes_;
  const pid_t pid_;
  const std::shared_ptr<ProcessObserver> observer_;

  // The reactor's thread only.
  StartedChild fds_;
  LineBuffer stdout_;
  LineBuffer stderr_;
  bool stdin_watched_ = false;
  bool over_ = false;  // no more lines; waiting for the pidfd
  std::string why_;    // set if we ended it
  http::Reactor::TimerId timer_ = 0;

  Mutex mutex_;
  std::string queue_ ABSL_GUARDED_BY(mutex_);
  bool flush_posted_ ABSL_GUARDED_BY(mutex_) = false;
  bool accepts_lines_ ABSL_GUARDED_BY(mutex_) = true;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool reaped_ ABSL_GUARDED_BY(mutex_) = false;
};

bool Child::WriteLine(std::string_view line) {
  bool full = false;
  {
    const MutexLock lock(mutex_);
    if (!accepts_lines_) return false;
    // A line of any length may be queued when nothing waits.
    full = !queue_.empty() && queue_.size() + line.size() > max_queue_bytes_;
    if (full) {
      accepts_lines_ = false;
    } else {
      const size_t start = queue_.size();
      queue_.append(line);
      std::replace_if(
          queue_.begin() + static_cast<std::ptrdiff_t>(start), queue_.end(),
          [](char c) { return c == '\n' || c == '\r'; }, ' ');
      queue_.push_back('\n');
      if (std::exchange(flush_posted_, true)) return true;
    }
  }
  reactor_.Post([self = shared_from_this(), full] {
    if (full) {
      self->EndBecause("did not read its input");
    } else {
      self->FlushStdin();
    }
  });
  return !full;
}

void Child::FlushStdin() {
  bool closing = false;
  bool blocked = false;
  bool broken = !fds_.stdin_fd.valid();
  {
    const MutexLock lock(mutex_);
    flush_posted_ = false;
    size_t sent = 0;
    while (sent < queue_.size() && !blocked && !broken) {
      const ssize_t n = write(fds_.stdin_fd.get(), queue_.data() + sent,
                              queue_.size() - sent);
      if (n > 0) sent += static_cast<size_t>(n);
      blocked = n < 0 && errno == EAGAIN;
      broken = n < 0 && errno != EAGAIN && errno != EINTR;
    }
    queue_.erase(0, sent);
    if (queue_.empty()) queue_.shrink_to_fit();
    closing = stopping_ && queue_.empty();
    if (broken) accepts_lines_ = false;
  }
  if (broken || closing) return CloseStdin();
  if (blocked == stdin_watched_) return;
  stdin_watched_ = blocked;
  if (!blocked) return reactor_.Unwatch(fds_.stdin_fd.get());
  const absl::Status status = reactor_.Watch(
      fds_.stdin_fd.get(), EPOLLOUT,
      [self = shared_from_this()](uint32_t) { self->FlushStdin(); });
  if (!status.ok()) EndBecause("could not be watched");
}

void Child::CloseStdin() {
  if (std::exchange(stdin_watched_, false)) {
    reactor_.Unwatch(fds_.stdin_fd.get());
  }
  fds_.stdin_fd.Close();
  const MutexLock lock(mutex_);
  accepts_lines_ = false;
  queue_.clear();
  queue_.shrink_to_fit();
}

template <typename OnBytes>
bool Child::ReadSome(int fd, int reads, const OnBytes& on_bytes) {
  char buffer[kReadBytes];
  for (int i = 0; i < reads; ++i) {
    const ssize_t n = read(fd, buffer, sizeof(buffer));
    if (n == 0) return false;
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    on_bytes(std::string_view(buffer, static_cast<size_t>(n)));
  }
  return true;
}

void Child::TakeStdout(std::string_view bytes) {
  if (over_) return;
  const bool fits = stdout_.Feed(bytes, [this](std::string_view line) {
    if (!over_) observer_->OnLine(line);
  });
  if (!fits) EndBecause("wrote a line over the limit");
}

void Child::OnStdout() {
  const auto self = shared_from_this();
  if (!ReadSome(fds_.stdout_fd.get(), kReadsPerTurn,
                [this](std::string_view bytes) { TakeStdout(bytes); })) {
    OnStdoutEof();
  }
}

void Child::OnStdoutEof() {
  reactor_.Unwatch(fds_.stdout_fd.get());
  fds_.stdout_fd.Close();
  if (over_) return;
  // Beside a Stop's own timers: this one is the shorter.
  reactor_.CancelTimer(timer_);
  timer_ = reactor_.RunAfter(kExitAfterEof, [self = shared_from_this()] {
    self->EndBecause("closed its stdout");
  });
}

void Child::OnStderr() {
  const auto self = shared_from_this();
  const bool open = ReadSome(
      fds_.stderr_fd.get(), kReadsPerTurn, [this](std::string_view bytes) {
        stderr_.FeedCut(bytes, [this](std::string_view line) {
          observer_->OnStderrLine(line);
        });
      });
  if (open) return;
  reactor_.Unwatch(fds_.stderr_fd.get());
  fds_.stderr_fd.Close();
}

void Child::KillGroup(int signal_number) {
  const MutexLock lock(mutex_);
  // Until it is reaped the number is still its own.
  if (!reaped_) kill(-pid_, signal_number);
}

void Child::EndBecause(std::string_view why) {
  if (std::exchange(over_, true)) return;
  why_ = why;
  CloseStdin();
  KillGroup(SIGKILL);
}

void Child::Stop(absl::Duration grace) {
  {
    const MutexLock lock(mutex_);
    if (std::exchange(stopping_, true)) return;
    accepts_lines_ = false;
  }
  reactor_.Post([self = shared_from_this(), grace] { self->BeginStop(grace); });
}

void Child::BeginStop(absl::Duration grace) {
  if (over_ || !fds_.pidfd.valid()) return;
  FlushStdin();  // closes it once the queue is empty
  reactor_.CancelTimer(timer_);
  timer_ = reactor_.RunAfter(grace, [self = shared_from_this(), grace] {
    self->CloseStdin();
    self->KillGroup(SIGTERM);
    self->timer_ =
        self->reactor_.RunAfter(grace, [self] { self->KillGroup(SIGKILL); });
  });
}

void Child::DrainOutput() {
  if (fds_.stdout_fd.valid()) {
    ReadSome(fds_.stdout_fd.get(), kReadsAfterExit,
             [this](std::string_view bytes) { TakeStdout(bytes); });
  }
  const auto on_line = [this](std::string_view line) {
    observer_->OnStderrLine(line);
  };
  if (fds_.stderr_fd.valid()) {
    ReadSome(fds_.stderr_fd.get(), kReadsAfterExit,
             [&](std::string_view bytes) { stderr_.FeedCut(bytes, on_line); });
  }
  stderr_.FlushCut(on_line);
}

void Child::OnDead() {
  const auto self = shared_from_this();
  // While the leader is a zombie its group's number cannot be another's.
  KillGroup(SIGKILL);
  DrainOutput();
  siginfo_t info = {};
  {
    const MutexLock lock(mutex_);
    const int rc =
        waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG);
    const bool gone_elsewhere = rc < 0 && errno == ECHILD;
    if (!gone_elsewhere && info.si_pid != pid_)
      return;  // the pidfd stays ready
    reaped_ = true;
  }
  Forget();
  observer_->OnExit(why_.empty() ? DescribeExit(info) : why_);
}

void Child::Forget() {
  over_ = true;
  reactor_.CancelTimer(timer_);
  CloseStdin();
  for (Fd* fd : {&fds_.pidfd, &fds_.stdout_fd, &fds_.stderr_fd}) {
    if (!fd->valid()) continue;
    reactor_.Unwatch(fd->get());
    fd->Close();
  }
}

// What the owner holds: its end is the child's end.
class OwnedProcess : public Process {
 public:
  explicit OwnedProcess(std::shared_ptr<Child> child)
      : child_(std::move(child)) {}
  ~OwnedProcess() override { child_->KillGroup(SIGKILL); }

  pid_t pid() const override { return child_->pid(); }
  bool WriteLine(std::string_view line) override {
    return child_->WriteLine(line);
  }
  void Stop(absl::Duration grace) override { child_->Stop(grace); }

 private:
  const std::shared_ptr<Child> child_;
};

// A write to a child that is gone must be an error, not our end.
void IgnoreBrokenPipes() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    if (sigaction(SIGPIPE, nullptr, &action) == 0 &&
        action.sa_handler == SIG_DFL) {
      action.sa_handler = SIG_IGN;
      sigaction(SIGPIPE, &action, nullptr);
    }
  });
}

}  // namespace

absl::StatusOr<std::shared_ptr<Process>> Process::Spawn(
    http::Reactor& reactor, ProcessOptions options,
    std::shared_ptr<ProcessObserver> observer) {
  IgnoreBrokenPipes();
  GATEHOUSE_ASSIGN_OR_RETURN(
      StartedChild started,
      StartChild(options.command, options.env, options.run_as));
  auto child = std::make_shared<Child>(reactor, options, std::move(started),
                                       std::move(observer));
  reactor.Post([child] { child->Begin(); });
  return std::shared_ptr<Process>(
      std::make_shared<OwnedProcess>(std::move(child)));
}

}  // namespace gatehouse::upstream
