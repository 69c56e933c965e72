#include "controlplane/trust/form.h"

#include <array>
#include <optional>
#include <string_view>

namespace gatehouse::trust {
namespace {

struct TypeRow {
  std::string_view type;
  FieldKind kind;
};
constexpr std::array<TypeRow, 5> kTypes = {{
    {"string", FieldKind::kString},
    {"number", FieldKind::kNumber},
    {"integer", FieldKind::kInteger},
    {"boolean", FieldKind::kBoolean},
    {"array", FieldKind::kChoices},
}};

// Takes the first of the two that `schema` has.
void FindOptions(const json::Value& schema, std::string_view titled,
                 Field& field) {
  field.options = schema.Find("enum");
  if (field.options.has_value()) return;
  field.options = schema.Find(titled);
  field.titled = field.options.has_value();
}

Field ReadField(const json::Member& property) {
  Field field{property.name, property.value};
  const auto type = StringMember(property.value, "type");
  for (const TypeRow& row : kTypes) {
    if (row.type == type) field.kind = row.kind;
  }
  if (field.kind == FieldKind::kString) {
    FindOptions(property.value, "oneOf", field);
    if (field.options.has_value()) field.kind = FieldKind::kChoice;
  }
  if (field.kind == FieldKind::kChoices) {
    const std::optional<json::Value> items = property.value.Find("items");
    if (items.has_value()) FindOptions(*items, "anyOf", field);
  }
  return field;
}

std::optional<json::Value> ObjectMember(const json::Value& parent,
                                        std::string_view name) {
  std::optional<json::Value> member = parent.Find(name);
  if (!member.has_value() || !member->IsObject()) return std::nullopt;
  return member;
}

}  // namespace

Form ReadForm(const json::Value& params) {
  Form form;
  form.schema = ObjectMember(params, "requestedSchema");
  if (!form.schema.has_value()) return form;
  form.properties = ObjectMember(*form.schema, "properties");
  if (!form.properties.has_value()) return form;
  for (const json::Member& property : form.properties->Members()) {
    form.fields.push_back(ReadField(property));
  }
  return form;
}

bool BecomesEnumWithNames(const Field& field) {
  if (!field.options.has_value() ||
      field.schema.Find("enumNames").has_value()) {
    return false;
  }
  for (const json::Value& option : field.options->Elements()) {
    for (const json::Member& member : option.Members()) {
      if (member.name != "const" && member.name != "title") return false;
    }
  }
  return true;
}

}  // namespace gatehouse::trust
