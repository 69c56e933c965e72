#include "dataplane/upstream/process_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::upstream {
namespace {

constexpr absl::Duration kCrashWindow = absl::Minutes(1);
constexpr size_t kCrashesBeforePause = 3;
constexpr absl::Duration kFirstPause = absl::Seconds(1);
constexpr absl::Duration kLongestPause = absl::Minutes(1);
constexpr absl::Duration kForgiveAfter = absl::Minutes(5);
constexpr int kDoublings = 6;  // 1 s to 64 s

}  // namespace

ProcessTable::ProcessTable(int max_per_upstream, int max_all, Clock& clock)
    : max_per_upstream_(max_per_upstream), max_all_(max_all), clock_(clock) {}

absl::Status ProcessTable::CheckPauseLocked(const std::string& key) const {
  const absl::Duration now = clock_.Steady();
  const auto history = histories_.find(key);
  if (history == histories_.end() || now >= history->second.paused_until) {
    return absl::OkStatus();
  }
  return MakeStatus(
      absl::StatusCode::kUnavailable,
      absl::StrCat(
          key, ": crashed too often, it is left alone for ",
          absl::ToInt64Milliseconds(history->second.paused_until - now),
          " ms more"));
}

int ProcessTable::RunningLocked(const std::string& key) const {
  int running = 0;
  for (const auto& [number, place] : places_) {
    if (!place.stopping && (key.empty() || place.key == key)) ++running;
  }
  return running;
}

absl::Status ProcessTable::CheckLimitsLocked(const std::string& key) const {
  if (RunningLocked(key) >= max_per_upstream_) {
    return MakeStatus(absl::StatusCode::kResourceExhausted,
                      absl::StrCat(key, ": all its ", max_per_upstream_,
                                   " processes are taken"));
  }
  if (RunningLocked("") >= max_all_ ||
      places_.size() >= 2 * static_cast<size_t>(max_all_)) {
    return MakeStatus(absl::StatusCode::kResourceExhausted,
                      absl::StrCat(key, ": all ", max_all_,
                                   " processes of the worker are "
                                   "taken"));
  }
  return absl::OkStatus();
}

std::function<void()> ProcessTable::EvictLocked(const std::string& key) {
  const bool of_key = RunningLocked(key) >= max_per_upstream_;
  Place* longest = nullptr;
  for (auto& [number, place] : places_) {
    if (place.stopping || !place.give_up) continue;
    if (of_key && place.key != key) continue;
    if (longest == nullptr || place.idle_number < longest->idle_number) {
      longest = &place;
    }
  }
  if (longest == nullptr) return nullptr;
  longest->stopping = true;
  return std::exchange(longest->give_up, nullptr);
}

absl::StatusOr<int64_t> ProcessTable::Reserve(const std::string& key) {
  std::function<void()> give_up;
  absl::StatusOr<int64_t> place = ReserveOrEvict(key, give_up);
  if (give_up) give_up();
  return place;
}

absl::StatusOr<int64_t> ProcessTable::ReserveOrEvict(
    const std::string& key, std::function<void()>& give_up) {
  const MutexLock lock(mutex_);
  GATEHOUSE_RETURN_IF_ERROR(CheckPauseLocked(key));
  if (!CheckLimitsLocked(key).ok()) give_up = EvictLocked(key);
  GATEHOUSE_RETURN_IF_ERROR(CheckLimitsLocked(key));
  const int64_t place = next_place_++;
  places_[place].key = key;
  return place;
}

void ProcessTable::MarkIdle(int64_t place, std::function<void()> give_up) {
  const MutexLock lock(mutex_);
  const auto it = places_.find(place);
  if (it == places_.end() || it->second.stopping) return;
  it->second.idle_number = next_idle_number_++;
  it->second.give_up = std::move(give_up);
}

void ProcessTable::MarkBusy(int64_t place) {
  const MutexLock lock(mutex_);
  const auto it = places_.find(place);
  if (it != places_.end()) it->second.give_up = nullptr;
}

void ProcessTable::Adopt(int64_t place, std::shared_ptr<Process> process) {
  const MutexLock lock(mutex_);
  const auto it = places_.find(place);
  if (it != places_.end()) it->second.process = std::move(process);
}

void ProcessTable::MarkStopping(int64_t place) {
  const MutexLock lock(mutex_);
  const auto it = places_.find(place);
  if (it != places_.end()) it->second.stopping = true;
}

void ProcessTable::Remove(int64_t place) {
  std::shared_ptr<Process> gone;  // destroyed after the lock is released
  const MutexLock lock(mutex_);
  const auto it = places_.find(place);
  if (it == places_.end()) return;
  gone = std::move(it->second.process);
  places_.erase(it);
}

void ProcessTable::RecordCrash(const std::string& key) {
  const absl::Duration now = clock_.Steady();
  const MutexLock lock(mutex_);
  History& history = histories_[key];
  if (now - history.last > kForgiveAfter) history.pauses = 0;
  history.last = now;
  history.crashes.push_back(now);
  while (now - history.crashes.front() > kCrashWindow) {
    history.crashes.pop_front();
  }
  if (history.crashes.size() < kCrashesBeforePause) return;
  const absl::Duration pause =
      std::min(kLongestPause, kFirstPause * (1 << history.pauses));
  history.paused_until = now + pause;
  history.pauses = std::min(history.pauses + 1, kDoublings);
  while (history.crashes.size() > kCrashesBeforePause) {
    history.crashes.pop_front();
  }
}

void ProcessTable::KillAll() {
  std::map<int64_t, Place> all;
  {
    const MutexLock lock(mutex_);
    all.swap(places_);
  }
}

}  // namespace gatehouse::upstream
