#include "dataplane/http/executor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "dataplane/http/reactor.h"
#include "tests/unit/http/test_socket.h"

namespace gatehouse::http {
namespace {

TEST(ExecutorTest, RunsWhatWasPostedBeforeStop) {
  std::atomic<int> ran{0};
  Executor executor(2);
  for (int i = 0; i < 1000; ++i) executor.Post([&ran] { ++ran; });
  executor.Stop();
  EXPECT_EQ(ran, 1000);
}

TEST(ExecutorTest, DropsWhatIsPostedAfterStop) {
  Executor executor(1);
  executor.Stop();
  auto token = std::make_shared<int>(0);
  bool ran = false;
  executor.Post([token, &ran] { ran = true; });
  EXPECT_FALSE(ran);
  EXPECT_EQ(token.use_count(), 1);  // destroyed, not kept
}

TEST(SerialQueueTest, KeepsTheOrderOfEachPosterAndNeverOverlaps) {
  Executor executor(4);
  const SerialQueue queue(executor);
  constexpr int kPosters = 4;
  constexpr int kTasks = 500;
  std::atomic<int> inside{0};
  std::atomic<bool> overlapped{false};
  // Only the queue's tasks touch it: that it needs no lock is what is tested.
  std::vector<std::vector<int>> seen(kPosters);
  std::vector<std::thread> posters;
  for (int p = 0; p < kPosters; ++p) {
    posters.emplace_back([&, p] {
      for (int i = 0; i < kTasks; ++i) {
        queue.Post([&, p, i] {
          if (++inside != 1) overlapped = true;
          seen[p].push_back(i);
          --inside;
        });
      }
    });
  }
  for (std::thread& poster : posters) poster.join();
  executor.Stop();
  EXPECT_FALSE(overlapped);
  for (const auto& numbers : seen) {
    ASSERT_EQ(numbers.size(), kTasks);
    EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  }
}

// Else what waits in it would keep alive whatever it holds, the queue included.
TEST(SerialQueueTest, AReactorThatStopsLeavesItsTurnToThePool) {
  Executor executor(1);
  const SerialQueue queue(executor);
  auto token = std::make_shared<int>(0);
  std::atomic<int> ran{0};
  {
    Reactor reactor;
    ASSERT_TRUE(reactor.Start().ok());
    std::promise<void> posted;
    reactor.Post([&] {
      reactor.Stop();  // nothing that is posted from now on runs here
      queue.Post([token, queue, &ran] { ++ran; });
      posted.set_value();
    });
    posted.get_future().wait();
  }
  executor.Stop();
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(token.use_count(), 1);
}

TEST(SerialQueueTest, ABusyQueueDoesNotStarveAnother) {
  Executor executor(1);
  const SerialQueue busy(executor);
  const SerialQueue other(executor);
  Waiter waiter;
  bool other_ran = false;
  bool finished = false;
  // It always has a next task until the other queue has had its turn.
  std::function<void()> again = [&] {
    bool done = false;
    waiter.Change([&] { done = finished = other_ran; });
    if (!done) busy.Post(again);
  };
  busy.Post(again);
  other.Post([&] { waiter.Change([&] { other_ran = true; }); });
  EXPECT_TRUE(waiter.Await([&] { return finished; }));
  executor.Stop();
}

TEST(SerialQueueTest, MayOutliveItsExecutor) {
  auto executor = std::make_unique<Executor>(1);
  const SerialQueue queue(*executor);
  executor.reset();
  bool ran = false;
  queue.Post([&ran] { ran = true; });
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace gatehouse::http
