#ifndef GATEHOUSE_CONTROLPLANE_TRUST_ORIGIN_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_ORIGIN_H_

#include <string>
#include <string_view>
#include <vector>

#include "controlplane/policy/virtual_server.h"
#include "controlplane/trust/judge.h"
#include "shared/json/json.h"

namespace gatehouse::trust {

// Where a request came from, as its relayed params say it (DESIGN §9).

// The params to relay: the origin in `_meta` in the place of any
// `io.gatehouse/` key, the progress token exchanged, `task` left out, an
// elicitation's message after the upstream's name where there are several
// upstreams; and what the client's revision writes otherwise, without loss:
// content unwrapped, titled choices as enum and enumNames, no `mode`, an
// elicitationId of ours or none. All other bytes stay. The root of `params` is
// an object that passed the rules.
std::string ParamsToRelay(const policy::VirtualServer& policy,
                          const RequestFacts& facts, RequestKind kind,
                          const json::Document& params);

// The edits that take `io.gatehouse/` keys out of a result's `_meta`: what such
// a key says, the gateway says.
void DropOwnKeys(const json::Value& result, std::vector<json::Edit>& edits);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_ORIGIN_H_
