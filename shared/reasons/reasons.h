#ifndef GATEHOUSE_SHARED_REASONS_REASONS_H_
#define GATEHOUSE_SHARED_REASONS_REASONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gatehouse {

// Why something was refused or failed: the stable reason of the error contract
// (DESIGN §7). Stored by name; a name or number is never reused.
enum class Reason {
  kDeclined,
  kDenied,
  kRootsDenied,               // the same of `roots/list`
  kNotPermitted,              // the feature is off
  kNotPermittedDetail,        // a part of it is: tools, context, a field
  kCapabilityNotDeclared,     // the client lacks the feature
  kSubCapabilityNotDeclared,  // the client lacks a part of it
  kInvalidRequest,
  kNoOperation,
  kUnattributable,
  kNotInitialized,
  kTooLarge,  // the request
  kNotRepresentable,
  kBudgetExhausted,
  kRateLimited,
  kTooManyOpen,
  kPrivacyBlocked,
  kRevoked,
  kExpired,
  kInvalidResponse,
  kResponseTooLarge,
  kClientError,
  kOperationEnded,
  kTrustUnavailable,
  // To the client only.
  kDuplicateId,
  kUnknownTool,
  kUnknownHandle,
  kMissingClientCapability,
  kMultiRoundUnavailable,
  kUpstreamUnavailable,
  kUpstreamTimeout,
  kUpstreamProtocolError,
  kUpstreamBusy,
  kUpstreamNotHere,
  kWorkerBusy,
};

// Who learns of it: a column of the table.
enum class Receiver {
  kUpstream,      // a legacy one that waits for the answer to its input request
  kLegacyClient,  // as the answer to its own call
  kModernClient,  // the same
};

// A row of THE table.
struct ReasonRow {
  Reason reason;
  std::string_view name;     // `data.reason`, such as `not_permitted`
  int32_t to_upstream;       // code towards a legacy upstream that waits
  int32_t to_client;         // code as the answer to a legacy client's own call
  int32_t to_modern_client;  // the same of a modern client
  std::string_view name_to_client;  // `data.reason` of that answer
  bool reaches_upstream;            // whether the first column is ever sent
  bool reaches_client;              // whether the others are
  int http_status;                  // of a JSON answer to the client
  std::string_view counter;  // the metric's label; unlike the name, unique
  // A request that is refused for it was itself bad (its shape or its size),
  // not only unwanted.
  bool malformed;
  std::string_view later;    // why no build sends it yet; empty: it is sent
  std::string_view meaning;  // one line, for docs/errors.md
};

// Every reason has exactly one row; a test walks the enum.
const ReasonRow& RowOf(Reason reason);
const std::vector<ReasonRow>& AllReasons();
// The row of what travelled as `data.reason` with this code towards an
// upstream: two reasons may share a name. By the name alone if the code is a
// peer's own; null if there is none of that name.
const ReasonRow* FindReason(std::string_view name, int64_t to_upstream);
// Null if there is none.
const ReasonRow* FindReasonByCounter(std::string_view counter);

// A refusal or failure on its way to a peer. `message` is the gateway's own
// text: the feature, who lacks or refused it, the rule, what to do. It never
// has a host, port, path, pid, stack or an upstream's own text.
struct Failure {
  Reason reason = Reason::kTrustUnavailable;
  std::string message;
  std::string path;  // JSON pointer into the judged params or result, or empty
  // More members of `data`, in order: name and raw JSON value.
  std::vector<std::pair<std::string, std::string>> details;
  // Instead of the row's code towards an upstream, where the contract passes a
  // client's code on.
  std::optional<int32_t> code;
  // The judge's rule that refused it, for the audit log; empty: none did.
  // Static storage.
  std::string_view rule = {};
};

// The JSON-RPC code: the row's, or, towards an upstream alone, the failure's
// own if it has one.
int32_t CodeOf(const Failure& failure, Receiver receiver);

// The `data` object: `reason`, then `path` if any, then the details.
std::string DataOf(const Failure& failure,
                   Receiver receiver = Receiver::kUpstream);

}  // namespace gatehouse

#endif  // GATEHOUSE_SHARED_REASONS_REASONS_H_
