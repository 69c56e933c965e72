#ifndef GATEHOUSE_CONTROLPLANE_TRUST_RULE_MASK_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_RULE_MASK_H_

#include <string_view>

#include "controlplane/trust/rule.h"

namespace gatehouse::trust {

// How a test of the rules themselves may bend one: to see that a row of the
// tables notices when the rule is gone, and when it refuses a near-miss.
//
// Two libraries define these functions: rule_mask_off, linked into everything
// that is shipped, where no rule is ever bent; and one of the tests' own.
enum class RuleMask { kAsIs, kOff, kStricter };
RuleMask MaskOf(std::string_view rule);

// What the rule's mutant objects to besides what the rule does.
Ruling Stricter(std::string_view rule, const RequestContext& context);
Ruling Stricter(std::string_view rule, const ResponseContext& context);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_RULE_MASK_H_
