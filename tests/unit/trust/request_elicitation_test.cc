// The rules about what a form may ask. Defends invariant 1's promise to the
// person (no upstream can ask what the operator did not allow) and 4 of the
// design (judge, never repair).

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "controlplane/trust/credential_fields.h"
#include "controlplane/trust/formats.h"
#include "shared/base/status.h"
#include "tests/unit/trust/verdicts.h"

namespace gatehouse::trust {
namespace {

struct FieldCase {
  const char* name;
  std::string_view field;  // the schema of the property `f`
  const char* want;        // below /requestedSchema/properties/f
  mcp::Revision upstream = k1125;
  mcp::Revision client = k1125;
};

class FieldTest : public testing::TestWithParam<FieldCase> {};

TEST_P(FieldTest, ReachesTheListedOutcome) {
  const std::string params = absl::StrCat(
      R"({"message":"m","requestedSchema":{"type":"object","properties":{"f":)",
      ToAbsl(GetParam().field), "}}}");
  std::string got = Short(JudgeRequest(
      OpenPolicy(),
      Asked(kElicitation, params, GetParam().upstream, GetParam().client)));
  const std::string prefix = "/requestedSchema/properties/f";
  if (const size_t at = got.find(prefix); at != std::string::npos) {
    got.erase(at, prefix.size());
  }
  EXPECT_EQ(got, GetParam().want);
}

const FieldCase kStrings[] = {
    {"a string", R"({"type":"string"})", "admitted"},
    {"annotations and unknown members",
     R"({"type":"string","title":"T","description":"D","examples":[1],)"
     R"("pattern":"(a+)+$","x-y":{}})",
     "admitted"},
    {"every format",
     R"({"type":"string","format":"date-time","minLength":1,"maxLength":9})",
     "admitted"},
    {"another format", R"({"type":"string","format":"ipv4"})",
     "invalid_request /format"},
    {"a format that is a number", R"({"type":"string","format":1})",
     "invalid_request /format"},
    {"a negative length", R"({"type":"string","minLength":-1})",
     "invalid_request /minLength"},
    {"a length that is a fraction", R"({"type":"string","maxLength":1.5})",
     "invalid_request /maxLength"},
    {"crossed lengths", R"({"type":"string","minLength":5,"maxLength":4})",
     "invalid_request /minLength"},
    {"a default that fits", R"({"type":"string","maxLength":2,"default":"ab"})",
     "admitted"},
    {"a default that is too long",
     R"({"type":"string","maxLength":2,"default":"abc"})",
     "invalid_request /default"},
    {"a default of another type", R"({"type":"string","default":5})",
     "invalid_request /default"},
    {"a default without a meaning in 2025-06-18",
     R"({"type":"string","default":5})", "admitted", k0618, k0618},
    {"a constant", R"({"type":"string","const":"a"})",
     "invalid_request /const"},
    {"a reference", R"({"type":"string","$ref":"#/a"})",
     "invalid_request /$ref"},
    {"composition by all", R"({"type":"string","allOf":[]})",
     "invalid_request /allOf"},
    {"composition by any", R"({"type":"string","anyOf":[]})",
     "invalid_request /anyOf"},
    {"a title that is a number", R"({"type":"string","title":1})",
     "invalid_request /title"},
};

const FieldCase kChoices[] = {
    {"an enum", R"({"type":"string","enum":["a","b"]})", "admitted"},
    {"an enum with names",
     R"({"type":"string","enum":["a","b"],"enumNames":["A","B"]})", "admitted",
     k0618, k0618},
    {"an enum with too few names",
     R"({"type":"string","enum":["a","b"],"enumNames":["A"]})",
     "invalid_request /enumNames"},
    {"an enum of numbers", R"({"type":"string","enum":[1,2]})",
     "invalid_request /enum/0"},
    {"an empty enum", R"({"type":"string","enum":[]})",
     "invalid_request /enum"},
    {"a doubled choice", R"({"type":"string","enum":["a","a"]})",
     "invalid_request /enum/1"},
    {"a default among the choices",
     R"({"type":"string","enum":["a"],"default":"a"})", "admitted"},
    {"a default that is none of the choices",
     R"({"type":"string","enum":["a"],"default":"b"})",
     "invalid_request /default"},
    {"titled choices",
     R"({"type":"string","oneOf":[{"const":"a","title":"A"}]})", "admitted"},
    {"a titled choice that is a number",
     R"({"type":"string","oneOf":[{"const":1,"title":"A"}]})",
     "invalid_request /oneOf/0/const"},
    {"a titled choice without its title",
     R"({"type":"string","oneOf":[{"const":"a"}]})",
     "invalid_request /oneOf/0/title"},
    {"enum beside titled choices",
     R"({"type":"string","enum":["a"],"oneOf":[{"const":"a","title":"A"}]})",
     "invalid_request /oneOf"},
    {"titled choices of a 2025-06-18 upstream",
     R"({"type":"string","oneOf":[{"const":"a","title":"A"}]})",
     "invalid_request /oneOf", k0618, k1125},
    {"titled choices for a 2025-06-18 client",
     R"({"type":"string","oneOf":[{"const":"a","title":"A"}]})", "admitted",
     k1125, k0618},
    {"titled choices with descriptions for a 2025-06-18 client",
     R"({"type":"string","oneOf":[{"const":"a","title":"A","description":""}]})",
     "not_representable ", k1125, k0618},
    {"several of a list",
     R"({"type":"array","items":{"type":"string","enum":["a","b"]},)"
     R"("minItems":1,"maxItems":2,"default":["a"]})",
     "admitted"},
    {"several of titled choices",
     R"({"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}})",
     "admitted"},
    {"several for a 2025-06-18 client",
     R"({"type":"array","items":{"type":"string","enum":["a"]}})",
     "not_representable ", k1125, k0618},
    {"several of a 2025-06-18 upstream",
     R"({"type":"array","items":{"type":"string","enum":["a"]}})",
     "invalid_request /type", k0618, k1125},
    {"a list of anything", R"({"type":"array","items":{"type":"string"}})",
     "invalid_request /items"},
    {"a list of objects", R"({"type":"array","items":{"type":"object"}})",
     "invalid_request /items/type"},
    {"a list without items", R"({"type":"array"})", "invalid_request /items"},
    {"a list of oneOf",
     R"({"type":"array","items":{"oneOf":[{"const":"a","title":"A"}]}})",
     "invalid_request /items/oneOf"},
    {"crossed counts",
     R"({"type":"array","items":{"type":"string","enum":["a"]},)"
     R"("minItems":2,"maxItems":1})",
     "invalid_request /minItems"},
    {"a default with one that is no choice",
     R"({"type":"array","items":{"type":"string","enum":["a"]},)"
     R"("default":["a","b"]})",
     "invalid_request /default/1"},
};

