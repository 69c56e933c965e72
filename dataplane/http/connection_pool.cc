#include "dataplane/http/connection_pool.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>

namespace gatehouse::http {
namespace {

constexpr size_t kMaxIdle = 256;
constexpr absl::Duration kMaxIdleTime = absl::Seconds(60);

// An idle connection has nothing to read; an end or stray bytes spoil it.
bool StillQuiet(int fd) {
  char byte;
  const ssize_t n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n < 0 && errno == EAGAIN;
}

}  // namespace

ConnectionPool::~ConnectionPool() { CloseAll(); }

int ConnectionPool::Take(const std::string& key) {
  const auto it = by_key_.find(key);
  if (it == by_key_.end()) return -1;
  int found = -1;
  while (found < 0 && !it->second.empty()) {
    const Position idle = it->second.back();
    it->second.pop_back();
    const int fd = idle->fd;
    by_age_.erase(idle);
    if (StillQuiet(fd)) {
      found = fd;
    } else {
      close(fd);
    }
  }
  if (it->second.empty()) by_key_.erase(it);
  return found;
}

void ConnectionPool::Put(const std::string& key, int fd, absl::Duration now) {
  if (by_age_.size() >= kMaxIdle) CloseOldest();
  by_age_.push_back({key, fd, now});
  by_key_[key].push_back(std::prev(by_age_.end()));
}

absl::Duration ConnectionPool::CloseExpired(absl::Duration now) {
  while (!by_age_.empty() && by_age_.front().since + kMaxIdleTime <= now) {
    CloseOldest();
  }
  return by_age_.empty() ? absl::InfiniteDuration()
                         : by_age_.front().since + kMaxIdleTime;
}

void ConnectionPool::CloseAll() {
  while (!by_age_.empty()) CloseOldest();
}

void ConnectionPool::CloseOldest() {
  // The oldest of all is the oldest of its key.
  const auto it = by_key_.find(by_age_.front().key);
  it->second.pop_front();
  if (it->second.empty()) by_key_.erase(it);
  close(by_age_.front().fd);
  by_age_.pop_front();
}

}  // namespace gatehouse::http
