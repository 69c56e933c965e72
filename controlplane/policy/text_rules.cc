#include "controlplane/policy/text_rules.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "shared/base/status.h"

namespace gatehouse::policy {
namespace {

constexpr size_t kMaxEnvironmentNameBytes = 128;
constexpr size_t kMaxReferenceBytes = 1024;
constexpr size_t kMaxHeaderNameBytes = 128;
constexpr size_t kMaxUrlBytes = 1024;
constexpr size_t kMaxUserNameBytes = 32;
constexpr size_t kMaxSecondsDigits = 9;
constexpr size_t kMaxHostBytes = 253;  // as DNS has it
constexpr size_t kMaxHostLabelBytes = 63;

bool IsLowerOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
bool IsDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
}
bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// The bytes that must follow a UTF-8 lead byte; -1 for what is none.
int ContinuationBytes(unsigned char lead) {
  if (lead < 0x80) return 0;
  if (lead >= 0xC2 && lead <= 0xDF) return 1;
  if (lead >= 0xE0 && lead <= 0xEF) return 2;
  if (lead >= 0xF0 && lead <= 0xF4) return 3;
  return -1;
}

// Whether the second byte is legal after this lead: no overlong forms, no
// surrogates, nothing over U+10FFFF.
bool SecondByteFits(unsigned char lead, unsigned char second) {
  if (lead == 0xE0) return second >= 0xA0;
  if (lead == 0xED) return second <= 0x9F;
  if (lead == 0xF0) return second >= 0x90;
  if (lead == 0xF4) return second <= 0x8F;
  return true;
}

bool IsTokenChar(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool IsHost(std::string_view host) {
  if (host.empty() || host.size() > 253) return false;
  if (host.front() == '[') {
    return host.size() > 2 && host.back() == ']' &&
           host.find_first_not_of("0123456789abcdefABCDEF:.", 1) ==
               host.size() - 1;
  }
  return std::all_of(host.begin(), host.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' ||
           c == '.' || c == '_';
  });
}

// Host and port of the authority `host[:port]`.
std::optional<std::string> AuthorityProblem(std::string_view authority) {
  if (authority.find('@') != std::string_view::npos) {
    return "has credentials in it; use headersFrom with a secret reference";
  }
  std::string_view host = authority;
  const size_t colon = authority.rfind(':');
  if (colon != std::string_view::npos &&
      authority.find(']', colon) == std::string_view::npos) {
    host = authority.substr(0, colon);
    const std::string_view port = authority.substr(colon + 1);
    int value = 0;
    if (!IsDigits(port) || port.size() > 5 ||
        !absl::SimpleAtoi(ToAbsl(port), &value) || value < 1 || value > 65535) {
      return "the port is not a number from 1 to 65535";
    }
  }
  if (!IsHost(host)) return "the host is not a name or an address";
  return std::nullopt;
}

}  // namespace

bool IsPlainUtf8(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const bool control =
        lead < 0x20 && lead != '\t' && lead != '\n' && lead != '\r';
    const int more = ContinuationBytes(lead);
    if (control || lead == 0x7F || more < 0) return false;
    if (text.size() - i <= static_cast<size_t>(more)) return false;
    for (int k = 1; k <= more; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + k]);
      if ((byte & 0xC0) != 0x80) return false;
      if (k == 1 && !SecondByteFits(lead, byte)) return false;
    }
    i += 1 + more;
  }
  return true;
}

bool IsDecimalNumber(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    text.remove_prefix(1);
  }
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos) return IsDigits(text);
  return IsDigits(text.substr(0, dot)) && IsDigits(text.substr(dot + 1));
}

bool IsResourceName(std::string_view text, size_t max_bytes) {
  if (text.empty() || text.size() > max_bytes) return false;
  if (text[0] < 'a' || text[0] > 'z') return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return IsLowerOrDigit(c) || c == '-'; });
}

bool IsUserName(std::string_view text) {
  if (text.empty() || text.size() > kMaxUserNameBytes) return false;
  if (text[0] != '_' && (text[0] < 'a' || text[0] > 'z')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return IsLowerOrDigit(c) || c == '-' || c == '_';
  });
}

