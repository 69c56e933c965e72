#include "admin/signals.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "shared/base/clock.h"
#include "shared/base/status.h"

namespace gatehouse::admin {

absl::StatusOr<std::unique_ptr<Signals>> Signals::Take() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
  const int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  const int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (signals >= 0 && wake >= 0) {
    return std::unique_ptr<Signals>(new Signals(signals, wake));
  }
  if (signals >= 0) close(signals);
  if (wake >= 0) close(wake);
  return MakeStatus(absl::StatusCode::kResourceExhausted,
                    "signals: no descriptor is left; raise the limit of open "
                    "files");
}

Signals::~Signals() {
  close(signals_);
  close(wake_);
}

std::optional<int> Signals::Await(absl::Duration patience) {
  const SystemClock clock;
  const absl::Duration deadline = clock.Steady() + patience;
  for (;;) {
    // A millisecond more, since poll cuts what is less than one; a day at most,
    // since it counts in an int.
    const absl::Duration left = std::clamp(
        deadline - clock.Steady(), absl::ZeroDuration(), absl::Hours(24));
    pollfd fds[] = {{signals_, POLLIN, 0}, {wake_, POLLIN, 0}};
    poll(fds, 2, static_cast<int>(absl::ToInt64Milliseconds(left)) + 1);
    signalfd_siginfo info = {};
    if (read(signals_, &info, sizeof(info)) == sizeof(info)) {
      return static_cast<int>(info.ssi_signo);
    }
    uint64_t woken = 0;
    if (read(wake_, &woken, sizeof(woken)) == sizeof(woken)) {
      return std::nullopt;
    }
    if (clock.Steady() >= deadline) return std::nullopt;
  }
}

void Signals::Wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t wrote = write(wake_, &one, sizeof(one));
}

}  // namespace gatehouse::admin
