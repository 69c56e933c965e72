#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_CALL_ARGUMENTS_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_CALL_ARGUMENTS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "shared/json/json.h"

namespace gatehouse::ctl {

// Whether the words are pairs, whose types the tool's schema decides.
bool ArePairs(const std::vector<std::string>& words);

// A tool's `arguments` out of the command line's words: none; one JSON object;
// or pairs `key=value`, where the value's type is that of the property in
// `input_schema` (text if it has none), and `key:=JSON`, where it is JSON.
// INVALID_ARGUMENT says which word is wrong and what would fit. Pure.
absl::StatusOr<std::string> CallArguments(
    const std::vector<std::string>& words,
    const std::optional<json::Value>& input_schema);

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_CALL_ARGUMENTS_H_