bool IsEnvironmentName(std::string_view text) {
  if (text.empty() || text.size() > kMaxEnvironmentNameBytes) return false;
  if (text[0] >= '0' && text[0] <= '9') return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

bool LooksLikeSecretReference(std::string_view text) {
  return StartsWith(text, "env:") || StartsWith(text, "file:");
}

bool IsSecretReference(std::string_view text) {
  if (text.size() > kMaxReferenceBytes || !IsPlainUtf8(text)) return false;
  if (StartsWith(text, "env:")) return IsEnvironmentName(text.substr(4));
  return StartsWith(text, "file:/") && text.size() > 6;
}

bool IsFilePath(std::string_view text) {
  if (text.size() > kMaxReferenceBytes || !IsPlainUtf8(text)) return false;
  if (text.size() < 2 || text.front() != '/' || text.back() == '/') {
    return false;
  }
  const std::string steps = absl::StrCat(ToAbsl(text), "/");
  return steps.find("/./") == std::string::npos &&
         steps.find("/../") == std::string::npos;
}

std::optional<std::string> HeaderNameProblem(std::string_view name) {
  if (name.empty() || name.size() > kMaxHeaderNameBytes ||
      !std::all_of(name.begin(), name.end(), IsTokenChar)) {
    return "is not a header name";
  }
  static constexpr std::array<std::string_view, 11> kTransports = {
      "host",   "connection",       "accept",       "transfer-encoding",
      "te",     "trailer",          "upgrade",      "keep-alive",
      "expect", "proxy-connection", "last-event-id"};
  const std::string lower = absl::AsciiStrToLower(ToAbsl(name));
  const bool own = std::find(kTransports.begin(), kTransports.end(), lower) !=
                       kTransports.end() ||
                   StartsWith(lower, "content-") || StartsWith(lower, "mcp-");
  if (own) return "is set by the worker itself; leave it out";
  return std::nullopt;
}

std::optional<std::string> UpstreamUrlProblem(std::string_view url) {
  if (url.size() > kMaxUrlBytes) return "is longer than 1024 bytes";
  if (!std::all_of(url.begin(), url.end(),
                   [](char c) { return c > 0x20 && c < 0x7F; })) {
    return "has a space or a character outside ASCII in it; percent-encode it";
  }
  const bool plain = absl::StartsWithIgnoreCase(ToAbsl(url), "http://");
  if (!plain && !absl::StartsWithIgnoreCase(ToAbsl(url), "https://")) {
    return "must start with https:// or http://, such as "
           "http://127.0.0.1:9000/mcp";
  }
  if (url.find('#') != std::string_view::npos) {
    return "has a fragment; leave it out";
  }
  const std::string_view rest = url.substr(url.find("//") + 2);
  const size_t slash = rest.find('/');
  const size_t end = std::min(slash, rest.find('?'));
  if (slash == std::string_view::npos || end != slash) {
    return "has no path; add it, such as /mcp";
  }
  return AuthorityProblem(rest.substr(0, slash));
}

std::optional<std::string> UrlHostProblem(std::string_view host) {
  static constexpr char kWanted[] =
      "must be a host name, such as login.example.com, or *. before one for "
      "every name below it; no scheme, port or path";
  if (StartsWith(host, "*.")) host.remove_prefix(2);
  if (host.empty() || host.size() > kMaxHostBytes) return kWanted;
  for (const absl::string_view label : absl::StrSplit(ToAbsl(host), '.')) {
    const bool plain = std::all_of(label.begin(), label.end(), [](char c) {
      return IsLowerOrDigit(c) || c == '-';
    });
    if (!plain || label.empty() || label.size() > kMaxHostLabelBytes ||
        label.front() == '-' || label.back() == '-') {
      return kWanted;
    }
  }
  return std::nullopt;
}

std::optional<absl::Duration> DurationFromJson(std::string_view text) {
  if (text.empty() || text.back() != 's') return std::nullopt;
  text.remove_suffix(1);
  const size_t dot = text.find('.');
  const std::string_view whole = text.substr(0, dot);
  if (!IsDigits(whole) || whole.size() > kMaxSecondsDigits) {
    return std::nullopt;
  }
  int64_t seconds = 0;
  if (!absl::SimpleAtoi(ToAbsl(whole), &seconds)) return std::nullopt;
  if (dot == std::string_view::npos) return absl::Seconds(seconds);
  std::string fraction(text.substr(dot + 1));
  if (!IsDigits(fraction) || fraction.size() > 9) return std::nullopt;
  fraction.resize(9, '0');
  int64_t nanoseconds = 0;
  if (!absl::SimpleAtoi(fraction, &nanoseconds)) return std::nullopt;
  return absl::Seconds(seconds) + absl::Nanoseconds(nanoseconds);
}

std::string DurationToJson(absl::Duration duration) {
  absl::Duration rest;
  const int64_t seconds = absl::IDivDuration(duration, absl::Seconds(1), &rest);
  const int64_t nanoseconds = absl::ToInt64Nanoseconds(rest);
  if (nanoseconds == 0) return absl::StrCat(seconds, "s");
  // 3, 6 or 9 decimals, as proto's JSON mapping writes them.
  if (nanoseconds % 1'000'000 == 0) {
    return absl::StrFormat("%d.%03ds", seconds, nanoseconds / 1'000'000);
  }
  if (nanoseconds % 1'000 == 0) {
    return absl::StrFormat("%d.%06ds", seconds, nanoseconds / 1'000);
  }
  return absl::StrFormat("%d.%09ds", seconds, nanoseconds);
}

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase(ToAbsl(a), ToAbsl(b));
}

}  // namespace gatehouse::policy
