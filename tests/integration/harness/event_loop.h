#ifndef GATEHOUSE_TESTS_INTEGRATION_HARNESS_EVENT_LOOP_H_
#define GATEHOUSE_TESTS_INTEGRATION_HARNESS_EVENT_LOOP_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "absl/time/time.h"

namespace gatehouse::testing {

// One thread that serves every socket of a test's scripted peers, so that two
// thousand open calls cost the test two thousand descriptors and one thread.
//
// Post() and After() are thread-safe; Watch, Modify and Unwatch only on the
// loop's own thread. Callbacks run on that thread and must not block. The
// destructor ends the thread and calls each watcher once more with kLoopEnds,
// on the destroying thread; tasks that did not run yet are dropped.
class EventLoop {
 public:
  static constexpr uint32_t kLoopEnds = 0;  // no epoll event
  using Task = std::function<void()>;
  using OnEvents = std::function<void(uint32_t epoll_events)>;

  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  void Post(Task task);
  void After(absl::Duration delay, Task task);
  // Posts and waits until it ran. Not from the loop's own thread.
  void Run(const Task& task);

  // `fd` is borrowed; Unwatch before closing it.
  void Watch(int fd, uint32_t events, OnEvents on_events);
  void Modify(int fd, uint32_t events);
  void Unwatch(int fd);

  bool OnLoopThread() const {
    return std::this_thread::get_id() == thread_.get_id();
  }

 private:
  void Serve();
  void RunDue();
  int MillisecondsToNext();
  void Wake();

  int epoll_fd_ = -1;
  int wake_fd_ = -1;
  // Only on the loop's thread.
  std::unordered_map<int, std::shared_ptr<OnEvents>> watched_;

  std::mutex mutex_;
  std::multimap<absl::Time, Task> due_;  // guarded by mutex_
  bool stopping_ = false;                // guarded by mutex_
  std::thread thread_;                   // last: it uses all of the above
};

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_HARNESS_EVENT_LOOP_H_
