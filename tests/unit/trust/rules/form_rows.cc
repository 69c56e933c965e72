// Rows of controlplane/trust/request_elicitation.cc (both modes) and
// request_form.cc.

#include <string>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "tests/unit/trust/rules/rows.h"

namespace gatehouse::trust {
namespace {

// A form of these members of its schema; properties `f` unless they say so.
Ask Schema(std::string_view members) {
  return Elicit(absl::StrCat("\"requestedSchema\":{", ToAbsl(members), "}"));
}
constexpr std::string_view kObject =
    R"("type":"object","properties":{"f":{"type":"string"}})";
Ask SchemaWith(std::string_view members) {
  return Schema(absl::StrCat(ToAbsl(kObject), ",", ToAbsl(members)));
}

Ask Properties(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ",", "\"f", i,
                    R"(":{"type":"boolean"})");
  }
  return Schema(absl::StrCat(R"("type":"object","properties":{)", text, "}"));
}

// A form with one field of that name and schema.
Ask Named(std::string_view name, std::string_view schema) {
  return Schema(absl::StrCat(R"("type":"object","properties":{")", ToAbsl(name),
                             "\":", ToAbsl(schema), "}"));
}

Rows CredentialRows() {
  const auto allow = [](policy::VirtualServer& policy, RequestFacts&) {
    policy.elicitation_allow_fields = {{"files", "api_key"}};
  };
  const auto allow_other = [](policy::VirtualServer& policy, RequestFacts&) {
    policy.elicitation_allow_fields = {{"weather", "api_key"},
                                       {"files", "apiKey"}};
  };
  const std::string at = "not_permitted /requestedSchema/properties/";
  constexpr std::string_view kString = R"({"type":"string"})";
  return {
      {"no-credential-fields", "a field by its name", Named("api_key", kString),
       at + "api_key"},
      {"no-credential-fields", "a field by its title",
       Named("f", R"({"type":"string","title":"Your password"})"), at + "f"},
      {"no-credential-fields", "a field by its format",
       Named("f", R"({"type":"string","format":"password"})"), at + "f"},
      {"no-credential-fields", "a number can be a secret",
       Named("pin", R"({"type":"integer"})"), at + "pin"},
      {"no-credential-fields", "words run together", Named("cvv2", kString),
       at + "cvv2"},
      {"no-credential-fields", "a token behind an acronym",
       Named("APIToken", kString), at + "APIToken"},
      {"no-credential-fields", "Cyrillic letters that look Latin",
       Named("раsswоrd", kString), at + "раsswоrd"},
      {"no-credential-fields", "a Greek tau", Named("τoken", kString),
       at + "τoken"},
      {"no-credential-fields", "wide letters",
       Named("ｐａｓｓｗｏｒｄ", kString), at + "ｐａｓｓｗｏｒｄ"},
      {"no-credential-fields", "digits for letters", Named("p4ssw0rd", kString),
       at + "p4ssw0rd"},
      {"no-credential-fields", "an invisible letter within",
       Named("pass\u200bword", kString), at + "pass\u200bword"},
      {"no-credential-fields", "accents", Named("contraseña", kString),
       at + "contraseña"},
      {"no-credential-fields", "another script", Named("密码", kString),
       at + "密码"},
      {"no-credential-fields", "a field that the policy allows for another",
       Named("api_key", kString).But(allow_other), at + "api_key"},
      {"no-credential-fields", "a field that the policy allows",
       Named("api_key", kString).But(allow), "admitted"},
      {"no-credential-fields", "a description is no reason",
       Named("f", R"({"type":"string","description":"not your password"})"),
       "admitted"},
      {"no-credential-fields", "a choice cannot be a secret",
       Named("token", R"({"type":"string","enum":["a"]})"), "admitted"},
      {"no-credential-fields", "nor can a yes",
       Named("password", R"({"type":"boolean"})"), "admitted"},
      {"no-credential-fields", "a key is only a key when it stands alone",
       Named("issueKey", kString), "admitted"},
      {"no-credential-fields", "a word within another",
       Named("shipping", kString), "admitted"},
  };
}

