#include "dataplane/http/reactor.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <deque>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dataplane/http/timer_heap.h"
#include "shared/base/clock.h"
#include "shared/base/mutex.h"
#include "shared/base/status.h"

namespace gatehouse::http {
namespace {

constexpr int kEventsPerTurn = 256;
constexpr uint64_t kWakeToken = 0;
// Of what callbacks leave to be run after them, so much between two of them:
// what goes on for ever must not keep the sockets waiting.
constexpr int kLocalTasksPerCallback = 256;

// What the current thread, if it is a reactor's, runs after the callback that
// it is in.
thread_local std::deque<std::function<void()>>* local_tasks = nullptr;

absl::Status SystemError(std::string_view what) {
  return MakeStatus(absl::StatusCode::kInternal,
                    std::string(what) + ": " + strerror(errno));
}

}  // namespace

using Ready = std::shared_ptr<const std::function<void(uint32_t)>>;

struct Reactor::State {
  // Epoll reports the token, not the descriptor: a descriptor that is closed
  // and opened anew within one turn must not get the old one's events.
  struct Watched {
    uint64_t token;
    uint32_t events;
    Ready ready;
  };

  State()
      : epoll_fd(epoll_create1(EPOLL_CLOEXEC)),
        wake_fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~State() {
    if (wake_fd >= 0) close(wake_fd);
    if (epoll_fd >= 0) close(epoll_fd);
  }

  void Wake() {
    const uint64_t one = 1;
    // Fails only if the counter is full, and then the thread wakes anyway.
    [[maybe_unused]] const ssize_t n = write(wake_fd, &one, sizeof(one));
  }

  // Also the order between the threads: what happened before a Post happened
  // before its task, through `mutex` (epoll's own order is invisible to TSan).
  std::deque<std::function<void()>> TakePosts() {
    const MutexLock lock(mutex);
    return std::exchange(posts, {});
  }

  bool Stopping() const { return stopping; }

  std::function<void()> TakeDueTimer(absl::Duration now) {
    const MutexLock lock(mutex);
    return timers.TakeDue(now);
  }