const FieldCase kNumbers[] = {
    {"a number", R"({"type":"number","minimum":0,"maximum":1.5})", "admitted"},
    {"an integer with a default",
     R"({"type":"integer","minimum":0,"default":2})", "admitted"},
    {"an integer with a fraction as its default",
     R"({"type":"integer","default":1.5})", "invalid_request /default"},
    {"a default under the bound",
     R"({"type":"number","minimum":2,"default":1})",
     "invalid_request /default"},
    {"a default on an exclusive bound",
     R"({"type":"number","exclusiveMinimum":2,"default":2})",
     "invalid_request /default"},
    {"crossed bounds", R"({"type":"number","minimum":2,"maximum":1})",
     "invalid_request "},
    {"equal bounds", R"({"type":"number","minimum":2,"maximum":2})",
     "admitted"},
    {"equal exclusive bounds",
     R"({"type":"number","minimum":2,"exclusiveMaximum":2})",
     "invalid_request "},
    {"bounds that differ beyond a double's reach",
     R"({"type":"integer","minimum":9007199254740993,)"
     R"("maximum":9007199254740992})",
     "invalid_request "},
    {"a bound that is a text", R"({"type":"number","minimum":"0"})",
     "invalid_request /minimum"},
    {"multiples", R"({"type":"integer","multipleOf":5})",
     "invalid_request /multipleOf"},
    {"a boolean", R"({"type":"boolean","default":false})", "admitted"},
    {"a boolean whose default is a text",
     R"({"type":"boolean","default":"no"})", "invalid_request /default"},
    {"a boolean's default counts in 2025-06-18",
     R"({"type":"boolean","default":"no"})", "invalid_request /default", k0618,
     k0618},
    {"null", R"({"type":"null"})", "invalid_request /type"},
    {"an object", R"({"type":"object"})", "invalid_request /type"},
    {"a nested form", R"({"type":"object","properties":{}})",
     "invalid_request /properties"},
    {"a list of types", R"({"type":["string","null"]})",
     "invalid_request /type"},
    {"no type", R"({"title":"T"})", "invalid_request /type"},
    {"no schema", "true", "invalid_request "},
};

