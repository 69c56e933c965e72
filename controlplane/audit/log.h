#ifndef GATEHOUSE_CONTROLPLANE_AUDIT_LOG_H_
#define GATEHOUSE_CONTROLPLANE_AUDIT_LOG_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "controlplane/audit/record.h"
#include "controlplane/store/store.h"
#include "shared/base/random.h"

namespace gatehouse::audit {

// Appends `record` to the log inside the caller's transaction: reads the head,
// sets the record's epoch, seq, time and nonce, inserts the leaf and moves the
// head by compare-and-set. Returns the record's seq.
//
// Used on the store's thread, inside a Work. A decision whose record cannot be
// written is not taken: return this error from the Work.
//   INVALID_ARGUMENT  the record breaks a bound of record.h
//   ABORTED           the head was moved by somebody else
//   DATA_LOSS         the stored head is no head
//   others            as the transaction gives them
absl::StatusOr<int64_t> Append(Transaction& transaction, Record& record,
                               Random& random);

}  // namespace gatehouse::audit

#endif  // GATEHOUSE_CONTROLPLANE_AUDIT_LOG_H_
