#ifndef GATEHOUSE_SHARED_BASE_COUNTERS_H_
#define GATEHOUSE_SHARED_BASE_COUNTERS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/time/time.h"

namespace gatehouse {

// What a room counts of itself, for a scrape to read: a relaxed atomic, cheap
// enough for the path of a call. Thread-safe.
class Counter {
 public:
  void Add(int64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_{0};
};

// How often a quantity fell below each of a few bounds, and its sum. A scrape
// that reads while others add may see one addition in one number and not yet in
// the other. Thread-safe: three relaxed atomics an addition.
class Histogram {
 public:
  // Seconds, from a quick tool call to the longest review.
  static constexpr std::array<double, 16> kSeconds = {
      0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
      0.25,   0.5,   1,      2.5,   5,    10,    30,   600};
  // Of things counted: powers of two.
  static constexpr std::array<double, 16> kCounts = {
      1,   2,   4,    8,    16,   32,   64,    128,
      256, 512, 1024, 2048, 4096, 8192, 16384, 32768};

  explicit Histogram(std::span<const double, 16> bounds = kSeconds)
      : bounds_(bounds) {}

  void Add(double value) {
    size_t i = 0;
    while (i < bounds_.size() && value > bounds_[i]) ++i;
    counts_[i].Add();
    // In millionths: an integer adds without a loop.
    sum_millionths_.Add(static_cast<int64_t>(value * 1e6));
  }
  void Add(absl::Duration duration) { Add(absl::ToDoubleSeconds(duration)); }

  std::span<const double, 16> bounds() const { return bounds_; }
  // Values up to bound `i` and over the one before; the last is over them all.
  int64_t count(size_t i) const { return counts_[i].value(); }
  double sum() const {
    return static_cast<double>(sum_millionths_.value()) / 1e6;
  }

 private:
  const std::span<const double, 16> bounds_;
  std::array<Counter, 17> counts_;
  Counter sum_millionths_;
};

}  // namespace gatehouse

#endif  // GATEHOUSE_SHARED_BASE_COUNTERS_H_
