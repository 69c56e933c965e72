#include "dataplane/http/executor.h"

#include <algorithm>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "shared/base/mutex.h"

namespace gatehouse::http {
namespace {

// How many tasks a serial queue runs before it goes to the back of the pool's
// queue: a busy operation must not starve the others.
constexpr int kTasksPerTurn = 32;

}  // namespace

struct Executor::State {
  // False once stopped; the task is then dropped.
  bool Post(std::function<void()> task) {
    const MutexLock lock(mutex);
    if (stopping) return false;
    tasks.push_back(std::move(task));
    ready.notify_one();
    return true;
  }

  bool Stopping() {
    const MutexLock lock(mutex);
    return stopping;
  }

  // An empty function: stopped, and nothing is left to run.
  std::function<void()> Take() {
    const MutexLock lock(mutex);
    while (tasks.empty() && !stopping) ready.wait(mutex);
    if (tasks.empty()) return nullptr;
    std::function<void()> task = std::move(tasks.front());
    tasks.pop_front();
    return task;
  }

  void Run() {
    while (std::function<void()> task = Take()) task();
  }

  Mutex mutex;
  CondVar ready;
  std::deque<std::function<void()>> tasks ABSL_GUARDED_BY(mutex);
  std::vector<std::thread> threads ABSL_GUARDED_BY(mutex);
  bool stopping ABSL_GUARDED_BY(mutex) = false;
};

Executor::Executor(int threads) : state_(std::make_shared<State>()) {
  const MutexLock lock(state_->mutex);
  for (int i = 0; i < std::max(threads, 1); ++i) {
    state_->threads.emplace_back([state = state_] { state->Run(); });
  }
}

Executor::~Executor() { Stop(); }

void Executor::Post(std::function<void()> task) {
  state_->Post(std::move(task));
}

void Executor::Stop() {
  std::vector<std::thread> threads;
  {
    const MutexLock lock(state_->mutex);
    state_->stopping = true;
    threads.swap(state_->threads);
    state_->ready.notify_all();
  }
  for (std::thread& thread : threads) {
    // A task that stops its own pool cannot wait for itself.
    if (thread.get_id() == std::this_thread::get_id()) {
      thread.detach();
    } else {
      thread.join();
    }
  }
}

struct SerialQueue::State : std::enable_shared_from_this<State> {
  explicit State(std::shared_ptr<Executor::State> pool)
      : executor(std::move(pool)) {}

  void Post(std::function<void()> task) {
    if (executor->Stopping()) return;
    {
      const MutexLock lock(mutex);
      tasks.push_back(std::move(task));
      if (running) return;
      running = true;
    }
    if (Schedule()) return;
    std::deque<std::function<void()>> dropped;  // destroyed without the lock
    const MutexLock lock(mutex);
    dropped.swap(tasks);
    running = false;
  }

  bool Schedule() {
    return executor->Post([self = shared_from_this()] { self->Run(); });
  }

  // The next task; empty if none is left, and then nobody runs the queue.
  std::function<void()> Take() {
    const MutexLock lock(mutex);
    if (tasks.empty()) {
      running = false;
      return nullptr;
    }
    std::function<void()> task = std::move(tasks.front());
    tasks.pop_front();
    return task;
  }

  bool HasMore() {
    const MutexLock lock(mutex);
    if (tasks.empty()) running = false;
    return running;
  }

  void Run() {
    while (true) {
      for (int i = 0; i < kTasksPerTurn; ++i) {
        std::function<void()> task = Take();
        if (!task) return;
        task();
      }
      if (!HasMore() || Schedule()) return;
      // The pool has stopped: what was posted before still runs, here.
    }
  }

  const std::shared_ptr<Executor::State> executor;
  Mutex mutex;
  std::deque<std::function<void()>> tasks ABSL_GUARDED_BY(mutex);
  bool running ABSL_GUARDED_BY(mutex) = false;
};

SerialQueue::SerialQueue(Executor& executor)
    : state_(std::make_shared<State>(executor.state_)) {}

void SerialQueue::Post(std::function<void()> task) const {
  state_->Post(std::move(task));
}

}  // namespace gatehouse::http
