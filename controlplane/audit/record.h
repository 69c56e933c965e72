#ifndef GATEHOUSE_CONTROLPLANE_AUDIT_RECORD_H_
#define GATEHOUSE_CONTROLPLANE_AUDIT_RECORD_H_

// What one leaf of the log says, and the bytes that say it.
//
// A record is metadata: who, what, when, which rule, which verdict, sizes,
// digests and counts. Never content, and nothing that could be guessed from a
// plain hash: such things are HMACs (see below). The bytes are final: they are
// what is hashed, docs/audit.md describes them, and every later build reads
// them unmigrated.
//
// Pure functions on values; thread-compatible.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "controlplane/store/rows.h"

namespace gatehouse::audit {

// Stored by name (RecordTypeName), so the numbers mean nothing.
enum class RecordType {
  kAsked,
  kDecided,
  kForwarded,
  kRefused,
  kAnswered,
  kDeclined,
  kDismissed,
  kInvalid,
  kFailed,
  kExpired,
  kCancelled,
  kRevoked,
  kLost,
  kDeliveryClaimed,
  kDeliveryAcknowledged,
  kDeliveryUnknown,
  kLateReply,
  kDuplicateReply,
  kUnknownReply,
  kUnauthorizedReply,
  kOperationClosed,
  kSessionOpened,
  kSessionEnded,
  kPolicyApplied,
  kPolicyDeleted,
  kWorkerAttached,
  kWorkerLost,
  kBoot,
  kRefusalsSuppressed,
  kNotified,
};

// `asked`, `delivery_claimed`, ...: as stored and as shown.
std::string_view RecordTypeName(RecordType type);
std::optional<RecordType> RecordTypeFromName(std::string_view name);

// `RELAYED`, `PENDING_REVIEW`, ...: the names of DESIGN §5.
std::string_view StateName(InputRequestState state);
std::optional<InputRequestState> StateFromName(std::string_view name);

// What moved in an operation's budget, and what it stands at afterwards.
struct Budget {
  int64_t slots_delta = 0;
  int64_t reserved_delta = 0;
  int64_t charged_delta = 0;
  int64_t slots = 0;
  int64_t reserved = 0;
  int64_t charged = 0;
  friend bool operator==(const Budget&, const Budget&) = default;
};

// The budget's movement between two readings of one operation.
Budget BudgetOf(const OperationRow& before, const OperationRow& after);

// Empty strings and nullopt are absent: they take no bytes.
struct Record {
  // Set by Append (log.h); whatever the caller put there is replaced.
  int64_t epoch = 0;
  int64_t seq = 0;
  absl::Time time;    // the store's clock, whole microseconds
  std::string nonce;  // 16 bytes, so that a leaf's hash cannot be guessed

  RecordType type = RecordType::kAsked;
  std::string boot_id;  // this run of the control plane
  std::string session_id;
  std::string operation_id;
  std::string input_request_id;
  std::string kind;  // `sampling`, `elicitation` or `roots`
  std::string era;   // `legacy` or `modern`, the upstream's
  std::string virtual_server;
  std::string upstream;        // configured name
  std::string tool;            // the upstream's own name
  std::string principal_hmac;  // PrincipalHmac
  std::optional<InputRequestState> from_state;
  std::optional<InputRequestState> to_state;
  std::optional<int64_t> state_version;  // the row's, after the change
  std::string outcome;  // the verdict: `relay`, `refuse`, `answer`, ...
  std::string reason;   // the stable reason of shared/reasons
  std::string cause;    // of a terminal state: `no_reply`, `upstream`, ...
  std::optional<int64_t> policy_version;
  std::string policy_etag_sha256;
  std::string rule;  // of the judge, that refused the request or its answer
  std::optional<Budget> budget;
  std::optional<int64_t> bytes_in;    // of what was asked or answered
  std::optional<int64_t> bytes_out;   // of what was sent on
  std::optional<int64_t> max_tokens;  // as asked
  std::string payload_hmac;           // Hmac(kRequest or kResponse) of bytes_in
  std::string delivered_hmac;         // Hmac(kDelivered) of bytes_out
  std::string request_id_sha256;      // of the worker's request_id
  std::string worker_id;
  std::optional<int64_t> worker_epoch;
  std::optional<int64_t> error_code;  // JSON-RPC, as on the wire
  std::optional<int64_t> prior_seq;   // the input request's previous leaf
  std::optional<int64_t> count;       // of what was only counted
  std::string actor;  // the token's name, of what a person or a file did

  friend bool operator==(const Record&, const Record&) = default;
};

inline constexpr int64_t kSchemaVersion = 1;
inline constexpr size_t kNonceBytes = 16;
inline constexpr size_t kMaxTextBytes = 1024;   // of each text
inline constexpr size_t kMaxBodyBytes = 32768;  // of a whole record

// INVALID_ARGUMENT, naming the field, if the record cannot be written: a text
// that is too long or not UTF-8, a digest that is not 32 bytes, a nonce that is
// not 16, a negative place or size.
absl::Status Validate(const Record& record);

// The bytes. Same record, same bytes, on every machine and build.
std::string Encode(const Record& record);

// INVALID_ARGUMENT unless `body` is exactly what Encode writes for some valid
// record: anything else (other order, longer integers, unknown fields, trailing
// bytes) is not a record.
absl::StatusOr<Record> Decode(std::string_view body);

// HMACs are tagged with what they are of, so that equal bytes in two roles do
// not give equal digests. `key` is the installation's audit key.
enum class HmacTag : unsigned char {
  kPrincipal = 1,
  kRequest = 2,    // params, as the upstream sent them
  kResponse = 3,   // a result or an error, as the client sent it
  kDelivered = 4,  // what was sent on to the other side
};
std::string Hmac(std::string_view key, HmacTag tag, std::string_view data);
std::string PrincipalHmac(std::string_view key, const Principal& principal);

}  // namespace gatehouse::audit

#endif  // GATEHOUSE_CONTROLPLANE_AUDIT_RECORD_H_
