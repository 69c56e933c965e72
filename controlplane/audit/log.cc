#include "controlplane/audit/log.h"

#include <string>
#include <utility>

#include "controlplane/audit/merkle.h"
#include "shared/base/status.h"

namespace gatehouse::audit {

absl::StatusOr<int64_t> Append(Transaction& transaction, Record& record,
                               Random& random) {
  GATEHOUSE_ASSIGN_OR_RETURN(AuditHeadRow head, transaction.GetAuditHead());
  record.epoch = head.epoch;
  record.seq = head.size;
  record.time = transaction.Now();
  record.nonce = random.Bytes(kNonceBytes);
  GATEHOUSE_RETURN_IF_ERROR(Validate(record));

  AuditLeafRow leaf;
  leaf.epoch = head.epoch;
  leaf.seq = head.size;
  leaf.body = Encode(record);
  leaf.leaf_hash = LeafHash(leaf.body);
  GATEHOUSE_ASSIGN_OR_RETURN(
      head.compact_range,
      AppendToRange(head.compact_range, head.size, leaf.leaf_hash));
  GATEHOUSE_RETURN_IF_ERROR(transaction.InsertAuditLeaf(leaf));
  head.size += 1;
  GATEHOUSE_RETURN_IF_ERROR(transaction.UpdateAuditHead(head, leaf.seq));
  return leaf.seq;
}

}  // namespace gatehouse::audit
