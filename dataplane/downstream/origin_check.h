#ifndef GATEHOUSE_DATAPLANE_DOWNSTREAM_ORIGIN_CHECK_H_
#define GATEHOUSE_DATAPLANE_DOWNSTREAM_ORIGIN_CHECK_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/http/server.h"

namespace gatehouse::downstream {

// Whether a name or address means this machine: `localhost`, 127.0.0.0/8, `::1`
// with or without brackets. Without case; no other spelling of a number.
bool IsLoopbackHost(std::string_view host);

// Whether a text names something that the lists below can allow.
bool IsHostToAllow(std::string_view host);
bool IsOriginToAllow(std::string_view origin);

// Guards against DNS rebinding: which names this worker answers to and which
// web pages may talk to it. Immutable; thread-safe.
//
// Names are compared without case and without the dot that may end one; an
// address of IP version 6 stands in brackets and is compared as an address. A
// port left out and the scheme's own (80, 443) are the same. What is malformed
// is equal to nothing, in the lists too.
class OriginCheck {
 public:
  // `listen_host` is the address served. `hosts` are more names it goes by
  // (`gateway.example`, or with a port to allow only that one); `origins` are
  // exact origins (`https://app.example`). Loopback needs no listing, neither
  // as a host nor as a page's. `*` and `null` are no origins and allow nothing.
  OriginCheck(std::string_view listen_host, std::vector<std::string> hosts,
              std::vector<std::string> origins);

  // False: 403. A request without Origin comes from no browser and passes; one
  // without Host, or with two of either, does not.
  bool Allows(const http::Headers& headers) const;

 private:
  bool AllowsHost(std::string_view host) const;
  bool AllowsOrigin(std::string_view origin) const;

  std::set<std::string, std::less<>> hosts_;    // canonical
  std::set<std::string, std::less<>> origins_;  // canonical
};

}  // namespace gatehouse::downstream

#endif  // GATEHOUSE_DATAPLANE_DOWNSTREAM_ORIGIN_CHECK_H_
