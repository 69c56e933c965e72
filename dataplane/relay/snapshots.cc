#include "dataplane/relay/snapshots.h"

#include <algorithm>
#include <utility>

namespace gatehouse::relay {

void Snapshots::Observe(Observer observer) {
  const MutexLock lock(mutex_);
  observer_ = std::move(observer);
}

void Snapshots::ReplaceAll(std::vector<VirtualServerSnapshot> all,
                           absl::Duration policy_lease) {
  decltype(by_name_) by_name;
  for (VirtualServerSnapshot& snapshot : all) {
    std::string name = snapshot.name;
    by_name.insert_or_assign(
        std::move(name),
        std::make_shared<const VirtualServerSnapshot>(std::move(snapshot)));
  }
  const absl::Duration now = clock_.Steady();
  std::vector<std::string> changed;
  Observer observer;
  {
    const MutexLock lock(mutex_);
    by_name_.swap(by_name);
    lease_ = policy_lease;
    last_contact_ = now;
    for (const auto& [name, fresh] : by_name_) {
      const auto old = by_name.find(name);
      if (old != by_name.end() &&
          old->second->policy_version != fresh->policy_version) {
        changed.push_back(name);
      }
    }
    observer = observer_;
  }
  if (!observer) return;
  for (const std::string& name : changed) observer(name);
}

void Snapshots::Put(VirtualServerSnapshot snapshot) {
  auto fresh =
      std::make_shared<const VirtualServerSnapshot>(std::move(snapshot));
  Observer observer;
  {
    const MutexLock lock(mutex_);
    const auto it = by_name_.find(fresh->name);
    if (it != by_name_.end()) {
      // Mail that was sent again may be older than what a Welcome brought.
      const int64_t known = it->second->policy_version;
      if (known > fresh->policy_version) return;
      if (known < fresh->policy_version) observer = observer_;
    }
    by_name_.insert_or_assign(fresh->name, fresh);
  }
  if (observer) observer(fresh->name);
}

void Snapshots::Remove(std::string_view name) {
  const MutexLock lock(mutex_);
  if (const auto it = by_name_.find(name); it != by_name_.end()) {
    by_name_.erase(it);
  }
}

void Snapshots::Touch() {
  const absl::Duration now = clock_.Steady();
  const MutexLock lock(mutex_);
  // Before the first Welcome there is nothing whose lease could be extended.
  if (last_contact_.has_value()) last_contact_ = now;
}

std::shared_ptr<const VirtualServerSnapshot> Snapshots::Find(
    std::string_view name) const {
  const MutexLock lock(mutex_);
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

std::vector<std::string> Snapshots::Names() const {
  const MutexLock lock(mutex_);
  std::vector<std::string> names;
  names.reserve(by_name_.size());
  for (const auto& [name, snapshot] : by_name_) names.push_back(name);
  return names;
}

Snapshots::Trust Snapshots::trust() const {
  const absl::Duration now = clock_.Steady();
  const MutexLock lock(mutex_);
  if (!last_contact_.has_value()) return Trust::kNever;
  return now - *last_contact_ < lease_ ? Trust::kHolds : Trust::kExpired;
}

absl::Duration Snapshots::lease_left() const {
  const absl::Duration now = clock_.Steady();
  const MutexLock lock(mutex_);
  if (!last_contact_.has_value()) return absl::ZeroDuration();
  return std::max(*last_contact_ + lease_ - now, absl::ZeroDuration());
}

}  // namespace gatehouse::relay
