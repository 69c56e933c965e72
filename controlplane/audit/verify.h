#ifndef GATEHOUSE_CONTROLPLANE_AUDIT_VERIFY_H_
#define GATEHOUSE_CONTROLPLANE_AUDIT_VERIFY_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "controlplane/audit/record.h"
#include "controlplane/store/rows.h"

namespace gatehouse::audit {

// Checks one epoch of a log, leaf by leaf, in constant memory: every body is a
// record, says its own place, has the hash that is stored beside it; the places
// have no gap; the head's compact range is that of exactly these leaves.
//
// Thread-compatible. Errors are DATA_LOSS and name the first bad leaf.
class LogVerifier {
 public:
  explicit LogVerifier(int64_t epoch) : epoch_(epoch) {}

  // The next leaf; gives its record, checked. After an error use it no more.
  absl::StatusOr<Record> Add(const AuditLeafRow& leaf);

  // Whether the leaves added so far are all that `head` speaks of.
  absl::Status CheckHead(const AuditHeadRow& head) const;

  int64_t size() const { return size_; }
  const std::string& compact_range() const { return compact_range_; }

 private:
  const int64_t epoch_;
  int64_t size_ = 0;
  std::string compact_range_;
};

}  // namespace gatehouse::audit

#endif  // GATEHOUSE_CONTROLPLANE_AUDIT_VERIFY_H_
