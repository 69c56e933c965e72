#include "dataplane/http/executor.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "dataplane/http/reactor.h"
#include "shared/base/mutex.h"

namespace gatehouse::http {
namespace {

// How many tasks a serial queue runs before it goes to the back of the pool's
// queue: a busy operation must not starve the others.
constexpr size_t kTasksPerTurn = 32;

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
  // Set under the mutex, so that a post is before it or dropped.
  std::atomic<bool> stopping{false};
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
  struct Task {
    std::function<void()> run;
    bool heavy = false;
  };

  explicit State(std::shared_ptr<Executor::State> pool)
      : executor(std::move(pool)) {}

  void Post(Task task) {
    if (executor->stopping) return;
    const bool heavy = task.heavy;
    {
      const MutexLock lock(mutex);
      tasks.push_back(std::move(task));
      if (running) return;
      running = true;
    }
    if (!Schedule(heavy)) Drop();
  }

  // Nobody will run what is left.
  void Drop() {
    std::vector<Task> dropped;  // destroyed without the lock
    const MutexLock lock(mutex);
    dropped.swap(tasks);
    next = 0;
    running = false;
  }

  // False if the pool has stopped and this thread is no reactor's.
  bool Schedule(bool heavy) {
    if (heavy || !Reactor::InAnyReactorThread()) return ScheduleInPool();
    Reactor::PostHere([here = std::make_shared<TurnHere>(shared_from_this())] {
      here->Run();
    });
    return true;
  }
  bool ScheduleInPool() {
    return executor->Post(
        [self = shared_from_this()] { self->Run(/*in_pool=*/true); });
  }

  // A turn on a reactor's thread. If the reactor stops before it comes, the
  // pool takes it: else what waits in the queue would wait for ever, and keep
  // alive whatever it holds.
  class TurnHere {
   public:
    explicit TurnHere(std::shared_ptr<State> queue)
        : queue_(std::move(queue)) {}
    ~TurnHere() {
      if (queue_ != nullptr && !queue_->ScheduleInPool()) queue_->Drop();
    }
    TurnHere(const TurnHere&) = delete;
    TurnHere& operator=(const TurnHere&) = delete;
    void Run() { std::exchange(queue_, nullptr)->Run(/*in_pool=*/false); }

   private:
    std::shared_ptr<State> queue_;
  };

  enum class Next { kTask, kNone, kHeavy };
  // kNone: none is left, and then nobody runs the queue.
  Next Take(bool in_pool, std::function<void()>& task) {
    const MutexLock lock(mutex);
    if (next == tasks.size()) {
      tasks.clear();
      next = 0;
      running = false;
      return Next::kNone;
    }
    if (tasks[next].heavy && !in_pool) return Next::kHeavy;
    task = std::move(tasks[next++].run);
    if (next >= kTasksPerTurn && next * 2 >= tasks.size()) {
      tasks.erase(tasks.begin(),
                  tasks.begin() + static_cast<std::ptrdiff_t>(next));
      next = 0;
    }
    return Next::kTask;
  }

  bool HasMore() {
    const MutexLock lock(mutex);
    if (next == tasks.size()) running = false;
    return running;
  }

  void Run(bool in_pool) {
    while (true) {
      for (size_t i = 0; i < kTasksPerTurn; ++i) {
        std::function<void()> task;
        switch (Take(in_pool, task)) {
          case Next::kNone:
            return;
          case Next::kHeavy:
            if (Schedule(/*heavy=*/true)) return;
            in_pool = true;  // the pool has stopped: what was posted still runs
            continue;
          case Next::kTask:
            task();
        }
      }
      if (!HasMore() || Schedule(/*heavy=*/false)) return;
      // The pool has stopped: what was posted before still runs, here.
    }
  }

  const std::shared_ptr<Executor::State> executor;
  Mutex mutex;
  // Not a deque, whose least is half a kilobyte: there is a queue for each
  // call.
  std::vector<Task> tasks ABSL_GUARDED_BY(mutex);
  size_t next ABSL_GUARDED_BY(mutex) = 0;  // those before it have run
  bool running ABSL_GUARDED_BY(mutex) = false;
};

SerialQueue::SerialQueue(Executor& executor)
    : state_(std::make_shared<State>(executor.state_)) {}

void SerialQueue::Post(std::function<void()> task) const {
  state_->Post({std::move(task)});
}

void SerialQueue::PostHeavy(std::function<void()> task) const {
  state_->Post({std::move(task), /*heavy=*/true});
}

}  // namespace gatehouse::http
