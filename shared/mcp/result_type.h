#ifndef GATEHOUSE_SHARED_MCP_RESULT_TYPE_H_
#define GATEHOUSE_SHARED_MCP_RESULT_TYPE_H_

#include <optional>
#include <string_view>

namespace gatehouse::mcp {

// The bytes of `resultType` in a result that ParseEnvelope has read (an object
// of at most 512 levels), or nullopt if it has none. One pass, no tree.
//
// Only revision 2026-07-28 has the member. In a legacy result anything but
// "complete" would smuggle a round past the judge: a client of both eras might
// honour it.
std::optional<std::string_view> ResultTypeOf(std::string_view result);

}  // namespace gatehouse::mcp

#endif  // GATEHOUSE_SHARED_MCP_RESULT_TYPE_H_
