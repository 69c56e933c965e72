#ifndef GATEHOUSE_SHARED_MCP_REVISION_H_
#define GATEHOUSE_SHARED_MCP_REVISION_H_

#include <optional>
#include <string_view>

namespace gatehouse::mcp {

// The versions of MCP that Gatehouse knows (DESIGN "revision").
enum class Revision {
  k2025_03_26,  // without batches
  k2025_06_18,
  k2025_11_25,
  k2026_07_28,  // modern: no handshake, no session
};

inline constexpr Revision kLatestLegacy = Revision::k2025_11_25;

// Equality only: dates are never ordered to decide anything.
std::optional<Revision> ParseRevision(std::string_view text);
// Those alone that a handshake can agree on.
std::optional<Revision> ParseLegacyRevision(std::string_view text);
std::string_view ToString(Revision revision);

}  // namespace gatehouse::mcp

#endif  // GATEHOUSE_SHARED_MCP_REVISION_H_
