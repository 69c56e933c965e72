#include "controlplane/trust/web_url.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "controlplane/trust/formats.h"
#include "controlplane/trust/unicode_text.h"
#include "shared/base/status.h"

namespace gatehouse::trust {
namespace {

constexpr size_t kMaxHostBytes = 253;
constexpr size_t kMaxLabelBytes = 63;
constexpr int kMaxPort = 65535;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAlnum(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c));
}

bool AllDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

// The value of a decimal number without leading zeros, at most `most`.
std::optional<int> SmallNumber(std::string_view text, int most) {
  int value = 0;
  if (!AllDigits(text) || (text.size() > 1 && text[0] == '0') ||
      !absl::SimpleAtoi(ToAbsl(text), &value) || value > most) {
    return std::nullopt;
  }
  return value;
}

bool IsIpv4(std::string_view host) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(ToAbsl(host), '.');
  return parts.size() == 4 &&
         std::all_of(parts.begin(), parts.end(), [](absl::string_view part) {
           return SmallNumber(ToStd(part), 255).has_value();
         });
}

// Up to eight groups of hex digits, one run of them left out by `::`; an IPv4
// tail is not taken.
bool IsIpv6(std::string_view text) {
  const size_t gap = text.find("::");
  const bool has_gap = gap != std::string_view::npos;
  if (has_gap && text.find("::", gap + 1) != std::string_view::npos) {
    return false;
  }
  size_t groups = 0;
  const auto count = [&groups](std::string_view part) {
    if (part.empty()) return true;
    for (const absl::string_view group : absl::StrSplit(ToAbsl(part), ':')) {
      if (group.empty() || group.size() > 4 ||
          !std::all_of(group.begin(), group.end(), [](char c) {
            return absl::ascii_isxdigit(static_cast<unsigned char>(c));
          })) {
        return false;
      }
      ++groups;
    }
    return true;
  };
  if (!has_gap) return count(text) && groups == 8;
  return count(text.substr(0, gap)) && count(text.substr(gap + 2)) &&
         groups < 8;
}

bool IsDnsLabel(absl::string_view label) {
  return !label.empty() && label.size() <= kMaxLabelBytes &&
         label.front() != '-' && label.back() != '-' &&
         std::all_of(label.begin(), label.end(),
                     [](char c) { return c == '-' || IsAlnum(c); });
}

// `host` in lower case, without a dot at its end.
bool IsHost(std::string_view host) {
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    return IsIpv6(host.substr(1, host.size() - 2));
  }
  if (host.empty() || host.size() > kMaxHostBytes) return false;
  const std::vector<absl::string_view> labels =
      absl::StrSplit(ToAbsl(host), '.');
  if (!std::all_of(labels.begin(), labels.end(), IsDnsLabel)) return false;
  // Browsers take a last label of digits, or 0x and digits, for an address.
  const std::string_view last = ToStd(labels.back());
  if (AllDigits(last)) return IsIpv4(host);
  return last.substr(0, 2) != "0x";
}

// Takes `:port` off the end; false if it is none.
bool TakePort(std::string_view& authority) {
  const size_t colon = authority.rfind(':');
  const size_t bracket = authority.rfind(']');
  if (colon == std::string_view::npos ||
      (bracket != std::string_view::npos && colon < bracket)) {
    return true;
  }
  std::string_view digits = authority.substr(colon + 1);
  authority = authority.substr(0, colon);
  // RFC 3986 lets a port have leading zeros.
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return SmallNumber(digits, kMaxPort).has_value();
}

}  // namespace

std::optional<WebUrl> ParseWebUrl(std::string_view text) {
  const size_t scheme_end = text.find("://");
  if (!HasFormat(text, "uri") || scheme_end == std::string_view::npos ||
      text.find(':') != scheme_end) {
    return std::nullopt;
  }
  WebUrl url;
  url.scheme = absl::AsciiStrToLower(ToAbsl(text.substr(0, scheme_end)));
  std::string_view authority = text.substr(scheme_end + 3);
  authority = authority.substr(0, authority.find_first_of("/?#"));
  const size_t at = authority.rfind('@');
  if (at != std::string_view::npos) {
    url.has_user_info = true;
    authority.remove_prefix(at + 1);
  }
  if (!TakePort(authority)) return std::nullopt;
  url.host = absl::AsciiStrToLower(ToAbsl(authority));
  if (url.host.size() > 1 && url.host.back() == '.') url.host.pop_back();
  if (!IsHost(url.host)) return std::nullopt;
  return url;
}

bool IsLoopback(const WebUrl& url) {
  return url.host == "localhost" || absl::EndsWith(url.host, ".localhost") ||
         url.host == "[::1]" ||
         (IsIpv4(url.host) && absl::StartsWith(url.host, "127."));
}

bool HostIsListed(std::string_view host,
                  const std::vector<std::string>& hosts) {
  if (hosts.empty()) return true;
  for (const std::string& listed : hosts) {
    if (listed == host) return true;
    if (absl::StartsWith(listed, "*.") &&
        absl::EndsWith(ToAbsl(host), ToAbsl(listed).substr(1))) {
      return true;
    }
  }
  return false;
}

bool HasPunycode(std::string_view host) {
  for (const absl::string_view label : absl::StrSplit(ToAbsl(host), '.')) {
    if (absl::StartsWith(label, "xn--")) return true;
  }
  return false;
}

bool MixesScripts(std::string_view host) {
  if (!HasPunycode(host)) return false;  // ASCII alone
  const std::string decoded = DecodedHost(host);
  for (const absl::string_view label : absl::StrSplit(decoded, '.')) {
    if (HasMixedScripts(ToStd(label))) return true;
  }
  return false;
}

}  // namespace gatehouse::trust
