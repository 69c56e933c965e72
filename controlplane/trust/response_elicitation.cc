// The rules about the answer to an elicitation.

#include <array>
#include <optional>
#include <string_view>

#include "controlplane/trust/rule.h"

namespace gatehouse::trust {
namespace {

using Context = ResponseContext;

Ruling ActionIsKnown(const Context& context) {
  if (ActionOf(context.answer).has_value()) return std::nullopt;
  return ObjectToMember(context.answer, "action",
                        "expected accept, decline or cancel");
}

constexpr std::array kAction = {
    ResponseRule{"answer-action", "action accept, decline or cancel",
                 "PROTOCOL 7.4", ActionIsKnown},
};

Ruling ContentIsAnObject(const Context& context) {
  return OptionalObject(context.answer, "content");
}

bool IsRequired(const Form& form, std::string_view name) {
  if (!form.schema.has_value()) return false;
  const std::optional<json::Value> required = form.schema->Find("required");
  if (!required.has_value()) return false;
  for (const json::Value& item : required->Elements()) {
    const absl::StatusOr<std::string_view> text = item.String();
    if (text.ok() && *text == name) return true;
  }
  return false;
}

// Absent content counts as empty: fine for a form that requires nothing.
Ruling RequiredFieldsAreThere(const Context& context) {
  const std::optional<json::Value> content = context.answer.Find("content");
  if (content.has_value() && !content->IsObject()) return std::nullopt;
  for (const Field& field : context.form.fields) {
    if (!IsRequired(context.form, field.name)) continue;
    if (!content.has_value()) {
      return ObjectToMember(context.answer, "content",
                            "is missing, but the form has required fields");
    }
    if (!content->Find(field.name).has_value()) {
      return ObjectToMember(*content, field.name,
                            "is missing, but the form requires it");
    }
  }
  return std::nullopt;
}

const Field* FindField(const Form& form, std::string_view name) {
  for (const Field& field : form.fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

Ruling FieldsAreKnown(const Context& context) {
  const std::optional<json::Value> content = context.answer.Find("content");
  if (!content.has_value()) return std::nullopt;
  for (const json::Member& member : content->Members()) {
    if (FindField(context.form, member.name) != nullptr) continue;
    return ObjectTo(member.value, "is no field of the form");
  }
  return std::nullopt;
}

// In the order of what was filled in.
template <Ruling (*fits)(const Field&, const json::Value&)>
Ruling EachValue(const Context& context) {
  const std::optional<json::Value> content = context.answer.Find("content");
  if (!content.has_value()) return std::nullopt;
  for (const json::Member& member : content->Members()) {
    const Field* const field = FindField(context.form, member.name);
    if (field == nullptr) continue;
    if (Ruling ruling = fits(*field, member.value)) return ruling;
  }
  return std::nullopt;
}

constexpr std::array kForm = {
    ResponseRule{"answer-content-is-object", "content as an object",
                 "PROTOCOL 7.4", ContentIsAnObject},
    ResponseRule{"answer-fields-required", "every required field",
                 "PROTOCOL 7.4", RequiredFieldsAreThere},
    ResponseRule{"answer-fields-known", "no field that the form has not",
                 "DESIGN 6", FieldsAreKnown},
    ResponseRule{"answer-value-type", "values of their field's type",
                 "PROTOCOL 7.4", EachValue<TypeFits>},
    ResponseRule{"answer-value-size", "texts within their field's lengths",
                 "PROTOCOL 7.4", EachValue<SizeFits>},
    ResponseRule{"answer-value-format", "texts of their field's format",
                 "PROTOCOL 7.4", EachValue<FormatFits>},
    ResponseRule{"answer-value-option", "a choice among the field's options",
                 "PROTOCOL 7.4", EachValue<OptionFits>},
    ResponseRule{"answer-value-bounds", "numbers within their field's bounds",
                 "PROTOCOL 7.4", EachValue<BoundsFit>},
    ResponseRule{"answer-selection-size", "as many choices as the field allows",
                 "PROTOCOL 7.4", EachValue<SelectionSizeFits>},
    ResponseRule{"answer-selection-options",
                 "choices among the field's options", "PROTOCOL 7.4",
                 EachValue<SelectionFits>},
    ResponseRule{"answer-selection-unique",
                 "each choice once, where the field asks so", "DESIGN 6",
                 EachValue<SelectionIsUnique>},
};

}  // namespace

ResponseRules ElicitationResponseRules() { return kAction; }
ResponseRules FormResponseRules() { return kForm; }

std::optional<ElicitationAction> ActionOf(const json::Value& result) {
  const std::optional<std::string_view> action = StringMember(result, "action");
  if (action == "accept") return ElicitationAction::kAccept;
  if (action == "decline") return ElicitationAction::kDecline;
  if (action == "cancel") return ElicitationAction::kCancel;
  return std::nullopt;
}

}  // namespace gatehouse::trust
