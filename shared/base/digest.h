#ifndef GATEHOUSE_SHARED_BASE_DIGEST_H_
#define GATEHOUSE_SHARED_BASE_DIGEST_H_

#include <optional>
#include <string>
#include <string_view>

namespace gatehouse {

// Pure functions over OpenSSL. Digests are raw bytes (32), not hex.
std::string Sha256(std::string_view data);
std::string HmacSha256(std::string_view key, std::string_view data);

// True if equal; takes the same time wherever the first difference is.
// Different lengths are simply unequal.
bool ConstantTimeEquals(std::string_view a, std::string_view b);

std::string HexEncode(std::string_view bytes);                // lower case
std::optional<std::string> HexDecode(std::string_view text);  // either case
std::string Base64UrlEncode(std::string_view bytes);          // no padding

}  // namespace gatehouse

#endif  // GATEHOUSE_SHARED_BASE_DIGEST_H_
