#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "controlplane/trust/credential_fields.h"
#include "controlplane/trust/web_url.h"
#include "shared/base/status.h"
#include "tests/unit/trust/rules/stricter.h"

namespace gatehouse::trust {
namespace {

using C = RequestContext;

std::function<bool(const C&)> AnyField(bool (*is)(const Field&)) {
  return [is](const C& c) {
    for (const Field& field : c.form.fields) {
      if (is(field)) return true;
    }
    return false;
  };
}

std::string_view Url(const C& c) {
  return StringMember(c.params, "url").value_or("");
}

bool Holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Whether a text stands twice among the options, read by `of`, whatever case.
bool TwiceInAnyCase(const Field& field, std::string_view member) {
  std::set<std::string> seen;
  for (const json::Value& option : field.options->Elements()) {
    const std::string_view text =
        member.empty() ? option.String().value_or("")
                       : StringMember(option, member).value_or("");
    if (!seen.insert(absl::AsciiStrToLower(ToAbsl(text))).second) return true;
  }
  return false;
}

Mutants<C> FormMutants() {
  return {
      {"mode-known", [](const C& c) { return Has(c.params, "mode"); }},
      {"notified-is-url-mode", [](const C& c) { return c.facts.notified; }},
      {"message-is-text",
       [](const C& c) { return IsEmptyText(c.params, "message"); }},
      {"form-declared",
       [](const C& c) { return !c.facts.declared.elicitation_url; }},
      {"no-credential-fields", AnyField([](const Field& f) {
         return DescribesACredential(f) || NamesACredential(f.name) ||
                Holds(f.name, "Key") || Holds(f.name, "pin");
       })},
      {"form-stands-alone", [](const C& c) { return Has(c.params, "uri"); }},
      {"schema-is-object",
       [](const C& c) { return Has(*c.form.schema, "title"); }},
      {"schema-type",
       [](const C& c) { return !Has(*c.form.schema, "$schema"); }},
      {"schema-properties", [](const C& c) { return c.form.fields.empty(); }},
      {"schema-is-flat",
       [](const C& c) { return Has(*c.form.schema, "$defs"); }},
      {"schema-is-closed",
       [](const C& c) { return Has(*c.form.schema, "additionalProperties"); }},
      {"form-within-size",
       [](const C& c) { return c.form.fields.size() >= 32; }},
      {"required-is-array",
       [](const C& c) { return IsEmpty(*c.form.schema, "required"); }},
      {"required-names-exist",
       [](const C& c) { return Has(*c.form.schema, "required"); }},
      {"required-is-unique",
       [](const C& c) { return Has(*c.form.schema, "required"); }},
      {"select-representable",
       [](const C& c) { return !c.client_era.elicitation_id; }},
      {"titles-representable",
       AnyField([](const Field& f) { return f.titled; })},
  };
}

Mutants<C> FieldMutants() {
  return {
      {"field-is-object",
       AnyField([](const Field& f) { return Has(f.schema, "x-order"); })},
      {"field-evaluated",
       AnyField([](const Field& f) { return Has(f.schema, "pattern"); })},
      {"field-annotations",
       AnyField([](const Field& f) { return IsEmptyText(f.schema, "title"); })},
      {"field-type",
       AnyField([](const Field& f) { return f.kind == FieldKind::kNumber; })},
      {"array-in-revision",
       AnyField([](const Field& f) { return f.kind == FieldKind::kChoices; })},
      {"one-of-in-revision",
       [](const C& c) { return !c.upstream_era.elicitation_id; }},
      {"string-format", AnyField([](const Field& f) {
         return StringMember(f.schema, "format") == "date-time";
       })},
      {"sizes-are-whole", AnyField([](const Field& f) {
         return Raw(f.schema, "maxLength") == "0";
       })},
      {"sizes-in-order", AnyField([](const Field& f) {
         return Has(f.schema, "minLength") &&
                Raw(f.schema, "minLength") == Raw(f.schema, "maxLength");
       })},
      {"unique-items",
       AnyField([](const Field& f) { return Has(f.schema, "uniqueItems"); })},
      {"bounds-are-numbers", AnyField([](const Field& f) {
         const auto minimum = f.schema.Find("minimum");
         return minimum.has_value() && !minimum->IsIntegerLexeme();
       })},
      {"bounds-leave-room", AnyField([](const Field& f) {
         const auto minimum = f.schema.Find("minimum");
         return minimum.has_value() && !minimum->IsIntegerLexeme();
       })},
      {"options-are-strings", AnyField([](const Field& f) {
         return f.options->Elements().front().raw() == "\"\"";
       })},
      {"options-are-unique",
       AnyField([](const Field& f) { return TwiceInAnyCase(f, ""); })},
      {"enum-names", AnyField([](const Field& f) {
         return Raw(f.schema, "enumNames") == R"(["A","A"])";
       })},
      {"titled-options", AnyField([](const Field& f) {
         return f.options->Elements().front().size() > 2;
       })},
      {"titled-options-are-unique",
       AnyField([](const Field& f) { return TwiceInAnyCase(f, "title"); })},
      {"items-are-choices", AnyField([](const Field& f) {
         return !Has(*f.schema.Find("items"), "type");
       })},
      {"default-fits",
       AnyField([](const Field& f) { return Has(f.schema, "default"); })},
  };
}

Mutants<C> UrlMutants() {
  return {
      {"url-permitted",
       [](const C& c) { return c.policy.elicitation_url_hosts.empty(); }},
      {"url-declared",
       [](const C& c) { return c.facts.declared.elicitation_form; }},
      {"url-in-revision",
       [](const C& c) { return !c.upstream_era.elicitation_id; }},
      {"url-stands-alone", [](const C& c) { return Has(c.params, "schema"); }},
      {"elicitation-id",
       [](const C& c) {
         return StringMember(c.params, "elicitationId").value_or("").size() >=
                256;
       }},
      {"url-is-text", [](const C& c) { return Url(c).size() >= 8192; }},
      {"url-is-valid", [](const C& c) { return Holds(Url(c), "["); }},
      {"url-is-https", [](const C& c) { return !Holds(Url(c), "https:"); }},
      {"url-without-userinfo", [](const C& c) { return Holds(Url(c), "@"); }},
      {"url-host-permitted",
       [](const C& c) {
         for (const std::string& host : c.policy.elicitation_url_hosts) {
           if (Holds(Url(c), "//" + host + "/")) return false;
         }
         return true;
       }},
  };
}

}  // namespace

const Mutants<RequestContext>& ElicitationMutants() {
  static const auto* const mutants = [] {
    auto* all = new Mutants<C>(FormMutants());
    all->merge(FieldMutants());
    all->merge(UrlMutants());
    return all;
  }();
  return *mutants;
}

}  // namespace gatehouse::trust