  // For epoll_wait: milliseconds, rounded up so that no turn is in vain.
  int TimeoutMs() {
    const MutexLock lock(mutex);
    // From here on whoever posts must wake the thread. Not where the posts are
    // taken: a wake-up between that and the read of the event would be read
    // with it and leave this true for ever.
    wake_pending = false;
    if (!posts.empty() || !local.empty() || stopping) return 0;
    const absl::Duration next = timers.NextDue();
    if (next == absl::InfiniteDuration()) return -1;
    const absl::Duration left = next - clock.Steady();
    if (left <= absl::ZeroDuration()) return 0;
    const int64_t ms =
        absl::ToInt64Milliseconds(absl::Ceil(left, absl::Milliseconds(1)));
    return static_cast<int>(std::min<int64_t>(ms, 60'000));
  }

  void Dispatch(const epoll_event& event) {
    if (event.data.u64 == kWakeToken) {
      uint64_t count;
      [[maybe_unused]] const ssize_t n = read(wake_fd, &count, sizeof(count));
      return;
    }
    const auto it = by_token.find(event.data.u64);
    if (it == by_token.end()) return;  // unwatched by an earlier callback
    const auto ready = watched.at(it->second).ready;  // survives Unwatch
    (*ready)(event.events);
  }

  void RunTimers() {
    // Those due now only: a timer that re-arms itself with no delay must not
    // keep the sockets waiting.
    const absl::Duration now = clock.Steady();
    while (!Stopping()) {
      const std::function<void()> task = TakeDueTimer(now);
      if (!task) return;
      task();
      RunLocal();
    }
  }

  void RunLocal() {
    for (int i = 0; i < kLocalTasksPerCallback && !local.empty(); ++i) {
      const std::function<void()> task = std::move(local.front());
      local.pop_front();
      if (Stopping()) return;
      task();
    }
  }

  void Run() {
    std::array<epoll_event, kEventsPerTurn> events;
    while (!Stopping()) {
      const int n =
          epoll_wait(epoll_fd, events.data(), kEventsPerTurn, TimeoutMs());
      RunLocal();
      for (auto& task : TakePosts()) {
        if (Stopping()) return;
        std::exchange(task, nullptr)();
        RunLocal();
      }
      for (int i = 0; i < n; ++i) {
        if (Stopping()) return;
        Dispatch(events[i]);
        RunLocal();
      }
      RunTimers();
    }
  }

  const SystemClock clock;
  const int epoll_fd;
  const int wake_fd;

  // The reactor's thread only (and Stop, once that has ended).
  std::deque<std::function<void()>> local;
  std::unordered_map<int, Watched> watched;
  std::unordered_map<uint64_t, int> by_token;
  uint64_t next_token = kWakeToken + 1;

  Mutex mutex;
  std::thread thread ABSL_GUARDED_BY(mutex);
  // Set under the mutex, so that a post is before it or dropped.
  std::atomic<bool> stopping{false};
  bool wake_pending ABSL_GUARDED_BY(mutex) = false;
  std::deque<std::function<void()>> posts ABSL_GUARDED_BY(mutex);
  TimerHeap timers ABSL_GUARDED_BY(mutex);
};

Reactor::Reactor() : state_(std::make_unique<State>()) {}

Reactor::~Reactor() { Stop(); }

absl::Status Reactor::Start() {
  if (state_->epoll_fd < 0 || state_->wake_fd < 0) {
    return MakeStatus(absl::StatusCode::kResourceExhausted,
                      "reactor: no descriptor left for epoll; raise the limit "
                      "of open files");
  }
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u64 = kWakeToken;
  if (epoll_ctl(state_->epoll_fd, EPOLL_CTL_ADD, state_->wake_fd, &event) < 0) {
    return SystemError("reactor: watching its own wake-up");
  }
  const MutexLock lock(state_->mutex);
  if (state_->stopping) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      "reactor: was stopped; make a new one");
  }
  State* const state = state_.get();
  state_->thread = std::thread([state] {
    local_tasks = &state->local;
    state->Run();
  });
  return absl::OkStatus();
}

void Reactor::Stop() {
  std::thread thread;
  {
    const MutexLock lock(state_->mutex);
    state_->stopping = true;
    if (!InReactorThread()) thread.swap(state_->thread);
  }
  state_->Wake();
  if (InReactorThread()) return;  // whoever destroys the reactor joins it
  if (thread.joinable()) thread.join();
  // What these own may call back into the reactor while it is destroyed.
  std::deque<std::function<void()>> local;
  std::deque<std::function<void()>> posts;
  std::vector<std::function<void()>> timers;
  std::unordered_map<int, State::Watched> watched;
  {
    const MutexLock lock(state_->mutex);
    posts.swap(state_->posts);
    timers = state_->timers.TakeAll();
  }
  watched.swap(state_->watched);
  local.swap(state_->local);
  state_->by_token.clear();
}

void Reactor::Post(std::function<void()> task) {
  if (InReactorThread()) {
    if (!state_->Stopping()) state_->local.push_back(std::move(task));
    return;
  }
  bool wake = false;
  {
    const MutexLock lock(state_->mutex);
    if (state_->stopping) return;
    state_->posts.push_back(std::move(task));
    wake = !std::exchange(state_->wake_pending, true);
  }
  if (wake) state_->Wake();
}

bool Reactor::InAnyReactorThread() { return local_tasks != nullptr; }

void Reactor::PostHere(std::function<void()> task) {
  local_tasks->push_back(std::move(task));
}

bool Reactor::InReactorThread() const { return local_tasks == &state_->local; }

Reactor::TimerId Reactor::RunAfter(absl::Duration delay,
                                   std::function<void()> task) {
  TimerId id = 0;
  bool wake = false;
  const absl::Duration due =
      state_->clock.Steady() + std::max(delay, absl::ZeroDuration());
  {
    const MutexLock lock(state_->mutex);
    const bool sooner = due < state_->timers.NextDue();
    id = state_->timers.Add(due, std::move(task));
    if (state_->stopping || delay == absl::InfiniteDuration()) {
      task = state_->timers.Cancel(id);  // destroyed without the lock
    } else {
      wake = sooner && !InReactorThread() &&
             !std::exchange(state_->wake_pending, true);
    }
  }
  if (wake) state_->Wake();
  return id;
}

void Reactor::CancelTimer(TimerId id) {
  std::function<void()> dropped;  // destroyed without the lock
  const MutexLock lock(state_->mutex);
  dropped = state_->timers.Cancel(id);
}

absl::Status Reactor::Watch(int fd, uint32_t events,
                            std::function<void(uint32_t)> ready) {
  const uint64_t token = state_->next_token++;
  epoll_event event = {};
  event.events = events;
  event.data.u64 = token;
  if (epoll_ctl(state_->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0) {
    return SystemError("reactor: watching a descriptor");
  }
  state_->watched[fd] = {
      token, events,
      std::make_shared<const std::function<void(uint32_t)>>(std::move(ready))};
  state_->by_token[token] = fd;
  return absl::OkStatus();
}

absl::Status Reactor::Rewatch(int fd, uint32_t events) {
  const auto it = state_->watched.find(fd);
  if (it == state_->watched.end()) {
    return MakeStatus(absl::StatusCode::kNotFound,
                      "reactor: the descriptor is not watched");
  }
  if (it->second.events == events) return absl::OkStatus();
  epoll_event event = {};
  event.events = events;
  event.data.u64 = it->second.token;
  if (epoll_ctl(state_->epoll_fd, EPOLL_CTL_MOD, fd, &event) < 0) {
    return SystemError("reactor: changing what is watched");
  }
  it->second.events = events;
  return absl::OkStatus();
}

absl::Status Reactor::Rewatch(int fd, uint32_t events,
                              std::function<void(uint32_t)> ready) {
  GATEHOUSE_RETURN_IF_ERROR(Rewatch(fd, events));
  Ready& place = state_->watched.find(fd)->second.ready;
  const Ready before = std::exchange(
      place,
      std::make_shared<const std::function<void(uint32_t)>>(std::move(ready)));
  return absl::OkStatus();  // what `before` owns may call back into here
}

void Reactor::Unwatch(int fd) {
  const auto it = state_->watched.find(fd);
  if (it == state_->watched.end()) return;
  epoll_ctl(state_->epoll_fd, EPOLL_CTL_DEL, fd, nullptr);
  const auto ready = it->second.ready;  // may own its way back to here
  state_->by_token.erase(it->second.token);
  state_->watched.erase(it);
}

ReactorPool::ReactorPool(int count) {
  for (int i = 0; i < std::max(count, 1); ++i) {
    reactors_.push_back(std::make_unique<Reactor>());
  }
}

absl::Status ReactorPool::Start() {
  for (const auto& reactor : reactors_) {
    GATEHOUSE_RETURN_IF_ERROR(reactor->Start());
  }
  return absl::OkStatus();
}

void ReactorPool::Stop() {
  for (const auto& reactor : reactors_) reactor->Stop();
}

size_t ReactorPool::Here() {
  for (size_t i = 0; i < reactors_.size(); ++i) {
    if (reactors_[i]->InReactorThread()) return i;
  }
  return Next();
}

}  // namespace gatehouse::http
