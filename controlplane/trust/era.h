#ifndef GATEHOUSE_CONTROLPLANE_TRUST_ERA_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_ERA_H_

#include "shared/mcp/revision.h"

namespace gatehouse::trust {

// What differs between revisions in what is judged. The rules ask this table;
// none of them asks for a revision by name.
struct Era {
  mcp::Revision revision;
  bool elicitation = false;     // the feature exists
  bool url_mode = false;        // of elicitation
  bool elicitation_id = false;  // URL mode has an `elicitationId`
  bool content_arrays = false;  // sampling content may be an array of blocks
  bool tool_blocks = false;     // tool_use, tool_result, tools, toolChoice
  bool titled_enums = false;    // `oneOf` of const and title
  bool multi_select = false;    // a form field of type array
  bool typed_defaults = false;  // `default` on more than booleans
  bool any_structured = false;  // a tool_result's structuredContent: any value
};

const Era& EraOf(mcp::Revision revision);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_ERA_H_
