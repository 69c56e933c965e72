#ifndef GATEHOUSE_CONTROLPLANE_AUDIT_MERKLE_H_
#define GATEHOUSE_CONTROLPLANE_AUDIT_MERKLE_H_

// The one tree over the log's leaves: RFC 6962, SHA-256.
//
// A compact range is what has to be remembered of a tree of `size` leaves to go
// on appending: the roots of its perfect subtrees, the largest (leftmost)
// first, 32 bytes each, one for every bit that is set in `size`. An append
// costs O(log size) hashes, and so does the root.
//
// Pure functions; hashes are 32 raw bytes.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace gatehouse::audit {

// SHA-256(0x00 || body).
std::string LeafHash(std::string_view body);
// SHA-256(0x01 || left || right).
std::string NodeHash(std::string_view left, std::string_view right);

// The compact range of size + 1 leaves. DATA_LOSS if `compact_range` cannot be
// one of `size` leaves, INVALID_ARGUMENT if `leaf_hash` is not a hash.
absl::StatusOr<std::string> AppendToRange(std::string_view compact_range,
                                          int64_t size,
                                          std::string_view leaf_hash);

// The tree's root; of no leaves, SHA-256(""). DATA_LOSS as above.
absl::StatusOr<std::string> RootOfRange(std::string_view compact_range,
                                        int64_t size);

// The root by RFC 6962 §2.1's own definition, from all leaf hashes. Another
// road to the same answer, for tests and offline checks; O(size).
std::string RootOfLeaves(const std::vector<std::string>& leaf_hashes);

}  // namespace gatehouse::audit

#endif  // GATEHOUSE_CONTROLPLANE_AUDIT_MERKLE_H_
