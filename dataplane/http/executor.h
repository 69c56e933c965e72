#ifndef GATEHOUSE_DATAPLANE_HTTP_EXECUTOR_H_
#define GATEHOUSE_DATAPLANE_HTTP_EXECUTOR_H_

#include <functional>
#include <memory>

namespace gatehouse::http {

// A fixed pool of threads (about 2 x cores) for what no reactor's thread has
// begun, or would take too long there. Thread-safe. Tasks must not block and
// must not wait for anyone.
class Executor {
 public:
  explicit Executor(int threads);
  ~Executor();  // stops
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  void Post(std::function<void()> task);
  // Runs what was posted before, then ends the threads. Later posts are
  // dropped.
  void Stop();

 private:
  friend class SerialQueue;
  struct State;
  std::shared_ptr<State> state_;
};

// Runs its tasks one after the other, in the order posted: what an object that
// "runs on its serial queue" needs instead of a lock. An idle queue begins on
// the thread that posts, if that is a reactor's, once the callback that it is
// in has returned; else on the executor's threads. Thread-safe. May outlive the
// executor (posts are then dropped). Copies share one queue.
class SerialQueue {
 public:
  explicit SerialQueue(Executor& executor);
  void Post(std::function<void()> task) const;
  // The same for what may take longer than a reactor's sockets should wait (it
  // reads a large message, or starts a process): runs on the executor's
  // threads only.
  void PostHeavy(std::function<void()> task) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_EXECUTOR_H_
