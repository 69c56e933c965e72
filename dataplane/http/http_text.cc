#include "dataplane/http/http_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <string>
#include <utility>

namespace gatehouse::http {
namespace {

constexpr size_t kUsualHeaders = 12;

// What a byte is, looked up: these are asked for every byte of every header.
struct Bytes {
  std::array<bool, 256> token = {};
  std::array<bool, 256> value = {};
  std::array<char, 256> lower = {};
};

constexpr Bytes MakeBytes() {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  Bytes bytes;
  for (size_t i = 0; i < 256; ++i) {
    const bool upper = i >= 'A' && i <= 'Z';
    const bool letter = upper || (i >= 'a' && i <= 'z');
    bytes.lower[i] = static_cast<char>(upper ? i - 'A' + 'a' : i);
    bytes.token[i] = letter || (i >= '0' && i <= '9') ||
                     (i < 0x80 && kMarks.find(static_cast<char>(i)) !=
                                      std::string_view::npos);
    bytes.value[i] = (i >= 0x20 && i != 0x7F) || i == '\t';
  }
  return bytes;
}
constexpr Bytes kBytes = MakeBytes();

size_t Index(char c) { return static_cast<unsigned char>(c); }

}  // namespace

bool EqualsNoCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return kBytes.lower[Index(x)] == kBytes.lower[Index(y)];
         });
}

std::string_view TrimSpace(std::string_view text) {
  const size_t start = text.find_first_not_of(" \t");
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(" \t") - start + 1);
}

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return kBytes.token[Index(c)];
  });
}

bool IsFieldValue(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return kBytes.value[Index(c)]; });
}

std::optional<uint64_t> ParseDecimal(std::string_view text) {
  if (text.empty() || text.size() > 18) return std::nullopt;
  uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  return value;
}

bool ListHasToken(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (EqualsNoCase(TrimSpace(list.substr(0, comma)), token)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

size_t FindHeadEnd(std::string_view bytes, size_t from) {
  // The end may straddle what was seen and what is new.
  const size_t at = bytes.find("\r\n\r\n", from < 3 ? 0 : from - 3);
  return at == std::string_view::npos ? at : at + 4;
}

std::optional<Headers> ParseHeaderLines(std::string_view lines) {
  Headers headers;
  headers.reserve(kUsualHeaders);
  while (lines != "\r\n") {
    const size_t end = lines.find("\r\n");
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = lines.substr(0, end);
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = TrimSpace(line.substr(colon + 1));
    if (!IsToken(name) || !IsFieldValue(value)) return std::nullopt;
    headers.emplace_back(name, value);
    lines.remove_prefix(end + 2);
  }
  return headers;
}

std::optional<std::string_view> FindHeader(const Headers& headers,
                                           std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (EqualsNoCase(key, name)) return value;
  }
  return std::nullopt;
}

int CountHeader(const Headers& headers, std::string_view name) {
  return static_cast<int>(std::count_if(
      headers.begin(), headers.end(),
      [name](const auto& header) { return EqualsNoCase(header.first, name); }));
}

std::string_view ReasonPhrase(int status) {
  constexpr std::pair<int, std::string_view> kPhrases[] = {
      {100, "Continue"},
      {200, "OK"},
      {202, "Accepted"},
      {204, "No Content"},
      {304, "Not Modified"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {406, "Not Acceptable"},
      {408, "Request Timeout"},
      {409, "Conflict"},
      {411, "Length Required"},
      {413, "Content Too Large"},
      {414, "URI Too Long"},
      {415, "Unsupported Media Type"},
      {416, "Range Not Satisfiable"},
      {417, "Expectation Failed"},
      {429, "Too Many Requests"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {502, "Bad Gateway"},
      {503, "Service Unavailable"},
      {504, "Gateway Timeout"},
      {505, "HTTP Version Not Supported"},
  };
  for (const auto& [code, phrase] : kPhrases) {
    if (code == status) return phrase;
  }
  return "Status";
}

std::string HttpDate(int64_t unix_seconds) {
  constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed",
                                                "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr",
                                                   "May", "Jun", "Jul", "Aug",
                                                   "Sep", "Oct", "Nov", "Dec"};
  const std::time_t time = unix_seconds;
  std::tm utc = {};
  gmtime_r(&time, &utc);
  char text[64];
  // Not strftime: its names follow the locale.
  const int n =
      snprintf(text, sizeof(text), "%s, %02d %s %04d %02d:%02d:%02d GMT",
               kDays[static_cast<size_t>(utc.tm_wday)], utc.tm_mday,
               kMonths[static_cast<size_t>(utc.tm_mon)], utc.tm_year + 1900,
               utc.tm_hour, utc.tm_min, utc.tm_sec);
  return std::string(text, static_cast<size_t>(std::max(n, 0)));
}

void AppendHeaders(const Headers& headers,
                   std::initializer_list<std::string_view> without,
                   std::string& out) {
  for (const auto& [name, value] : headers) {
    const bool ours = std::any_of(
        without.begin(), without.end(),
        [&name = name](std::string_view w) { return EqualsNoCase(name, w); });
    if (ours || !IsToken(name) || !IsFieldValue(value)) continue;
    out.append(name).append(": ").append(value).append("\r\n");
  }
}

}  // namespace gatehouse::http
