#include "tools/gatehousectl/token_file.h"

#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::ctl {
namespace {

constexpr size_t kMaxTokenBytes = 4096;

}  // namespace

absl::StatusOr<std::string> ReadTokenFile(const std::string& path,
                                          std::string_view what_to_do) {
  std::ifstream file(path, std::ios::binary);
  std::string token(kMaxTokenBytes + 1, '\0');
  file.read(token.data(), static_cast<std::streamsize>(token.size()));
  token.resize(static_cast<size_t>(file.gcount()));
  absl::StripAsciiWhitespace(&token);
  if (token.empty() || token.size() > kMaxTokenBytes ||
      token.find_first_of(" \r\n\t") != std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": cannot read a token there; ", ToAbsl(what_to_do)));
  }
  return token;
}

}  // namespace gatehouse::ctl
