#include "controlplane/trust/credential_fields.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "controlplane/trust/credential_words.h"
#include "controlplane/trust/unicode_text.h"

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

// In lower case.
std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words(1);
  for (size_t i = 0; i < text.size(); ++i) {
    const bool ends = !IsWordByte(text[i]) || (i > 0 && EndsBefore(text, i));
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
  for (const std::string_view item : list) {
    if (item == text) return true;
  }
  return false;
}

bool HoldsAStem(std::string_view text) {
  for (const std::string_view stem : kCredentialStems) {
    if (text.find(stem) != std::string_view::npos) return true;
  }
  return false;
}

std::string Squeezed(std::string_view text) {
  std::string squeezed;
  for (const std::string& word : Words(text)) squeezed += word;
  return squeezed;
}

// p4ssw0rd: digits in the place of the letters that they look like.
std::string DigitsRead(std::string text) {
  for (char& c : text) {
    switch (c) {
      case '0':
        c = 'o';
        break;
      case '1':
        c = 'i';
        break;
      case '3':
        c = 'e';
        break;
      case '4':
        c = 'a';
        break;
      case '5':
        c = 's';
        break;
      case '7':
        c = 't';
        break;
      default:
        break;
    }
  }
  return text;
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
  std::string squeezed;
  std::string before;
  for (const std::string& word : Words(Folded(text))) {
    if (IsOneOf(kCredentialWords, word)) return true;
    if (before == "2" && word == "fa") return true;
    squeezed += word;
    before = word;
  }
  // Some letters of other scripts look Latin, and then the stems in those
  // scripts are found only in the text as it is.
  return IsOneOf(kCredentialWholes, squeezed) || HoldsAStem(squeezed) ||
         HoldsAStem(DigitsRead(squeezed)) ||
         HoldsAStem(Squeezed(InSmallLetters(text)));
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
