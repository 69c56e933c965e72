#include "controlplane/trust/binary.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/ascii.h"

namespace gatehouse::trust {
namespace {

constexpr size_t kMaxMimeTypeBytes = 256;

bool IsBase64Char(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '+' ||
         c == '/';
}

bool IsRestrictedName(std::string_view name) {
  return !name.empty() &&
         absl::ascii_isalnum(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                  std::string_view("!#$&-^_.+").find(c) !=
                      std::string_view::npos;
         });
}

}  // namespace

bool IsBase64(std::string_view text) {
  if (text.size() % 4 != 0) return false;
  for (int padding = 0; padding < 2; ++padding) {
    if (!text.empty() && text.back() == '=') text.remove_suffix(1);
  }
  return std::all_of(text.begin(), text.end(), IsBase64Char);
}

bool IsMimeType(std::string_view text) {
  if (text.size() > kMaxMimeTypeBytes) return false;
  const std::string_view essence = text.substr(0, text.find(';'));
  const size_t slash = essence.find('/');
  if (slash == std::string_view::npos) return false;
  return IsRestrictedName(essence.substr(0, slash)) &&
         IsRestrictedName(essence.substr(slash + 1)) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= 0x20 && c < 0x7F; });
}

}  // namespace gatehouse::trust
