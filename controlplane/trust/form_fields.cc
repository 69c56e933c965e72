// The rules about each field of a form, by its schema.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "controlplane/trust/form.h"
#include "controlplane/trust/formats.h"
#include "controlplane/trust/json_schema.h"
#include "controlplane/trust/numbers.h"
#include "controlplane/trust/rule.h"
#include "shared/base/status.h"

namespace gatehouse::trust {
namespace {

// A rule goes over the fields in their order; most need the field alone.
using FieldCheck = Ruling (*)(const Field&, const Era&);
template <FieldCheck check>
Ruling EachField(const RequestContext& context) {
  for (const Field& field : context.form.fields) {
    if (!field.schema.IsObject()) continue;
    if (Ruling ruling = check(field, context.upstream_era)) return ruling;
  }
  return std::nullopt;
}

Ruling FieldIsAnObject(const RequestContext& context) {
  for (const Field& field : context.form.fields) {
    if (field.schema.IsObject()) continue;
    return ObjectTo(field.schema, "expected a schema object");
  }
  return std::nullopt;
}

Ruling ItemsAreEvaluated(const Field& field) {
  const std::optional<json::Value> items = field.schema.Find("items");
  if (!items.has_value()) return std::nullopt;
  if (Ruling ruling = HoldsNothingUnevaluated(*items)) return ruling;
  if (Ruling ruling = HoldsNoneOf(*items, {"oneOf", "items", "properties"})) {
    return ruling;
  }
  if (!items->Find("anyOf").has_value()) return std::nullopt;
  return HoldsNoneOf(*items, {"enum"});
}

Ruling OwnKeywordsAreEvaluated(const Field& field) {
  switch (field.kind) {
    case FieldKind::kNumber:
    case FieldKind::kInteger:
      return HoldsNoneOf(field.schema,
                         {"enum", "oneOf", "anyOf", "multipleOf"});
    case FieldKind::kBoolean:
      return HoldsNoneOf(field.schema, {"enum", "oneOf", "anyOf"});
    case FieldKind::kString:
    case FieldKind::kChoice:
      if (Ruling ruling = HoldsNoneOf(field.schema, {"anyOf"})) return ruling;
      if (!field.schema.Find("enum").has_value()) return std::nullopt;
      return HoldsNoneOf(field.schema, {"oneOf"});
    case FieldKind::kChoices:
      if (Ruling ruling = HoldsNoneOf(
              field.schema,
              {"enum", "oneOf", "anyOf", "prefixItems", "additionalItems"})) {
        return ruling;
      }
      return ItemsAreEvaluated(field);
    case FieldKind::kNone:
      return std::nullopt;
  }
  return std::nullopt;
}

Ruling IsEvaluated(const Field& field, const Era&) {
  if (Ruling ruling = HoldsNothingUnevaluated(field.schema)) return ruling;
  // What nests; only a choice has `items`.
  if (Ruling ruling = HoldsNoneOf(field.schema, {"properties"})) return ruling;
  return OwnKeywordsAreEvaluated(field);
}

Ruling AnnotationsAreTexts(const Field& field, const Era&) {
  if (Ruling ruling = OptionalString(field.schema, "title")) return ruling;
  return OptionalString(field.schema, "description");
}

Ruling TypeIsPrimitive(const Field& field, const Era&) {
  if (field.kind != FieldKind::kNone) return std::nullopt;
  return ObjectToMember(field.schema, "type",
                        "must be one of the primitive types of a form; "
                        "objects, lists of types and null are not");
}

Ruling ArrayIsInTheRevision(const Field& field, const Era& era) {
  if (field.kind != FieldKind::kChoices || era.multi_select) {
    return std::nullopt;
  }
  return ObjectToMember(field.schema, "type",
                        "is array, which the negotiated revision does not "
                        "allow in a form");
}

Ruling OneOfIsInTheRevision(const Field& field, const Era& era) {
  const std::optional<json::Value> titled = field.schema.Find("oneOf");
  if (!field.IsText() || !titled.has_value() || era.titled_enums) {
    return std::nullopt;
  }
  return ObjectTo(*titled,
                  "is a choice with titles, which the negotiated revision "
                  "does not have; use enum and enumNames");
}

Ruling FormatIsKnown(const Field& field, const Era&) {
  const std::optional<json::Value> format = field.schema.Find("format");
  if (!field.IsText() || !format.has_value() ||
      IsFormat(StringMember(field.schema, "format").value_or(""))) {
    return std::nullopt;
  }
  return ObjectTo(*format, "must be email, uri, date or date-time");
}

// The names of the two sizes of a field, or empty: it has none.
struct SizeNames {
  std::string_view least, most;
};
SizeNames SizesOf(const Field& field) {
  if (field.IsText()) return {"minLength", "maxLength"};
  if (field.kind == FieldKind::kChoices) return {"minItems", "maxItems"};
  return {};
}

std::optional<int64_t> SizeMember(const Field& field, std::string_view name) {
  const std::optional<json::Value> member = field.schema.Find(name);
  if (!member.has_value()) return std::nullopt;
  const absl::StatusOr<int64_t> size = member->Integer();
  if (!size.ok() || *size < 0) return std::nullopt;
  return *size;
}

Ruling SizesAreWhole(const Field& field, const Era&) {
  const SizeNames names = SizesOf(field);
  if (names.least.empty()) return std::nullopt;
  for (const std::string_view name : {names.least, names.most}) {
    const std::optional<json::Value> member = field.schema.Find(name);
    if (!member.has_value() || SizeMember(field, name).has_value()) continue;
    return ObjectTo(*member, "expected a whole number, 0 or more");
  }
  return std::nullopt;
}

Ruling SizesAreInOrder(const Field& field, const Era&) {
  const SizeNames names = SizesOf(field);
  if (names.least.empty()) return std::nullopt;
  const std::optional<int64_t> least = SizeMember(field, names.least);
  const std::optional<int64_t> most = SizeMember(field, names.most);
  if (!least.has_value() || !most.has_value() || *least <= *most) {
    return std::nullopt;
  }
  return ObjectToMember(field.schema, names.least, "is over its upper bound");
}

Ruling UniqueItemsIsABool(const Field& field, const Era&) {
  if (field.kind != FieldKind::kChoices) return std::nullopt;
  return OptionalBool(field.schema, "uniqueItems");
}

Ruling BoundsAreNumbers(const Field& field, const Era&) {
  if (!field.IsNumeric()) return std::nullopt;
  for (const std::string_view name :
       {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}) {
    const std::optional<json::Value> bound = field.schema.Find(name);
    if (bound.has_value() && !bound->IsNumber()) {
      return ObjectTo(*bound, "expected a number");
    }
  }
  return std::nullopt;
}

Ruling BoundsLeaveRoom(const Field& field, const Era&) {
  if (!field.IsNumeric()) return std::nullopt;
  const auto bound = [&field](std::string_view name) {
    std::optional<json::Value> member = field.schema.Find(name);
    if (member.has_value() && !member->IsNumber()) member.reset();
    return member;
  };
  const Interval interval{bound("minimum"), bound("exclusiveMinimum"),
                          bound("maximum"), bound("exclusiveMaximum")};
  const bool has_room = field.kind == FieldKind::kInteger
                            ? HoldsAWholeNumber(interval)
                            : HoldsANumber(interval);
  if (has_room) return std::nullopt;
  return ObjectTo(field.schema, "has bounds that leave no valid number");
}

bool IsStringList(const json::Value& list) {
  return list.IsArray() && list.size() > 0;
}

Ruling OptionsAreStrings(const Field& field, const Era&) {
  if (!field.options.has_value() || field.titled) return std::nullopt;
  if (!IsStringList(*field.options)) {
    return ObjectTo(*field.options, "expected an array of at least one string");
  }
  for (const json::Value& option : field.options->Elements()) {
    if (!option.IsString()) return ObjectTo(option, "expected a string");
  }
  return std::nullopt;
}

Ruling OptionsAreUnique(const Field& field, const Era&) {
  if (!field.options.has_value() || field.titled) return std::nullopt;
  absl::flat_hash_set<absl::string_view> seen;
  for (const json::Value& option : field.options->Elements()) {
    const absl::StatusOr<std::string_view> text = option.String();
    if (text.ok() && !seen.insert(ToAbsl(*text)).second) {
      return ObjectTo(option, "stands twice");
    }
  }
  return std::nullopt;
}

Ruling EnumNamesFit(const Field& field, const Era&) {
  const std::optional<json::Value> names = field.schema.Find("enumNames");
  if (field.kind != FieldKind::kChoice || field.titled || !names.has_value()) {
    return std::nullopt;
  }
  if (!names->IsArray() || names->size() != field.options->size()) {
    return ObjectTo(*names, "expected one name for each value of enum");
  }
  for (const json::Value& name : names->Elements()) {
    if (!name.IsString()) return ObjectTo(name, "expected a string");
  }
  return std::nullopt;
}

Ruling TitledOptionsHaveBoth(const Field& field, const Era&) {
  if (!field.options.has_value() || !field.titled) return std::nullopt;
  if (!IsStringList(*field.options)) {
    return ObjectTo(*field.options, "expected an array of at least one choice");
  }
  for (const json::Value& option : field.options->Elements()) {
    if (!option.IsObject()) return ObjectTo(option, "expected const and title");
    if (Ruling ruling = RequiredString(option, "const")) return ruling;
    if (Ruling ruling = RequiredString(option, "title")) return ruling;
  }
  return std::nullopt;
}

Ruling TitledOptionsAreUnique(const Field& field, const Era&) {
  if (!field.options.has_value() || !field.titled) return std::nullopt;
  absl::flat_hash_set<absl::string_view> seen;
  for (const json::Value& option : field.options->Elements()) {
    const auto text = StringMember(option, "const");
    if (text.has_value() && !seen.insert(ToAbsl(*text)).second) {
      return ObjectToMember(option, "const", "stands twice");
    }
  }
  return std::nullopt;
}

Ruling ItemsAreChoices(const Field& field, const Era&) {
  if (field.kind != FieldKind::kChoices) return std::nullopt;
  if (Ruling ruling = RequiredObject(field.schema, "items")) return ruling;
  const json::Value items = *field.schema.Find("items");
  const std::optional<json::Value> type = items.Find("type");
  const bool may_lack_type = items.Find("anyOf").has_value();
  if (type.has_value() ? StringMember(items, "type") != "string"
                       : !may_lack_type) {
    return ObjectToMember(items, "type", "must be string");
  }
  if (may_lack_type || items.Find("enum").has_value()) return std::nullopt;
  return ObjectTo(items, "expected the choices, as enum or anyOf");
}

Ruling DefaultFits(const Field& field, const Era& era) {
  const std::optional<json::Value> value = field.schema.Find("default");
  // Where the revision knows no default of this kind it is one of the members
  // that mean nothing.
  if (!value.has_value() || field.kind == FieldKind::kNone ||
      (!era.typed_defaults && field.kind != FieldKind::kBoolean)) {
    return std::nullopt;
  }
  return ValueFits(field, *value);
}

constexpr std::array kFields = {
    RequestRule{"field-is-object", "each field's schema as an object",
                "PROTOCOL 7.2", FieldIsAnObject},
    RequestRule{"field-evaluated",
                "no keyword that changes what is valid and is not evaluated",
                "DESIGN 6", EachField<IsEvaluated>},
    RequestRule{"field-annotations", "title and description as texts",
                "PROTOCOL 7.2", EachField<AnnotationsAreTexts>},
    RequestRule{"field-type", "a primitive type", "PROTOCOL 7.2",
                EachField<TypeIsPrimitive>},
    RequestRule{"array-in-revision",
                "a choice of several only in revisions that have it",
                "PROTOCOL 7.2", EachField<ArrayIsInTheRevision>},
    RequestRule{"one-of-in-revision",
                "titled choices only in revisions that have them",
                "PROTOCOL 7.2", EachField<OneOfIsInTheRevision>},
    RequestRule{"string-format", "format email, uri, date or date-time",
                "PROTOCOL 7.2", EachField<FormatIsKnown>},
    RequestRule{"sizes-are-whole", "lengths and counts as whole numbers",
                "PROTOCOL 7.2", EachField<SizesAreWhole>},
    RequestRule{"sizes-in-order", "no lower size over its upper one",
                "DESIGN 6", EachField<SizesAreInOrder>},
    RequestRule{"unique-items", "uniqueItems as true or false", "DESIGN 6",
                EachField<UniqueItemsIsABool>},
    RequestRule{"bounds-are-numbers", "bounds as numbers", "PROTOCOL 7.2",
                EachField<BoundsAreNumbers>},
    RequestRule{"bounds-leave-room", "bounds that some number meets",
                "DESIGN 6", EachField<BoundsLeaveRoom>},
    RequestRule{"options-are-strings", "enum as an array of strings",
                "PROTOCOL 7.2", EachField<OptionsAreStrings>},
    RequestRule{"options-are-unique", "each value of enum once", "DESIGN 6",
                EachField<OptionsAreUnique>},
    RequestRule{"enum-names", "a name for each value of enum", "PROTOCOL 7.2",
                EachField<EnumNamesFit>},
    RequestRule{"titled-options", "const and title of each choice",
                "PROTOCOL 7.2", EachField<TitledOptionsHaveBoth>},
    RequestRule{"titled-options-are-unique", "each const once", "DESIGN 6",
                EachField<TitledOptionsAreUnique>},
    RequestRule{"items-are-choices", "choices of strings in an array",
                "PROTOCOL 7.2", EachField<ItemsAreChoices>},
    RequestRule{"default-fits", "a default that its field allows", "DESIGN 6",
                EachField<DefaultFits>},
};

}  // namespace

RequestRules FieldRules() { return kFields; }

}  // namespace gatehouse::trust
