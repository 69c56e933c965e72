#ifndef GATEHOUSE_DATAPLANE_HTTP_RESOLVER_H_
#define GATEHOUSE_DATAPLANE_HTTP_RESOLVER_H_

#include <sys/socket.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gatehouse::http {

// A socket address of either family.
struct Address {
  sockaddr_storage storage = {};
  socklen_t size = 0;
};

// The addresses of a numeric host or of `localhost`, without asking anyone;
// empty for any other name.
std::vector<Address> LocalAddresses(const std::string& host, int port);

// Looks names up on a thread of its own, one after the other, since getaddrinfo
// blocks and cannot be ended. The thread starts with the first name.
//
// Thread-safe. The destructor drops what is queued; a look-up that is under way
// is left to end by itself and its result is dropped.
class Resolver {
 public:
  using Done = std::function<void(absl::StatusOr<std::vector<Address>>)>;

  Resolver();
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // Calls `done` on the resolver's thread, at most 8 addresses; UNAVAILABLE if
  // the name has none. False, and no call, if 256 names wait already.
  bool Resolve(std::string host, int port, Done done);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_RESOLVER_H_
