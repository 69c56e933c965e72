#ifndef GATEHOUSE_SHARED_MCP_ENVELOPE_H_
#define GATEHOUSE_SHARED_MCP_ENVELOPE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gatehouse::mcp {

// JSON-RPC and MCP error codes (PROTOCOL §10). Ours are in shared/reasons.
inline constexpr int32_t kParseError = -32700;
inline constexpr int32_t kInvalidRequest = -32600;
inline constexpr int32_t kMethodNotFound = -32601;
inline constexpr int32_t kInvalidParams = -32602;
inline constexpr int32_t kInternalError = -32603;

enum class MessageKind { kRequest, kNotification, kResult, kError };

// One JSON-RPC message, by its top-level members. The views are the raw bytes
// within the text that was read and live as long as it does; an absent member
// is empty.
struct Envelope {
  MessageKind kind = MessageKind::kNotification;
  // The id's lexeme, quotes included: `1` and `"1"` differ. Empty for a
  // notification, and for an error that answers an unreadable request.
  std::string_view id;
  std::string method;  // decoded; of a request or notification
  std::string_view params;
  std::string_view result;
  std::string_view error;
  // The lexeme of `resultType` in `result`; empty if it has none, or if
  // unique_result_members was off. Only revision 2026-07-28 has the member. In
  // a legacy result anything but "complete" would smuggle a round past the
  // judge: a client of both eras might honour it.
  std::string_view result_type = {};
};

struct EnvelopeLimits {
  size_t max_bytes = 4 << 20;
  int max_depth = 64;
  // Off where somebody else reads `result` and has an answer of its own for a
  // member that stands in it twice.
  bool unique_result_members = true;
  // On for what clients ask: a member twice in any object within `params` is
  // refused (PROTOCOL §13.1), since what they hold may go on unread. Off where
  // somebody else judges the params.
  bool unique_params = false;
  // For what upstreams answer, which is relayed as it stands: of a message with
  // a result only the outside is read, as json::SkipScan says (its depth is
  // limited to 512), so that below the members of `result` commas, colons and
  // the spelling of numbers are left to the last reader. Requests,
  // notifications and errors are read whole all the same, for they are judged.
  // Takes unique_result_members as on.
  bool skip_results = false;
};

// Reads one message without a tree of it: one pass, nothing allocated for what
// lies inside params, result or error but a depth count. (With skip_results,
// two for what has no result.)
//
// Errors carry the JSON-RPC code to answer with (CodeOf): kParseError for what
// is no JSON (or not UTF-8, or has a member twice where that is refused, or is
// too deep), kInvalidRequest for what is no JSON-RPC 2.0
// message (an array, a wrong `jsonrpc`, an id that is neither a string nor an
// integer lexeme, null included, `result` beside `error`). Over max_bytes:
// RESOURCE_EXHAUSTED.
absl::StatusOr<Envelope> ParseEnvelope(std::string_view text,
                                       const EnvelopeLimits& limits = {});

// The JSON-RPC code of an error made by ParseEnvelope; kInternalError of
// others.
int32_t CodeOf(const absl::Status& status);

// An id fit for Envelope::id: a decimal integer or a string literal, 1 to 512
// bytes. `text` is a lexeme.
bool IsValidId(std::string_view text);

// Whole messages, compact. `id` is a lexeme; `params`, `result` and `data` are
// raw JSON, left out if empty.
std::string RequestMessage(std::string_view id, std::string_view method,
                           std::string_view params);
std::string NotificationMessage(std::string_view method,
                                std::string_view params);
std::string ResultMessage(std::string_view id, std::string_view result);
// The same within the string that holds the result, which may be large. Blanks
// before it are room for the head; what is left of them stays before the
// message.
std::string IntoResultMessage(std::string_view id, std::string result);
std::string ErrorMessage(std::string_view id, int32_t code,
                         std::string_view message, std::string_view data);
// With the `error` member as it stands.
std::string RawErrorMessage(std::string_view id, std::string_view error);

// Of a message that one of these has written: whether it is a response, and
// whether that reports an error. They look at its head only.
bool IsResponse(std::string_view message);
bool IsErrorResponse(std::string_view message);

}  // namespace gatehouse::mcp

#endif  // GATEHOUSE_SHARED_MCP_ENVELOPE_H_
