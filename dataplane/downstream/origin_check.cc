#include "dataplane/downstream/origin_check.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::downstream {
namespace {

constexpr size_t kMaxNameBytes = 255;

// `host`, `host:port` or `[v6]:port`, made canonical.
struct Authority {
  std::string name;  // lower case, no dot at its end; v6 in brackets
  std::string port;  // digits, or empty
};

std::optional<in6_addr> ParseV6(std::string_view text) {
  in6_addr address = {};
  if (inet_pton(AF_INET6, std::string(text).c_str(), &address) != 1) {
    return std::nullopt;
  }
  return address;
}

// `[::1]` as the library writes it, whatever spelling it came in.
std::optional<std::string> CanonicalV6(std::string_view bracketed) {
  const auto address = ParseV6(bracketed.substr(1, bracketed.size() - 2));
  if (!address.has_value()) return std::nullopt;
  std::array<char, INET6_ADDRSTRLEN> text = {};
  inet_ntop(AF_INET6, &*address, text.data(), text.size());
  return absl::StrCat("[", text.data(), "]");
}

std::optional<std::string> CanonicalName(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  const bool plain =
      !name.empty() && name.size() <= kMaxNameBytes &&
      std::all_of(name.begin(), name.end(), [](char c) {
        return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' ||
               c == '.' || c == '_';
      });
  if (!plain) return std::nullopt;
  return absl::AsciiStrToLower(ToAbsl(name));
}

// Nullopt if malformed.
std::optional<Authority> ParseAuthority(std::string_view text) {
  size_t end = 0;  // of the name
  std::optional<std::string> name;
  if (text.starts_with('[')) {
    end = text.find(']') + 1;
    if (end == 0) return std::nullopt;
    name = CanonicalV6(text.substr(0, end));
  } else {
    end = std::min(text.find(':'), text.size());
    name = CanonicalName(text.substr(0, end));
  }
  if (!name.has_value()) return std::nullopt;
  std::string_view port = text.substr(end);
  if (!port.empty()) {
    if (port.front() != ':' || port.size() > 6) return std::nullopt;
    port.remove_prefix(1);
    if (port.find_first_not_of("0123456789") != std::string_view::npos) {
      return std::nullopt;
    }
  }
  return Authority{*std::move(name), std::string(port)};
}

// `scheme://host:port` with the scheme's own port left out. What has another
// scheme (a browser's extension, say) is compared as a whole.
std::optional<std::string> CanonicalOrigin(std::string_view origin) {
  const std::string whole = absl::AsciiStrToLower(ToAbsl(origin));
  const size_t mark = whole.find("://");
  if (mark == std::string::npos || mark == 0) return std::nullopt;
  const std::string scheme = whole.substr(0, mark);
  if (scheme != "http" && scheme != "https") return whole;
  std::optional<Authority> host =
      ParseAuthority(std::string_view(whole).substr(mark + 3));
  if (!host.has_value()) return std::nullopt;
  if (host->port == (scheme == "http" ? "80" : "443")) host->port.clear();
  return absl::StrCat(scheme, "://", host->name, host->port.empty() ? "" : ":",
                      host->port);
}

}  // namespace

bool IsLoopbackHost(std::string_view host) {
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  if (absl::AsciiStrToLower(ToAbsl(host)) == "localhost") return true;
  if (const auto v6 = ParseV6(host)) return IN6_IS_ADDR_LOOPBACK(&*v6) != 0;
  in_addr v4 = {};
  // Four numbers, so that `127.evil.example` is none.
  return inet_pton(AF_INET, std::string(host).c_str(), &v4) == 1 &&
         (ntohl(v4.s_addr) >> 24) == 127;
}

bool IsHostToAllow(std::string_view host) {
  return ParseAuthority(host).has_value();
}

bool IsOriginToAllow(std::string_view origin) {
  return CanonicalOrigin(origin).has_value();
}

OriginCheck::OriginCheck(std::string_view listen_host,
                         std::vector<std::string> hosts,
                         std::vector<std::string> origins) {
  // As it is given to bind(), where an address of version 6 has no brackets.
  hosts.push_back(ParseV6(listen_host).has_value()
                      ? absl::StrCat("[", ToAbsl(listen_host), "]")
                      : std::string(listen_host));
  for (const std::string& host : hosts) {
    const auto authority = ParseAuthority(host);
    if (!authority.has_value()) continue;
    hosts_.insert(authority->port.empty()
                      ? authority->name
                      : absl::StrCat(authority->name, ":", authority->port));
  }
  for (const std::string& origin : origins) {
    if (auto canonical = CanonicalOrigin(origin)) {
      origins_.insert(*std::move(canonical));
    }
  }
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
  const std::optional<Authority> asked = ParseAuthority(host);
  if (!asked.has_value()) return false;
  if (IsLoopbackHost(asked->name) || hosts_.contains(asked->name)) return true;
  if (!asked->port.empty()) {
    return hosts_.contains(absl::StrCat(asked->name, ":", asked->port));
  }
  // Left out: the port of plain HTTP or of TLS, whichever is served.
  return hosts_.contains(absl::StrCat(asked->name, ":80")) ||
         hosts_.contains(absl::StrCat(asked->name, ":443"));
}

bool OriginCheck::AllowsOrigin(std::string_view origin) const {
  const std::optional<std::string> canonical = CanonicalOrigin(origin);
  if (!canonical.has_value()) return false;  // `null` among them
  if (origins_.contains(*canonical)) return true;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!canonical->starts_with(scheme)) continue;
    const auto page =
        ParseAuthority(std::string_view(*canonical).substr(scheme.size()));
    return page.has_value() && IsLoopbackHost(page->name);
  }
  return false;
}

}  // namespace gatehouse::downstream
