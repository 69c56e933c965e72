#ifndef GATEHOUSE_CONTROLPLANE_TRUST_ORIGIN_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_ORIGIN_H_

#include <string>
#include <string_view>

#include "controlplane/policy/virtual_server.h"
#include "controlplane/trust/judge.h"
#include "controlplane/trust/ruling.h"
#include "shared/json/json.h"

namespace gatehouse::trust {

// Where a request came from, as its relayed params say it (DESIGN §9).

// `_meta` is an object, if any, and its progressToken a string or an integer.
Ruling MetaIsWellFormed(const json::Value& params);

// The params to relay: the origin in `_meta` in the place of any
// `io.gatehouse/` key, the progress token exchanged, `task` left out, an
// elicitation's message after the upstream's name where there are several
// upstreams, content unwrapped for an older client. All other bytes stay.
// `params` is the root of its document, an object, and passed the rules; null
// where the request had none.
std::string ParamsToRelay(const policy::VirtualServer& policy,
                          const RequestFacts& facts, RequestKind kind,
                          const json::Document& params);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_ORIGIN_H_
