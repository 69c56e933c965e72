#include "dataplane/http/timer_heap.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace gatehouse::http {
namespace {

// Runs what is due at `now`, in order.
void RunDue(TimerHeap& heap, absl::Duration now) {
  while (const auto task = heap.TakeDue(now)) task();
}

TEST(TimerHeapTest, TheDueOnesComeByTimeAndThenInTheOrderAdded) {
  TimerHeap heap;
  std::string ran;
  heap.Add(absl::Seconds(2), [&] { ran += 'c'; });
  heap.Add(absl::Seconds(1), [&] { ran += 'a'; });
  heap.Add(absl::Seconds(1), [&] { ran += 'b'; });
  EXPECT_EQ(heap.NextDue(), absl::Seconds(1));
  RunDue(heap, absl::Milliseconds(999));
  EXPECT_EQ(ran, "");
  RunDue(heap, absl::Seconds(1));
  EXPECT_EQ(ran, "ab");
  RunDue(heap, absl::Seconds(9));
  EXPECT_EQ(ran, "abc");
  EXPECT_EQ(heap.NextDue(), absl::InfiniteDuration());
}

TEST(TimerHeapTest, ACancelledOneGivesItsTaskBackAndNeverComes) {
  TimerHeap heap;
  bool ran = false;
  const TimerHeap::Id id = heap.Add(absl::Seconds(1), [&] { ran = true; });
  EXPECT_TRUE(heap.Cancel(id) != nullptr);
  EXPECT_TRUE(heap.Cancel(id) == nullptr);
  EXPECT_TRUE(heap.Cancel(0) == nullptr);
  EXPECT_TRUE(heap.Cancel(~TimerHeap::Id{0}) == nullptr);
  // The place is used again, the id is not.
  const TimerHeap::Id next = heap.Add(absl::Seconds(2), [] {});
  EXPECT_NE(next, id);
  EXPECT_TRUE(heap.Cancel(id) == nullptr);
  RunDue(heap, absl::Seconds(9));
  EXPECT_FALSE(ran);
  EXPECT_EQ(heap.size(), 0u);
}

TEST(TimerHeapTest, AgreesWithAnOrderedMap) {
  std::mt19937 random(7);
  TimerHeap heap;
  using Key = std::pair<int, int>;  // due, which
  std::map<Key, TimerHeap::Id> model;
  std::vector<int> ran;
  int now = 0;
  for (int i = 0; i < 20'000; ++i) {
    const int what = static_cast<int>(random() % 10);
    if (what < 5) {
      const int due = now + static_cast<int>(random() % 1'000);
      model[{due, i}] =
          heap.Add(absl::Seconds(due), [&ran, i] { ran.push_back(i); });
    } else if (what < 9 && !model.empty()) {
      auto it =
          model.lower_bound({now + static_cast<int>(random() % 1'000), 0});
      if (it == model.end()) it = model.begin();
      EXPECT_TRUE(heap.Cancel(it->second) != nullptr);
      model.erase(it);
    } else {
      now += static_cast<int>(random() % 50);
      std::vector<int> want;
      while (!model.empty() && model.begin()->first.first <= now) {
        want.push_back(model.begin()->first.second);
        model.erase(model.begin());
      }
      ran.clear();
      RunDue(heap, absl::Seconds(now));
      ASSERT_EQ(ran, want);
    }
    ASSERT_EQ(heap.size(), model.size());
  }
  EXPECT_EQ(heap.TakeAll().size(), model.size());
}

}  // namespace
}  // namespace gatehouse::http
