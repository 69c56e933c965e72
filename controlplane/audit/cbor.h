#ifndef GATEHOUSE_CONTROLPLANE_AUDIT_CBOR_H_
#define GATEHOUSE_CONTROLPLANE_AUDIT_CBOR_H_

// The corner of CBOR (RFC 8949) that a record needs: integers of 64 bits,
// texts, byte strings, and maps from small integers to these, one level deep.
//
// The writer is deterministic (§4.2.1): ascending keys, shortest heads,
// definite lengths. The reader is not picky about that: record.cc writes again
// what it read and compares. Pure; bounded by the length of the input.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "absl/status/statusor.h"

namespace gatehouse::audit {

struct CborText {
  std::string utf8;
};
struct CborBytes {
  std::string bytes;
};
using CborScalar = std::variant<int64_t, CborText, CborBytes>;
// Ordered by key, which is the order of the bytes for keys of 0 and above.
using CborSubmap = std::map<int64_t, CborScalar>;
using CborItem = std::variant<CborScalar, CborSubmap>;
using CborMap = std::map<int64_t, CborItem>;

// Keys must not be negative.
std::string WriteCbor(const CborMap& map);

// INVALID_ARGUMENT, with the offset, if `input` is not one such map: another
// type, a repeated key, an integer out of int64, truncated or trailing bytes.
absl::StatusOr<CborMap> ReadCbor(std::string_view input);

// Well-formed UTF-8: no surrogates, no overlong forms, nothing past U+10FFFF.
bool IsUtf8(std::string_view text);

}  // namespace gatehouse::audit

#endif  // GATEHOUSE_CONTROLPLANE_AUDIT_CBOR_H_
