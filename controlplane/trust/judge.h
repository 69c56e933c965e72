#ifndef GATEHOUSE_CONTROLPLANE_TRUST_JUDGE_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_JUDGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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
  kSession,    // none, but an initialized session: enough for `roots/list`
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
  // Takes the place of the `elicitationId` of URL mode in what is relayed.
  std::string_view elicitation_id;
  // It is an elicitation of a `-32042` error: nothing waits for its reply.
  bool notified = false;
};

// The request may be shown to the client, as far as its content goes.
struct AdmittedRequest {
  RequestKind kind = RequestKind::kSampling;
  int64_t max_tokens = 0;  // 0 but for sampling
  bool url_mode = false;   // an elicitation that sends the user to a URL
  // What to send: the params with the origin, the upstream's name before an
  // elicitation's message where the policy has several upstreams, a `task`
  // left out; every other byte as it came.
  std::string params_to_relay;
  // What a reviewer should look at: `punycode_host`, `mixed_script_host`,
  // `credential_in_description`, `allowed_credential_field`. Static storage.
  std::vector<std::string_view> flags;
};

using RequestVerdict = std::variant<AdmittedRequest, Failure>;

// A rule that was asked, with what it had to object to.
struct EvaluatedRule {
  // As in AllRules (rule.h); static storage.
  std::string_view rule, summary, source;
  std::optional<Failure> failure;  // nullopt: kept
};
using Trace = std::vector<EvaluatedRule>;

// The first broken rule decides. With a trace the rules behind it are asked as
// well, as far as what is judged can be read, and all are appended to it; the
// verdict is the same.
RequestVerdict JudgeRequest(const policy::VirtualServer& policy,
                            const RequestFacts& facts, Trace* trace = nullptr);

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
                              const ResponseFacts& facts,
                              Trace* trace = nullptr);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_JUDGE_H_
