// The subset of JSON Schema that forms are written in. An input is the params
// of a form. Defends invariants 3 and 4 of DESIGN §1, for each form that is
// admitted:
//
//   - an answer made naively from the form's own words (its defaults, options
//     and bounds) is accepted, and delivered as it came;
//   - without one of the fields that are required, or with one that the form
//     does not have, it is refused, by the rule for that, at that field;
//   - with a value of another type it is refused by the rule for types;
//   - none of this depends on the order of the form's members.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controlplane/trust/judge.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/judge_support.h"

namespace gatehouse::trust {
namespace {

using fuzz::Require;

constexpr int64_t kMaxTextBytes = 1024;

std::string TextOf(const json::Value& object, std::string_view name) {
  const auto value = object.Find(name);
  return value && value->IsString() ? std::string(*value->String()) : "";
}

int64_t SizeOf(const json::Value& object, std::string_view name,
               int64_t otherwise) {
  const auto value = object.Find(name);
  return value && value->Integer().ok() ? *value->Integer() : otherwise;
}

// The options of a choice, or of a selection's items, as JSON texts.
std::vector<std::string> OptionsOf(const json::Value& holder,
                                   std::string_view titled) {
  std::vector<std::string> options;
  if (const auto plain = holder.Find("enum")) {
    for (const json::Value& option : plain->Elements()) {
      options.emplace_back(option.raw());
    }
  } else if (const auto list = holder.Find(titled)) {
    for (const json::Value& option : list->Elements()) {
      if (const auto value = option.Find("const")) {
        options.emplace_back(value->raw());
      }
    }
  }
  return options;
}

// Each maker answers with a JSON value that fits, or nothing where that takes
// more than a naive look.
std::optional<std::string> StringFor(const json::Value& field) {
  const std::vector<std::string> options = OptionsOf(field, "oneOf");
  const std::string format = TextOf(field, "format");
  if (!options.empty()) {
    // They are bound by sizes and a format as any text is.
    const bool bound =
        !format.empty() || field.Find("minLength") || field.Find("maxLength");
    return bound ? std::nullopt : std::optional(options[0]);
  }
  const int64_t least = SizeOf(field, "minLength", 0);
  if (!format.empty()) {
    if (least > 0 || field.Find("maxLength")) return std::nullopt;
    if (format == "email") return R"("ada@example.com")";
    if (format == "uri") return R"("https://example.com/")";
    if (format == "date") return R"("2024-02-29")";
    return R"("2024-02-29T23:59:60Z")";
  }
  if (least > kMaxTextBytes) return std::nullopt;
  return absl::StrCat("\"", std::string(static_cast<size_t>(least), 'a'), "\"");
}

std::optional<std::string> NumberFor(const json::Value& field, bool whole) {
  bool bounded = false;
  for (const std::string_view name :
       {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}) {
    bounded = bounded || field.Find(name);
  }
  if (!bounded) return "0";
  const auto least = field.Find("minimum");
  // The open bounds may leave room elsewhere only.
  if (!least || field.Find("exclusiveMinimum")) return std::nullopt;
  if (whole && !least->IsIntegerLexeme()) return std::nullopt;
  return std::string(least->raw());
}

std::optional<std::string> SelectionFor(const json::Value& field) {
  const auto items = field.Find("items");
  if (!items) return std::nullopt;
  const std::vector<std::string> options = OptionsOf(*items, "anyOf");
  const int64_t least = SizeOf(field, "minItems", 0);
  if (least > static_cast<int64_t>(options.size())) return std::nullopt;
  std::string selection = "[";
  for (int64_t i = 0; i < least; ++i) {
    absl::StrAppend(&selection, i == 0 ? "" : ",",
                    options[static_cast<size_t>(i)]);
  }
  return selection + "]";
}

std::optional<std::string> ValueFor(const json::Value& field) {
  if (const auto value = field.Find("default"))
    return std::string(value->raw());
  const std::string type = TextOf(field, "type");
  if (type == "boolean") return "true";
  if (type == "array") return SelectionFor(field);
  if (type == "string") return StringFor(field);
  return NumberFor(field, type == "integer");
}

using Content = std::vector<std::pair<std::string, std::string>>;

std::string AnswerOf(const Content& content) {
  std::string answer = R"({"action":"accept","content":{)";
  for (size_t i = 0; i < content.size(); ++i) {
    absl::StrAppend(&answer, i == 0 ? "" : ",", content[i].first, ":",
                    content[i].second);
  }
  return answer + "}}";
}

struct FormCase {
  policy::VirtualServer policy = fuzz::OpenPolicy();
  std::string params;
  mcp::Revision revision = mcp::Revision::k2025_11_25;

