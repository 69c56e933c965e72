#ifndef GATEHOUSE_CONTROLPLANE_TRUST_TOOL_PAIRS_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_TOOL_PAIRS_H_

#include <vector>

#include "controlplane/trust/ruling.h"
#include "shared/json/json.h"

namespace gatehouse::trust {

// How tool_use and tool_result blocks stand to one another (PROTOCOL 6.4). The
// messages must have passed MessageIsOfTheEra. Pure.

// tool_use stands in assistant messages only, each id once in a message.
Ruling ToolUsesAreTheAssistants(const json::Value& message);

// A message with a tool_result is the user's and holds nothing else; every
// tool_use is answered by exactly one tool_result in the very next message, and
// no tool_result lacks its tool_use.
Ruling ToolResultsAnswerToolUses(const std::vector<json::Value>& messages);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_TOOL_PAIRS_H_
