#include <span>
#include <vector>

#include "controlplane/trust/rule.h"

namespace gatehouse::trust {
namespace {

template <typename RuleType>
void Append(std::span<const RuleType> rules, bool of_response,
            std::vector<NamedRule>& all) {
  for (const RuleType& rule : rules) {
    all.push_back({rule.name, rule.summary, rule.source, of_response});
  }
}

}  // namespace

std::vector<NamedRule> AllRules() {
  std::vector<NamedRule> all;
  for (const RequestRules rules :
       {ReadableRequestRules(), CommonRequestRules(), SamplingPermissionRules(),
        MessageRules(), ToolPairRules(), SamplingOptionRules(),
        SamplingConversionRules(), ElicitationRules(), FormPermissionRules(),
        FormRules(), FieldRules(), RequiredFieldRules(), FormConversionRules(),
        UrlRules()}) {
    Append(rules, false, all);
  }
  for (const ResponseRules rules :
       {ReadableResponseRules(), ErrorRules(), ResultRules(),
        CompletionContentRules(), CompletionRules(), CompletionToolUseRules(),
        CompletionToolRules(), CompletionConversionRules(),
        ElicitationResponseRules(), FormResponseRules(),
        RootsResponseRules()}) {
    Append(rules, true, all);
  }
  return all;
}

}  // namespace gatehouse::trust
