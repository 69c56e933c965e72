#ifndef GATEHOUSE_CONTROLPLANE_TRUST_FORM_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_FORM_H_

#include <optional>
#include <string_view>
#include <vector>

#include "controlplane/trust/ruling.h"
#include "shared/json/json.h"

namespace gatehouse::trust {

enum class FieldKind {
  kNone,  // no primitive type
  kString,
  kNumber,
  kInteger,
  kBoolean,
  kChoice,   // a string with `enum` or `oneOf`
  kChoices,  // an array of such strings
};

// One property of a form, as its schema was written.
struct Field {
  std::string_view name;
  json::Value schema;
  FieldKind kind = FieldKind::kNone;  // also where the schema is no object
  // The choices as written: `enum`, or with titles `oneOf`, `items.anyOf`.
  std::optional<json::Value> options = {};
  bool titled = false;

  bool IsText() const {
    return kind == FieldKind::kString || kind == FieldKind::kChoice;
  }
  bool IsNumeric() const {
    return kind == FieldKind::kNumber || kind == FieldKind::kInteger;
  }
};

// A requestedSchema laid out flat. Built of whatever was sent; the rules say
// what of it is no form.
struct Form {
  std::optional<json::Value> schema;      // an object
  std::optional<json::Value> properties;  // an object
  std::vector<Field> fields;
};
Form ReadForm(const json::Value& params);

// Whether a titled choice can be written as `enum` and `enumNames` without
// loss: its options have nothing but const and title.
bool BecomesEnumWithNames(const Field& field);

// Whether a value is what the field asks for, each about one thing; the path is
// the value's (of an array its element's). A value of another type is
// TypeFits's concern alone. Pure.
Ruling TypeFits(const Field& field, const json::Value& value);
Ruling SizeFits(const Field& field, const json::Value& value);
Ruling FormatFits(const Field& field, const json::Value& value);
Ruling OptionFits(const Field& field, const json::Value& value);
Ruling BoundsFit(const Field& field, const json::Value& value);
Ruling SelectionSizeFits(const Field& field, const json::Value& value);
Ruling SelectionFits(const Field& field, const json::Value& value);
Ruling SelectionIsUnique(const Field& field, const json::Value& value);
// All of them.
Ruling ValueFits(const Field& field, const json::Value& value);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_FORM_H_