const auto kName = [](const auto& c) { return TestName(c.param.name); };
INSTANTIATE_TEST_SUITE_P(Strings, FieldTest, testing::ValuesIn(kStrings),
                         kName);
INSTANTIATE_TEST_SUITE_P(Choices, FieldTest, testing::ValuesIn(kChoices),
                         kName);
INSTANTIATE_TEST_SUITE_P(Numbers, FieldTest, testing::ValuesIn(kNumbers),
                         kName);

struct FormCase {
  const char* name;
  std::string_view params;
  const char* want;
};

class FormTest : public testing::TestWithParam<FormCase> {};

TEST_P(FormTest, ReachesTheListedOutcome) {
  EXPECT_EQ(
      Short(JudgeRequest(OpenPolicy(), Asked(kElicitation, GetParam().params))),
      GetParam().want);
}

#define F R"("properties":{"f":{"type":"string"}})"

const FormCase kForms[] = {
    {"a form without fields is admitted",
     R"({"message":"m","requestedSchema":{"type":"object","properties":{}}})",
     "admitted"},
    {"mode form is admitted",
     R"({"mode":"form","message":"m","requestedSchema":{"type":"object",)" F
     "}}",
     "admitted"},
    {"mode url is not permitted",
     R"({"mode":"url","message":"m","url":"https://x/","elicitationId":"1"})",
     "not_permitted /mode"},
    {"mode url with a form beside it is not permitted",
     R"({"mode":"url","message":"m","requestedSchema":{"type":"object",)" F
     "}}",
     "not_permitted /mode"},
    {"another mode is refused",
     R"({"mode":"popup","message":"m","requestedSchema":{"type":"object",)" F
     "}}",
     "invalid_request /mode"},
    {"a missing message is refused",
     R"({"requestedSchema":{"type":"object",)" F "}}",
     "invalid_request /message"},
    {"a message that is a number is refused",
     R"({"message":1,"requestedSchema":{"type":"object",)" F "}}",
     "invalid_request /message"},
    {"a missing schema is refused", R"({"message":"m"})",
     "invalid_request /requestedSchema"},
    {"a schema that is no object is refused",
     R"({"message":"m","requestedSchema":[]})",
     "invalid_request /requestedSchema"},
    {"a schema of another type is refused",
     R"({"message":"m","requestedSchema":{"type":"array",)" F "}}",
     "invalid_request /requestedSchema/type"},
    {"a schema without properties is refused",
     R"({"message":"m","requestedSchema":{"type":"object"}})",
     "invalid_request /requestedSchema/properties"},
    {"the dialect and harmless members pass",
     R"({"message":"m","requestedSchema":{"type":"object",)"
     R"("$schema":"https://json-schema.org/draft/2020-12/schema",)"
     R"("additionalProperties":false,"title":"T","description":"D",)" F "}}",
     "admitted"},
    {"additional properties are refused",
     R"({"message":"m","requestedSchema":{"type":"object",)"
     R"("additionalProperties":true,)" F "}}",
     "invalid_request /requestedSchema/additionalProperties"},
    {"a condition is refused",
     R"({"message":"m","requestedSchema":{"type":"object","if":{},)" F "}}",
     "invalid_request /requestedSchema/if"},
    {"composition is refused",
     R"({"message":"m","requestedSchema":{"type":"object","anyOf":[],)" F "}}",
     "invalid_request /requestedSchema/anyOf"},
    {"required names that exist are admitted",
     R"({"message":"m","requestedSchema":{"type":"object","required":["f"],)" F
     "}}",
     "admitted"},
    {"a required name that does not exist is refused",
     R"({"message":"m","requestedSchema":{"type":"object","required":["g"],)" F
     "}}",
     "invalid_request /requestedSchema/required/0"},
    {"a required name twice is refused",
     R"({"message":"m","requestedSchema":{"type":"object",)"
     R"("required":["f","f"],)" F "}}",
     "invalid_request /requestedSchema/required/1"},
    {"required that is a boolean is refused",
     R"({"message":"m","requestedSchema":{"type":"object","required":true,)" F
     "}}",
     "invalid_request /requestedSchema/required"},
    {"a password by its name is refused",
     R"({"message":"m","requestedSchema":{"type":"object","properties":)"
     R"({"userPassword":{"type":"string"}}}})",
     "not_permitted /requestedSchema/properties/userPassword"},
    {"a key by its title is refused",
     R"({"message":"m","requestedSchema":{"type":"object","properties":)"
     R"({"f":{"type":"string","title":"Your API key"}}}})",
     "not_permitted /requestedSchema/properties/f"},
    {"a password by its format is refused",
     R"({"message":"m","requestedSchema":{"type":"object","properties":)"
     R"({"f":{"type":"string","format":"password"}}}})",
     "not_permitted /requestedSchema/properties/f"},
    {"a password in a description alone passes",
     R"({"message":"m","requestedSchema":{"type":"object","properties":)"
     R"({"f":{"type":"string","description":"not your password"}}}})",
     "admitted"},
    {"whether to keep the password may be asked",
     R"({"message":"m","requestedSchema":{"type":"object","properties":)"
     R"({"savePassword":{"type":"boolean"}}}})",
     "admitted"},
};
INSTANTIATE_TEST_SUITE_P(Forms, FormTest, testing::ValuesIn(kForms), kName);

