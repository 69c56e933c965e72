#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "controlplane/trust/credential_fields.h"
#include "controlplane/trust/form.h"
#include "controlplane/trust/rules.h"

namespace gatehouse::trust {
namespace {

// Asked in every era: before modes existed the member means nothing to the
// upstream, but it may mean something to the client.
Ruling ModeIsForm(const RequestContext& context) {
  const std::optional<json::Value> mode = context.params.Find("mode");
  if (!mode.has_value()) return std::nullopt;
  const std::optional<std::string_view> name =
      StringMember(context.params, "mode");
  if (name == "form") return std::nullopt;
  if (name == "url") {
    return ObjectTo(*mode, Reason::kNotPermittedDetail,
                    "the virtual server's policy does not permit URL mode; "
                    "ask by a form");
  }
  return ObjectTo(*mode, "must be form");
}

Ruling NoCredentialsAreAsked(const RequestContext& context) {
  const auto schema = context.params.Find("requestedSchema");
  if (!schema.has_value()) return std::nullopt;
  const std::optional<json::Value> properties = schema->Find("properties");
  if (!properties.has_value()) return std::nullopt;
  return NoFieldAsksForCredentials(*properties);
}

Ruling MessageIsText(const RequestContext& context) {
  return RequiredString(context.params, "message");
}

Ruling SchemaIsAForm(const RequestContext& context) {
  if (Ruling ruling = RequiredObject(context.params, "requestedSchema")) {
    return ruling;
  }
  std::variant<Form, Objection> form =
      ReadForm(*context.params.Find("requestedSchema"), context.upstream_era,
               context.policy.limits.form_properties);
  if (Objection* objection = std::get_if<Objection>(&form)) return *objection;
  return std::nullopt;
}

Ruling ClientCanShowTheForm(const RequestContext& context) {
  const std::variant<Form, Objection> read =
      ReadForm(*context.params.Find("requestedSchema"), context.upstream_era,
               context.policy.limits.form_properties);
  const Form* form = std::get_if<Form>(&read);
  if (form == nullptr) return std::nullopt;  // SchemaIsAForm has said so
  for (const Field& field : form->fields) {
    if (field.kind == FieldKind::kChoices && !context.client_era.multi_select) {
      return ObjectTo(field.schema, Reason::kNotRepresentable,
                      "is a choice of several, which the client's revision "
                      "does not have");
    }
    if (field.titled && !context.client_era.titled_enums) {
      return ObjectTo(field.schema, Reason::kNotRepresentable,
                      "is a choice with titles, which the client's revision "
                      "does not have; use enum and enumNames");
    }
  }
  return std::nullopt;
}

constexpr std::array<RequestRule, 5> kRules = {
    ModeIsForm, NoCredentialsAreAsked, MessageIsText, SchemaIsAForm,
    ClientCanShowTheForm};

}  // namespace

std::span<const RequestRule> ElicitationRequestRules() { return kRules; }

}  // namespace gatehouse::trust
