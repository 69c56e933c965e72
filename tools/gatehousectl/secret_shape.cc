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
    "token",       "secret",    "passw",    "passphrase", "key",
    "credential",  "auth",      "cookie",   "private",    "bearer",
    "webhook",     "signature", "conn_str", "connection", "session",
    "certificate", "mnemonic",
};
// As a whole word of a name.
constexpr std::string_view kNameWords[] = {"pass", "pwd", "pat", "dsn", "pin",
                                           "otp",  "sig", "sas", "jwt"};
// Flags whose value is a variable or a header as a whole.
constexpr std::string_view kPairFlags[] = {"-e",       "--env", "-H",
                                           "--header", "-u",    "--user"};
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

// 8-4-4-4-12 hexadecimal digits.
bool IsUuid(std::string_view run) {
  if (run.size() != 36) return false;
  for (size_t i = 0; i < run.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const bool fits =
        dash ? run[i] == '-'
             : absl::ascii_isxdigit(static_cast<unsigned char>(run[i])) != 0;
    if (!fits) return false;
  }
  return true;
}

// Whether any run of `value` looks random; `joins` belong to a run.
bool HasRandomRun(std::string_view value, std::string_view joins) {
  size_t start = 0;
  for (size_t i = 0; i <= value.size(); ++i) {
    const bool in_run =
        i < value.size() && (IsWordByte(value[i]) ||
                             joins.find(value[i]) != std::string_view::npos);
    if (in_run) continue;
    const std::string_view run = value.substr(start, i - start);
    if (IsRandomLooking(run) || IsUuid(run)) return true;
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

bool IsNameByte(char c) {
  return IsWordByte(c) || c == '-' || c == '_' || c == '.';
}

// What may stand between a name and the sign behind it: `"Authorization": …`,
// `Password = …`, with the quotes escaped or not.
bool IsQuoteOrSpace(char c) {
  return c == '"' || c == '\'' || c == '\\' || c == ' ';
}

// The name that ends where the `=` or `:` at `sign` begins; empty if it is
// none.
std::string_view NameBefore(std::string_view text, size_t sign) {
  size_t end = sign;
  while (end > 0 && IsQuoteOrSpace(text[end - 1])) --end;
  size_t start = end;
  while (start > 0 && IsNameByte(text[start - 1])) --start;
  // The tag of an image (`ghcr.io/some/auth-server:1`) or a port is none.
  if (text[sign] == ':' && start > 0 &&
      (text[start - 1] == '/' || text[start - 1] == '@')) {
    return {};
  }
  return text.substr(start, end - start);
}

// Whether there is, anywhere, a name that says that it is a secret's, with a
// value behind it: in a script, a connection string, JSON or a URL.
bool HasSecretPair(std::string_view text) {
  for (size_t i = text.find_first_of("=:"); i != std::string_view::npos;
       i = text.find_first_of("=:", i + 1)) {
    const size_t value = text.find_first_not_of("=: \"'\\", i);
    if (value == std::string_view::npos) return false;
    if (text[value] == '&' || text[value] == ';') continue;
    if (text.substr(i).starts_with("://")) continue;
    if (NameSuggestsSecret(NameBefore(text, i))) return true;
  }
  return false;
}

// Azure's functions take theirs as `code`.
bool HasCodeParameter(std::string_view url) {
  const std::string lower = absl::AsciiStrToLower(ToAbsl(url));
  return absl::StrContains(lower, "?code=") ||
         absl::StrContains(lower, "&code=");
}

// The mark of a known service at the begin of a word; `breaks` end a word.
bool HasKnownPrefix(std::string_view text, std::string_view breaks) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (i > 0 && breaks.find(text[i - 1]) == std::string_view::npos) continue;
    const std::string_view rest = text.substr(i);
    for (const std::string_view prefix : kPrefixes) {
      if (rest.starts_with(prefix)) return true;
    }
    if (absl::StartsWithIgnoreCase(ToAbsl(rest), "bearer ")) return true;
  }
  return false;
}

bool HasSecretInUrl(std::string_view value, size_t authority) {
  const std::string_view rest = value.substr(authority);
  const size_t path = std::min(rest.find_first_of("/?#"), rest.size());
  return HasUserInfo(value, authority) || HasCodeParameter(value) ||
         HasKnownPrefix(rest, "/?&=#") || HasRandomRun(rest, "") ||
         HasRandomRun(rest.substr(path), "-_");
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
  const bool is_name = std::all_of(name.begin(), name.end(), IsNameByte);
  // `https://host` has no name before its colon.
  const bool is_url = word.substr(end).starts_with("://");
  return is_name && !is_url ? end : std::string_view::npos;
}

bool HasPair(std::string_view text) {
  const size_t sign = text.find_first_of("=:");
  return sign != std::string_view::npos && sign + 1 < text.size();
}

// A variable, a header or a login: what follows `flag`, or the flag's own word.
bool IsPairOfFlag(std::string_view flag, std::string_view word) {
  for (const std::string_view known : kPairFlags) {
    if (flag == known) return HasPair(word);
    if (!word.starts_with(known)) continue;
    const std::string_view rest = word.substr(known.size());
    // `--env=A=b`; of a short flag also `-eA=b`.
    const bool joined =
        rest.starts_with('=') ||
        (known.size() == 2 && !rest.empty() &&
         (rest.front() == '_' ||
          absl::ascii_isupper(static_cast<unsigned char>(rest.front()))));
    if (joined && HasPair(rest.substr(1))) return true;
  }
  return false;
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
  if (HasSecretPair(value) || HasKnownPrefix(value, " \t\"'=:,;")) return true;
  bool url = false;
  for (size_t scheme = value.find("://"); scheme != std::string_view::npos;
       scheme = value.find("://", scheme + 3)) {
    if (HasSecretInUrl(value, scheme + 3)) return true;
    url = true;
  }
  if (url) return false;
  if (IsPath(value)) return false;
  return HasRandomRun(value, "-_+/=");
}

bool ArgumentSuggestsSecret(std::string_view flag, std::string_view word) {
  if (word.empty()) return false;
  const bool follows_flag = flag.size() > 1 && flag.front() == '-' &&
                            flag.find('=') == std::string_view::npos &&
                            word.front() != '-';
  if (follows_flag && NameSuggestsSecret(flag)) return true;
  if (IsPairOfFlag(flag, word)) return true;
  const size_t end = NameEnd(word);
  if (end == std::string_view::npos) return ValueSuggestsSecret(word);
  size_t value = end + 1;
  while (value < word.size() && word[value] == ' ') ++value;
  if (value >= word.size()) return false;
  return NameSuggestsSecret(word.substr(0, end)) ||
         ArgumentSuggestsSecret("", word.substr(value));
}

}  // namespace gatehouse::ctl
