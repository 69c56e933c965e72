#include "controlplane/trust/credential_fields.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"

namespace gatehouse::trust {
namespace {

// Anywhere in the text, its separators taken out: long enough to mean nothing
// else.
constexpr std::array<std::string_view, 24> kStems = {
    "password",      "passwd",       "passphrase",       "passcode",
    "apikey",        "secretkey",    "privatekey",       "accesskey",
    "encryptionkey", "signingkey",   "sshkey",           "accesstoken",
    "authtoken",     "refreshtoken", "bearertoken",      "clientsecret",
    "credential",    "creditcard",   "debitcard",        "cardnumber",
    "onetimecode",   "securitycode", "verificationcode", "recoveryphrase"};

// A whole word of the text.
constexpr std::array<std::string_view, 12> kWords = {
    "secret", "token", "pwd", "pin", "otp", "totp",
    "cvv",    "cvc",   "jwt", "csc", "2fa", "mfa"};

// All of the text.
constexpr std::array<std::string_view, 3> kWhole = {"key", "card", "pan"};

template <size_t N>
bool IsOneOf(const std::array<std::string_view, N>& list,
             std::string_view text) {
  for (const std::string_view item : list) {
    if (item == text) return true;
  }
  return false;
}

// `apiKey2`, `API key`, `api_key`: words in lower case.
std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words(1);
  bool after_lower = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (!absl::ascii_isalnum(byte)) {
      if (!words.back().empty()) words.emplace_back();
      after_lower = false;
      continue;
    }
    if (absl::ascii_isupper(byte) && after_lower) words.emplace_back();
    after_lower = absl::ascii_islower(byte);
    words.back() += absl::ascii_tolower(byte);
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// Only what a person types can be a secret; a choice or a yes cannot.
bool CanCarrySecret(const json::Value& schema) {
  if (!schema.IsObject()) return false;
  if (schema.Find("enum").has_value() || schema.Find("oneOf").has_value()) {
    return false;
  }
  const std::optional<std::string_view> type = StringMember(schema, "type");
  return type != "boolean" && type != "array";
}

}  // namespace

bool AsksForCredential(std::string_view text) {
  std::string squeezed;
  for (const std::string& word : Words(text)) {
    if (IsOneOf(kWords, word)) return true;
    squeezed += word;
  }
  if (IsOneOf(kWhole, squeezed)) return true;
  for (const std::string_view stem : kStems) {
    if (squeezed.find(stem) != std::string::npos) return true;
  }
  return false;
}

Ruling NoFieldAsksForCredentials(const json::Value& properties) {
  for (const json::Member& member : properties.Members()) {
    if (!CanCarrySecret(member.value)) continue;
    if (AsksForCredential(member.name) ||
        AsksForCredential(StringMember(member.value, "title").value_or("")) ||
        AsksForCredential(StringMember(member.value, "format").value_or(""))) {
      return ObjectTo(member.value, Reason::kNotPermittedDetail,
                      "asks for a credential, which no form may do; leave the "
                      "field out");
    }
  }
  return std::nullopt;
}

}  // namespace gatehouse::trust
