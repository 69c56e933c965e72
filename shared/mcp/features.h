#ifndef GATEHOUSE_SHARED_MCP_FEATURES_H_
#define GATEHOUSE_SHARED_MCP_FEATURES_H_

#include <string>

#include "absl/status/statusor.h"
#include "shared/json/json.h"
#include "shared/mcp/revision.h"

namespace gatehouse::mcp {

// What a client's side can be asked for, down to sub-capabilities: what a
// client declared, what a policy permits, what an upstream is offered. An
// unknown capability, an extension or a task has no place here, so it is left
// out on both sides.
struct ClientFeatures {
  bool sampling = false;
  bool sampling_tools = false;
  bool elicitation_form = false;
  bool elicitation_url = false;
  bool roots = false;
  bool roots_list_changed = false;
  friend bool operator==(const ClientFeatures&,
                         const ClientFeatures&) = default;
};

// Reads ClientCapabilities as a client of `revision` declared them: an empty
// `elicitation` means form; before 2025-11-25 it means form whatever it holds,
// and there are no sampling tools; in 2025-03-26 there is no elicitation.
// INVALID_ARGUMENT if it is no object or a capability in it is neither an
// object nor null (null counts as absent).
absl::StatusOr<ClientFeatures> ParseClientCapabilities(
    const json::Value& capabilities, Revision revision);

// THE offer mask: what may be offered to an upstream is what the policy permits
// and the client declared. The worker offers by it, the judge judges by it.
ClientFeatures Intersect(const ClientFeatures& policy,
                         const ClientFeatures& declared);

// The `capabilities` object of an `initialize` that asks for `revision`.
std::string ClientCapabilitiesJson(const ClientFeatures& features,
                                   Revision revision);

}  // namespace gatehouse::mcp

#endif  // GATEHOUSE_SHARED_MCP_FEATURES_H_
