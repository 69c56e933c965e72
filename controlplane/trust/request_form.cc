// The rules about a form as a whole: who permits it, and that its schema is a
// flat object whose required names exist. Those about each field are in
// form_fields.cc.

#include <array>
#include <optional>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "controlplane/trust/credential_fields.h"
#include "controlplane/trust/form.h"
#include "controlplane/trust/json_schema.h"
#include "controlplane/trust/rule.h"
#include "shared/base/status.h"

namespace gatehouse::trust {
namespace {

using Context = RequestContext;

Ruling FormIsDeclared(const Context& context) {
  // That it declared neither is another rule's concern.
  if (context.facts.declared.elicitation_form ||
      !context.facts.declared.elicitation_url) {
    return std::nullopt;
  }
  return ObjectTo(Reason::kSubCapabilityNotDeclared,
                  "the client has not declared the capability "
                  "elicitation.form, without which it may be shown no form; "
                  "ask in URL mode");
}

Ruling NoFieldAsksForCredentials(const Context& context) {
  for (const Field& field : context.form.fields) {
    if (!AsksForCredential(field) ||
        IsAllowedField(context.policy, context.facts.upstream, field.name)) {
      continue;
    }
    return ObjectTo(field.schema, Reason::kNotPermittedDetail,
                    "asks for a credential, which the gateway permits in no "
                    "form; leave the field out or use URL mode (an operator "
                    "can name it in trust.elicitation.allowFields)");
  }
  return std::nullopt;
}

constexpr std::array kPermissions = {
    RequestRule{"form-declared", "a form only for a client with forms",
                "PROTOCOL 7.1", FormIsDeclared},
    RequestRule{"no-credential-fields",
                "no password, key, token, card or one-time code",
                "PROTOCOL 7.5", NoFieldAsksForCredentials},
};

// A client that looks for a URL first would open it, unjudged.
Ruling FormStandsAlone(const Context& context) {
  const std::optional<json::Value> url = context.params.Find("url");
  if (!url.has_value()) return std::nullopt;
  return ObjectTo(
      *url,
      "stands beside a form; ask for one of the two (a URL is asked "
      "for with mode url)");
}

Ruling SchemaIsAnObject(const Context& context) {
  return RequiredObject(context.params, "requestedSchema");
}

Ruling SchemaHasTypeObject(const Context& context) {
  const std::optional<json::Value>& schema = context.form.schema;
  if (!schema.has_value() || StringMember(*schema, "type") == "object") {
    return std::nullopt;
  }
  return ObjectToMember(*schema, "type", "must be object");
}

Ruling SchemaHasProperties(const Context& context) {
  if (!context.form.schema.has_value()) return std::nullopt;
  return RequiredObject(*context.form.schema, "properties");
}

Ruling SchemaIsFlat(const Context& context) {
  if (!context.form.schema.has_value()) return std::nullopt;
  if (Ruling ruling = HoldsNothingUnevaluated(*context.form.schema)) {
    return ruling;
  }
  return HoldsNoneOf(*context.form.schema, {"oneOf", "anyOf", "enum"});
}

Ruling SchemaIsClosed(const Context& context) {
  if (!context.form.schema.has_value()) return std::nullopt;
  const auto additional = context.form.schema->Find("additionalProperties");
  if (!additional.has_value() ||
      (additional->IsBool() && !additional->Bool().value_or(true))) {
    return std::nullopt;
  }
  return ObjectTo(*additional,
                  "must be false or left out; a form has the properties it "
                  "names");
}

Ruling FormIsWithinSize(const Context& context) {
  const int64_t limit = context.policy.limits.form_properties;
  if (static_cast<int64_t>(context.form.fields.size()) <= limit) {
    return std::nullopt;
  }
  Objection objection =
      ObjectTo(*context.form.properties,
               absl::StrCat("has more properties than the limit of ", limit,
                            "; ask for fewer"));
  objection.details = {{"limit", absl::StrCat(limit)}};
  return objection;
}

constexpr std::array kForm = {
    RequestRule{"form-stands-alone", "a form or a URL, not both",
                "PROTOCOL 13.6", FormStandsAlone},
    RequestRule{"schema-is-object", "a requestedSchema", "PROTOCOL 7.2",
                SchemaIsAnObject},
    RequestRule{"schema-type", "a schema of type object", "PROTOCOL 7.2",
                SchemaHasTypeObject},
    RequestRule{"schema-properties", "a schema with properties", "PROTOCOL 7.2",
                SchemaHasProperties},
    RequestRule{"schema-is-flat",
                "no keyword that changes what is valid and is not evaluated",
                "DESIGN 6", SchemaIsFlat},
    RequestRule{"schema-is-closed", "additionalProperties false, or none",
                "DESIGN 6", SchemaIsClosed},
    RequestRule{"form-within-size", "as many properties as the limit allows",
                "DESIGN 8", FormIsWithinSize},
};

std::optional<json::Value> Required(const Context& context) {
  if (!context.form.schema.has_value()) return std::nullopt;
  return context.form.schema->Find("required");
}

Ruling RequiredIsAnArray(const Context& context) {
  const std::optional<json::Value> required = Required(context);
  if (!required.has_value()) return std::nullopt;
  if (!required->IsArray()) {
    return ObjectTo(*required, "expected an array of property names");
  }
  for (const json::Value& item : required->Elements()) {
    if (!item.IsString()) return ObjectTo(item, "expected a property name");
  }
  return std::nullopt;
}

Ruling RequiredNamesExist(const Context& context) {
  const std::optional<json::Value> required = Required(context);
  if (!required.has_value() || !context.form.properties.has_value()) {
    return std::nullopt;
  }
  for (const json::Value& item : required->Elements()) {
    const absl::StatusOr<std::string_view> name = item.String();
    if (name.ok() && !context.form.properties->Find(*name).has_value()) {
      return ObjectTo(item, "names no property of the form");
    }
  }
  return std::nullopt;
}

Ruling RequiredIsUnique(const Context& context) {
  const std::optional<json::Value> required = Required(context);
  if (!required.has_value()) return std::nullopt;
  absl::flat_hash_set<absl::string_view> seen;
  for (const json::Value& item : required->Elements()) {
    const absl::StatusOr<std::string_view> name = item.String();
    if (name.ok() && !seen.insert(ToAbsl(*name)).second) {
      return ObjectTo(item, "stands twice");
    }
  }
  return std::nullopt;
}

constexpr std::array kRequired = {
    RequestRule{"required-is-array", "required as an array of names",
                "PROTOCOL 7.2", RequiredIsAnArray},
    RequestRule{"required-names-exist", "required names that exist", "DESIGN 6",
                RequiredNamesExist},
    RequestRule{"required-is-unique", "each required name once", "DESIGN 6",
                RequiredIsUnique},
};

// Multiple choice is not flattened: that would change what may be answered.
Ruling ClientHasMultipleChoice(const Context& context) {
  if (context.client_era.multi_select) return std::nullopt;
  for (const Field& field : context.form.fields) {
    if (field.kind != FieldKind::kChoices) continue;
    return ObjectTo(field.schema, Reason::kNotRepresentable,
                    "is a choice of several, which the client's revision does "
                    "not have");
  }
  return std::nullopt;
}

Ruling TitlesAreRepresentable(const Context& context) {
  if (context.client_era.titled_enums) return std::nullopt;
  for (const Field& field : context.form.fields) {
    if (field.kind == FieldKind::kChoice && field.titled &&
        !BecomesEnumWithNames(field)) {
      return ObjectTo(field.schema, Reason::kNotRepresentable,
                      "has choices with more than const and title, which the "
                      "client's revision cannot carry");
    }
  }
  return std::nullopt;
}

constexpr std::array kConversions = {
    RequestRule{"select-representable",
                "a choice of several only if the client's revision has it",
                "PROTOCOL 7.7", ClientHasMultipleChoice},
    RequestRule{"titles-representable",
                "titled choices that the client's revision can carry",
                "PROTOCOL 7.7", TitlesAreRepresentable},
};

}  // namespace

RequestRules FormPermissionRules() { return kPermissions; }
RequestRules FormRules() { return kForm; }
RequestRules RequiredFieldRules() { return kRequired; }
RequestRules FormConversionRules() { return kConversions; }

}  // namespace gatehouse::trust
