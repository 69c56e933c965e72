#ifndef GATEHOUSE_DATAPLANE_HTTP_REACTOR_H_
#define GATEHOUSE_DATAPLANE_HTTP_REACTOR_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace gatehouse::http {

// One thread with an epoll set and timers: every socket and pipe of the worker
// that is not parked in the front is read and written here. Callbacks run on
// the reactor's thread, must be quick and must never block; real work is posted
// to a SerialQueue.
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

  // Runs `task` on the reactor's thread, soon, in the order posted.
  void Post(std::function<void()> task);
  bool InReactorThread() const;

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
  absl::Status Rewatch(int fd, uint32_t events);
  void Unwatch(int fd);  // before the descriptor is closed

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_REACTOR_H_
