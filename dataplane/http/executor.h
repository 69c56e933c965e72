#ifndef GATEHOUSE_DATAPLANE_HTTP_EXECUTOR_H_
#define GATEHOUSE_DATAPLANE_HTTP_EXECUTOR_H_

#include <functional>
#include <memory>

namespace gatehouse::http {

// A fixed pool of threads (about 2 x cores) on which serial queues run.
// Thread-safe. Tasks must not block and must not wait for anyone.
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

// Runs its tasks one after the other, in the order posted, on the executor's
// threads: what an object that "runs on its serial queue" needs instead of a
// lock. Thread-safe. May outlive the executor (posts are then dropped).
// Copies share one queue.
class SerialQueue {
 public:
  explicit SerialQueue(Executor& executor);
  void Post(std::function<void()> task) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_EXECUTOR_H_
