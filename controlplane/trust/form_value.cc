#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "controlplane/trust/form.h"
#include "controlplane/trust/formats.h"
#include "controlplane/trust/numbers.h"

namespace gatehouse::trust {
namespace {

Ruling SizeFits(const Field& field, const json::Value& value, int64_t size) {
  if (field.least_size.has_value() && size < *field.least_size) {
    return ObjectTo(value, "is shorter than the form allows");
  }
  if (field.most_size.has_value() && size > *field.most_size) {
    return ObjectTo(value, "is longer than the form allows");
  }
  return std::nullopt;
}

bool IsOption(const Field& field, std::string_view text) {
  return std::find(field.options.begin(), field.options.end(), text) !=
         field.options.end();
}

Ruling StringFits(const Field& field, const json::Value& value) {
  const auto text = value.String();
  if (!text.ok()) return ObjectTo(value, "expected a string");
  if (field.kind == FieldKind::kChoice && !IsOption(field, *text)) {
    return ObjectTo(value, "is none of the choices");
  }
  if (!field.format.empty() && !HasFormat(*text, field.format)) {
    return ObjectTo(value, "does not have the format that the form asks for");
  }
  return SizeFits(field, value, CountCodePoints(*text));
}

Ruling NumberFits(const Field& field, const json::Value& value) {
  if (!value.IsNumber()) return ObjectTo(value, "expected a number");
  if (field.kind == FieldKind::kInteger && !IsIntegral(value)) {
    return ObjectTo(value, "expected a whole number");
  }
  const bool under =
      (field.minimum.has_value() &&
       CompareNumbers(value, *field.minimum) < 0) ||
      (field.above.has_value() && CompareNumbers(value, *field.above) <= 0);
  const bool over =
      (field.maximum.has_value() &&
       CompareNumbers(value, *field.maximum) > 0) ||
      (field.below.has_value() && CompareNumbers(value, *field.below) >= 0);
  if (under) return ObjectTo(value, "is less than the form allows");
  if (over) return ObjectTo(value, "is more than the form allows");
  return std::nullopt;
}

Ruling ChoicesFit(const Field& field, const json::Value& value) {
  if (!value.IsArray()) return ObjectTo(value, "expected an array of choices");
  std::set<std::string_view> seen;
  const std::vector<json::Value> items = value.Elements();
  for (const json::Value& item : items) {
    const auto text = item.String();
    if (!text.ok()) return ObjectTo(item, "expected a string");
    if (!IsOption(field, *text)) {
      return ObjectTo(item, "is none of the choices");
    }
    if (!seen.insert(*text).second && field.unique) {
      return ObjectTo(item, "stands twice");
    }
  }
  return SizeFits(field, value, static_cast<int64_t>(items.size()));
}

const Field* FindField(const Form& form, std::string_view name) {
  for (const Field& field : form.fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

}  // namespace

Ruling ValueFitsField(const Field& field, const json::Value& value) {
  switch (field.kind) {
    case FieldKind::kString:
    case FieldKind::kChoice:
      return StringFits(field, value);
    case FieldKind::kNumber:
    case FieldKind::kInteger:
      return NumberFits(field, value);
    case FieldKind::kBoolean:
      if (value.IsBool()) return std::nullopt;
      return ObjectTo(value, "expected true or false");
    case FieldKind::kChoices:
      return ChoicesFit(field, value);
  }
  return ObjectTo(value, "is of no kind that a form has");
}

Ruling ContentFitsForm(const Form& form, const json::Value& content) {
  for (const json::Member& member : content.Members()) {
    const Field* field = FindField(form, member.name);
    if (field == nullptr) {
      return ObjectTo(member.value, "is no field of the form");
    }
    if (Ruling ruling = ValueFitsField(*field, member.value)) return ruling;
  }
  for (const Field& field : form.fields) {
    if (field.required && !content.Find(field.name).has_value()) {
      return ObjectToMember(content, field.name,
                            "is missing, but the form requires it");
    }
  }
  return std::nullopt;
}

}  // namespace gatehouse::trust
