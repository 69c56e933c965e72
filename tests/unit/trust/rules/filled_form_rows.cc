// Rows of what a form is filled in with (response_elicitation.cc and
// form_value.cc of controlplane/trust).

#include <string>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "tests/unit/trust/rules/rows.h"

namespace gatehouse::trust {
namespace {

Ask Answer(std::string_view schema_members, std::string_view answer) {
  return Elicit(absl::StrCat(R"("requestedSchema":{"type":"object",)"
                             R"("properties":{"f":{"type":"string"},)"
                             R"("g":{"type":"string"}})",
                             ToAbsl(schema_members), "}"))
      .Answered(std::string(answer));
}

Rows ValueRows() {
  const std::string bad = "invalid: invalid_response /content/f";
  constexpr std::string_view kBounded =
      R"({"type":"number","minimum":9007199254740993})";
  constexpr std::string_view kOpen =
      R"({"type":"integer","exclusiveMinimum":1,"exclusiveMaximum":3})";
  return {
      {"answer-value-type", "a number for a text",
       Filled(R"({"type":"string"})", "1"), bad},
      {"answer-value-type", "5.0 where a whole number is asked",
       Filled(R"({"type":"integer"})", "5.0"), bad},
      {"answer-value-type", "5e0 where a whole number is asked",
       Filled(R"({"type":"integer"})", "5e0"), bad},
      {"answer-value-type", "a text for a boolean",
       Filled(R"({"type":"boolean"})", R"("true")"), bad},
      {"answer-value-type", "an object", Filled(R"({"type":"string"})", "{}"),
       bad},
      {"answer-value-type", "null", Filled(R"({"type":"string"})", "null"),
       bad},
      {"answer-value-type", "an array of numbers",
       Filled(R"({"type":"array","items":{"type":"string","enum":["1"]}})",
              "[1]"),
       bad + "/0"},
      {"answer-value-type", "a whole number where any is asked",
       Filled(R"({"type":"number"})", "5"), "answered"},
      {"answer-value-type", "a whole number that no 64 bits hold",
       Filled(R"({"type":"integer"})", "123456789012345678901"), "answered"},
      {"answer-value-type", "several texts",
       Filled(R"({"type":"array","items":{"type":"string","enum":["1"]}})",
              R"(["1"])"),
       "answered"},
      {"answer-value-size", "a text that is too short",
       Filled(R"({"type":"string","minLength":2})", R"("ä")"), bad},
      {"answer-value-size", "a text that is too long",
       Filled(R"({"type":"string","maxLength":1})", R"("ab")"), bad},
      {"answer-value-size", "code points are counted, not bytes",
       Filled(R"({"type":"string","maxLength":1})", R"("😀")"), "answered"},
      {"answer-value-format", "no e-mail address",
       Filled(R"({"type":"string","format":"email"})", R"("kit")"), bad},
      {"answer-value-format", "a day that no calendar has",
       Filled(R"({"type":"string","format":"date"})", R"("2023-02-29")"), bad},
      {"answer-value-format", "a leap day",
       Filled(R"({"type":"string","format":"date"})", R"("2024-02-29")"),
       "answered"},
      {"answer-value-format", "a leap second with an offset",
       Filled(R"({"type":"string","format":"date-time"})",
              R"("2016-12-31T23:59:60.5+01:00")"),
       "answered"},
      {"answer-value-option", "none of the choices",
       Filled(R"({"type":"string","enum":["a"]})", R"("A")"), bad},
      {"answer-value-option", "the title instead of the constant",
       Filled(R"({"type":"string","oneOf":[{"const":"a","title":"A"}]})",
              R"("A")"),
       bad},
      {"answer-value-option", "one of the choices",
       Filled(R"({"type":"string","oneOf":[{"const":"a","title":"A"}]})",
              R"("a")"),
       "answered"},
      {"answer-value-bounds", "one less than a double can tell",
       Filled(kBounded, "9007199254740992"), bad},
      {"answer-value-bounds", "an excluded bound", Filled(kOpen, "1"), bad},
      {"answer-value-bounds", "the other excluded bound", Filled(kOpen, "3"),
       bad},
      {"answer-value-bounds", "the bound itself",
       Filled(kBounded, "9007199254740993.0"), "answered"},
      {"answer-value-bounds", "between excluded bounds", Filled(kOpen, "2"),
       "answered"},
  };
}

Rows SelectionRows() {
  const std::string bad = "invalid: invalid_response /content/f";
  constexpr std::string_view kTwo =
      R"({"type":"array","minItems":1,"maxItems":2,)"
      R"("items":{"type":"string","enum":["a","b","c"]}})";
  constexpr std::string_view kUnique =
      R"({"type":"array","uniqueItems":true,)"
      R"("items":{"type":"string","enum":["a","b"]}})";
  return {
      {"answer-selection-size", "nothing chosen", Filled(kTwo, "[]"), bad},
      {"answer-selection-size", "too much chosen",
       Filled(kTwo, R"(["a","b","c"])"), bad},
      {"answer-selection-size", "two chosen", Filled(kTwo, R"(["a","b"])"),
       "answered"},
      {"answer-selection-options", "none of the choices",
       Filled(kTwo, R"(["a","d"])"), bad + "/1"},
      {"answer-selection-options", "the last of the choices",
       Filled(kTwo, R"(["c"])"), "answered"},
      {"answer-selection-unique", "a choice twice",
       Filled(kUnique, R"(["a","a"])"), bad + "/1"},
      {"answer-selection-unique", "a choice twice where that is allowed",
       Filled(kTwo, R"(["a","a"])"), "answered"},
      {"answer-selection-unique", "each choice once",
       Filled(kUnique, R"(["b","a"])"), "answered"},
  };
}

}  // namespace

Rows FilledFormRows() {
  const std::string at = "invalid: invalid_response ";
  Rows rows = {
      {"answer-content-is-object", "content that is an array",
       Answer("", R"({"action":"accept","content":[]})"), at + "/content"},
      {"answer-content-is-object", "content that is null",
       Answer("", R"({"action":"accept","content":null})"), at + "/content"},
      {"answer-content-is-object", "no content for a form that requires none",
       Answer("", R"({"action":"accept"})"), "answered"},
      {"answer-fields-required", "no content for a form with required fields",
       Answer(R"(,"required":["f"])", R"({"action":"accept"})"),
       at + "/content"},
      {"answer-fields-required", "a required field that is missing",
       Answer(R"(,"required":["f"])",
              R"({"action":"accept","content":{"g":""}})"),
       at + "/content/f"},
      {"answer-fields-required", "a required field that is empty",
       Answer(R"(,"required":["f"])",
              R"({"action":"accept","content":{"f":""}})"),
       "answered"},
      {"answer-fields-known", "a field that the form has not",
       Answer("", R"({"action":"accept","content":{"F":""}})"),
       at + "/content/F"},
      {"answer-fields-known", "members of its own beside content",
       Answer("", R"({"action":"accept","content":{},"x":1})"), "answered"},
  };
  for (const auto more : {ValueRows, SelectionRows}) {
    for (Row& row : more()) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace gatehouse::trust
