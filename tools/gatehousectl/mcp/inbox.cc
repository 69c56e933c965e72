#include "tools/gatehousectl/mcp/inbox.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "shared/json/json.h"
#include "shared/mcp/envelope.h"

namespace gatehouse::ctl {
namespace {

constexpr size_t kMaxWaitingBytes = 16 << 20;
constexpr std::string_view kCancelled = "notifications/cancelled";

bool IsReadable(int fd) {
  pollfd ready = {fd, POLLIN, 0};
  return poll(&ready, 1, 0) > 0;
}

// Whether a message withdraws request `id`.
bool Withdraws(const std::string& message, std::string_view id) {
  if (message.find(kCancelled) == std::string::npos) return false;
  const auto document = json::Document::Parse(message);
  if (!document.ok()) return false;
  const auto method = document->root().Find("method");
  const auto params = document->root().Find("params");
  const auto which = params ? params->Find("requestId") : std::nullopt;
  return method && method->IsString() && *method->String() == kCancelled &&
         which && which->raw() == id;
}

bool IsNotification(const std::string& message) {
  const auto envelope = mcp::ParseEnvelope(message);
  return envelope.ok() && envelope->kind == mcp::MessageKind::kNotification;
}

}  // namespace

void Inbox::Put(Arrival arrival) {
  {
    const MutexLock lock(mutex_);
    const size_t size = arrival.message.size();
    if (bytes_ + size > kMaxWaitingBytes && IsNotification(arrival.message)) {
      return;
    }
    bytes_ += size;
    arrivals_.push_back(std::move(arrival));
  }
  wake_.Ring();
}

bool Inbox::interrupted() const { return IsReadable(signals_.fd()); }

Inbox::Outcome Inbox::Take(absl::Duration at_most, Arrival* arrival) {
  const auto deadline =
      std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(at_most);
  for (;;) {
    wake_.Clear();
    {
      const MutexLock lock(mutex_);
      if (!arrivals_.empty()) {
        *arrival = std::move(arrivals_.front());
        arrivals_.pop_front();
        bytes_ -= arrival->message.size();
        return Outcome::kArrival;
      }
    }
    if (interrupted()) return Outcome::kInterrupted;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return Outcome::kTimedOut;
    pollfd ready[] = {{wake_.fd(), POLLIN, 0}, {signals_.fd(), POLLIN, 0}};
    constexpr int64_t kLongestPoll = 3'600'000;
    poll(ready, 2,
         static_cast<int>(std::min<int64_t>(left.count(), kLongestPoll)));
  }
}

bool Inbox::Withdrawn(std::string_view id) {
  wake_.Clear();
  if (interrupted()) return true;
  const MutexLock lock(mutex_);
  return std::any_of(
      arrivals_.begin(), arrivals_.end(), [id](const Arrival& arrival) {
        return arrival.end.has_value() || Withdraws(arrival.message, id);
      });
}

}  // namespace gatehouse::ctl
