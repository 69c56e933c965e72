#include "controlplane/trust/file_uri.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "shared/json/text.h"

namespace gatehouse::trust {
namespace {

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return absl::ascii_tolower(static_cast<unsigned char>(c)) - 'a' + 10;
}

// Percent-decoded once, as a reader of the URI would.
std::optional<std::string> Decoded(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size() ||
        !absl::ascii_isxdigit(static_cast<unsigned char>(text[i + 1])) ||
        !absl::ascii_isxdigit(static_cast<unsigned char>(text[i + 2]))) {
      return std::nullopt;
    }
    decoded +=
        static_cast<char>(HexValue(text[i + 1]) * 16 + HexValue(text[i + 2]));
    i += 2;
  }
  return decoded;
}

// Backslashes separate too: some readers take them so.
bool HasTraversal(std::string_view path) {
  size_t start = 0;
  while (start <= path.size()) {
    const size_t end = std::min(path.find_first_of("/\\", start), path.size());
    if (path.substr(start, end - start) == "..") return true;
    start = end + 1;
  }
  return false;
}

bool IsControl(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

}  // namespace

std::optional<std::string_view> FileUriProblem(std::string_view uri) {
  constexpr std::string_view kScheme = "file://";
  if (uri.substr(0, kScheme.size()) != kScheme) {
    return "must be a file:// URI";
  }
  const std::string_view path = uri.substr(kScheme.size());
  if (path.empty() || path[0] != '/') {
    return "has a host or credentials in it; a root is file:///path";
  }
  if (path.substr(0, 2) == "//") {
    return "has a host in its path; a root is file:///path";
  }
  if (path.find_first_of("?#") != std::string_view::npos) {
    return "has a query or a fragment";
  }
  const std::optional<std::string> decoded = Decoded(path);
  if (!decoded.has_value()) return "has a broken percent-encoding";
  if (!json::IsUtf8(*decoded)) {
    return "has percent-encoded bytes that are no UTF-8";
  }
  // An encoded separator, or a second layer of encoding, is read by some as a
  // host or as `..`, and by nobody as a folder that a user has.
  if (std::count(decoded->begin(), decoded->end(), '/') !=
          std::count(path.begin(), path.end(), '/') ||
      std::count(decoded->begin(), decoded->end(), '\\') !=
          std::count(path.begin(), path.end(), '\\')) {
    return "has an encoded separator in it";
  }
  const std::string lower = absl::AsciiStrToLower(*decoded);
  for (const char* twice : {"%2e", "%2f", "%5c"}) {
    if (lower.find(twice) != std::string::npos) {
      return "is percent-encoded twice";
    }
  }
  if (std::any_of(decoded->begin(), decoded->end(), IsControl)) {
    return "has a control character in it";
  }
  if (HasTraversal(*decoded)) return "has .. in its path";
  return std::nullopt;
}

}  // namespace gatehouse::trust
