#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "controlplane/trust/form.h"
#include "controlplane/trust/rules.h"

namespace gatehouse::trust {
namespace {

Ruling ContentAnswersTheForm(const ResponseContext& context) {
  const auto schema = context.request_params.Find("requestedSchema");
  if (!schema.has_value()) {
    return ObjectTo(context.result, "answers a request without a form");
  }
  std::variant<Form, Objection> read = ReadForm(
      *schema, context.upstream_era, context.policy.limits.form_properties);
  const Form* form = std::get_if<Form>(&read);
  if (form == nullptr) {
    // It was admitted under a policy with other limits.
    return ObjectTo(context.result, "answers a form that is no longer allowed");
  }
  const std::optional<json::Value> content = context.result.Find("content");
  if (content.has_value()) {
    if (!content->IsObject()) return ObjectTo(*content, "expected an object");
    return ContentFitsForm(*form, *content);
  }
  // Absent counts as empty: fine for a form that requires nothing.
  for (const Field& field : form->fields) {
    if (field.required) {
      return ObjectToMember(context.result, "content",
                            "is missing, but the form has required fields");
    }
  }
  return std::nullopt;
}

constexpr std::array<ResponseRule, 1> kRules = {ContentAnswersTheForm};

}  // namespace

std::span<const ResponseRule> ElicitationResponseRules() { return kRules; }

std::optional<ElicitationAction> ActionOf(const json::Value& result) {
  const std::optional<std::string_view> action = StringMember(result, "action");
  if (action == "accept") return ElicitationAction::kAccept;
  if (action == "decline") return ElicitationAction::kDecline;
  if (action == "cancel") return ElicitationAction::kCancel;
  return std::nullopt;
}

}  // namespace gatehouse::trust
