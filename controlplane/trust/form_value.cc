#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "controlplane/trust/form.h"
#include "controlplane/trust/formats.h"
#include "controlplane/trust/numbers.h"
#include "shared/base/status.h"

namespace gatehouse::trust {
namespace {

// A bound that is one; what is none is the schema's concern.
std::optional<int64_t> Size(const Field& field, std::string_view name) {
  const std::optional<json::Value> member = field.schema.Find(name);
  if (!member.has_value()) return std::nullopt;
  const absl::StatusOr<int64_t> size = member->Integer();
  if (!size.ok()) return std::nullopt;
  return *size;
}

std::optional<json::Value> Bound(const Field& field, std::string_view name) {
  std::optional<json::Value> member = field.schema.Find(name);
  if (!member.has_value() || !member->IsNumber()) return std::nullopt;
  return member;
}

Ruling WithinSizes(const Field& field, std::string_view least,
                   std::string_view most, int64_t size,
                   const json::Value& value) {
  if (size < Size(field, least).value_or(size)) {
    return ObjectTo(value, "is shorter than the form allows");
  }
  if (size > Size(field, most).value_or(size)) {
    return ObjectTo(value, "is longer than the form allows");
  }
  return std::nullopt;
}

// The strings that may be chosen.
absl::flat_hash_set<absl::string_view> OptionsOf(const Field& field) {
  absl::flat_hash_set<absl::string_view> options;
  if (!field.options.has_value()) return options;
  for (const json::Value& option : field.options->Elements()) {
    if (field.titled) {
      if (const auto text = StringMember(option, "const")) {
        options.insert(ToAbsl(*text));
      }
    } else if (const auto text = option.String(); text.ok()) {
      options.insert(ToAbsl(*text));
    }
  }
  return options;
}

bool HasType(FieldKind kind, const json::Value& value) {
  switch (kind) {
    case FieldKind::kNone:
      return false;
    case FieldKind::kString:
    case FieldKind::kChoice:
      return value.IsString();
    case FieldKind::kNumber:
      return value.IsNumber();
    case FieldKind::kInteger:
      return value.IsIntegerLexeme();
    case FieldKind::kBoolean:
      return value.IsBool();
    case FieldKind::kChoices:
      return value.IsArray();
  }
  return false;
}

std::string_view TypeName(FieldKind kind) {
  switch (kind) {
    case FieldKind::kNumber:
      return "expected a number";
    case FieldKind::kInteger:
      return "expected a whole number, written without fraction or exponent";
    case FieldKind::kBoolean:
      return "expected true or false";
    case FieldKind::kChoices:
      return "expected an array of strings";
    default:
      return "expected a string";
  }
}

}  // namespace

Ruling TypeFits(const Field& field, const json::Value& value) {
  if (!HasType(field.kind, value)) return ObjectTo(value, TypeName(field.kind));
  if (field.kind != FieldKind::kChoices) return std::nullopt;
  for (const json::Value& element : value.Elements()) {
    if (!element.IsString()) return ObjectTo(element, "expected a string");
  }
  return std::nullopt;
}

Ruling SizeFits(const Field& field, const json::Value& value) {
  const absl::StatusOr<std::string_view> text = value.String();
  if (!field.IsText() || !text.ok()) return std::nullopt;
  return WithinSizes(field, "minLength", "maxLength", CountCodePoints(*text),
                     value);
}

Ruling FormatFits(const Field& field, const json::Value& value) {
  const absl::StatusOr<std::string_view> text = value.String();
  const auto format = StringMember(field.schema, "format");
  if (!field.IsText() || !text.ok() || !format.has_value() ||
      !IsFormat(*format) || HasFormat(*text, *format)) {
    return std::nullopt;
  }
  return ObjectTo(value, "has not the format that the form asks for");
}

Ruling OptionFits(const Field& field, const json::Value& value) {
  const absl::StatusOr<std::string_view> text = value.String();
  if (field.kind != FieldKind::kChoice || !text.ok() ||
      OptionsOf(field).contains(ToAbsl(*text))) {
    return std::nullopt;
  }
  return ObjectTo(value, "is none of the form's choices");
}

Ruling BoundsFit(const Field& field, const json::Value& value) {
  if (!field.IsNumeric() || !value.IsNumber()) return std::nullopt;
  const auto minimum = Bound(field, "minimum");
  const auto above = Bound(field, "exclusiveMinimum");
  if ((minimum.has_value() && CompareNumbers(value, *minimum) < 0) ||
      (above.has_value() && CompareNumbers(value, *above) <= 0)) {
    return ObjectTo(value, "is less than the form allows");
  }
  const auto maximum = Bound(field, "maximum");
  const auto below = Bound(field, "exclusiveMaximum");
  if ((maximum.has_value() && CompareNumbers(value, *maximum) > 0) ||
      (below.has_value() && CompareNumbers(value, *below) >= 0)) {
    return ObjectTo(value, "is more than the form allows");
  }
  return std::nullopt;
}

Ruling SelectionSizeFits(const Field& field, const json::Value& value) {
  if (field.kind != FieldKind::kChoices || !value.IsArray()) {
    return std::nullopt;
  }
  return WithinSizes(field, "minItems", "maxItems",
                     static_cast<int64_t>(value.size()), value);
}

Ruling SelectionFits(const Field& field, const json::Value& value) {
  if (field.kind != FieldKind::kChoices) return std::nullopt;
  const absl::flat_hash_set<absl::string_view> options = OptionsOf(field);
  for (const json::Value& element : value.Elements()) {
    const absl::StatusOr<std::string_view> text = element.String();
    if (text.ok() && !options.contains(ToAbsl(*text))) {
      return ObjectTo(element, "is none of the form's choices");
    }
  }
  return std::nullopt;
}

Ruling SelectionIsUnique(const Field& field, const json::Value& value) {
  const std::optional<json::Value> unique = field.schema.Find("uniqueItems");
  if (field.kind != FieldKind::kChoices || !unique.has_value() ||
      !unique->Bool().value_or(false)) {
    return std::nullopt;
  }
  absl::flat_hash_set<absl::string_view> seen;
  for (const json::Value& element : value.Elements()) {
    const absl::StatusOr<std::string_view> text = element.String();
    if (text.ok() && !seen.insert(ToAbsl(*text)).second) {
      return ObjectTo(element, "stands twice, which the form does not allow");
    }
  }
  return std::nullopt;
}

Ruling ValueFits(const Field& field, const json::Value& value) {
  for (const auto fits :
       {TypeFits, SizeFits, FormatFits, OptionFits, BoundsFit,
        SelectionSizeFits, SelectionFits, SelectionIsUnique}) {
    if (Ruling ruling = fits(field, value)) return ruling;
  }
  return std::nullopt;
}

}  // namespace gatehouse::trust