Rows SchemaRows() {
  const std::string at = "invalid_request /requestedSchema";
  return {
      {"form-stands-alone", "a URL beside a form",
       Elicit(R"("url":"https://a.test/")"), "invalid_request /url"},
      {"form-stands-alone", "an id beside a form means nothing",
       Elicit(R"("elicitationId":"e1","uri":"x")"), "admitted"},
      {"schema-is-object", "a form without a schema",
       Ask(kElicitation, R"({"message":"m"})"), at},
      {"schema-is-object", "a schema that is an array",
       Elicit(R"("requestedSchema":[])"), at},
      {"schema-is-object", "a schema with a title of its own",
       SchemaWith(R"("title":"T","description":"D","$schema":"x")"),
       "admitted"},
      {"schema-type", "a schema without a type", Schema(R"("properties":{})"),
       at + "/type"},
      {"schema-type", "a schema of type array",
       Schema(R"("type":"array","properties":{})"), at + "/type"},
      {"schema-type", "a schema of type object", Schema(kObject), "admitted"},
      {"schema-properties", "a schema without properties",
       Schema(R"("type":"object")"), at + "/properties"},
      {"schema-properties", "no properties in it",
       Schema(R"("type":"object","properties":{})"), "admitted"},
      {"schema-is-flat", "a reference", SchemaWith(R"("$ref":"#/a")"),
       at + "/$ref"},
      {"schema-is-flat", "composition", SchemaWith(R"("anyOf":[])"),
       at + "/anyOf"},
      {"schema-is-flat", "a least number of properties",
       SchemaWith(R"("minProperties":0)"), at + "/minProperties"},
      {"schema-is-flat", "definitions that nothing refers to",
       SchemaWith(R"("$defs":{"a":{}},"$comment":"c")"), "admitted"},
      {"schema-is-closed", "additional properties",
       SchemaWith(R"("additionalProperties":true)"),
       at + "/additionalProperties"},
      {"schema-is-closed", "a schema of additional properties",
       SchemaWith(R"("additionalProperties":{})"),
       at + "/additionalProperties"},
      {"schema-is-closed", "none",
       SchemaWith(R"("additionalProperties":false)"), "admitted"},
      {"form-within-size", "33 properties", Properties(33), at + "/properties"},
      {"form-within-size", "32 properties", Properties(32), "admitted"},
      {"required-is-array", "required that is true",
       SchemaWith(R"("required":true)"), at + "/required"},
      {"required-is-array", "a required name that is a number",
       SchemaWith(R"("required":[1])"), at + "/required/0"},
      {"required-is-array", "nothing is required",
       SchemaWith(R"("required":[])"), "admitted"},
      {"required-names-exist", "a required name that no property has",
       SchemaWith(R"("required":["f","g"])"), at + "/required/1"},
      {"required-names-exist", "a required name of a property",
       SchemaWith(R"("required":["f"])"), "admitted"},
      {"required-is-unique", "a name that is required twice",
       SchemaWith(R"("required":["f","f"])"), at + "/required/1"},
      {"required-is-unique", "a name that is required once",
       SchemaWith(R"("required":["f"])"), "admitted"},
      {"select-representable", "a choice of several for 2025-06-18",
       FieldOf(R"({"type":"array","items":{"type":"string","enum":["a"]}})")
           .To(k0618),
       "not_representable /requestedSchema/properties/f"},
      {"select-representable", "a choice of several for 2026-07-28",
       FieldOf(R"({"type":"array","items":{"type":"string","enum":["a"]}})")
           .To(k0728),
       "admitted"},
      {"titles-representable", "a titled choice with more for 2025-06-18",
       FieldOf(R"({"type":"string","oneOf":[{"const":"a","title":"A","x":1}]})")
           .To(k0618),
       "not_representable /requestedSchema/properties/f"},
      {"titles-representable", "a titled choice becomes enum and enumNames",
       FieldOf(R"({"type":"string","oneOf":[{"const":"a","title":"A"}]})")
           .To(k0618),
       "admitted"},
  };
}

}  // namespace

Rows FormRows() {
  Rows rows = {
      {"mode-known", "a mode that nobody knows", Elicit(R"("mode":"voice")"),
       "invalid_request /mode"},
      {"mode-known", "a mode that is null", Elicit(R"("mode":null)"),
       "invalid_request /mode"},
      {"mode-known", "mode form may be said", Elicit(R"("mode":"form")"),
       "admitted"},
      {"mode-known", "mode form may be said in 2025-06-18",
       Elicit(R"("mode":"form")").Both(k0618), "admitted"},
      {"notified-is-url-mode", "a form in an error -32042",
       Elicit("").But([](policy::VirtualServer&, RequestFacts& facts) {
         facts.notified = true;
       }),
       "invalid_request /mode"},
      {"notified-is-url-mode", "a URL in an error -32042",
       Url().But([](policy::VirtualServer&, RequestFacts& facts) {
         facts.notified = true;
       }),
       "admitted"},
      {"message-is-text", "a form without a message",
       Ask(kElicitation,
           R"({"requestedSchema":{"type":"object","properties":{}}})"),
       "invalid_request /message"},
      {"message-is-text", "a message that is a number",
       Elicit(R"("message":1)"), "invalid_request /message"},
      {"message-is-text", "an empty message", Elicit(R"("message":"")"),
       "admitted"},
      {"form-declared", "a form for a client with URL mode alone",
       Elicit("").But([](policy::VirtualServer&, RequestFacts& facts) {
         facts.declared.elicitation_form = false;
       }),
       "capability_not_declared"},
      {"form-declared", "a form for a client with forms alone",
       Elicit("").But([](policy::VirtualServer&, RequestFacts& facts) {
         facts.declared.elicitation_url = false;
       }),
       "admitted"},
  };
  for (const auto more : {CredentialRows, SchemaRows}) {
    for (Row& row : more()) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace gatehouse::trust
