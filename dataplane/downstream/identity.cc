#include "dataplane/downstream/identity.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "shared/base/digest.h"
#include "shared/base/status.h"

namespace gatehouse::downstream {
namespace {

constexpr std::string_view kIssuer = "gatehouse";
constexpr std::string_view kAnonymous = "anonymous";
constexpr size_t kMaxTokenBytes = 4096;

bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= 256 && name != kAnonymous &&
         name.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
             "-_.@") == std::string_view::npos;
}

absl::Status LineError(int number, std::string_view what) {
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    absl::StrCat("line ", number, ": ", ToAbsl(what)));
}

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

absl::StatusOr<Identities> Identities::Parse(std::string_view file) {
  Identities identities;
  for (int number = 1; !file.empty(); ++number) {
    const size_t end = file.find('\n');
    const std::string_view line = Trim(file.substr(0, end));
    file.remove_prefix(end == std::string_view::npos ? file.size() : end + 1);
    if (line.empty() || line.front() == '#') continue;
    const size_t space = line.find_first_of(" \t");
    const std::string_view name = line.substr(0, space);
    if (space == std::string_view::npos) {
      return LineError(number, "expected NAME SHA256-HEX");
    }
    if (!IsName(name)) {
      return LineError(number,
                       "a name has 1 to 256 of A-Z, a-z, 0-9, '-', '_', '.', "
                       "'@' and is not 'anonymous'");
    }
    std::optional<std::string> digest = HexDecode(Trim(line.substr(space)));
    if (!digest.has_value() || digest->size() != 32) {
      return LineError(number,
                       "expected the token's SHA-256 as 64 hexadecimal digits");
    }
    if (!identities.by_digest_.emplace(*std::move(digest), name).second) {
      return LineError(number, "this digest stands on an earlier line already");
    }
  }
  if (identities.by_digest_.empty()) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      "no client in it: nobody could come in");
  }
  return identities;
}

std::optional<Principal> Identities::Authenticate(
    const http::Headers& headers) const {
  if (anonymous()) {
    return Principal{std::string(kIssuer), std::string(kAnonymous)};
  }
  if (http::CountHeader(headers, "Authorization") != 1) return std::nullopt;
  const std::string_view value = *http::FindHeader(headers, "Authorization");
  constexpr std::string_view kScheme = "Bearer ";
  if (value.size() <= kScheme.size() || value.size() > kMaxTokenBytes ||
      !absl::StartsWithIgnoreCase(ToAbsl(value), ToAbsl(kScheme))) {
    return std::nullopt;
  }
  // Found by the digest of a secret: what the lookup's time tells is of no use.
  const auto it = by_digest_.find(Sha256(Trim(value.substr(kScheme.size()))));
  if (it == by_digest_.end()) return std::nullopt;
  return Principal{std::string(kIssuer), it->second};
}

}  // namespace gatehouse::downstream
