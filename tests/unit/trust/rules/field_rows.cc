// Rows of controlplane/trust/form_fields.cc. Paths are below the field's.

#include <string>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "tests/unit/trust/rules/rows.h"

namespace gatehouse::trust {
namespace {

Ask Text(std::string_view members) {
  return FieldOf(absl::StrCat(R"({"type":"string",)", ToAbsl(members), "}"));
}
Ask Number(std::string_view members) {
  return FieldOf(absl::StrCat(R"({"type":"number",)", ToAbsl(members), "}"));
}
Ask Integer(std::string_view members) {
  return FieldOf(absl::StrCat(R"({"type":"integer",)", ToAbsl(members), "}"));
}
Ask Several(std::string_view members) {
  return FieldOf(absl::StrCat(R"({"type":"array",)", ToAbsl(members), "}"));
}
constexpr std::string_view kItems =
    R"("items":{"type":"string","enum":["a","b"]})";
Ask SeveralOf(std::string_view members) {
  return Several(absl::StrCat(ToAbsl(kItems), ",", ToAbsl(members)));
}

std::string At(std::string_view path) {
  return absl::StrCat("invalid_request /requestedSchema/properties/f",
                      ToAbsl(path));
}

Rows TypeRows() {
  return {
      {"field-is-object", "a field's schema that is true", FieldOf("true"),
       At("")},
      {"field-is-object", "a field's schema with members of its own",
       Text(R"("x-order":1,"examples":["a"],"readOnly":false)"), "admitted"},
      {"field-evaluated", "a constant", Text(R"("const":"a")"), At("/const")},
      {"field-evaluated", "composition", Text(R"("allOf":[])"), At("/allOf")},
      {"field-evaluated", "properties of a field", Text(R"("properties":{})"),
       At("/properties")},
      {"field-evaluated", "a multiple", Number(R"("multipleOf":1)"),
       At("/multipleOf")},
      {"field-evaluated", "an enum of numbers", Number(R"("enum":[1])"),
       At("/enum")},
      {"field-evaluated", "an enum of booleans",
       FieldOf(R"({"type":"boolean","enum":[true]})"), At("/enum")},
      {"field-evaluated", "anyOf on a text", Text(R"("anyOf":[])"),
       At("/anyOf")},
      {"field-evaluated", "oneOf beside an enum",
       Text(R"("enum":["a"],"oneOf":[{"const":"a","title":"A"}])"),
       At("/oneOf")},
      {"field-evaluated", "items within items",
       Several(R"("items":{"type":"string","enum":["a"],"items":{}})"),
       At("/items/items")},
      {"field-evaluated", "an enum beside anyOf",
       Several(R"("items":{"enum":["a"],"anyOf":[]})"), At("/items/enum")},
      {"field-evaluated", "a pattern passes unread",
       Text(R"("pattern":"(a+)+$","contentEncoding":"x")"), "admitted"},
      {"field-evaluated", "a least length on a number means nothing",
       Number(R"("minLength":-1)"), "admitted"},
      {"field-annotations", "a title that is a number", Text(R"("title":1)"),
       At("/title")},
      {"field-annotations", "a description that is null",
       Text(R"("description":null)"), At("/description")},
      {"field-annotations", "empty annotations",
       Text(R"("title":"","description":"")"), "admitted"},
      {"field-type", "an object", FieldOf(R"({"type":"object"})"), At("/type")},
      {"field-type", "a list of types",
       FieldOf(R"({"type":["string","null"]})"), At("/type")},
      {"field-type", "no type", FieldOf(R"({"title":"T"})"), At("/type")},
      {"field-type", "a boolean", FieldOf(R"({"type":"boolean"})"), "admitted"},
      {"field-type", "a number", FieldOf(R"({"type":"number"})"), "admitted"},
      {"array-in-revision", "a choice of several in 2025-06-18",
       Several(kItems).Both(k0618), At("/type")},
      {"array-in-revision", "a choice of several in 2025-11-25",
       Several(kItems), "admitted"},
      {"one-of-in-revision", "a titled choice in 2025-06-18",
       Text(R"("oneOf":[{"const":"a","title":"A"}])").Both(k0618),
       At("/oneOf")},
      {"one-of-in-revision", "a titled choice in 2026-07-28",
       Text(R"("oneOf":[{"const":"a","title":"A"}])").Both(k0728), "admitted"},
      {"string-format", "a format that no form has", Text(R"("format":"ipv4")"),
       At("/format")},
      {"string-format", "a format that is a number", Text(R"("format":1)"),
       At("/format")},
      {"string-format", "a date", Text(R"("format":"date")"), "admitted"},
      {"string-format", "a date-time", Text(R"("format":"date-time")"),
       "admitted"},
      {"string-format", "an email", Text(R"("format":"email")"), "admitted"},
      {"string-format", "a uri", Text(R"("format":"uri")"), "admitted"},
  };
}

Rows BoundRows() {
  return {
      {"sizes-are-whole", "a length below 0", Text(R"("minLength":-1)"),
       At("/minLength")},
      {"sizes-are-whole", "a length of 2.0", Text(R"("maxLength":2.0)"),
       At("/maxLength")},
      {"sizes-are-whole", "a count that is a text",
       SeveralOf(R"("minItems":"1")"), At("/minItems")},
      {"sizes-are-whole", "a length of 0", Text(R"("maxLength":0)"),
       "admitted"},
      {"sizes-in-order", "a least length over the most",
       Text(R"("minLength":3,"maxLength":2)"), At("/minLength")},
      {"sizes-in-order", "a least count over the most",
       SeveralOf(R"("minItems":2,"maxItems":1)"), At("/minItems")},
      {"sizes-in-order", "a length that is fixed",
       Text(R"("minLength":3,"maxLength":3)"), "admitted"},
      {"unique-items", "uniqueItems that is 1", SeveralOf(R"("uniqueItems":1)"),
       At("/uniqueItems")},
      {"unique-items", "uniqueItems that is false",
       SeveralOf(R"("uniqueItems":false)"), "admitted"},
      {"bounds-are-numbers", "a least number that is a text",
       Number(R"("minimum":"1")"), At("/minimum")},
      {"bounds-are-numbers", "an exclusive bound that is true",
       Number(R"("exclusiveMaximum":true)"), At("/exclusiveMaximum")},
      {"bounds-are-numbers", "a fraction for an integer",
       Integer(R"("minimum":0.5)"), "admitted"},
      {"bounds-leave-room", "a least number over the most",
       Number(R"("minimum":2,"maximum":1)"), At("")},
      {"bounds-leave-room", "one number that is excluded",
       Number(R"("minimum":1,"exclusiveMaximum":1)"), At("")},
      {"bounds-leave-room", "bounds that differ in the last digit",
       Integer(R"("minimum":9007199254740993,"maximum":9007199254740992)"),
       At("")},
      {"bounds-leave-room", "no whole number between 1.2 and 1.8",
       Integer(R"("minimum":1.2,"maximum":1.8)"), At("")},
      {"bounds-leave-room", "no whole number between 1 and 2",
       Integer(R"("exclusiveMinimum":1,"exclusiveMaximum":2)"), At("")},
      {"bounds-leave-room", "a number between 1.2 and 1.8",
       Number(R"("minimum":1.2,"maximum":1.8)"), "admitted"},
      {"bounds-leave-room", "one number that is included",
       Number(R"("minimum":1,"maximum":1.0)"), "admitted"},
      {"bounds-leave-room", "a whole number between -1.5 and -0.5",
       Integer(R"("exclusiveMinimum":-1.5,"exclusiveMaximum":-0.5)"),
       "admitted"},
      {"bounds-leave-room", "bounds that no double holds",
       Number(R"("minimum":1e400,"maximum":1e401)"), "admitted"},
  };
}

Rows OptionRows() {
  return {
      {"options-are-strings", "an enum of numbers", Text(R"("enum":["a",1])"),
       At("/enum/1")},
      {"options-are-strings", "an empty enum", Text(R"("enum":[])"),
       At("/enum")},
      {"options-are-strings", "items of numbers",
       Several(R"("items":{"type":"string","enum":[1]})"), At("/items/enum/0")},
      {"options-are-strings", "an enum with an empty text",
       Text(R"("enum":[""])"), "admitted"},
      {"options-are-unique", "a value that stands twice",
       Text(R"("enum":["a","a"])"), At("/enum/1")},
      {"options-are-unique", "values that differ in case",
       Text(R"("enum":["a","A"])"), "admitted"},
      {"enum-names", "fewer names than values",
       Text(R"("enum":["a","b"],"enumNames":["A"])"), At("/enumNames")},
      {"enum-names", "a name that is a number",
       Text(R"("enum":["a"],"enumNames":[1])"), At("/enumNames/0")},
      {"enum-names", "the same name twice",
       Text(R"("enum":["a","b"],"enumNames":["A","A"])"), "admitted"},
      {"enum-names", "names without an enum mean nothing",
       Text(R"("enumNames":1)"), "admitted"},
      {"titled-options", "a choice without a title",
       Text(R"("oneOf":[{"const":"a"}])"), At("/oneOf/0/title")},
      {"titled-options", "a constant that is a number",
       Text(R"("oneOf":[{"const":1,"title":"A"}])"), At("/oneOf/0/const")},
      {"titled-options", "no choices", Text(R"("oneOf":[])"), At("/oneOf")},
      {"titled-options", "a choice that is a text",
       Several(R"("items":{"anyOf":["a"]})"), At("/items/anyOf/0")},
      {"titled-options", "a choice with more than both",
       Text(R"("oneOf":[{"const":"","title":"","description":"d"}])"),
       "admitted"},
      {"titled-options-are-unique", "a constant that stands twice",
       Text(R"("oneOf":[{"const":"a","title":"A"},)"
            R"({"const":"a","title":"B"}])"),
       At("/oneOf/1/const")},
      {"titled-options-are-unique", "a title that stands twice",
       Text(R"("oneOf":[{"const":"a","title":"A"},)"
            R"({"const":"b","title":"A"}])"),
       "admitted"},
      {"items-are-choices", "an array without items",
       FieldOf(R"({"type":"array"})"), At("/items")},
      {"items-are-choices", "items of numbers",
       Several(R"("items":{"type":"number"})"), At("/items/type")},
      {"items-are-choices", "an enum without a type",
       Several(R"("items":{"enum":["a"]})"), At("/items/type")},
      {"items-are-choices", "free texts",
       Several(R"("items":{"type":"string"})"), At("/items")},
      {"items-are-choices", "titled choices need no type",
       Several(R"("items":{"anyOf":[{"const":"a","title":"A"}]})"), "admitted"},
      {"items-are-choices", "titled choices may have it",
       Several(R"("items":{"type":"string",)"
               R"("anyOf":[{"const":"a","title":"A"}]})"),
       "admitted"},
      {"default-fits", "a default that is too long",
       Text(R"("maxLength":1,"default":"ab")"), At("/default")},
      {"default-fits", "a default of 1.5 for an integer",
       Integer(R"("default":1.5)"), At("/default")},
      {"default-fits", "a default that is no choice",
       SeveralOf(R"("default":["c"])"), At("/default/0")},
      {"default-fits", "a default of a boolean in 2025-06-18",
       FieldOf(R"({"type":"boolean","default":"yes"})").Both(k0618),
       At("/default")},
      {"default-fits", "a default at its bounds",
       Integer(R"("minimum":2,"maximum":2,"default":2)"), "admitted"},
      {"default-fits", "a default that 2025-06-18 does not know",
       Text(R"("default":5)").Both(k0618), "admitted"},
  };
}

}  // namespace

Rows FieldRows() {
  Rows rows;
  for (const auto more : {TypeRows, BoundRows, OptionRows}) {
    for (Row& row : more()) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace gatehouse::trust
