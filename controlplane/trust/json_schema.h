#ifndef GATEHOUSE_CONTROLPLANE_TRUST_JSON_SCHEMA_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_JSON_SCHEMA_H_

#include <initializer_list>
#include <string_view>

#include "controlplane/trust/ruling.h"
#include "shared/json/json.h"

namespace gatehouse::trust {

// Keywords of JSON Schema that change which answers are valid and that nothing
// here evaluates, so that a schema with one is refused. Pure.

// None of those that mean something wherever they stand (`$ref`, `const`, ...).
Ruling HoldsNothingUnevaluated(const json::Value& schema);
// None of `keywords`.
Ruling HoldsNoneOf(const json::Value& schema,
                   std::initializer_list<std::string_view> keywords);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_JSON_SCHEMA_H_
