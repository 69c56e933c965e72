#ifndef GATEHOUSE_CONTROLPLANE_TRUST_JUDGE_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_JUDGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "controlplane/policy/virtual_server.h"
#include "shared/mcp/features.h"
#include "shared/mcp/revision.h"
#include "shared/reasons/reasons.h"

namespace gatehouse::trust {

// THE judge (DESIGN §6): pure functions of what was asked or answered, the
// policy and the facts. No I/O, no clock, no state: same arguments, same word.
// The budget is not here: it is the ledger's, asked after this admits.

enum class RequestKind { kSampling, kElicitation, kRoots };

// `sampling`, `elicitation`, `roots`.
std::string_view ToString(RequestKind kind);

// Whether an input request has an operation to belong to (DESIGN §9).
enum class Parent {
  kOperation,  // one, in flight
  kAmbiguous,  // several might be meant
  kNone,       // none is in flight
  kClosed,     // it has ended
};

struct RequestFacts {
  std::string_view method;                 // `sampling/createMessage`, ...
  std::string_view params;                 // raw; empty: absent
  std::optional<int64_t> oversized_bytes;  // in place of params
  mcp::Revision upstream_revision = mcp::kLatestLegacy;
  mcp::Revision client_revision = mcp::kLatestLegacy;
  mcp::ClientFeatures declared;  // by the client
  Parent parent = Parent::kNone;
  std::string_view upstream;  // configured name, for the origin
  std::string_view tool;      // the upstream's own name for it
  // Takes the place of a `_meta.progressToken` in what is relayed.
  std::string_view progress_token;
};

// The request may be shown to the client, as far as its content goes.
struct AdmittedRequest {
  RequestKind kind = RequestKind::kSampling;
  int64_t max_tokens = 0;  // 0 but for sampling
  // What to send: the params with the origin, the upstream's name before an
  // elicitation's message where the policy has several upstreams, a `task`
  // left out; every other byte as it came.
  std::string params_to_relay;
};

using RequestVerdict = std::variant<AdmittedRequest, Failure>;

RequestVerdict JudgeRequest(const policy::VirtualServer& policy,
                            const RequestFacts& facts);

struct ResponseFacts {
  std::string_view method;          // of the request
  std::string_view request_params;  // as the upstream asked it; raw
  mcp::Revision upstream_revision = mcp::kLatestLegacy;
  mcp::Revision client_revision = mcp::kLatestLegacy;
  // One of the three.
  std::optional<std::string_view> result;  // raw
  std::optional<std::string_view> error;   // raw
  std::optional<int64_t> oversized_bytes;
};

enum class ResponseOutcome {
  kAnswered,
  kDeclined,   // the user said no (an elicitation's decline, sampling's -1)
  kDismissed,  // the user closed it (an elicitation's cancel)
  kInvalid,    // refused: what came is no answer to what was asked
  kFailed,     // the client said error
};

struct ResponseVerdict {
  ResponseOutcome outcome = ResponseOutcome::kInvalid;
  // What the upstream is to get: `result` for an answer and for an
  // elicitation's decline and dismissal (whose `content` is not delivered),
  // else the failure.
  std::optional<std::string> result;
  std::optional<Failure> failure;
};

ResponseVerdict JudgeResponse(const policy::VirtualServer& policy,
                              const ResponseFacts& facts);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_JUDGE_H_
