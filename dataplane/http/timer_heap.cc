#include "dataplane/http/timer_heap.h"

#include <algorithm>
#include <utility>

namespace gatehouse::http {
namespace {

constexpr size_t kMinStale = 64;  // below, nothing is tidied up

uint32_t IndexOf(TimerHeap::Id id) { return static_cast<uint32_t>(id); }
uint32_t GenerationOf(TimerHeap::Id id) {
  return static_cast<uint32_t>(id >> 32);
}

}  // namespace

TimerHeap::Id TimerHeap::Add(absl::Duration due, std::function<void()> task) {
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const uint32_t index = free_.back();
  free_.pop_back();
  Slot& slot = slots_[index];
  slot.used = true;
  slot.task = std::move(task);
  const Id id = (static_cast<Id>(slot.generation) << 32) | index;
  heap_.push_back({due, next_order_++, id});
  std::push_heap(heap_.begin(), heap_.end(), Later);
  ++live_;
  return id;
}

TimerHeap::Slot* TimerHeap::Find(Id id) {
  if (IndexOf(id) >= slots_.size()) return nullptr;
  Slot& slot = slots_[IndexOf(id)];
  return slot.used && slot.generation == GenerationOf(id) ? &slot : nullptr;
}

std::function<void()> TimerHeap::Free(Id id) {
  Slot* const slot = Find(id);
  if (slot == nullptr) return nullptr;
  slot->used = false;
  // 0 would make an id of 0 possible.
  if (++slot->generation == 0) slot->generation = 1;
  free_.push_back(IndexOf(id));
  --live_;
  return std::exchange(slot->task, nullptr);
}

std::function<void()> TimerHeap::Cancel(Id id) {
  std::function<void()> task = Free(id);
  DropStale();
  return task;
}

void TimerHeap::DropStale() {
  const size_t stale = heap_.size() - live_;
  if (stale < kMinStale || stale < live_) return;
  heap_.erase(
      std::remove_if(heap_.begin(), heap_.end(),
                     [this](const Entry& e) { return Find(e.id) == nullptr; }),
      heap_.end());
  std::make_heap(heap_.begin(), heap_.end(), Later);
}

void TimerHeap::PopFront() {
  std::pop_heap(heap_.begin(), heap_.end(), Later);
  heap_.pop_back();
}

absl::Duration TimerHeap::NextDue() {
  while (!heap_.empty() && Find(heap_.front().id) == nullptr) PopFront();
  return heap_.empty() ? absl::InfiniteDuration() : heap_.front().due;
}

std::function<void()> TimerHeap::TakeDue(absl::Duration now) {
  if (NextDue() > now) return nullptr;
  const Id id = heap_.front().id;
  PopFront();
  return Free(id);
}

std::vector<std::function<void()>> TimerHeap::TakeAll() {
  std::vector<std::function<void()>> tasks;
  for (const Entry& entry : heap_) {
    if (std::function<void()> task = Free(entry.id)) {
      tasks.push_back(std::move(task));
    }
  }
  heap_.clear();
  return tasks;
}

}  // namespace gatehouse::http
