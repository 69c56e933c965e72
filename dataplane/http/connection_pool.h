#ifndef GATEHOUSE_DATAPLANE_HTTP_CONNECTION_POOL_H_
#define GATEHOUSE_DATAPLANE_HTTP_CONNECTION_POOL_H_

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "absl/time/time.h"
#include "dataplane/http/transport.h"

namespace gatehouse::http {

// Idle client connections, by key (whom they lead to): at most 64 a key and 256
// in all, each at most 4 s; the longest idle goes first. Owns the transports
// it holds.
// Thread-compatible (the client uses it on the reactor's thread).
class ConnectionPool {
 public:
  // `closing` is told of a descriptor that is about to be closed: its owner
  // stops watching it.
  explicit ConnectionPool(std::function<void(int fd)> closing = nullptr)
      : closing_(std::move(closing)) {}
  ~ConnectionPool();
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;

  // The most recently used connection that the peer has neither closed nor
  // written to; null if there is none.
  std::unique_ptr<Transport> Take(const std::string& key);
  // `now` is steady time and never goes back.
  void Put(const std::string& key, std::unique_ptr<Transport> transport,
           absl::Duration now);
  // Closes what was idle too long at `now`; returns when to call again,
  // infinite if nothing is left.
  absl::Duration CloseExpired(absl::Duration now);
  // Closes that one: its peer ended it, or said something unasked.
  void Close(int fd);
  void CloseAll();
  // `closing` hears of no more.
  void StopTelling() { closing_ = nullptr; }
  bool empty() const { return by_age_.empty(); }

 private:
  struct Idle {
    std::string key;
    std::unique_ptr<Transport> transport;
    absl::Duration since;
  };
  using Position = std::list<Idle>::iterator;

  void CloseOldest();
  void Destroy(Position idle);

  std::function<void(int fd)> closing_;
  std::list<Idle> by_age_;  // oldest first
  std::unordered_map<std::string, std::deque<Position>> by_key_;
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_CONNECTION_POOL_H_
