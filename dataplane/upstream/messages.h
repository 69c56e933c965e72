#ifndef GATEHOUSE_DATAPLANE_UPSTREAM_MESSAGES_H_
#define GATEHOUSE_DATAPLANE_UPSTREAM_MESSAGES_H_

// What we say to a legacy upstream and how we read what it says, as pure
// functions of the text (PROTOCOL §4.1, §5, §8.3, §8.4, §8.6).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "dataplane/relay/upstream.h"
#include "shared/mcp/features.h"
#include "shared/mcp/revision.h"

namespace gatehouse::upstream {

// The params of our `initialize`: the newest legacy revision, the features
// offered and no others, and who we are.
std::string InitializeParams(const mcp::ClientFeatures& offered,
                             std::string_view version);

// The revision that an InitializeResult settles on. INVALID_ARGUMENT if it is
// none or one that we do not speak.
absl::StatusOr<mcp::Revision> RevisionOf(std::string_view result);

// Calls during which an upstream may ask its client's side (DESIGN §2).
bool IsEligible(std::string_view method);
// What an upstream may ask for.
bool IsInputRequest(std::string_view method);

// `params` with our `_meta.progressToken`; every other byte as it was.
std::string WithProgressToken(std::string params, int64_t token);
// `params` of a progress notification with the token set to this lexeme.
std::string WithReplyToken(std::string params, std::string_view token);

// The call that a `notifications/progress` is about, if the token is one that
// we may have given.
std::optional<int64_t> ProgressTokenOf(std::string_view params);
// The lexeme of `_meta.progressToken` in a request's params; empty: none.
std::string AskedProgressToken(std::string_view params);

// Params of a `notifications/cancelled` for our request `id`.
std::string CancelledParams(int64_t id, std::string_view reason);
// The lexeme of the `requestId` that one from the upstream names; empty: none.
std::string CancelledRequestId(std::string_view params);

// The `elicitationId` of a `notifications/elicitation/complete`; empty: none.
std::string CompletedElicitationId(std::string_view params);

// True if a raw `error` is an object with an integer code and a message.
bool IsErrorObject(std::string_view error);
// Its code, if it has one.
std::optional<int64_t> ErrorCodeOf(std::string_view error);

// The answer to an input request as a whole message. `id` is a lexeme.
std::string ReplyMessage(std::string_view id,
                         const relay::UpstreamReply& reply);

// One page of a `tools/list` result.
struct ToolsPage {
  std::vector<std::string> tools;          // raw objects
  std::optional<std::string> next_cursor;  // absent: the last page
};
absl::StatusOr<ToolsPage> ReadToolsPage(std::string result);
// Params that ask for a page; nullopt: the first.
std::string ToolsPageParams(const std::optional<std::string>& cursor);

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_DATAPLANE_UPSTREAM_MESSAGES_H_
