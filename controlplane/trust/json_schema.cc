#include "controlplane/trust/json_schema.h"

#include <array>

namespace gatehouse::trust {
namespace {

constexpr std::array<std::string_view, 19> kUnevaluated = {
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "const",
    "dependentSchemas",
    "dependentRequired",
    "dependencies",
    "patternProperties",
    "propertyNames",
    "unevaluatedProperties",
    "unevaluatedItems",
    "minProperties",
    "maxProperties",
    "contains"};

template <typename Keywords>
Ruling HoldsNone(const json::Value& schema, const Keywords& keywords) {
  for (const std::string_view keyword : keywords) {
    if (const auto member = schema.Find(keyword)) {
      return ObjectTo(*member,
                      "is a keyword that changes which answers are valid and "
                      "that is not supported here; leave it out");
    }
  }
  return std::nullopt;
}

}  // namespace

Ruling HoldsNothingUnevaluated(const json::Value& schema) {
  return HoldsNone(schema, kUnevaluated);
}

Ruling HoldsNoneOf(const json::Value& schema,
                   std::initializer_list<std::string_view> keywords) {
  return HoldsNone(schema, keywords);
}

}  // namespace gatehouse::trust
