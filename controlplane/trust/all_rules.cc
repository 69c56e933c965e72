#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "controlplane/trust/rule.h"

namespace gatehouse::trust {
namespace {

template <typename RuleType>
void Append(std::string_view about, bool of_response,
            std::initializer_list<std::span<const RuleType>> lists,
            std::vector<NamedRule>& all) {
  for (const std::span<const RuleType> rules : lists) {
    for (const RuleType& rule : rules) {
      all.push_back({rule.name, rule.summary, rule.source, about, of_response});
    }
  }
}

}  // namespace

std::vector<NamedRule> AllRules() {
  std::vector<NamedRule> all;
  Append("every request", false, {ReadableRequestRules(), CommonRequestRules()},
         all);
  Append("sampling", false,
         {SamplingPermissionRules(), MessageRules(), ToolPairRules(),
          SamplingOptionRules(), SamplingConversionRules()},
         all);
  Append("every elicitation", false, {ElicitationRules()}, all);
  Append("a form", false,
         {FormPermissionRules(), FormRules(), FieldRules(),
          RequiredFieldRules(), FormConversionRules()},
         all);
  Append("URL mode", false, {UrlRules()}, all);
  Append("every answer", true, {ReadableResponseRules()}, all);
  Append("an error", true, {ErrorRules()}, all);
  Append("every result", true, {ResultRules()}, all);
  Append("a completion", true,
         {CompletionContentRules(), CompletionRules(), CompletionToolUseRules(),
          CompletionToolRules(), CompletionConversionRules()},
         all);
  Append("an elicitation's answer", true, {ElicitationResponseRules()}, all);
  Append("a form that is accepted", true, {FormResponseRules()}, all);
  Append("roots", true, {RootsResponseRules()}, all);
  return all;
}

}  // namespace gatehouse::trust
