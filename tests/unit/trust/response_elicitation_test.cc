// The rules about what a person filled in. Defends invariants 4 (judge, never
// repair), 8 (the gateway never invents a person's answer) and 9 of the design.

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "tests/unit/trust/verdicts.h"

namespace gatehouse::trust {
namespace {

constexpr std::string_view kForm =
    R"({"message":"m","requestedSchema":{"type":"object","properties":{)"
    R"("name":{"type":"string","minLength":2,"maxLength":4},)"
    R"("email":{"type":"string","format":"email"},)"
    R"("age":{"type":"integer","minimum":18,"maximum":99},)"
    R"("ratio":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1},)"
    R"("ok":{"type":"boolean"},)"
    R"("color":{"type":"string","enum":["red","green"]},)"
    R"("book":{"type":"string","oneOf":[{"const":"gl","title":"Ledger"}]},)"
    R"("tags":{"type":"array","items":{"type":"string","enum":["a","b","c"]},)"
    R"("minItems":1,"maxItems":2},)"
    R"("once":{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]},)"
    R"("uniqueItems":true}},"required":["name"]}})";
constexpr std::string_view kNothingRequired =
    R"({"message":"m","requestedSchema":{"type":"object","properties":)"
    R"({"note":{"type":"string"}}}})";

struct ContentCase {
  const char* name;
  std::string_view content;  // of an accept, beside a good `name`
  const char* want;
};

class ContentTest : public testing::TestWithParam<ContentCase> {};

TEST_P(ContentTest, ReachesTheListedOutcome) {
  const std::string result =
      absl::StrCat(R"({"action":"accept","content":{"name":"kit",)",
                   ToAbsl(GetParam().content), "}}");
  const ResponseVerdict verdict =
      JudgeResponse(OpenPolicy(), Answered(kElicitation, kForm, result));
  EXPECT_EQ(Short(verdict), GetParam().want);
  // As it came, to the byte.
  if (verdict.result.has_value()) {
    EXPECT_EQ(*verdict.result, result);
  }
}

const ContentCase kCases[] = {
    {"an e-mail address", R"("email":"a@b.example")", "answered"},
    {"a text that is no e-mail address", R"("email":"kit")",
     "invalid: invalid_response /content/email"},
    {"a whole number", R"("age":18)", "answered"},
    {"a whole number written with a fraction of zero", R"("age":18.0)",
     "invalid: invalid_response /content/age"},
    {"a fraction where a whole number is due", R"("age":18.5)",
     "invalid: invalid_response /content/age"},
    {"a number under the bound", R"("age":17)",
     "invalid: invalid_response /content/age"},
    {"a number over the bound", R"("age":100)",
     "invalid: invalid_response /content/age"},
    {"a number in a text is not coerced", R"("age":"18")",
     "invalid: invalid_response /content/age"},
    {"null is no number", R"("age":null)",
     "invalid: invalid_response /content/age"},
    {"a number within exclusive bounds", R"("ratio":0.5)", "answered"},
    {"a number on an exclusive bound", R"("ratio":1)",
     "invalid: invalid_response /content/ratio"},
    {"a yes", R"("ok":true)", "answered"},
    {"a yes in a text is not coerced", R"("ok":"true")",
     "invalid: invalid_response /content/ok"},
    {"a choice", R"("color":"red")", "answered"},
    {"what is no choice", R"("color":"blue")",
     "invalid: invalid_response /content/color"},
    {"a titled choice by its constant", R"("book":"gl")", "answered"},
    {"a titled choice by its title", R"("book":"Ledger")",
     "invalid: invalid_response /content/book"},
    {"several choices", R"("tags":["a","c"])", "answered"},
    {"too few choices", R"("tags":[])",
     "invalid: invalid_response /content/tags"},
    {"too many choices", R"("tags":["a","b","c"])",
     "invalid: invalid_response /content/tags"},
    {"several with one that is no choice", R"("tags":["a","x"])",
     "invalid: invalid_response /content/tags/1"},
    {"a choice where several are due", R"("tags":"a")",
     "invalid: invalid_response /content/tags"},
    {"the same choice twice where it may stand once", R"("once":["a","a"])",
     "invalid: invalid_response /content/once/1"},
    {"a field that the form does not have", R"("extra":1)",
     "invalid: invalid_response /content/extra"},
    {"an object", R"("email":{})", "invalid: invalid_response /content/email"},
};

INSTANTIATE_TEST_SUITE_P(Values, ContentTest, testing::ValuesIn(kCases),
                         [](const auto& c) { return TestName(c.param.name); });

struct ActionCase {
  const char* name;
  std::string_view request;
  std::string_view result;
  const char* want;
  std::string_view delivered;
};

class ActionTest : public testing::TestWithParam<ActionCase> {};

TEST_P(ActionTest, ReachesTheListedOutcome) {
  const ResponseVerdict verdict = JudgeResponse(
      OpenPolicy(),
      Answered(kElicitation, GetParam().request, GetParam().result));
  EXPECT_EQ(Short(verdict), GetParam().want);
  EXPECT_EQ(verdict.result.value_or(""), GetParam().delivered);
}

const ActionCase kActions[] = {
    {"a decline is delivered", kForm, R"({"action":"decline"})", "declined",
     R"({"action":"decline"})"},
    {"what stands beside a decline is neither judged nor delivered", kForm,
     R"({ "action":"decline","content":{"name":5},"_meta":1})", "declined",
     R"({"action":"decline"})"},
    {"a cancel is delivered", kForm, R"({"action":"cancel"})", "dismissed",
     R"({"action":"cancel"})"},
    {"content beside a cancel is not delivered", kForm,
     R"({"action":"cancel","content":{"name":"kit"}})", "dismissed",
     R"({"action":"cancel"})"},
    {"an accept without content answers a form that requires nothing",
     kNothingRequired, R"({"action":"accept"})", "answered",
     R"({"action":"accept"})"},
    {"an accept without content does not answer one that does", kForm,
     R"({"action":"accept"})", "invalid: invalid_response /content", ""},
    {"an accept with empty content lacks the required field", kForm,
     R"({"action":"accept","content":{}})",
     "invalid: invalid_response /content/name", ""},
    {"content that is an array is refused", kNothingRequired,
     R"({"action":"accept","content":[]})",
     "invalid: invalid_response /content", ""},
    {"content that is null is refused", kNothingRequired,
     R"({"action":"accept","content":null})",
     "invalid: invalid_response /content", ""},
    {"another action is refused", kForm, R"({"action":"perhaps"})",
     "invalid: invalid_response /action", ""},
    {"a missing action is refused", kForm, R"({"content":{"name":"kit"}})",
     "invalid: invalid_response /action", ""},
    {"lengths count code points", kForm,
     R"({"action":"accept","content":{"name":"ÄÖÜß"}})", "answered",
     R"({"action":"accept","content":{"name":"ÄÖÜß"}})"},
    {"a text that is too short is refused", kForm,
     R"({"action":"accept","content":{"name":"Ä"}})",
     "invalid: invalid_response /content/name", ""},
    {"a text that is too long is refused", kForm,
     R"({"action":"accept","content":{"name":"abcde"}})",
     "invalid: invalid_response /content/name", ""},
};

INSTANTIATE_TEST_SUITE_P(Actions, ActionTest, testing::ValuesIn(kActions),
                         [](const auto& c) { return TestName(c.param.name); });

}  // namespace
}  // namespace gatehouse::trust
