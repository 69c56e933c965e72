#include "controlplane/trust/era.h"

namespace gatehouse::trust {
namespace {

constexpr Era k2025_03_26 = {.revision = mcp::Revision::k2025_03_26};

constexpr Era k2025_06_18 = {.revision = mcp::Revision::k2025_06_18,
                             .elicitation = true};

constexpr Era k2025_11_25 = {.revision = mcp::Revision::k2025_11_25,
                             .elicitation = true,
                             .url_mode = true,
                             .elicitation_id = true,
                             .content_arrays = true,
                             .tool_blocks = true,
                             .titled_enums = true,
                             .multi_select = true,
                             .typed_defaults = true};

constexpr Era k2026_07_28 = {.revision = mcp::Revision::k2026_07_28,
                             .elicitation = true,
                             .url_mode = true,
                             .content_arrays = true,
                             .tool_blocks = true,
                             .titled_enums = true,
                             .multi_select = true,
                             .typed_defaults = true,
                             .any_structured = true};

}  // namespace

const Era& EraOf(mcp::Revision revision) {
  switch (revision) {
    case mcp::Revision::k2025_03_26:
      return k2025_03_26;
    case mcp::Revision::k2025_06_18:
      return k2025_06_18;
    case mcp::Revision::k2025_11_25:
      return k2025_11_25;
    case mcp::Revision::k2026_07_28:
      return k2026_07_28;
  }
  return k2025_03_26;  // the least that any of them allows
}

}  // namespace gatehouse::trust
