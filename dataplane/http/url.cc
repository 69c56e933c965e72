#include <algorithm>
#include <string>

#include "dataplane/http/client.h"
#include "dataplane/http/http_text.h"
#include "shared/base/status.h"

namespace gatehouse::http {
namespace {

constexpr size_t kMaxUrlBytes = 1024;
constexpr std::string_view kPlain = "http://";
constexpr std::string_view kTls = "https://";

absl::Status Wrong(std::string_view what) {
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    "url: " + std::string(what));
}

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c > 0x20 && c < 0x7F; });
}

bool IsHostName(std::string_view host) {
  return !host.empty() && host.size() <= 253 &&
         std::all_of(host.begin(), host.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                  (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_';
         });
}

bool IsIpv6Text(std::string_view host) {
  return !host.empty() && host.find_first_not_of("0123456789abcdefABCDEF:.") ==
                              std::string_view::npos;
}

// Splits `host[:port]` or `[v6][:port]`; `port` is empty if there is none.
absl::Status SplitAuthority(std::string_view authority, std::string_view& host,
                            std::string_view& port) {
  size_t host_end = 0;
  if (authority.starts_with('[')) {
    const size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) return Wrong("missing ']'");
    host = authority.substr(1, bracket - 1);
    if (!IsIpv6Text(host)) return Wrong("bad address between '[' and ']'");
    host_end = bracket + 1;
  } else {
    host_end = std::min(authority.find(':'), authority.size());
    host = authority.substr(0, host_end);
    if (!IsHostName(host)) return Wrong("bad host name");
  }
  port = authority.substr(host_end);
  if (port.empty()) return absl::OkStatus();
  if (port.front() != ':' || port.size() < 2) return Wrong("bad port");
  port.remove_prefix(1);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Url> ParseUrl(std::string_view text) {
  if (text.size() > kMaxUrlBytes) return Wrong("longer than 1024 bytes");
  if (!IsPrintable(text)) {
    return Wrong("holds a space, a control byte or a byte outside ASCII");
  }
  Url url;
  url.tls = EqualsNoCase(text.substr(0, kTls.size()), kTls);
  if (!url.tls && !EqualsNoCase(text.substr(0, kPlain.size()), kPlain)) {
    return Wrong("must start with http:// or https://");
  }
  text.remove_prefix(url.tls ? kTls.size() : kPlain.size());
  if (url.tls) url.port = 443;
  const size_t target_at = std::min(text.find_first_of("/?#"), text.size());
  const std::string_view authority = text.substr(0, target_at);
  const std::string_view target = text.substr(target_at);
  if (authority.find('@') != std::string_view::npos) {
    return Wrong("must not name a user; use headersFrom for credentials");
  }
  if (target.find('#') != std::string_view::npos) {
    return Wrong("must not have a fragment");
  }
  std::string_view host;
  std::string_view port;
  GATEHOUSE_RETURN_IF_ERROR(SplitAuthority(authority, host, port));
  url.host = host;
  url.authority = authority;
  if (!port.empty()) {
    const std::optional<uint64_t> number = ParseDecimal(port);
    if (!number || *number < 1 || *number > 65535) return Wrong("bad port");
    url.port = static_cast<int>(*number);
  }
  if (!target.starts_with('/')) url.target = "/";
  url.target += target;
  return url;
}

}  // namespace gatehouse::http
