#include "controlplane/audit/verify.h"

#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controlplane/audit/merkle.h"
#include "shared/base/status.h"

namespace gatehouse::audit {
namespace {

absl::Status Bad(int64_t epoch, int64_t seq, std::string_view what) {
  return absl::DataLossError(
      absl::StrCat("audit leaf ", epoch, "-", seq, ": ", ToAbsl(what)));
}

}  // namespace

absl::StatusOr<Record> LogVerifier::Add(const AuditLeafRow& leaf) {
  if (leaf.epoch != epoch_ || leaf.seq != size_) {
    return Bad(epoch_, size_,
               std::string("expected here, found ") +
                   std::to_string(leaf.epoch) + "-" + std::to_string(leaf.seq));
  }
  if (LeafHash(leaf.body) != leaf.leaf_hash) {
    return Bad(epoch_, size_, "its body does not have the stored hash");
  }
  absl::StatusOr<Record> record = Decode(leaf.body);
  if (!record.ok()) {
    return Bad(epoch_, size_, ToStd(record.status().message()));
  }
  if (record->epoch != leaf.epoch || record->seq != leaf.seq) {
    return Bad(epoch_, size_, "its body names another place");
  }
  absl::StatusOr<std::string> range =
      AppendToRange(compact_range_, size_, leaf.leaf_hash);
  if (!range.ok()) return range.status();
  compact_range_ = *std::move(range);
  size_ += 1;
  return record;
}

absl::Status LogVerifier::CheckHead(const AuditHeadRow& head) const {
  if (head.epoch != epoch_ || head.size != size_) {
    return absl::DataLossError(
        absl::StrCat("audit head: speaks of ", head.size, " leaves of epoch ",
                     head.epoch, ", found ", size_, " of epoch ", epoch_));
  }
  if (head.compact_range != compact_range_) {
    return absl::DataLossError(
        absl::StrCat("audit head: its compact range is not that of these ",
                     size_, " leaves"));
  }
  return absl::OkStatus();
}

}  // namespace gatehouse::audit
