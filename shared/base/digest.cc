#include "shared/base/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <cstdlib>
#include <memory>

namespace gatehouse {
namespace {

const unsigned char* Bytes(std::string_view data) {
  return reinterpret_cast<const unsigned char*>(data.data());
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string Sha256(std::string_view data) {
  // Fetched once and kept: OpenSSL 3 else looks the algorithm up each time,
  // which costs several times the digest of a session id.
  static const EVP_MD* const sha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  thread_local const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>
      context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  const bool done =
      EVP_DigestInit_ex2(context.get(), sha256, nullptr) == 1 &&
      EVP_DigestUpdate(context.get(), data.data(), data.size()) == 1 &&
      EVP_DigestFinal_ex(context.get(),
                         reinterpret_cast<unsigned char*>(digest.data()),
                         nullptr) == 1;
  // Only where this process has no OpenSSL to speak of, or no memory: to go on
  // with another digest would be worse.
  if (!done) abort();
  return digest;
}

std::string HmacSha256(std::string_view key, std::string_view data) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  unsigned int size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), Bytes(data),
       data.size(), reinterpret_cast<unsigned char*>(digest.data()), &size);
  return digest;
}

bool ConstantTimeEquals(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string HexEncode(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    text.push_back(kDigits[static_cast<unsigned char>(c) >> 4]);
    text.push_back(kDigits[static_cast<unsigned char>(c) & 15]);
  }
  return text;
}

std::optional<std::string> HexDecode(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = HexValue(text[i]);
    const int low = HexValue(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return bytes;
}

std::string Base64UrlEncode(std::string_view bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  unsigned buffer = 0;
  int held = 0;
  for (const char c : bytes) {
    buffer = (buffer << 8) | static_cast<unsigned char>(c);
    for (held += 8; held >= 6; held -= 6) {
      text.push_back(kDigits[(buffer >> (held - 6)) & 63]);
    }
  }
  if (held > 0) text.push_back(kDigits[(buffer << (6 - held)) & 63]);
  return text;
}

}  // namespace gatehouse
