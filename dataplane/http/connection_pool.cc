#include "dataplane/http/connection_pool.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gatehouse::http {
namespace {

constexpr size_t kMaxIdle = 256;
constexpr size_t kMaxIdlePerKey = 64;
// Shorter than what common servers allow (Node's default is 5 s): a request
// that crosses the server's close may have run, and so is never sent again.
constexpr absl::Duration kMaxIdleTime = absl::Seconds(4);

}  // namespace

ConnectionPool::~ConnectionPool() { CloseAll(); }

std::unique_ptr<Transport> ConnectionPool::Take(const std::string& key) {
  const auto it = by_key_.find(key);
  if (it == by_key_.end()) return nullptr;
  std::unique_ptr<Transport> found;
  while (found == nullptr && !it->second.empty()) {
    const Position idle = it->second.back();
    it->second.pop_back();
    // An end or a stray byte spoils it.
    if (IsQuiet(*idle->transport)) {
      found = std::move(idle->transport);
      by_age_.erase(idle);
    } else {
      Destroy(idle);
    }
  }
  if (it->second.empty()) by_key_.erase(it);
  return found;
}

void ConnectionPool::Put(const std::string& key,
                         std::unique_ptr<Transport> transport,
                         absl::Duration now) {
  if (by_age_.size() >= kMaxIdle) CloseOldest();
  if (const auto it = by_key_.find(key);
      it != by_key_.end() && it->second.size() >= kMaxIdlePerKey) {
    Close(it->second.front()->transport->fd());
  }
  by_age_.push_back({key, std::move(transport), now});
  by_key_[key].push_back(std::prev(by_age_.end()));
}

absl::Duration ConnectionPool::CloseExpired(absl::Duration now) {
  while (!by_age_.empty() && by_age_.front().since + kMaxIdleTime <= now) {
    CloseOldest();
  }
  return by_age_.empty() ? absl::InfiniteDuration()
                         : by_age_.front().since + kMaxIdleTime;
}

void ConnectionPool::Close(int fd) {
  const auto idle =
      std::find_if(by_age_.begin(), by_age_.end(),
                   [fd](const Idle& one) { return one.transport->fd() == fd; });
  if (idle == by_age_.end()) return;
  const auto same_key = by_key_.find(idle->key);
  std::deque<Position>& places = same_key->second;
  places.erase(std::find(places.begin(), places.end(), idle));
  if (places.empty()) by_key_.erase(same_key);
  Destroy(idle);
}

void ConnectionPool::CloseAll() {
  while (!by_age_.empty()) CloseOldest();
}

void ConnectionPool::CloseOldest() {
  // The oldest of all is the oldest of its key.
  const auto it = by_key_.find(by_age_.front().key);
  it->second.pop_front();
  if (it->second.empty()) by_key_.erase(it);
  Destroy(by_age_.begin());
}

void ConnectionPool::Destroy(Position idle) {
  if (closing_) closing_(idle->transport->fd());
  idle->transport->ShutdownWrite();  // in good order, as far as it goes
  by_age_.erase(idle);
}

}  // namespace gatehouse::http
