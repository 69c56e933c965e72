#include "controlplane/trust/formats.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/time/civil_time.h"

namespace gatehouse::trust {
namespace {

constexpr size_t kMaxEmailBytes = 254;
constexpr size_t kMaxLocalPartBytes = 64;

bool IsVisible(char c) {
  return static_cast<unsigned char>(c) > 0x20 && c != 0x7F;
}

// One @, nothing unseen, a local part without doubled dots, a host of labels.
bool IsEmail(std::string_view text) {
  const size_t at = text.rfind('@');
  if (at == std::string_view::npos || text.size() > kMaxEmailBytes) {
    return false;
  }
  const std::string_view local = text.substr(0, at);
  std::string_view host = text.substr(at + 1);
  if (local.empty() || local.size() > kMaxLocalPartBytes ||
      local.find('@') != std::string_view::npos || local.front() == '.' ||
      local.back() == '.' || local.find("..") != std::string_view::npos ||
      !std::all_of(text.begin(), text.end(), IsVisible)) {
    return false;
  }
  while (!host.empty()) {
    const std::string_view label = host.substr(0, host.find('.'));
    if (label.empty() || label.size() > 63 || label.front() == '-' ||
        label.back() == '-') {
      return false;
    }
    const bool legal = std::all_of(label.begin(), label.end(), [](char c) {
      return c == '-' || absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
             static_cast<unsigned char>(c) >= 0x80;
    });
    if (!legal) return false;
    if (label.size() == host.size()) return true;
    host.remove_prefix(label.size() + 1);
  }
  return false;  // no host, or a dot at its end
}

// RFC 3986 as far as it keeps a text from being a URI: a scheme, then only
// characters that may stand in one, percent signs followed by two digits.
bool IsUri(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 ||
      colon + 1 == text.size() ||
      !absl::ascii_isalpha(static_cast<unsigned char>(text[0]))) {
    return false;
  }
  for (const char c : text.substr(0, colon)) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) &&
        std::string_view("+-.").find(c) == std::string_view::npos) {
      return false;
    }
  }
  for (size_t i = colon + 1; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c <= 0x20 || c >= 0x7F ||
        std::string_view("\"<>\\^`{|}").find(text[i]) !=
            std::string_view::npos) {
      return false;
    }
    if (c != '%') continue;
    if (i + 2 >= text.size() ||
        !absl::ascii_isxdigit(static_cast<unsigned char>(text[i + 1])) ||
        !absl::ascii_isxdigit(static_cast<unsigned char>(text[i + 2]))) {
      return false;
    }
  }
  return true;
}

// `count` digits off the front.
std::optional<int> TakeDigits(std::string_view& text, size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool Take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text[0]) == std::string_view::npos) {
    return false;
  }
  text.remove_prefix(1);
  return true;
}

// RFC 3339 full-date off the front.
bool TakeDate(std::string_view& text) {
  const std::optional<int> year = TakeDigits(text, 4);
  if (!year.has_value() || !Take(text, "-")) return false;
  const std::optional<int> month = TakeDigits(text, 2);
  if (!month.has_value() || !Take(text, "-")) return false;
  const std::optional<int> day = TakeDigits(text, 2);
  if (!day.has_value()) return false;
  // A day that the calendar does not have is carried over, so it shows.
  const absl::CivilDay carried(*year, *month, *day);
  return carried.month() == *month && carried.day() == *day;
}

// `hh:mm`, within its bounds.
bool TakeHoursAndMinutes(std::string_view& text) {
  const std::optional<int> hour = TakeDigits(text, 2);
  if (!hour.has_value() || *hour > 23 || !Take(text, ":")) return false;
  const std::optional<int> minute = TakeDigits(text, 2);
  return minute.has_value() && *minute <= 59;
}

bool IsDateTime(std::string_view text) {
  if (!TakeDate(text) || !Take(text, "Tt ")) return false;
  if (!TakeHoursAndMinutes(text) || !Take(text, ":")) return false;
  const std::optional<int> second = TakeDigits(text, 2);
  if (!second.has_value() || *second > 60) return false;  // 60: a leap second
  if (Take(text, ".")) {
    if (!TakeDigits(text, 1).has_value()) return false;
    while (TakeDigits(text, 1).has_value()) {
    }
  }
  if (Take(text, "Zz")) return text.empty();
  return Take(text, "+-") && TakeHoursAndMinutes(text) && text.empty();
}

}  // namespace

bool IsFormat(std::string_view format) {
  return format == "email" || format == "uri" || format == "date" ||
         format == "date-time";
}

bool HasFormat(std::string_view text, std::string_view format) {
  if (format == "email") return IsEmail(text);
  if (format == "uri") return IsUri(text);
  if (format == "date") return TakeDate(text) && text.empty();
  if (format == "date-time") return IsDateTime(text);
  return false;
}

int64_t CountCodePoints(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  });
}

}  // namespace gatehouse::trust
