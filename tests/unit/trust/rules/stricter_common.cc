#include <algorithm>
#include <string_view>

#include "tests/unit/trust/rules/stricter.h"

namespace gatehouse::trust {

bool Has(const json::Value& parent, std::string_view name) {
  return parent.Find(name).has_value();
}

bool IsEmptyText(const json::Value& parent, std::string_view name) {
  return StringMember(parent, name) == "";
}

bool IsEmpty(const json::Value& parent, std::string_view name) {
  return Has(parent, name) && parent.Find(name)->size() == 0;
}

std::string_view Raw(const json::Value& parent, std::string_view name) {
  const std::optional<json::Value> member = parent.Find(name);
  return member.has_value() ? member->raw() : std::string_view();
}

int DepthOf(const json::Value& value) {
  int deepest = 0;
  for (const json::Value& element : value.Elements()) {
    deepest = std::max(deepest, DepthOf(element));
  }
  for (const json::Member& member : value.Members()) {
    deepest = std::max(deepest, DepthOf(member.value));
  }
  return value.IsArray() || value.IsObject() ? deepest + 1 : 0;
}

size_t CountOf(const json::Value& value) {
  size_t count = 1;
  for (const json::Value& element : value.Elements()) count += CountOf(element);
  for (const json::Member& member : value.Members()) {
    count += CountOf(member.value);
  }
  return count;
}

bool RepeatsAName(const json::Value& object) {
  for (const json::Member& member : object.Members()) {
    for (const json::Member& other : object.Members()) {
      if (Has(member.value, other.name)) return true;
    }
  }
  return false;
}

const Mutants<RequestContext>& CommonMutants() {
  using C = RequestContext;
  static const auto* const mutants = new Mutants<C>{
      {"method-known",
       [](const C& c) { return c.kind->kind == RequestKind::kRoots; }},
      {"method-in-revision",
       [](const C& c) {
         return c.upstream_era.revision == mcp::Revision::k2025_06_18;
       }},
      {"request-within-size",
       [](const C& c) {
         return static_cast<int64_t>(c.facts.params.size()) >=
                c.policy.limits.input_request_bytes;
       }},
      {"params-well-formed",
       [](const C& c) {
         return !c.facts.params.empty() && c.facts.params.front() == ' ';
       }},
      {"params-unicode",
       [](const C& c) {
         return c.facts.params.find("\\u") != std::string_view::npos ||
                std::any_of(c.facts.params.begin(), c.facts.params.end(),
                            [](char b) {
                              return static_cast<unsigned char>(b) >= 0x80;
                            });
       }},
      {"params-unique-names",
       [](const C& c) { return RepeatsAName(c.params); }},
      {"params-depth", [](const C& c) { return DepthOf(c.params) >= 32; }},
      {"params-count", [](const C& c) { return CountOf(c.params) >= 20'000; }},
      {"params-are-object", [](const C& c) { return c.params.size() == 0; }},
      {"belongs-to-a-call",
       [](const C& c) { return c.facts.parent == Parent::kSession; }},
      {"call-is-unambiguous",
       [](const C& c) { return c.facts.parent == Parent::kOperation; }},
      {"call-is-open",
       [](const C& c) { return c.facts.parent == Parent::kOperation; }},
      {"feature-permitted",
       [](const C& c) { return !c.policy.roots || !c.policy.elicitation; }},
      {"capability-declared",
       [](const C& c) { return !c.facts.declared.elicitation_form; }},
      {"meta-is-object",
       [](const C& c) {
         return Has(c.params, "_meta") && c.params.Find("_meta")->size() > 0;
       }},
      {"progress-token-shape",
       [](const C& c) {
         const auto meta = c.params.Find("_meta");
         return meta.has_value() && Has(*meta, "progressToken") &&
                !meta->Find("progressToken")->Integer().ok();
       }},
  };
  return *mutants;
}

}  // namespace gatehouse::trust
