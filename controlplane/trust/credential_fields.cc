#include "controlplane/trust/credential_fields.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "controlplane/trust/credential_words.h"
#include "controlplane/trust/unicode_text.h"
#include "shared/base/status.h"

namespace gatehouse::trust {
namespace {

bool IsUpper(char c) {
  return absl::ascii_isupper(static_cast<unsigned char>(c));
}
bool IsLower(char c) {
  return absl::ascii_islower(static_cast<unsigned char>(c));
}
bool IsDigit(char c) {
  return absl::ascii_isdigit(static_cast<unsigned char>(c));
}
// Letters of other scripts are part of words too.
bool IsWordByte(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Whether a word ends before text[i]: `apiKey`, `APIToken`, `cvv2`.
bool EndsBefore(std::string_view text, size_t i) {
  const char before = text[i - 1];
  const char c = text[i];
  if (IsDigit(c) && !IsDigit(before)) return true;
  if (IsUpper(c) && !IsUpper(before)) return true;
  return IsUpper(before) && IsUpper(c) && i + 1 < text.size() &&
         IsLower(text[i + 1]);
}

using Words = std::vector<std::string>;

// In lower case; split at what is no letter or digit, and with `within` also
// where EndsBefore says so.
Words Split(std::string_view text, bool within) {
  Words words(1);
  for (size_t i = 0; i < text.size(); ++i) {
    const bool ends =
        !IsWordByte(text[i]) || (within && i > 0 && EndsBefore(text, i));
    if (ends && !words.back().empty()) words.emplace_back();
    if (IsWordByte(text[i])) {
      words.back() += absl::ascii_tolower(static_cast<unsigned char>(text[i]));
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

template <typename List>
bool IsOneOf(const List& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool Holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Other characters in the place of the letters that they look like.
struct Likeness {
  char written;
  char read;
};
std::string Read(std::string text, std::span<const Likeness> likenesses) {
  for (char& c : text) {
    for (const Likeness& likeness : likenesses) {
      if (c == likeness.written) {
        c = likeness.read;
        break;
      }
    }
  }
  return text;
}

// t0ken, p4ss.
constexpr Likeness kDigits[] = {{'0', 'o'}, {'1', 'i'}, {'3', 'e'},
                                {'4', 'a'}, {'5', 's'}, {'7', 't'}};
// p@ssw0rd, credentia1, |>assword: coarser, for what is too long to be hit by
// chance.
constexpr Likeness kLooks[] = {{'0', 'o'}, {'1', 'l'}, {'i', 'l'}, {'|', 'l'},
                               {'!', 'l'}, {'3', 'e'}, {'4', 'a'}, {'@', 'a'},
                               {'5', 's'}, {'$', 's'}, {'7', 't'}};

// How a text looks at a glance: letters that others imitate are one, alone or
// in pairs (rn, vv, cl), and nothing else is left.
std::string Glance(std::string_view text) {
  std::string glance;
  for (const char c : Read(absl::AsciiStrToLower(ToAbsl(text)), kLooks)) {
    if (!IsWordByte(c)) continue;
    const char before = glance.empty() ? '\0' : glance.back();
    char pair = '\0';
    if (before == 'r' && c == 'n') pair = 'm';
    if (before == 'v' && c == 'v') pair = 'w';
    if (before == 'c' && c == 'l') pair = 'd';
    if (pair == '\0') {
      glance += c;
    } else {
      glance.back() = pair;
    }
  }
  return glance;
}

bool HoldsAStem(std::string_view text) {
  static const auto* const glances = [] {
    auto* made = new Words;
    for (const std::string_view stem : kCredentialStems) {
      made->push_back(Glance(InSmallLetters(stem)));
    }
    return made;
  }();
  const std::string glance = Glance(text);
  for (const std::string& stem : *glances) {
    if (Holds(glance, stem)) return true;
  }
  return false;
}

// `p i n`, `P.I.N.`: what single letters in a row spell.
Words Spelt(const Words& words) {
  Words spelt(1);
  for (const std::string& word : words) {
    if (word.size() == 1) {
      spelt.back() += word;
    } else if (!spelt.back().empty()) {
      spelt.emplace_back();
    }
  }
  return spelt;
}

bool IsOne(const std::string& word) {
  if (IsOneOf(kCredentialWords, word)) return true;
  for (const std::string_view end : kCredentialEnds) {
    if (absl::EndsWith(word, ToAbsl(end))) return true;
  }
  // Not of what is short and a word of its own with its digits: P47.
  const std::string read = Read(word, kDigits);
  return (read.size() > 3 || read == "pin" || read == "otp") &&
         IsOneOf(kCredentialWords, read);
}

bool AnyIsOne(const Words& words) {
  return std::any_of(words.begin(), words.end(), IsOne);
}

bool HasTwoFactors(const Words& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i - 1] == "2" && words[i] == "fa") return true;
  }
  return false;
}

// `text` in plain letters, as far as it has them.
bool NamesOneIn(std::string_view text) {
  const Words words = Split(text, /*within=*/true);
  const Words whole_words = Split(text, /*within=*/false);
  const std::string squeezed = absl::StrJoin(words, "");
  return AnyIsOne(words) || AnyIsOne(whole_words) ||
         AnyIsOne(Spelt(whole_words)) || HasTwoFactors(words) ||
         IsOneOf(kCredentialWords, squeezed) ||
         IsOneOf(kCredentialWholes, squeezed) ||
         IsOneOf(kCredentialWholes, Read(squeezed, kDigits)) ||
         HoldsAStem(text);
}

// Only what a person types can be a secret; a choice or a yes cannot.
bool CanCarrySecret(const Field& field) {
  return field.schema.IsObject() && !field.schema.Find("enum").has_value() &&
         !field.schema.Find("oneOf").has_value() &&
         field.kind != FieldKind::kBoolean && field.kind != FieldKind::kChoices;
}

bool MemberNamesOne(const Field& field, std::string_view member) {
  return NamesACredential(StringMember(field.schema, member).value_or(""));
}

}  // namespace

bool NamesACredential(std::string_view text) {
  // Writing that is turned around has no honest use in a label, and reads as it
  // is not.
  if (OverridesDirection(text) || NamesOneIn(Folded(text))) return true;
  // Some letters of other scripts look Latin; words in those scripts are found
  // only in the text as it is.
  const std::string small = InSmallLetters(text);
  return NamesOneIn(small);
}

bool AsksForCredential(const Field& field) {
  return CanCarrySecret(field) &&
         (NamesACredential(field.name) || MemberNamesOne(field, "title") ||
          MemberNamesOne(field, "format"));
}

bool DescribesACredential(const Field& field) {
  return CanCarrySecret(field) && MemberNamesOne(field, "description");
}

bool IsAllowedField(const policy::VirtualServer& policy,
                    std::string_view upstream, std::string_view field) {
  for (const policy::AllowedField& allowed : policy.elicitation_allow_fields) {
    if (allowed.upstream == upstream && allowed.field == field) return true;
  }
  return false;
}

}  // namespace gatehouse::trust
