#include "controlplane/audit/merkle.h"

#include <bit>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "shared/base/digest.h"
#include "shared/base/status.h"

namespace gatehouse::audit {
namespace {

constexpr size_t kHashBytes = 32;

absl::Status CheckRange(std::string_view compact_range, int64_t size) {
  const auto subtrees =
      static_cast<size_t>(std::popcount(static_cast<uint64_t>(size)));
  if (size >= 0 && compact_range.size() == subtrees * kHashBytes) {
    return absl::OkStatus();
  }
  return absl::DataLossError(absl::StrCat("audit head: ", compact_range.size(),
                                          " bytes are no compact range of ",
                                          size, " leaves"));
}

std::string Slice(const std::vector<std::string>& leaves, size_t from,
                  size_t to) {
  if (to - from == 1) return leaves[from];
  // The left side is the largest power of two below the count.
  const size_t split = std::bit_floor(to - from - 1);
  return NodeHash(Slice(leaves, from, from + split),
                  Slice(leaves, from + split, to));
}

}  // namespace

std::string LeafHash(std::string_view body) {
  std::string input(1, '\x00');
  input += body;
  return Sha256(input);
}

std::string NodeHash(std::string_view left, std::string_view right) {
  std::string input(1, '\x01');
  input += left;
  input += right;
  return Sha256(input);
}

absl::StatusOr<std::string> AppendToRange(std::string_view compact_range,
                                          int64_t size,
                                          std::string_view leaf_hash) {
  GATEHOUSE_RETURN_IF_ERROR(CheckRange(compact_range, size));
  if (leaf_hash.size() != kHashBytes) {
    return absl::InvalidArgumentError("leaf hash: not 32 bytes");
  }
  std::string range(compact_range);
  std::string hash(leaf_hash);
  // Each trailing one bit of the size is a subtree as large as the new one.
  for (auto bits = static_cast<uint64_t>(size); (bits & 1) != 0; bits >>= 1) {
    const size_t left = range.size() - kHashBytes;
    hash = NodeHash(std::string_view(range).substr(left), hash);
    range.resize(left);
  }
  return range + hash;
}

absl::StatusOr<std::string> RootOfRange(std::string_view compact_range,
                                        int64_t size) {
  GATEHOUSE_RETURN_IF_ERROR(CheckRange(compact_range, size));
  if (size == 0) return Sha256("");
  size_t at = compact_range.size() - kHashBytes;
  std::string root(compact_range.substr(at));
  while (at > 0) {
    at -= kHashBytes;
    root = NodeHash(compact_range.substr(at, kHashBytes), root);
  }
  return root;
}

std::string RootOfLeaves(const std::vector<std::string>& leaf_hashes) {
  if (leaf_hashes.empty()) return Sha256("");
  return Slice(leaf_hashes, 0, leaf_hashes.size());
}

}  // namespace gatehouse::audit
