#include "dataplane/http/reactor.h"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "tests/unit/http/test_socket.h"

namespace gatehouse::http {
namespace {

class ReactorTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(reactor_.Start().ok()); }

  // Runs `task` on the reactor's thread and waits for its end.
  void RunThere(const std::function<void()>& task) {
    bool done = false;
    reactor_.Post([&] {
      task();
      waiter_.Change([&] { done = true; });
    });
    ASSERT_TRUE(waiter_.Await([&] { return done; }));
  }

  Waiter waiter_;
  Reactor reactor_;
};

TEST_F(ReactorTest, RunsPostsInOrderOnItsThread) {
  std::vector<int> seen;
  for (int i = 0; i < 100; ++i) {
    reactor_.Post([this, i, &seen] {
      if (reactor_.InReactorThread()) seen.push_back(i);
    });
  }
  RunThere([] {});
  ASSERT_EQ(seen.size(), 100u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_FALSE(reactor_.InReactorThread());
}

TEST_F(ReactorTest, TimersRunInTheOrderOfTheirDeadlines) {
  std::vector<int> seen;
  const auto note = [&](int which) {
    return [&, which] { waiter_.Change([&] { seen.push_back(which); }); };
  };
  reactor_.RunAfter(absl::Milliseconds(60), note(3));
  reactor_.RunAfter(absl::Milliseconds(1), note(1));
  reactor_.RunAfter(absl::Milliseconds(30), note(2));
  ASSERT_TRUE(waiter_.Await([&] { return seen.size() == 3; }));
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3}));
}

TEST_F(ReactorTest, ATimerCancelledBeforeItsTurnDoesNotRun) {
  bool ran = false;
  bool later_ran = false;
  Reactor::TimerId second = 0;
  RunThere([&] {
    // Both are due at once; the first cancels the second.
    reactor_.RunAfter(absl::ZeroDuration(),
                      [&] { reactor_.CancelTimer(second); });
    second = reactor_.RunAfter(absl::ZeroDuration(), [&] { ran = true; });
    reactor_.RunAfter(absl::Milliseconds(5),
                      [&] { waiter_.Change([&] { later_ran = true; }); });
  });
  ASSERT_TRUE(waiter_.Await([&] { return later_ran; }));
  EXPECT_FALSE(ran);
}

TEST_F(ReactorTest, ATimerArmedWhileItSleepsWakesIt) {
  RunThere([] {});  // now it sleeps without a timer
  bool ran = false;
  reactor_.RunAfter(absl::Milliseconds(1),
                    [&] { waiter_.Change([&] { ran = true; }); });
  EXPECT_TRUE(waiter_.Await([&] { return ran; }));
}

// A regression: the reactor's own timer must not make it deaf to others.
TEST_F(ReactorTest, APostAfterAnOwnTimerWakesIt) {
  for (int i = 0; i < 200; ++i) {
    RunThere([this] {
      reactor_.CancelTimer(reactor_.RunAfter(absl::Minutes(1), [] {}));
    });
  }
}

// A wake-up is never lost between a timer that another thread arms and the
// reading of an earlier wake-up: each post runs soon, whatever is armed beside.
TEST_F(ReactorTest, PostsDoNotWaitForTimersThatOtherThreadsArm) {
  std::atomic<bool> stop{false};
  std::thread arming([&] {
    // Each earlier than all before it, so that each has to wake the thread.
    absl::Duration delay = absl::Hours(10);
    while (!stop) {
      delay -= absl::Milliseconds(1);
      const Reactor::TimerId id = reactor_.RunAfter(delay, [] {});
      reactor_.CancelTimer(id);
    }
  });
  for (int i = 0; i < 20'000 && !HasFailure(); ++i) RunThere([] {});
  stop = true;
  arming.join();
}

TEST_F(ReactorTest, WatchReportsReadinessUntilUnwatched) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
  int calls = 0;
  RunThere([&] {
    ASSERT_TRUE(reactor_
                    .Watch(ends[0], EPOLLIN,
                           [&](uint32_t events) {
                             EXPECT_TRUE(events & EPOLLIN);
                             waiter_.Change([&] { ++calls; });
                           })
                    .ok());
  });
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  // Level-triggered: it is told again as long as nobody reads.
  ASSERT_TRUE(waiter_.Await([&] { return calls >= 3; }));
  int after = 0;
  RunThere([&] {
    reactor_.Unwatch(ends[0]);
    waiter_.Change([&] { after = calls; });
  });
  RunThere([] {});
  EXPECT_TRUE(waiter_.Await([&] { return calls == after; }));
  close(ends[0]);
  close(ends[1]);
}

TEST_F(ReactorTest, ADescriptorReusedWithinATurnDoesNotGetOldEvents) {
  int a[2];
  int b[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, a), 0);
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, b), 0);
  int wrong = 0;
  bool replaced = false;
  RunThere([&] {
    // Both become ready in one turn; whichever comes first replaces the other
    // by a quiet watch on the same number.
    const auto watch = [&](int mine, int other) {
      return reactor_.Watch(
          mine, EPOLLIN, [this, mine, other, &wrong, &replaced](uint32_t) {
            reactor_.Unwatch(mine);
            if (std::exchange(replaced, true)) return;
            reactor_.Unwatch(other);
            char byte;
            EXPECT_EQ(read(other, &byte, 1), 1);
            ASSERT_TRUE(
                reactor_.Watch(other, EPOLLIN, [&](uint32_t) { ++wrong; })
                    .ok());
          });
    };
    ASSERT_TRUE(watch(a[0], b[0]).ok());
    ASSERT_TRUE(watch(b[0], a[0]).ok());
    ASSERT_EQ(write(a[1], "x", 1), 1);
    ASSERT_EQ(write(b[1], "x", 1), 1);
  });
  RunThere([] {});
  RunThere([&] {
    reactor_.Unwatch(a[0]);
    reactor_.Unwatch(b[0]);
  });
  EXPECT_TRUE(replaced);
  EXPECT_EQ(wrong, 0);
  for (const int fd : {a[0], a[1], b[0], b[1]}) close(fd);
}

TEST_F(ReactorTest, StopDropsWhatIsPendingWithoutRunningIt) {
  auto token = std::make_shared<int>(0);
  bool ran = false;
  reactor_.RunAfter(absl::Minutes(1), [token, &ran] { ran = true; });
  reactor_.Stop();
  reactor_.Post([token, &ran] { ran = true; });
  EXPECT_FALSE(ran);
  EXPECT_EQ(token.use_count(), 1);
}

}  // namespace
}  // namespace gatehouse::http
