#include "tests/integration/harness/event_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "absl/time/clock.h"
#include "tests/integration/harness/wait.h"

namespace gatehouse::testing {

EventLoop::EventLoop()
    : epoll_fd_(epoll_create1(EPOLL_CLOEXEC)),
      wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = wake_fd_;
  epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, wake_fd_, &event);
  thread_ = std::thread([this] { Serve(); });
}

EventLoop::~EventLoop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  Wake();
  thread_.join();
  // Whoever still watches may let go of its descriptor and of what it holds.
  const auto left = std::exchange(watched_, {});
  for (const auto& [fd, on_events] : left) (*on_events)(kLoopEnds);
  due_.clear();
  close(wake_fd_);
  close(epoll_fd_);
}

void EventLoop::Post(Task task) {
  After(absl::ZeroDuration(), std::move(task));
}

void EventLoop::After(absl::Duration delay, Task task) {
  {
    const std::lock_guard lock(mutex_);
    due_.emplace(absl::Now() + delay, std::move(task));
  }
  Wake();
}

void EventLoop::Run(const Task& task) {
  Signal signal;
  bool done = false;
  Post([&] {
    task();
    signal.Change([&] { done = true; });
  });
  signal.WaitUntil(absl::Hours(1), [&] { return done; });
}

void EventLoop::Watch(int fd, uint32_t events, OnEvents on_events) {
  watched_[fd] = std::make_shared<OnEvents>(std::move(on_events));
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event);
}

void EventLoop::Modify(int fd, uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  epoll_ctl(epoll_fd_, EPOLL_CTL_MOD, fd, &event);
}

void EventLoop::Unwatch(int fd) {
  epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, fd, nullptr);
  watched_.erase(fd);
}

void EventLoop::Wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t n = write(wake_fd_, &one, sizeof(one));
}

int EventLoop::MillisecondsToNext() {
  const std::lock_guard lock(mutex_);
  if (due_.empty()) return 1000;
  const absl::Duration left = due_.begin()->first - absl::Now();
  if (left <= absl::ZeroDuration()) return 0;
  return static_cast<int>(
      std::min<int64_t>(absl::ToInt64Milliseconds(left) + 1, 1000));
}

void EventLoop::RunDue() {
  std::vector<Task> tasks;
  {
    const std::lock_guard lock(mutex_);
    const auto end = due_.upper_bound(absl::Now());
    for (auto it = due_.begin(); it != end; ++it) {
      tasks.push_back(std::move(it->second));
    }
    due_.erase(due_.begin(), end);
  }
  for (const Task& task : tasks) task();
}

void EventLoop::Serve() {
  std::array<epoll_event, 128> events;
  for (;;) {
    const int count = epoll_wait(epoll_fd_, events.data(), events.size(),
                                 MillisecondsToNext());
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
    }
    for (int i = 0; i < count; ++i) {
      if (events[i].data.fd == wake_fd_) {
        uint64_t ignored = 0;
        [[maybe_unused]] const ssize_t n =
            read(wake_fd_, &ignored, sizeof(ignored));
        continue;
      }
      const auto it = watched_.find(events[i].data.fd);
      if (it == watched_.end()) continue;  // unwatched by an earlier callback
      const std::shared_ptr<OnEvents> keep = it->second;
      (*keep)(events[i].events);
    }
    RunDue();
  }
}

}  // namespace gatehouse::testing
