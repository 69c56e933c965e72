#include "controlplane/trust/form.h"

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controlplane/trust/numbers.h"

namespace gatehouse::trust {
namespace {

constexpr std::array<std::string_view, 4> kFormats = {"email", "uri", "date",
                                                      "date-time"};

// Keywords of JSON Schema that change which answers are valid and that nothing
// here evaluates, wherever they stand.
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

Ruling HoldsNoneOf(const json::Value& schema,
                   std::initializer_list<std::string_view> keywords) {
  for (const std::string_view keyword : keywords) {
    if (const auto member = schema.Find(keyword)) {
      return ObjectTo(*member,
                      "is a keyword that changes which answers are valid and "
                      "that is not supported here; leave it out");
    }
  }
  return std::nullopt;
}

Ruling HoldsNothingUnevaluated(const json::Value& schema) {
  for (const std::string_view keyword : kUnevaluated) {
    if (Ruling ruling = HoldsNoneOf(schema, {keyword})) return ruling;
  }
  return std::nullopt;
}

// The texts of an array of strings, each once and at least one.
Ruling ReadOptions(const json::Value& list, std::vector<std::string>& out) {
  if (!list.IsArray() || list.size() == 0) {
    return ObjectTo(list, "expected an array of at least one string");
  }
  std::set<std::string> seen;
  for (const json::Value& item : list.Elements()) {
    const auto text = item.String();
    if (!text.ok()) return ObjectTo(item, "expected a string");
    if (!seen.insert(std::string(*text)).second) {
      return ObjectTo(item, "stands twice");
    }
    out.emplace_back(*text);
  }
  return std::nullopt;
}

// The constants of an array of `{const, title}`.
Ruling ReadTitledOptions(const json::Value& list,
                         std::vector<std::string>& out) {
  if (!list.IsArray() || list.size() == 0) {
    return ObjectTo(list, "expected an array of at least one choice");
  }
  std::set<std::string_view> seen;
  for (const json::Value& item : list.Elements()) {
    if (!item.IsObject()) return ObjectTo(item, "expected const and title");
    if (Ruling ruling = RequiredString(item, "const")) return ruling;
    if (Ruling ruling = RequiredString(item, "title")) return ruling;
    const std::string_view constant = *StringMember(item, "const");
    if (!seen.insert(constant).second) {
      return ObjectToMember(item, "const", "stands twice");
    }
    out.emplace_back(constant);
  }
  return std::nullopt;
}

Ruling ReadSize(const json::Value& schema, std::string_view name,
                std::optional<int64_t>& out) {
  const std::optional<json::Value> member = schema.Find(name);
  if (!member.has_value()) return std::nullopt;
  const absl::StatusOr<int64_t> size = member->Integer();
  if (!size.ok() || *size < 0) {
    return ObjectTo(*member, "expected a whole number, 0 or more");
  }
  out = *size;
  return std::nullopt;
}

Ruling ReadSizes(const json::Value& schema, std::string_view least,
                 std::string_view most, Field& field) {
  if (Ruling ruling = ReadSize(schema, least, field.least_size)) return ruling;
  if (Ruling ruling = ReadSize(schema, most, field.most_size)) return ruling;
  if (field.least_size.has_value() && field.most_size.has_value() &&
      *field.least_size > *field.most_size) {
    return ObjectToMember(schema, least, "is over its upper bound");
  }
  return std::nullopt;
}

Ruling ReadBound(const json::Value& schema, std::string_view name,
                 std::optional<json::Value>& out) {
  out = schema.Find(name);
  if (!out.has_value() || out->IsNumber()) return std::nullopt;
  return ObjectTo(*out, "expected a number");
}

// Whether any number lies between the two; nothing says there is no bound.
bool LeavesRoom(const std::optional<json::Value>& low,
                const std::optional<json::Value>& high, bool ends_included) {
  if (!low.has_value() || !high.has_value()) return true;
  const int order = CompareNumbers(*low, *high);
  return order < 0 || (order == 0 && ends_included);
}

Ruling BoundsLeaveRoom(const Field& field) {
  if (LeavesRoom(field.minimum, field.maximum, true) &&
      LeavesRoom(field.minimum, field.below, false) &&
      LeavesRoom(field.above, field.maximum, false) &&
      LeavesRoom(field.above, field.below, false)) {
    return std::nullopt;
  }
  return ObjectTo(field.schema, "has bounds that leave no valid number");
}

Ruling ReadNumber(const json::Value& schema, const Era&, Field& field) {
  if (Ruling ruling =
          HoldsNoneOf(schema, {"enum", "oneOf", "anyOf", "multipleOf"})) {
    return ruling;
  }
  if (Ruling ruling = ReadBound(schema, "minimum", field.minimum)) {
    return ruling;
  }
  if (Ruling ruling = ReadBound(schema, "maximum", field.maximum)) {
    return ruling;
  }
  if (Ruling ruling = ReadBound(schema, "exclusiveMinimum", field.above)) {
    return ruling;
  }
  if (Ruling ruling = ReadBound(schema, "exclusiveMaximum", field.below)) {
    return ruling;
  }
  return BoundsLeaveRoom(field);
}

Ruling ReadBoolean(const json::Value& schema, const Era&, Field&) {
  return HoldsNoneOf(schema, {"enum", "oneOf", "anyOf"});
}

Ruling ReadPlainString(const json::Value& schema, Field& field) {
  if (const auto format = schema.Find("format")) {
    field.format = std::string(StringMember(schema, "format").value_or(""));
    bool known = false;
    for (const std::string_view name : kFormats) known |= name == field.format;
    if (!known) {
      return ObjectTo(*format, "must be email, uri, date or date-time");
    }
  }
  return ReadSizes(schema, "minLength", "maxLength", field);
}

Ruling ReadEnumNames(const json::Value& schema, const Field& field) {
  const std::optional<json::Value> names = schema.Find("enumNames");
  if (!names.has_value()) return std::nullopt;
  if (!names->IsArray() || names->size() != field.options.size()) {
    return ObjectTo(*names, "expected one name for each value of enum");
  }
  for (const json::Value& name : names->Elements()) {
    if (!name.IsString()) return ObjectTo(name, "expected a string");
  }
  return std::nullopt;
}

Ruling ReadString(const json::Value& schema, const Era& era, Field& field) {
  if (Ruling ruling = HoldsNoneOf(schema, {"anyOf"})) return ruling;
  const std::optional<json::Value> choices = schema.Find("enum");
  const std::optional<json::Value> titled = schema.Find("oneOf");
  if (titled.has_value() && (choices.has_value() || !era.titled_enums)) {
    return HoldsNoneOf(schema, {"oneOf"});
  }
  // Sizes and formats count beside an enum as well; both are read.
  if (Ruling ruling = ReadPlainString(schema, field)) return ruling;
  if (titled.has_value()) {
    field.kind = FieldKind::kChoice;
    field.titled = true;
    return ReadTitledOptions(*titled, field.options);
  }
  if (!choices.has_value()) return std::nullopt;
  field.kind = FieldKind::kChoice;
  if (Ruling ruling = ReadOptions(*choices, field.options)) return ruling;
  return ReadEnumNames(schema, field);
}

// `items` of a multiple choice: strings with an enum, or `anyOf` with titles.
Ruling ReadItems(const json::Value& items, Field& field) {
  if (Ruling ruling = HoldsNothingUnevaluated(items)) return ruling;
  if (Ruling ruling = HoldsNoneOf(items, {"oneOf", "items", "properties"})) {
    return ruling;
  }
  const std::optional<json::Value> titled = items.Find("anyOf");
  if (titled.has_value()) {
    if (Ruling ruling = HoldsNoneOf(items, {"enum"})) return ruling;
    const std::optional<json::Value> type = items.Find("type");
    if (type.has_value() && StringMember(items, "type") != "string") {
      return ObjectTo(*type, "must be string, or left out");
    }
    field.titled = true;
    return ReadTitledOptions(*titled, field.options);
  }
  if (StringMember(items, "type") != "string") {
    return ObjectToMember(items, "type", "must be string");
  }
  const std::optional<json::Value> choices = items.Find("enum");
  if (!choices.has_value()) {
    return ObjectTo(items, "expected the choices, as enum or anyOf");
  }
  return ReadOptions(*choices, field.options);
}

Ruling ReadChoices(const json::Value& schema, const Era& era, Field& field) {
  if (!era.multi_select) {
    return ObjectToMember(schema, "type",
                          "is array, which the negotiated revision does not "
                          "allow in a form");
  }
  if (Ruling ruling = HoldsNoneOf(schema, {"enum", "oneOf", "anyOf",
                                           "prefixItems", "additionalItems"})) {
    return ruling;
  }
  if (Ruling ruling = RequiredObject(schema, "items")) return ruling;
  if (Ruling ruling = ReadItems(*schema.Find("items"), field)) return ruling;
  if (Ruling ruling = OptionalBool(schema, "uniqueItems")) return ruling;
  if (const auto unique = schema.Find("uniqueItems")) {
    field.unique = unique->Bool().value_or(false);
  }
  return ReadSizes(schema, "minItems", "maxItems", field);
}

struct KindRow {
  std::string_view type;
  FieldKind kind;
  Ruling (*read)(const json::Value&, const Era&, Field&);
};
constexpr std::array<KindRow, 5> kKinds = {{
    {"string", FieldKind::kString, ReadString},
    {"number", FieldKind::kNumber, ReadNumber},
    {"integer", FieldKind::kInteger, ReadNumber},
    {"boolean", FieldKind::kBoolean, ReadBoolean},
    {"array", FieldKind::kChoices, ReadChoices},
}};

Ruling DefaultFits(const Field& field, const Era& era) {
  const std::optional<json::Value> value = field.schema.Find("default");
  if (!value.has_value()) return std::nullopt;
  // Where the revision knows no default of this kind it is one of the members
  // that mean nothing.
  if (!era.typed_defaults && field.kind != FieldKind::kBoolean) {
    return std::nullopt;
  }
  return ValueFitsField(field, *value);
}

Ruling ReadField(const json::Value& schema, const Era& era, Field& field) {
  if (!schema.IsObject()) return ObjectTo(schema, "expected a schema object");
  if (Ruling ruling = HoldsNothingUnevaluated(schema)) return ruling;
  // What nests; only a choice has `items`.
  if (Ruling ruling = HoldsNoneOf(schema, {"properties"})) return ruling;
  if (Ruling ruling = OptionalString(schema, "title")) return ruling;
  if (Ruling ruling = OptionalString(schema, "description")) return ruling;
  const std::optional<std::string_view> type = StringMember(schema, "type");
  for (const KindRow& row : kKinds) {
    if (row.type != type) continue;
    field.kind = row.kind;
    if (Ruling ruling = row.read(schema, era, field)) return ruling;
    return DefaultFits(field, era);
  }
  return ObjectToMember(schema, "type",
                        "must be one of the primitive types of a form; "
                        "objects, lists of types and null are not");
}

Ruling ReadRequired(const json::Value& schema, Form& form) {
  const std::optional<json::Value> required = schema.Find("required");
  if (!required.has_value()) return std::nullopt;
  if (!required->IsArray()) {
    return ObjectTo(*required, "expected an array of property names");
  }
  for (const json::Value& item : required->Elements()) {
    const auto name = item.String();
    if (!name.ok()) return ObjectTo(item, "expected a property name");
    bool found = false;
    for (Field& field : form.fields) {
      if (field.name != *name) continue;
      if (field.required) return ObjectTo(item, "stands twice");
      field.required = found = true;
    }
    if (!found) return ObjectTo(item, "names no property of the form");
  }
  return std::nullopt;
}

Ruling RootIsAFlatObject(const json::Value& schema) {
  if (!schema.IsObject()) return ObjectTo(schema, "expected a schema object");
  if (StringMember(schema, "type") != "object") {
    return ObjectToMember(schema, "type", "must be object");
  }
  if (Ruling ruling = HoldsNothingUnevaluated(schema)) return ruling;
  if (Ruling ruling = HoldsNoneOf(schema, {"oneOf", "anyOf", "enum"})) {
    return ruling;
  }
  const std::optional<json::Value> additional =
      schema.Find("additionalProperties");
  if (additional.has_value() &&
      (!additional->IsBool() || additional->Bool().value_or(true))) {
    return ObjectTo(*additional,
                    "must be false or left out; a form has the properties it "
                    "names");
  }
  return RequiredObject(schema, "properties");
}

Ruling ReadFields(const json::Value& properties, const Era& era,
                  int64_t max_properties, Form& form) {
  if (static_cast<int64_t>(properties.size()) > max_properties) {
    Objection objection = ObjectTo(
        properties, absl::StrCat("has more properties than the limit of ",
                                 max_properties, "; ask for fewer"));
    objection.details = {{"limit", absl::StrCat(max_properties)}};
    return objection;
  }
  for (const json::Member& member : properties.Members()) {
    Field field(member.name, member.value);
    if (Ruling ruling = ReadField(member.value, era, field)) return ruling;
    form.fields.push_back(std::move(field));
  }
  return std::nullopt;
}

}  // namespace

std::variant<Form, Objection> ReadForm(const json::Value& schema,
                                       const Era& era, int64_t max_properties) {
  if (Ruling ruling = RootIsAFlatObject(schema)) return *std::move(ruling);
  Form form;
  if (Ruling ruling =
          ReadFields(*schema.Find("properties"), era, max_properties, form)) {
    return *std::move(ruling);
  }
  if (Ruling ruling = ReadRequired(schema, form)) return *std::move(ruling);
  return form;
}

}  // namespace gatehouse::trust
