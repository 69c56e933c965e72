#include "tools/gatehousectl/policy_import_rules.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "shared/base/status.h"

namespace gatehouse::ctl {
namespace {

constexpr size_t kMaxHeaderNameBytes = 128;
constexpr size_t kMaxUrlBytes = 1024;
constexpr size_t kMaxHostBytes = 253;

bool IsAlnum(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c));
}

bool IsHost(std::string_view host) {
  if (host.starts_with('[')) {
    return host.size() > 2 &&
           host.find_first_not_of("0123456789abcdefABCDEF:.", 1) ==
               host.size() - 1 &&
           host.back() == ']';
  }
  return !host.empty() && host.size() <= kMaxHostBytes &&
         std::all_of(host.begin(), host.end(), [](char c) {
           return IsAlnum(c) || c == '-' || c == '.' || c == '_';
         });
}

bool IsPort(std::string_view port) {
  int number = 0;
  const char* const end = port.data() + port.size();
  const auto read = std::from_chars(port.data(), end, number);
  return port.size() <= 5 && read.ec == std::errc() && read.ptr == end &&
         number >= 1 && number <= 65535;
}

// `host` or `host:port`.
bool IsAuthority(std::string_view authority) {
  const size_t colon = authority.rfind(':');
  if (colon == std::string_view::npos ||
      authority.find(']', colon) != std::string_view::npos) {
    return IsHost(authority);
  }
  return IsHost(authority.substr(0, colon)) &&
         IsPort(authority.substr(colon + 1));
}

}  // namespace

bool IsHeaderName(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && name.size() <= kMaxHeaderNameBytes &&
         std::all_of(name.begin(), name.end(), [kMarks](char c) {
           return IsAlnum(c) || kMarks.find(c) != std::string_view::npos;
         });
}

bool IsWorkersOwnHeader(std::string_view name) {
  const std::string lower = absl::AsciiStrToLower(ToAbsl(name));
  constexpr std::string_view kOwn[] = {
      "host",   "connection",       "accept",       "transfer-encoding",
      "te",     "trailer",          "upgrade",      "keep-alive",
      "expect", "proxy-connection", "last-event-id"};
  return lower.starts_with("content-") || lower.starts_with("mcp-") ||
         std::find(std::begin(kOwn), std::end(kOwn), lower) != std::end(kOwn);
}

std::optional<std::string> UrlProblem(std::string_view url) {
  if (url.size() > kMaxUrlBytes) return "is longer than 1,024 bytes";
  if (!std::all_of(url.begin(), url.end(),
                   [](char c) { return c > 0x20 && c < 0x7f; })) {
    return "has a space, a control character or one outside ASCII in it; "
           "percent-encode it";
  }
  if (!absl::StartsWithIgnoreCase(ToAbsl(url), "http://") &&
      !absl::StartsWithIgnoreCase(ToAbsl(url), "https://")) {
    return "is no URL that Gatehouse speaks; it must start with https:// or "
           "http://";
  }
  if (url.find('#') != std::string_view::npos) {
    return "has a fragment; leave it out";
  }
  const std::string_view rest = url.substr(url.find("//") + 2);
  const size_t end = rest.find_first_of("/?");
  if (end == std::string_view::npos || rest[end] != '/') {
    return "has no path; add it, such as /mcp";
  }
  if (!IsAuthority(rest.substr(0, end))) {
    return "names no host, or no port from 1 to 65535";
  }
  return std::nullopt;
}

}  // namespace gatehouse::ctl
