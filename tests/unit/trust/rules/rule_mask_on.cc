#include "tests/unit/trust/rules/rule_mask_on.h"

#include <algorithm>
#include <string_view>

#include "tests/unit/trust/rules/stricter.h"

namespace gatehouse::trust {
namespace {

template <typename Context>
Ruling ByMutant(std::initializer_list<const Mutants<Context>*> tables,
                std::string_view rule, const Context& context) {
  for (const Mutants<Context>* table : tables) {
    const auto found = table->find(rule);
    if (found != table->end() && found->second(context)) {
      return ObjectTo(Reason::kInvalidRequest, "the mutant objects");
    }
  }
  return std::nullopt;
}

}  // namespace

RuleMaskOn gatehouse_rule_mask;

RuleMask MaskOf(std::string_view rule) {
  return gatehouse_rule_mask.rule == rule ? gatehouse_rule_mask.mask
                                          : RuleMask::kAsIs;
}

Ruling Stricter(std::string_view rule, const RequestContext& context) {
  return ByMutant<RequestContext>(
      {&CommonMutants(), &SamplingMutants(), &ElicitationMutants()}, rule,
      context);
}

Ruling Stricter(std::string_view rule, const ResponseContext& context) {
  return ByMutant<ResponseContext>({&AnswerMutants(), &ContentMutants()}, rule,
                                   context);
}

bool HasStricterMutant(std::string_view rule) {
  return CommonMutants().contains(rule) || SamplingMutants().contains(rule) ||
         ElicitationMutants().contains(rule) ||
         AnswerMutants().contains(rule) || ContentMutants().contains(rule);
}

}  // namespace gatehouse::trust
