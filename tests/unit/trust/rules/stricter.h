#ifndef GATEHOUSE_TESTS_UNIT_TRUST_RULES_STRICTER_H_
#define GATEHOUSE_TESTS_UNIT_TRUST_RULES_STRICTER_H_

#include <functional>
#include <map>
#include <string_view>

#include "controlplane/trust/rule.h"

namespace gatehouse::trust {

// What the mutant of a rule takes for wrong besides, by the rule's name: each a
// mistake that somebody could make who reads its source too strictly.
template <typename Context>
using Mutants = std::map<std::string_view, std::function<bool(const Context&)>>;

const Mutants<RequestContext>& CommonMutants();
const Mutants<RequestContext>& SamplingMutants();
const Mutants<RequestContext>& ElicitationMutants();
const Mutants<ResponseContext>& AnswerMutants();
const Mutants<ResponseContext>& ContentMutants();

// Shared by the tables.
bool Has(const json::Value& parent, std::string_view name);
bool IsEmptyText(const json::Value& parent, std::string_view name);
bool IsEmpty(const json::Value& parent, std::string_view name);
std::string_view Raw(const json::Value& parent, std::string_view name);
int DepthOf(const json::Value& value);
size_t CountOf(const json::Value& value);
// Whether a member's name stands in another member's object as well.
bool RepeatsAName(const json::Value& object);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_TESTS_UNIT_TRUST_RULES_STRICTER_H_
