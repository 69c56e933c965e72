#include "dataplane/worker/upstream_health.h"

#include <algorithm>

namespace gatehouse::worker {
namespace {

constexpr size_t kMaxUpstreams = 4096;
// In the order of UpstreamObserver::Completion.
constexpr std::array<std::string_view, 3> kCompletions = {"told", "unknown",
                                                          "malformed"};

bool IsNamed(const relay::Snapshots& snapshots,
             const std::string& virtual_server, const std::string& upstream) {
  const auto snapshot = snapshots.Find(virtual_server);
  return snapshot != nullptr &&
         std::any_of(snapshot->upstreams.begin(), snapshot->upstreams.end(),
                     [&](const relay::UpstreamTarget& target) {
                       return target.upstream == upstream;
                     });
}

}  // namespace

UpstreamHealth::Entry* UpstreamHealth::FindLocked(
    std::string_view virtual_server, std::string_view upstream) {
  const Key key(virtual_server, upstream);
  const auto it = entries_.find(key);
  if (it != entries_.end()) return &it->second;
  return entries_.size() < kMaxUpstreams ? &entries_[key] : nullptr;
}

void UpstreamHealth::OnSession(std::string_view virtual_server,
                               std::string_view upstream, SessionEvent event) {
  const MutexLock lock(mutex_);
  Entry* const entry = FindLocked(virtual_server, upstream);
  if (entry == nullptr) return;
  switch (event) {
    case SessionEvent::kOpened:
      entry->up = true;
      ++entry->opened;
      ++entry->sessions;
      break;
    case SessionEvent::kFailed:
      entry->up = false;
      ++entry->failed;
      break;
    case SessionEvent::kClosed:
      // One that began before the entry was forgotten may end after.
      entry->sessions = std::max<int64_t>(entry->sessions - 1, 0);
      break;
  }
}

void UpstreamHealth::OnTrouble(std::string_view virtual_server,
                               std::string_view upstream, Reason reason) {
  const MutexLock lock(mutex_);
  Entry* const entry = FindLocked(virtual_server, upstream);
  if (entry != nullptr) ++entry->troubles[reason];
}

void UpstreamHealth::OnElicitationComplete(std::string_view virtual_server,
                                           std::string_view upstream,
                                           Completion completion) {
  const MutexLock lock(mutex_);
  Entry* const entry = FindLocked(virtual_server, upstream);
  if (entry == nullptr) return;
  ++entry->completions[static_cast<size_t>(completion)];
}

void UpstreamHealth::OnProcessStarted(std::string_view virtual_server,
                                      std::string_view upstream) {
  const MutexLock lock(mutex_);
  Entry* const entry = FindLocked(virtual_server, upstream);
  if (entry != nullptr) ++entry->processes;
}

void UpstreamHealth::AddTo(admin::MetricsPage& page,
                           const relay::Snapshots& snapshots) {
  const MutexLock lock(mutex_);
  std::erase_if(entries_, [&](const auto& one) {
    return one.second.sessions == 0 &&
           !IsNamed(snapshots, one.first.first, one.first.second);
  });
  for (const auto& [key, entry] : entries_) {
    const admin::MetricsPage::Labels labels = {{"virtual_server", key.first},
                                               {"upstream", key.second}};
    if (entry.up.has_value()) {
      page.Gauge("gatehouse_worker_upstream_up",
                 "1 if the last handshake with the upstream came about, else 0",
                 *entry.up ? 1 : 0, labels);
    }
    page.Gauge("gatehouse_worker_upstream_sessions",
               "open physical sessions with the upstream",
               static_cast<double>(entry.sessions), labels);
    page.Counter("gatehouse_worker_upstream_sessions_opened_total",
                 "physical sessions opened with the upstream",
                 static_cast<double>(entry.opened), labels);
    page.Counter("gatehouse_worker_upstream_handshakes_failed_total",
                 "physical sessions that could not be opened",
                 static_cast<double>(entry.failed), labels);
    page.Counter("gatehouse_worker_upstream_processes_started_total",
                 "processes started of a stdio upstream",
                 static_cast<double>(entry.processes), labels);
    for (size_t i = 0; i < entry.completions.size(); ++i) {
      if (entry.completions[i] == 0) continue;
      admin::MetricsPage::Labels with_outcome = labels;
      with_outcome.emplace_back("outcome", kCompletions[i]);
      page.Counter("gatehouse_worker_upstream_elicitations_complete_total",
                   "notices of the upstream that a user is done at a URL",
                   static_cast<double>(entry.completions[i]), with_outcome);
    }
    for (const auto& [reason, count] : entry.troubles) {
      admin::MetricsPage::Labels with_reason = labels;
      with_reason.emplace_back("reason", RowOf(reason).counter);
      page.Counter("gatehouse_worker_upstream_troubles_total",
                   "what went wrong with the upstream, malformed messages "
                   "among it",
                   static_cast<double>(count), with_reason);
    }
  }
}

}  // namespace gatehouse::worker
