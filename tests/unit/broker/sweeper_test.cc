#include "controlplane/broker/sweeper.h"

#include <gtest/gtest.h>

#include <chrono>
#include <utility>
#include <vector>

#include "tests/unit/broker/broker_fixture.h"

namespace gatehouse::broker {
namespace {

using Time = std::chrono::steady_clock::time_point;

// Keeps what comes of each Work until the test lets it out, as a disk does that
// is slow. Notes when each Work came.
class SlowStore final : public Store {
 public:
  explicit SlowStore(Store& inner) : inner_(inner) {}

  void Run(Work work, Done done) override {
    {
      const MutexLock lock(mutex_);
      came_.push_back(std::chrono::steady_clock::now());
      changed_.notify_all();
    }
    inner_.Run(std::move(work),
               [this, done = std::move(done)](absl::Status status) {
                 {
                   const MutexLock lock(mutex_);
                   while (held_) changed_.wait(mutex_);
                 }
                 done(std::move(status));
               });
  }

  void Hold(bool held) {
    const MutexLock lock(mutex_);
    held_ = held;
    changed_.notify_all();
  }
  // When the `count`th Work came; the epoch if it did not within `patience`.
  Time Came(size_t count, std::chrono::milliseconds patience) {
    const Time deadline = std::chrono::steady_clock::now() + patience;
    const MutexLock lock(mutex_);
    while (came_.size() < count &&
           changed_.wait_until(mutex_, deadline) != std::cv_status::timeout) {
    }
    return came_.size() < count ? Time() : came_[count - 1];
  }

 private:
  Store& inner_;
  Mutex mutex_;
  CondVar changed_;
  bool held_ ABSL_GUARDED_BY(mutex_) = true;
  std::vector<Time> came_ ABSL_GUARDED_BY(mutex_);
};

class SweeperTest : public BrokerFixture {};

// The answer to a sweep once was taken for the end of the pause before the
// next.
TEST_F(SweeperTest, PausesBetweenSweepsAlsoWhereTheStoreIsSlow) {
  SlowStore slow(*store_);
  Broker broker(slow, random_, keys_);
  const Sweeper sweeper(broker);
  const Time first = slow.Came(1, std::chrono::seconds(10));
  ASSERT_NE(first, Time());
  // The answer comes while the sweeper pauses, not before.
  EXPECT_EQ(slow.Came(2, std::chrono::milliseconds(50)), Time());
  slow.Hold(false);
  const Time second = slow.Came(2, std::chrono::seconds(10));
  ASSERT_NE(second, Time());
  EXPECT_GE(second - first, std::chrono::milliseconds(190));
}

// What `/readyz` of the control plane goes by: a store that does not answer is
// seen, while the thread itself still turns.
TEST_F(SweeperTest, ThePulseTellsAStoreThatDoesNotAnswerFromOneThatDoes) {
  SlowStore slow(*store_);
  Broker broker(slow, random_, keys_);
  Sweeper sweeper(broker);
  ASSERT_NE(slow.Came(1, std::chrono::seconds(10)), Time());
  // Nothing is carried out meanwhile.
  EXPECT_EQ(slow.Came(2, std::chrono::milliseconds(50)), Time());
  EXPECT_GE(sweeper.pulse().since_sweep, absl::Milliseconds(50));
  const Time released = std::chrono::steady_clock::now();
  slow.Hold(false);
  // The second sweep comes only after the first was answered.
  ASSERT_NE(slow.Came(2, std::chrono::seconds(10)), Time());
  EXPECT_LE(sweeper.pulse().since_sweep,
            absl::FromChrono(std::chrono::steady_clock::now() - released));
  EXPECT_LT(sweeper.pulse().since_turn, absl::Seconds(10));
}

}  // namespace
}  // namespace gatehouse::broker
