#ifndef GATEHOUSE_SHARED_MCP_TRACE_CONTEXT_H_
#define GATEHOUSE_SHARED_MCP_TRACE_CONTEXT_H_

#include <string_view>

namespace gatehouse::mcp {

// The name of the HTTP header, of the member of `_meta` and of the gRPC
// metadata that carry a trace's context.
inline constexpr std::string_view kTraceparent = "traceparent";

// The trace id of a W3C `traceparent` (level 1), 32 lower-case hex digits that
// are part of `traceparent`. Empty if that is invalid: another length or
// letter, version ff, an id of zeros. What a later version adds behind may be
// any printable ASCII. A value that is invalid is ignored, never passed on.
// Pure.
std::string_view TraceIdOf(std::string_view traceparent);

}  // namespace gatehouse::mcp

#endif  // GATEHOUSE_SHARED_MCP_TRACE_CONTEXT_H_
