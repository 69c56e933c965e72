#ifndef GATEHOUSE_DATAPLANE_DOWNSTREAM_LANDING_H_
#define GATEHOUSE_DATAPLANE_DOWNSTREAM_LANDING_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/http/server.h"

namespace gatehouse::downstream {

// What GET / tells a person who looks with a browser or curl.
struct Landing {
  std::string_view version;
  bool tls = false;
  std::string_view host;  // as the request's Host has it
  // The virtual servers served here; nothing where clients need a token, for
  // then their names are not everybody's to know.
  std::optional<std::vector<std::string>> virtual_servers;
};

// Plain text: what runs here, the URL of each virtual server (at most 50, then
// how many more), how to point a client at one, and where to read on. Pure.
http::Response LandingAnswer(const Landing& landing);

}  // namespace gatehouse::downstream

#endif  // GATEHOUSE_DATAPLANE_DOWNSTREAM_LANDING_H_
