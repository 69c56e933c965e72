#include "admin/signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

namespace gatehouse::admin {
namespace {

TEST(SignalsTest, ASignalIsTakenInsteadOfEndingTheProcess) {
  const auto signals = Signals::Take();
  ASSERT_TRUE(signals.ok());
  kill(getpid(), SIGTERM);
  EXPECT_EQ((*signals)->Await(absl::Seconds(10)), SIGTERM);
  kill(getpid(), SIGHUP);
  EXPECT_EQ((*signals)->Await(absl::Seconds(10)), SIGHUP);
}

TEST(SignalsTest, AWaitEndsWithItsPatienceOrWhenWoken) {
  const auto signals = Signals::Take();
  ASSERT_TRUE(signals.ok());
  EXPECT_EQ((*signals)->Await(absl::Milliseconds(1)), std::nullopt);
  std::thread waker([&] { (*signals)->Wake(); });
  EXPECT_EQ((*signals)->Await(absl::InfiniteDuration()), std::nullopt);
  waker.join();
}

}  // namespace
}  // namespace gatehouse::admin
