#ifndef GATEHOUSE_DATAPLANE_HTTP_REACTOR_H_
#define GATEHOUSE_DATAPLANE_HTTP_REACTOR_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace gatehouse::http {

// One thread with an epoll set and timers: sockets and pipes are read and
// written here. Callbacks run on the reactor's thread, must be quick (well
// under a millisecond) and must never block. What they post to an idle
// SerialQueue runs on this thread too, once the callback has returned: so a
// call that asks nobody wakes no other thread. What may take longer is posted
// as heavy (see SerialQueue).
//
// Thread-safe: every method may be called from any thread. Ownership: the
// reactor does not own the descriptors that it watches.
class Reactor {
 public:
  Reactor();
  ~Reactor();  // stops
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  absl::Status Start();
  // Ends the thread after the callback that runs now. Pending posts and timers
  // are dropped (destroyed, not run). Idempotent.
  void Stop();

  // Runs `task` on the reactor's thread, soon, in the order that the calling
  // thread posted.
  void Post(std::function<void()> task);
  bool InReactorThread() const;
  static bool InAnyReactorThread();
  // Runs `task` on the calling thread, which is a reactor's, as soon as the
  // callback that it is in has returned.
  static void PostHere(std::function<void()> task);

  using TimerId = uint64_t;  // never 0
  // Runs `task` once, on the reactor's thread, not before `delay` has passed.
  TimerId RunAfter(absl::Duration delay, std::function<void()> task);
  // After this returns on the reactor's thread the task will not run; from
  // another thread it may be running. An unknown id is ignored.
  void CancelTimer(TimerId id);

  // Calls `ready(events)` (EPOLLIN, EPOLLOUT, ...) level-triggered while `fd`
  // is ready. One watch a descriptor; on the reactor's thread only.
  absl::Status Watch(int fd, uint32_t events,
                     std::function<void(uint32_t)> ready);
  // Other events; other ones and another callback. Free of charge where the
  // events are the same.
  absl::Status Rewatch(int fd, uint32_t events);
  absl::Status Rewatch(int fd, uint32_t events,
                       std::function<void(uint32_t)> ready);
  void Unwatch(int fd);  // before the descriptor is closed

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The reactors of a worker, one for each core: a client's connection lives on
// one of them, and the upstream connections of its calls on the same.
// Thread-safe.
class ReactorPool {
 public:
  explicit ReactorPool(int count);  // at least 1
  ~ReactorPool() { Stop(); }
  ReactorPool(const ReactorPool&) = delete;
  ReactorPool& operator=(const ReactorPool&) = delete;

  absl::Status Start();
  void Stop();  // as Reactor::Stop, one after the other

  size_t size() const { return reactors_.size(); }
  Reactor& at(size_t index) { return *reactors_[index]; }
  // Where timers and pipes live.
  Reactor& first() { return *reactors_.front(); }
  // The index of the calling thread's own reactor; of one after the other for
  // a thread that is none of these.
  size_t Here();
  size_t Next() { return next_.fetch_add(1) % reactors_.size(); }

 private:
  std::vector<std::unique_ptr<Reactor>> reactors_;  // fixed at construction
  std::atomic<size_t> next_{0};
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_REACTOR_H_
