#ifndef GATEHOUSE_TESTS_UNIT_TRUST_RULES_RULE_MASK_ON_H_
#define GATEHOUSE_TESTS_UNIT_TRUST_RULES_RULE_MASK_ON_H_

#include <string>
#include <string_view>

#include "controlplane/trust/rule_mask.h"

namespace gatehouse::trust {

// The mask of the tests' build of the judge: at most one rule is bent. Not
// thread-safe. Its name is looked for in what is shipped, where it must not be.
struct RuleMaskOn {
  std::string rule;  // empty: none
  RuleMask mask = RuleMask::kAsIs;
};
extern RuleMaskOn gatehouse_rule_mask;

// Whether there is a mutant of that rule that refuses more.
bool HasStricterMutant(std::string_view rule);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_TESTS_UNIT_TRUST_RULES_RULE_MASK_ON_H_
