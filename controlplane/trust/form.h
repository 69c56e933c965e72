#ifndef GATEHOUSE_CONTROLPLANE_TRUST_FORM_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_FORM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "controlplane/trust/era.h"
#include "controlplane/trust/ruling.h"
#include "shared/json/json.h"

namespace gatehouse::trust {

enum class FieldKind {
  kString,
  kNumber,
  kInteger,
  kBoolean,
  kChoice,
  kChoices
};

// One property of a form, as its schema describes it.
struct Field {
  Field(std::string_view its_name, json::Value its_schema)
      : name(its_name), schema(std::move(its_schema)) {}

  std::string name;
  json::Value schema;
  FieldKind kind = FieldKind::kString;
  bool required = false;
  bool titled = false;  // choices with titles: `oneOf`, `items.anyOf`

  std::vector<std::string> options;              // of kChoice and kChoices
  std::string format;                            // of kString; empty: none
  std::optional<int64_t> least_size, most_size;  // code points or elements
  bool unique = false;                           // elements
  // Bounds as they were written, so that integers compare exactly.
  std::optional<json::Value> minimum, maximum;
  std::optional<json::Value> above, below;  // exclusive
};

struct Form {
  std::vector<Field> fields;
};

// Reads a requestedSchema as that era allows it: a flat object of primitive
// fields. Whatever would change which answers are valid and is not evaluated
// here is an objection; annotations and unknown members pass unread. Pure.
std::variant<Form, Objection> ReadForm(const json::Value& schema,
                                       const Era& era, int64_t max_properties);

// Whether the value is what the field asks for; the path is the value's.
Ruling ValueFitsField(const Field& field, const json::Value& value);

// Whether what was filled in answers the form: every required field, no
// unknown one, each value fit. `content` must be an object.
Ruling ContentFitsForm(const Form& form, const json::Value& content);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_FORM_H_
