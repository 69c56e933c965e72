#ifndef GATEHOUSE_CONTROLPLANE_STORE_ROWS_H_
#define GATEHOUSE_CONTROLPLANE_STORE_ROWS_H_

// What the control plane remembers: plain values, one struct a table.
//
// Times are the store's clock, in whole microseconds. Ids are bare (no
// resource prefix). A `version` starts at 1 and rises with every update; an
// update names the version that it read (see store.h). Digests are raw bytes.

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"

namespace gatehouse {

// Whose client it is (DESIGN "principal").
struct Principal {
  std::string issuer;
  std::string subject;
  friend bool operator==(const Principal&, const Principal&) = default;
};

// A legacy client's session with a virtual server.
struct SessionRow {
  std::string id;             // public
  std::string secret_sha256;  // of the Mcp-Session-Id
  std::string virtual_server;
  Principal principal;
  std::string revision;
  std::string client_capabilities;  // JSON, as the client wrote it
  std::string client_info;          // JSON, as the client wrote it
  absl::Time create_time;
  absl::Time last_used_time;
  bool open = true;
  std::string end_cause;
  std::string worker_id;  // that opened it
  int64_t version = 1;
};

// What a session's client said of its roots. Beside the session's row, which
// every lease renewal writes.
struct RootsRow {
  std::string session_id;
  // What it last answered to `roots/list`, as it was judged: JSON, never
  // empty. Nothing where that was too long to be kept, or has changed since.
  std::optional<std::string> result;
  // When it last told of a change. An answer to what was asked until then may
  // be older than the change.
  std::optional<absl::Time> change_time;
};

// A worker and its lease. The epoch rises each time the worker starts anew; a
// call under another epoch than the row's is refused.
struct WorkerRow {
  std::string id;
  int64_t epoch = 0;
  std::string cluster;
  std::string address;
  std::string build;
  absl::Time lease_expire_time;
  bool lost = false;             // its lease ran out and what it had was ended
  int64_t last_mail_number = 0;  // the highest ever given to its mail
  int32_t operations = 0;        // as it last said
  int64_t version = 1;
};

// An operation that has asked something of the client's side (the first Admit
// makes the row), or the tombstone of one. The budget lives here.
struct OperationRow {
  std::string id;
  std::string session_id;
  std::string worker_id;
  int64_t worker_epoch = 0;
  std::string virtual_server;
  std::string upstream;  // empty in a tombstone of an unknown operation
  std::string tool;
  bool open = true;
  int64_t slots_used = 0;
  int64_t tokens_reserved = 0;
  int64_t tokens_charged = 0;
  int64_t refusals = 0;
  absl::Time create_time;
  std::optional<absl::Time> close_time;
  int64_t version = 1;
};

// What is open now, for whoever watches: nothing of it grows with what is
// stored but the size of the log.
struct StoreFigures {
  int64_t open_input_requests = 0;
  std::optional<absl::Time> oldest_open;  // when the oldest of them was made
  int64_t open_operations = 0;
  int64_t slots_used = 0;  // like what follows, of the open operations
  int64_t tokens_reserved = 0;
  int64_t tokens_charged = 0;
  int64_t open_sessions = 0;
  int64_t mail = 0;  // not acknowledged yet, of all workers
  int64_t audit_records = 0;
  friend bool operator==(const StoreFigures&, const StoreFigures&) = default;
};

// The states of DESIGN §5. The numbers are stored; never reuse one.
enum class InputRequestState : int {
  kRelayed = 1,
  kRefused = 2,
  kAnswered = 3,
  kDeclined = 4,
  kDismissed = 5,
  kDenied = 6,
  kInvalid = 7,
  kFailed = 8,
  kExpired = 9,
  kCancelled = 10,
  kRevoked = 11,
  kLost = 12,
  kNotified = 13,
  kPendingReview = 14,
  kPendingRelease = 15,
};

// Whether somebody who is owed a message has it. The numbers are stored.
enum class DeliveryState : int {
  kNone = 0,          // nothing is owed (yet)
  kUnclaimed = 1,     // owed; the owner has not asked for it
  kClaimed = 2,       // given to the owner, who may be writing it
  kAcknowledged = 3,  // the owner says it was written
  kUnknown = 4,       // the owner was lost in between
};

// What the upstream is to be sent, once.
struct UpstreamReplyRow {
  bool is_error = false;
  std::string result;  // JSON, if not an error
  int32_t code = 0;    // else the JSON-RPC error
  std::string message;
  std::string data;  // JSON object
  std::string reason;
  friend bool operator==(const UpstreamReplyRow&,
                         const UpstreamReplyRow&) = default;
};

struct InputRequestRow {
  std::string id;
  std::string opaque_id_sha256;
  std::string operation_id;
  std::string session_id;
  std::string worker_id;
  int64_t worker_epoch = 0;
  std::string virtual_server;
  std::string upstream;
  std::string upstream_revision;
  std::string tool;
  std::string method;            // `sampling/createMessage` and so on
  std::string key;               // the worker's name for it within its Admit
  std::string admit_request_id;  // the request_id of the Admit that made it
  InputRequestState state = InputRequestState::kRelayed;
  std::string cause;   // of a terminal state: `no_reply`, `upstream`, ...
  std::string reason;  // the stable reason, if there is one
  std::optional<absl::Time> deadline;  // of the open state; none once terminal
  int64_t tokens = 0;                  // maxTokens; 0 but for sampling
  std::string params;                  // JSON as asked; emptied once settled
  int64_t params_bytes = 0;            // its size, kept
  DeliveryState delivery = DeliveryState::kNone;
  std::optional<UpstreamReplyRow> reply;  // emptied once delivery is settled
  std::string submit_request_id;  // of the Submit that ended it, if one did
  int64_t policy_version = 0;
  absl::Time create_time;
  std::optional<absl::Time> end_time;
  int64_t last_audit_seq = -1;  // the newest leaf that speaks of it
  int64_t version = 1;
};

// How often input requests of one upstream had one verdict, since its policy
// first named it. At most one row for each counter of shared/reasons.
struct VerdictCountRow {
  std::string virtual_server;
  std::string upstream;
  std::string counter;  // of shared/reasons; empty: admitted
  int64_t count = 0;
  absl::Time last_time;
  friend bool operator==(const VerdictCountRow&,
                         const VerdictCountRow&) = default;
};

// What the control plane has to tell a worker. The numbers are stored.
enum class MailKind : int {
  kDeliveryReady = 1,
  kSessionEnded = 2,
  kPolicyChanged = 3,
  kVirtualServerDeleted = 4,
};

struct MailRow {
  std::string worker_id;
  int64_t number = 0;  // rising within one worker, never reused
  MailKind kind = MailKind::kDeliveryReady;
  std::string subject;    // an input request, a session or a virtual server
  std::string operation;  // of a delivery
  bool withdraw = false;  // of a delivery: the client still has it open
  std::string cause;      // of a session's end
};

// A mutating call that was carried out: digest and verdict, never the content.
struct IdempotencyRow {
  std::string request_id;
  std::string method;
  std::string content_sha256;
  std::string verdict;  // the method's own short form, without content
  absl::Time create_time;
};

// A version of a policy document. The newest of a name is the current one.
struct PolicyRow {
  std::string virtual_server;
  int64_t version = 0;   // 1, 2, ... for each name; never reused
  std::string document;  // canonical JSON; empty: deleted by this version
  std::string etag;
  std::string author;  // the token's name, or `file`
  absl::Time apply_time;
};

// The state of the log: moved by compare-and-set in each decision's commit.
struct AuditHeadRow {
  int64_t epoch = 1;
  int64_t size = 0;           // leaves of this epoch
  std::string compact_range;  // RFC 6962 right-border hashes, 32 bytes each
};

struct AuditLeafRow {
  int64_t epoch = 1;
  int64_t seq = 0;
  std::string leaf_hash;
  std::string body;
};

}  // namespace gatehouse

#endif  // GATEHOUSE_CONTROLPLANE_STORE_ROWS_H_
