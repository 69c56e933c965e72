#ifndef GATEHOUSE_CONTROLPLANE_TRUST_RULES_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_RULES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "controlplane/policy/virtual_server.h"
#include "controlplane/trust/era.h"
#include "controlplane/trust/ruling.h"
#include "shared/json/json.h"
#include "shared/mcp/features.h"

namespace gatehouse::trust {

// What the rules about a request may look at. Borrowed for one judgement.
struct RequestContext {
  const json::Value& params;  // an object, or null where there are none
  const policy::VirtualServer& policy;
  const mcp::ClientFeatures& declared;  // by the client
  const Era& upstream_era;
  const Era& client_era;
};

using RequestRule = Ruling (*)(const RequestContext&);

// The rules of each kind of request, in the order in which they are asked:
// parts that policy or client rule out, then content, then whether the client's
// revision can carry it. Each file request_KIND.cc has one of them.
std::span<const RequestRule> SamplingRequestRules();
std::span<const RequestRule> ElicitationRequestRules();
std::span<const RequestRule> RootsRequestRules();

// What the rules about a result may look at.
struct ResponseContext {
  const json::Value& result;          // an object
  const json::Value& request_params;  // as the upstream asked; null if none
  const policy::VirtualServer& policy;
  const Era& upstream_era;
  const Era& client_era;
};

using ResponseRule = Ruling (*)(const ResponseContext&);

// An elicitation's rules are about an `accept`; its other actions are the
// judge's own concern.
std::span<const ResponseRule> SamplingResponseRules();
std::span<const ResponseRule> ElicitationResponseRules();
std::span<const ResponseRule> RootsResponseRules();

// The three actions, or nothing: `action` is missing or another.
enum class ElicitationAction { kAccept, kDecline, kCancel };
std::optional<ElicitationAction> ActionOf(const json::Value& result);

// The edits by which content loses the array around its single block towards a
// peer of that era: of the messages of a request, of a result.
std::vector<json::Edit> UnwrapMessages(const json::Value& params,
                                       const Era& era);
std::vector<json::Edit> UnwrapContent(const json::Value& message,
                                      const Era& era);

// `maxTokens` of sampling params that passed the rules.
int64_t MaxTokensOf(const json::Value& params);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_RULES_H_
