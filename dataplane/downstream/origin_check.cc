#include "dataplane/downstream/origin_check.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "shared/base/status.h"

namespace gatehouse::downstream {
namespace {

std::string Lower(std::string_view text) {
  return absl::AsciiStrToLower(ToAbsl(text));
}

// `host:port` or `[v6]:port` without the port.
std::string_view WithoutPort(std::string_view host) {
  const size_t colon = host.rfind(':');
  if (colon == std::string_view::npos) return host;
  const std::string_view port = host.substr(colon + 1);
  if (port.empty() ||
      port.find_first_not_of("0123456789") != std::string_view::npos) {
    return host;
  }
  // An address of IP version 6 has colons of its own, but then brackets.
  const std::string_view name = host.substr(0, colon);
  return name.find(':') == std::string_view::npos || name.back() == ']' ? name
                                                                        : host;
}

}  // namespace

bool IsLoopbackHost(std::string_view host) {
  if (host == "localhost" || host == "::1" || host == "[::1]") return true;
  // Only digits and dots, so that `127.evil.example` is none.
  return host.substr(0, 4) == "127." &&
         host.find_first_not_of("0123456789.") == std::string_view::npos;
}

OriginCheck::OriginCheck(std::string_view listen_host,
                         std::vector<std::string> hosts,
                         std::vector<std::string> origins) {
  hosts_.insert(Lower(listen_host));
  for (const std::string& host : hosts) hosts_.insert(Lower(host));
  for (const std::string& origin : origins) origins_.insert(Lower(origin));
}

bool OriginCheck::Allows(const http::Headers& headers) const {
  if (http::CountHeader(headers, "Host") != 1 ||
      !AllowsHost(*http::FindHeader(headers, "Host"))) {
    return false;
  }
  const int origins = http::CountHeader(headers, "Origin");
  return origins == 0 ||
         (origins == 1 && AllowsOrigin(*http::FindHeader(headers, "Origin")));
}

bool OriginCheck::AllowsHost(std::string_view host) const {
  const std::string whole = Lower(host);
  const std::string_view name = WithoutPort(whole);
  return IsLoopbackHost(name) || hosts_.contains(whole) ||
         hosts_.contains(name);
}

bool OriginCheck::AllowsOrigin(std::string_view origin) const {
  const std::string whole = Lower(origin);
  if (origins_.contains(whole)) return true;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (whole.compare(0, scheme.size(), scheme) == 0) {
      return IsLoopbackHost(
          WithoutPort(std::string_view(whole).substr(scheme.size())));
    }
  }
  return false;  // `null` and other schemes
}

}  // namespace gatehouse::downstream
