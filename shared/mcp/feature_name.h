#ifndef GATEHOUSE_SHARED_MCP_FEATURE_NAME_H_
#define GATEHOUSE_SHARED_MCP_FEATURE_NAME_H_

#include <string_view>

namespace gatehouse::mcp {

// The feature of the client's side that an input request of this method asks
// for: `sampling`, `elicitation` or `roots`; empty for any other method.
inline std::string_view FeatureName(std::string_view method) {
  if (method == "sampling/createMessage") return "sampling";
  if (method == "elicitation/create") return "elicitation";
  if (method == "roots/list") return "roots";
  return {};
}

}  // namespace gatehouse::mcp

#endif  // GATEHOUSE_SHARED_MCP_FEATURE_NAME_H_