TEST(FormSizeTest, TheLimitOfPropertiesHolds) {
  const auto form = [](int count) {
    std::string params =
        R"({"message":"m","requestedSchema":{"type":"object","properties":{)";
    for (int i = 0; i < count; ++i) {
      absl::StrAppend(&params, i == 0 ? "" : ",", "\"f", i,
                      R"(":{"type":"boolean"})");
    }
    return params + "}}}";
  };
  EXPECT_EQ(Short(JudgeRequest(OpenPolicy(), Asked(kElicitation, form(32)))),
            "admitted");
  const std::string over = form(33);
  const auto failure =
      std::get<Failure>(JudgeRequest(OpenPolicy(), Asked(kElicitation, over)));
  EXPECT_EQ(DataOf(failure),
            R"({"reason":"invalid_request",)"
            R"("path":"/requestedSchema/properties","limit":32})");
}

struct CredentialCase {
  const char* text;
  bool want;
};

TEST(CredentialWordsTest, KnowsWhatAsksForOne) {
  const CredentialCase kCases[] = {
      {"password", true},
      {"passwordConfirmation", true},
      {"API key", true},
      {"api_key", true},
      {"apiKey2", true},
      {"access-token", true},
      {"GitHub Token", true},
      {"PIN", true},
      {"otp", true},
      {"one-time code", true},
      {"card_number", true},
      {"Credit Card", true},
      {"cvv", true},
      {"client_secret", true},
      {"key", true},
      {"name", false},
      {"issueKey", false},
      {"keyboard", false},
      {"tokens", false},
      {"opinion", false},
      {"discard", false},
      {"cardinality", false},
      {"secretary", false},
      {"shipping", false},
      {"", false},
  };
  for (const CredentialCase& c : kCases) {
    EXPECT_EQ(NamesACredential(c.text), c.want) << c.text;
  }
}

struct FormatCase {
  const char* format;
  const char* text;
  bool want;
};

TEST(FormatTest, KnowsItsValues) {
  const FormatCase kCases[] = {
      {"email", "octocat@github.com", true},
      {"email", "a.b+c@x.example", true},
      {"email", "a@b@c", false},
      {"email", "a b@c.de", false},
      {"email", "@c.de", false},
      {"email", "a@", false},
      {"email", "a@b..c", false},
      {"email", "a@b.", false},
      {"email", "kit", false},
      {"uri", "https://example.com/a?b#c", true},
      {"uri", "mailto:a@b.c", true},
      {"uri", "kit", false},
      {"uri", "http://a b", false},
      {"uri", "http://a/%zz", false},
      {"uri", "1http://a", false},
      {"uri", "x:", false},
      {"date", "2024-02-29", true},
      {"date", "2023-02-29", false},
      {"date", "2023-13-01", false},
      {"date", "2023-1-1", false},
      {"date", "2023-01-01T", false},
      {"date-time", "2023-01-01T00:00:00Z", true},
      {"date-time", "2023-01-01T23:59:60.123+01:00", true},
      {"date-time", "2023-01-01T24:00:00Z", false},
      {"date-time", "2023-01-01T00:00:00", false},
      {"date-time", "2023-01-01T00:00:00.Z", false},
      {"date-time", "2023-01-01T00:00:00+1:00", false},
      {"hostname", "example.com", false},
  };
  for (const FormatCase& c : kCases) {
    EXPECT_EQ(HasFormat(c.text, c.format), c.want) << c.format << " " << c.text;
  }
}

}  // namespace
}  // namespace gatehouse::trust
