#ifndef GATEHOUSE_ADMIN_LOOPBACK_H_
#define GATEHOUSE_ADMIN_LOOPBACK_H_

#include <sys/socket.h>

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace gatehouse::admin {

// An address of this machine that no other can reach.
struct LoopbackAddress {
  sockaddr_storage storage = {};
  socklen_t size = 0;
};

// Reads `127.0.0.1:PORT` (all of 127.0.0.0/8), `[::1]:PORT` or
// `localhost:PORT`, port 0 included. INVALID_ARGUMENT, with these forms, for
// anything else: no name is looked up.
absl::StatusOr<LoopbackAddress> ParseLoopback(std::string_view text);

// The same address with the port that a bound socket has, as text.
std::string BoundAddress(int descriptor);

// Whether the value of a `Host` header names this machine's loopback, with any
// port: a web page whose name was made to lead here names itself.
bool IsLoopbackHost(std::string_view host);

}  // namespace gatehouse::admin

#endif  // GATEHOUSE_ADMIN_LOOPBACK_H_
