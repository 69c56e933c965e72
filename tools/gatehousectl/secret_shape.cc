#include "tools/gatehousectl/secret_shape.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "shared/base/status.h"

namespace gatehouse::ctl {
namespace {

// Anywhere in a name.
constexpr std::string_view kNameParts[] = {
    "token",    "secret",     "passw",   "passphrase",  "key",     "credential",
    "auth",     "cookie",     "private", "bearer",      "webhook", "signature",
    "conn_str", "connection", "session", "certificate",
};
// As a whole word of a name.
constexpr std::string_view kNameWords[] = {"pass", "pwd", "pat",
                                           "dsn",  "pin", "otp"};
// How keys of known services begin.
constexpr std::string_view kPrefixes[] = {
    "sk-",   "sk_",     "pk_",     "rk_",         "ghp_",       "gho_",
    "ghu_",  "ghs_",    "ghr_",    "github_pat_", "glpat-",     "xoxb-",
    "xoxp-", "xoxa-",   "xoxs-",   "xapp-",       "AKIA",       "ASIA",
    "AIza",  "ya29.",   "eyJ",     "hf_",         "npm_",       "pypi-",
    "SG.",   "dop_v1_", "shpat_",  "secret_",     "ntn_",       "lin_api_",
    "figd_", "tvly-",   "Bearer ", "Basic ",      "-----BEGIN",
};
// A run of these without a break is looked at as one word.
constexpr size_t kRunBytes = 20;

bool IsWordByte(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c));
}

// Long, and going to and fro between letters and digits: no word of any
// language, and no name with a version behind it.
bool IsRandomLooking(std::string_view run) {
  if (run.size() < kRunBytes) return false;
  int changes = 0;
  char before = 0;  // `a` or `0`, of the last letter or digit
  for (const char c : run) {
    if (!IsWordByte(c)) continue;
    const char kind = c >= '0' && c <= '9' ? '0' : 'a';
    if (before != 0 && kind != before) ++changes;
    before = kind;
  }
  return changes >= 3;
}

// Whether any run of `value` looks random; `joins` belong to a run.
bool HasRandomRun(std::string_view value, std::string_view joins) {
  size_t start = 0;
  for (size_t i = 0; i <= value.size(); ++i) {
    const bool in_run =
        i < value.size() && (IsWordByte(value[i]) ||
                             joins.find(value[i]) != std::string_view::npos);
    if (in_run) continue;
    if (IsRandomLooking(value.substr(start, i - start))) return true;
    start = i + 1;
  }
  return false;
}

// `user:password@` before the host.
bool HasUserInfo(std::string_view url, size_t authority) {
  const std::string_view rest = url.substr(authority);
  const size_t end = std::min(rest.find_first_of("/?#"), rest.size());
  return rest.substr(0, end).find('@') != std::string_view::npos;
}

// A parameter whose name says that it is one, with a value.
bool HasSecretParameter(std::string_view url) {
  size_t at = url.find('?');
  while (at != std::string_view::npos && at + 1 < url.size()) {
    const std::string_view rest = url.substr(at + 1);
    const std::string_view pair = rest.substr(0, rest.find_first_of("&#"));
    const size_t equals = pair.find('=');
    if (equals != std::string_view::npos && equals + 1 < pair.size() &&
        NameSuggestsSecret(pair.substr(0, equals))) {
      return true;
    }
    const size_t next = url.find('&', at + 1);
    at = next;
  }
  return false;
}

bool IsPath(std::string_view value) {
  return value.starts_with("/") || value.starts_with("./") ||
         value.starts_with("../") || value.starts_with("~/");
}

// Where a word's name ends and its value begins; npos if it has no such form.
size_t NameEnd(std::string_view word) {
  const size_t end = word.find_first_of("=:");
  if (end == std::string_view::npos || end == 0) return std::string_view::npos;
  const std::string_view name = word.substr(0, end);
  const bool is_name = std::all_of(name.begin(), name.end(), [](char c) {
    return IsWordByte(c) || c == '-' || c == '_' || c == '.';
  });
  // `https://host` has no name before its colon.
  const bool is_url = word.substr(end).starts_with("://");
  return is_name && !is_url ? end : std::string_view::npos;
}

}  // namespace

bool NameSuggestsSecret(std::string_view name) {
  const std::string lower = absl::AsciiStrToLower(ToAbsl(name));
  for (const std::string_view part : kNameParts) {
    if (absl::StrContains(lower, ToAbsl(part))) return true;
  }
  size_t start = 0;
  for (size_t i = 0; i <= lower.size(); ++i) {
    if (i < lower.size() && IsWordByte(lower[i])) continue;
    const std::string_view word =
        std::string_view(lower).substr(start, i - start);
    for (const std::string_view secret : kNameWords) {
      // `PGPASS`, `dbpwd`: the word's end counts too.
      if (word == secret || (word.size() > 3 && word.ends_with("pass")) ||
          word.ends_with("pwd")) {
        return true;
      }
    }
    start = i + 1;
  }
  return false;
}

bool ValueSuggestsSecret(std::string_view value) {
  for (const std::string_view prefix : kPrefixes) {
    if (value.starts_with(prefix)) return true;
  }
  const size_t scheme = value.find("://");
  if (scheme != std::string_view::npos) {
    return HasUserInfo(value, scheme + 3) || HasSecretParameter(value) ||
           HasRandomRun(value.substr(scheme + 3), "");
  }
  if (IsPath(value)) return false;
  return HasRandomRun(value, "-_+/=");
}

bool ArgumentSuggestsSecret(std::string_view flag, std::string_view word) {
  if (word.empty()) return false;
  const bool follows_flag = flag.size() > 1 && flag.front() == '-' &&
                            flag.find('=') == std::string_view::npos &&
                            word.front() != '-';
  if (follows_flag && NameSuggestsSecret(flag)) return true;
  const size_t end = NameEnd(word);
  if (end == std::string_view::npos) {
    return word.front() != '-' && ValueSuggestsSecret(word);
  }
  size_t value = end + 1;
  while (value < word.size() && word[value] == ' ') ++value;
  if (value >= word.size()) return false;
  return NameSuggestsSecret(word.substr(0, end)) ||
         ValueSuggestsSecret(word.substr(value));
}

}  // namespace gatehouse::ctl