  ResponseVerdict Answer(const std::string& answer) const {
    ResponseFacts facts;
    facts.method = fuzz::kElicitation;
    facts.request_params = params;
    facts.upstream_revision = facts.client_revision = revision;
    facts.result = answer;
    return JudgeResponse(policy, facts);
  }
  RequestVerdict Ask() const {
    RequestFacts facts;
    facts.method = fuzz::kElicitation;
    facts.params = params;
    facts.upstream_revision = facts.client_revision = revision;
    facts.declared = fuzz::AllDeclared();
    facts.parent = Parent::kOperation;
    facts.upstream = "files";
    return JudgeRequest(policy, facts);
  }
};

void RequireRule(const ResponseVerdict& verdict, std::string_view rule,
                 const char* property) {
  Require(verdict.outcome == ResponseOutcome::kInvalid &&
              verdict.failure.has_value() && verdict.failure->rule == rule,
          property);
}

std::vector<std::string> RequiredOf(const json::Value& schema) {
  std::vector<std::string> names;
  if (const auto required = schema.Find("required")) {
    for (const json::Value& name : required->Elements()) {
      names.emplace_back(*name.String());
    }
  }
  return names;
}

// What a naive person fills in; nothing if they cannot tell what.
std::optional<Content> FillIn(const json::Value& schema) {
  Content content;
  const std::vector<std::string> required = RequiredOf(schema);
  for (const json::Member& field : schema.Find("properties")->Members()) {
    if (auto value = ValueFor(field.value)) {
      content.emplace_back(json::Quote(field.name), *std::move(value));
    } else if (std::find(required.begin(), required.end(), field.name) !=
               required.end()) {
      return std::nullopt;
    }
  }
  return content;
}

void CheckSpoilt(const FormCase& form, const json::Value& schema,
                 const Content& content) {
  const std::vector<std::string> required = RequiredOf(schema);
  for (const std::string& name : required) {
    Content without = content;
    std::erase_if(without, [quoted = json::Quote(name)](const auto& member) {
      return member.first == quoted;
    });
    RequireRule(form.Answer(AnswerOf(without)), "answer-fields-required",
                "a required field is required");
  }
  Content more = content;
  std::string unknown = "x";
  while (schema.Find("properties")->Find(unknown)) unknown += 'x';
  more.emplace_back(json::Quote(unknown), "true");
  RequireRule(form.Answer(AnswerOf(more)), "answer-fields-known",
              "a field that the form does not have is refused");
  for (size_t i = 0; i < content.size(); ++i) {
    Content wrong = content;
    wrong[i].second = "null";
    RequireRule(form.Answer(AnswerOf(wrong)), "answer-value-type",
                "null is of no type");
  }
}

void CheckForm(FormCase form, const json::Document& params) {
  const auto schema = params.root().Find("requestedSchema");
  Require(schema.has_value() && schema->Find("properties").has_value(),
          "an admitted form has properties");
  const std::optional<Content> content = FillIn(*schema);
  if (!content) return;
  const std::string answer = AnswerOf(*content);
  const ResponseVerdict verdict = form.Answer(answer);
  Require(verdict.outcome == ResponseOutcome::kAnswered,
          "what is made of a form's own words answers it");
  Require(verdict.result == answer, "an answer is delivered as it came");
  CheckSpoilt(form, *schema, *content);
  form.params = json::Canonical(params.root());
  Require(form.Answer(answer).outcome == ResponseOutcome::kAnswered,
          "the order of a form's members does not matter to its answers");
}

}  // namespace
}  // namespace gatehouse::trust

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gatehouse;         // NOLINT: the function's name is
  using namespace gatehouse::trust;  // NOLINT: libFuzzer's
  const std::string_view input = fuzz::View(data, size);
  FormCase form;
  form.params = input;
  if (fuzz::Dice(input).Below(2) == 0) {
    form.revision = mcp::Revision::k2026_07_28;
  }
  const RequestVerdict verdict = form.Ask();
  const auto* admitted = std::get_if<AdmittedRequest>(&verdict);
  if (admitted == nullptr || admitted->url_mode) return 0;
  const auto params = fuzz::ReadParams(input);
  Require(params.has_value(), "what is admitted can be read");
  CheckForm(form, *params);
  return 0;
}
