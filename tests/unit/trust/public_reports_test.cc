// Faults that were reported in public of other implementations, each tested as
// a whole kind: a table bears the name of its report. Defends invariants 3 (one
// judge, for requests and answers alike) and 4 (judge, never repair) of the
// design; what it must not refuse is in it as well as what it must.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "shared/json/json.h"
#include "shared/mcp/features.h"
#include "tests/unit/trust/verdicts.h"

namespace gatehouse::trust {
namespace {

// ---------------------------------------------------------------------------
// go-sdk#758, typescript-sdk#966: a refusal by the user was itself refused for
// its content, which was validated against the form.

constexpr std::string_view kFormWithRequired =
    R"({"message":"Who?","requestedSchema":{"type":"object","properties":)"
    R"({"name":{"type":"string","minLength":3}},"required":["name"]}})";

struct RefusedFormCase {
  const char* name;
  std::string_view answer;
  const char* want;
  const char* delivered;
};
constexpr char kDecline[] = R"({"action":"decline"})";
constexpr char kCancel[] = R"({"action":"cancel"})";

const RefusedFormCase kRefusedForms[] = {
    {"decline without content", R"({"action":"decline"})", "declined",
     kDecline},
    {"decline with an empty object", R"({"action":"decline","content":{}})",
     "declined", kDecline},
    {"decline with null", R"({"action":"decline","content":null})", "declined",
     kDecline},
    {"decline with a value that is no answer",
     R"({"action":"decline","content":{"name":"x"}})", "declined", kDecline},
    {"decline with a field that the form has not",
     R"({"action":"decline","content":{"other":[[1]]}})", "declined", kDecline},
    {"decline with an array", R"({"content":[1,2],"action":"decline"})",
     "declined", kDecline},
    {"cancel without content", R"({"action":"cancel"})", "dismissed", kCancel},
    {"cancel with null", R"({"action":"cancel","content":null})", "dismissed",
     kCancel},
    {"cancel with an empty object", R"({"action":"cancel","content":{}})",
     "dismissed", kCancel},
    {"cancel with what was typed so far",
     R"({"action":"cancel","content":{"name":"An"}})", "dismissed", kCancel},
    {"cancel with a _meta of any kind", R"({"action":"cancel","_meta":7})",
     "dismissed", kCancel},
    {"accept with null is still no answer",
     R"({"action":"accept","content":null})",
     "invalid: invalid_response /content", ""},
    {"accept with an empty object still lacks what is required",
     R"({"action":"accept","content":{}})",
     "invalid: invalid_response /content/name", ""},
};

class GoSdk758AndTypescriptSdk966
    : public testing::TestWithParam<RefusedFormCase> {};

TEST_P(GoSdk758AndTypescriptSdk966, ARefusalIsNeverRefusedForItsContent) {
  for (const mcp::Revision revision : {k0618, k1125, k0728}) {
    ResponseFacts facts =
        Answered(kElicitation, kFormWithRequired, GetParam().answer);
    facts.upstream_revision = facts.client_revision = revision;
    const ResponseVerdict verdict = JudgeResponse(OpenPolicy(), facts);
    EXPECT_EQ(Short(verdict), GetParam().want);
    EXPECT_EQ(verdict.result.value_or(""), GetParam().delivered);
  }
}

INSTANTIATE_TEST_SUITE_P(Answers, GoSdk758AndTypescriptSdk966,
                         testing::ValuesIn(kRefusedForms),
                         [](const auto& c) { return TestName(c.param.name); });

// ---------------------------------------------------------------------------
// python-sdk#2622: tool results were matched with tool uses only in the last
// message, and by their number.

#define USER(content) R"({"role":"user","content":[)" content "]}"
#define ASSISTANT(content) R"({"role":"assistant","content":[)" content "]}"
#define TEXT R"({"type":"text","text":"t"})"
#define USE(id) \
  R"({"type":"tool_use","id":")" id R"(","name":"sum","input":{}})"
#define RESULT(id) \
  R"({"type":"tool_result","toolUseId":")" id R"(","content":[]})"

struct PairsCase {
  const char* name;
  std::string_view messages;
  const char* want;
};

const PairsCase kPairs[] = {
    {"two uses, one answered",
     USER(TEXT) "," ASSISTANT(USE("a") "," USE("b")) "," USER(RESULT("a")),
     "invalid_request /messages/2"},
    {"two uses, one answered twice",
     USER(TEXT) "," ASSISTANT(USE("a") "," USE("b")) "," USER(
         RESULT("a") "," RESULT("a")),
     "invalid_request /messages/2/content/1/toolUseId"},
    {"a text beside a tool result",
     USER(TEXT) "," ASSISTANT(USE("a")) "," USER(RESULT("a") "," TEXT),
     "invalid_request /messages/2/content/1"},
    {"a text before a tool result",
     USER(TEXT) "," ASSISTANT(USE("a")) "," USER(TEXT "," RESULT("a")),
     "invalid_request /messages/2/content/0"},
    {"an unbalanced pair in the middle, a balanced one at the end",
     USER(TEXT) "," ASSISTANT(USE("a") "," USE("b")) "," USER(
         RESULT("a")) "," ASSISTANT(USE("c")) "," USER(RESULT("c")),
     "invalid_request /messages/2"},
    {"a use in the middle that a text follows",
     USER(TEXT) "," ASSISTANT(USE("a")) "," USER(TEXT) "," ASSISTANT(
         USE("b")) "," USER(RESULT("b")),
     "invalid_request /messages/2"},
    {"a result that comes a message too late",
     USER(TEXT) "," ASSISTANT(USE("a")) "," USER(TEXT) "," USER(RESULT("a")),
     "invalid_request /messages/3/content/0/toolUseId"},
    {"a result with an unknown id",
     USER(TEXT) "," ASSISTANT(USE("a")) "," USER(RESULT("b")),
     "invalid_request /messages/2/content/0/toolUseId"},
    {"an unknown id beside the right one",
     USER(TEXT) "," ASSISTANT(USE("a")) "," USER(RESULT("a") "," RESULT("z")),
     "invalid_request /messages/2/content/1/toolUseId"},
    {"a result and no use at all", USER(RESULT("a")),
     "invalid_request /messages/0/content/0/toolUseId"},
    {"a use in the last message", USER(TEXT) "," ASSISTANT(USE("a")),
     "invalid_request /messages/1"},
    {"the balanced parallel case passes",
     USER(TEXT) "," ASSISTANT(USE("a") "," USE("b")) "," USER(
         RESULT("a") "," RESULT("b")),
     "admitted"},
    {"the order of parallel results is free",
     USER(TEXT) "," ASSISTANT(USE("a") "," USE("b")) "," USER(
         RESULT("b") "," RESULT("a")),
     "admitted"},
    {"several balanced rounds pass, the same id in two of them",
     USER(TEXT) "," ASSISTANT(TEXT "," USE("a")) "," USER(
         RESULT("a")) "," ASSISTANT(USE("a")) "," USER(RESULT("a")),
     "admitted"},
    {"a text after the results' message passes",
     USER(TEXT) "," ASSISTANT(USE("a")) "," USER(RESULT("a")) "," USER(TEXT),
     "admitted"},
};

class PythonSdk2622 : public testing::TestWithParam<PairsCase> {};

TEST_P(PythonSdk2622, EveryToolUseHasItsResultInTheNextMessage) {
  const std::string params = absl::StrCat(
      R"({"maxTokens":9,"messages":[)", std::string(GetParam().messages),
      R"(],"tools":[{"name":"sum","inputSchema":{"type":"object"}}]})");
  for (const mcp::Revision revision : {k1125, k0728}) {
    EXPECT_EQ(Short(JudgeRequest(OpenPolicy(),
                                 Asked(kSampling, params, revision, revision))),
              GetParam().want);
  }
}

INSTANTIATE_TEST_SUITE_P(Messages, PythonSdk2622, testing::ValuesIn(kPairs),
                         [](const auto& c) { return TestName(c.param.name); });

// ---------------------------------------------------------------------------
// ruby-mcp-client#177: tools reached the handler of a client that had not
// declared them, or were dropped on the way to one that had.

#define ASK R"({"messages":[)" USER(TEXT) R"(],"maxTokens":9)"

struct ToolsCase {
  const char* name;
  std::string_view params;  // without the last brace
  const char* path;         // of the refusal
};

const ToolsCase kTools[] = {
    {"tools", ASK R"(,"tools":[{"name":"sum","inputSchema":{"x":1.50}}])",
     "/tools"},
    {"no tools in an array that is there", ASK R"(,"tools":[])", "/tools"},
    {"a choice without tools", ASK R"(,"toolChoice":{"mode":"none"})",
     "/toolChoice"},
    {"an empty choice", ASK R"(,"toolChoice":{})", "/toolChoice"},
    {"tools and a choice, odd spaces and members",
     ASK R"( , "toolChoice" : {"mode":"required","x":null},)"
         R"("tools":[ {"outputSchema":{},"inputSchema":{},"name":"sum",)"
         R"("icons":[18446744073709551617]} ])",
     "/tools"},
    {"tool blocks with their _meta",
     R"({"tools":[{"name":"sum","inputSchema":{}}],"maxTokens":9,"messages":[)"
     R"({"role":"assistant","content":{"type":"tool_use","id":"a",)"
     R"("name":"sum","input":{"n":1.0},"_meta":{"x/y":[1,2.50]}}},)"
     R"({"role":"user","_meta":{"k":1},"content":[{"type":"tool_result",)"
     R"("toolUseId":"a","content":[],"_meta":{"z":"\u00e9"}}]}])",
     "/tools"},
};

class RubyMcpClient177 : public testing::TestWithParam<ToolsCase> {};

TEST_P(RubyMcpClient177, ToolsGoToNobodyWithoutTheSubCapability) {
  const std::string params = absl::StrCat(std::string(GetParam().params), "}");
  RequestFacts facts = Asked(kSampling, params);
  facts.declared.sampling_tools = false;
  const RequestVerdict verdict = JudgeRequest(OpenPolicy(), facts);
  EXPECT_EQ(Short(verdict),
            absl::StrCat("capability_not_declared ", GetParam().path));
  const Failure* failure = std::get_if<Failure>(&verdict);
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(RowOf(failure->reason).to_upstream, -32602);
}

TEST_P(RubyMcpClient177, WithItEveryByteOfThemPasses) {
  const std::string_view params = GetParam().params;
  const std::string whole = absl::StrCat(std::string(params), "}");
  const RequestVerdict verdict =
      JudgeRequest(OpenPolicy(), Asked(kSampling, whole));
  ASSERT_EQ(Short(verdict), "admitted");
  EXPECT_EQ(std::get<AdmittedRequest>(verdict).params_to_relay,
            absl::StrCat(std::string(params),
                         R"(,"_meta":{"io.gatehouse/origin":{"virtualServer":)"
                         R"("dev","upstream":"files","tool":"read"}}})"));
}

INSTANTIATE_TEST_SUITE_P(Requests, RubyMcpClient177, testing::ValuesIn(kTools),
                         [](const auto& c) { return TestName(c.param.name); });

// ---------------------------------------------------------------------------
// cloudflare/agents#1875: a client that declared `elicitation: {}` counted as
// one that can do no form, or as one that can open URLs.

struct ModesCase {
  const char* name;
  const char* declared;
  mcp::Revision revision;
  const char* offered;  // to an upstream of that revision
  const char* form;     // the judge's word on a form
  const char* url;      // and on URL mode
};

constexpr char kNotForm[] = "capability_not_declared";
constexpr char kNotUrl[] = "capability_not_declared /mode";

const ModesCase kModes[] = {
    {"an empty object means form", R"({"elicitation":{}})", k1125,
     R"({"elicitation":{"form":{}}})", "admitted", kNotUrl},
    {"an empty object means form in the modern revision",
     R"({"elicitation":{}})", k0728, R"({"elicitation":{"form":{}}})",
     "admitted", kNotUrl},
    {"form alone", R"({"elicitation":{"form":{}}})", k1125,
     R"({"elicitation":{"form":{}}})", "admitted", kNotUrl},
    {"both modes", R"({"elicitation":{"form":{},"url":{}}})", k1125,
     R"({"elicitation":{"form":{},"url":{}}})", "admitted", "admitted"},
    {"both modes in the modern revision",
     R"({"elicitation":{"url":{},"form":{}}})", k0728,
     R"({"elicitation":{"form":{},"url":{}}})", "admitted", "admitted"},
    {"url alone is not form", R"({"elicitation":{"url":{}}})", k1125,
     R"({"elicitation":{"url":{}}})", kNotForm, "admitted"},
    {"an empty object before there were modes", R"({"elicitation":{}})", k0618,
     R"({"elicitation":{}})", "admitted", kNotUrl},
    {"nothing is neither", "{}", k1125, "{}", kNotForm, kNotForm},
};

class CloudflareAgents1875 : public testing::TestWithParam<ModesCase> {};

TEST_P(CloudflareAgents1875, WhatAClientDeclaredIsOfferedAndJudgedAlike) {
  const auto document = json::Document::Parse(GetParam().declared);
  ASSERT_TRUE(document.ok()) << document.status();
  const auto declared =
      mcp::ParseClientCapabilities(document->root(), GetParam().revision);
  ASSERT_TRUE(declared.ok()) << declared.status();
  EXPECT_EQ(mcp::ClientCapabilitiesJson(*declared, GetParam().revision),
            GetParam().offered);

  policy::VirtualServer policy = OpenPolicy();
  policy.elicitation_url = true;
  RequestFacts form = Asked(kElicitation, kFormWithRequired,
                            GetParam().revision, GetParam().revision);
  form.declared = *declared;
  EXPECT_EQ(Short(JudgeRequest(policy, form)), GetParam().form);
  RequestFacts url = form;
  url.params = R"({"mode":"url","elicitationId":"e","message":"m",)"
               R"("url":"https://example.com/"})";
  EXPECT_EQ(Short(JudgeRequest(policy, url)), GetParam().url);
}

INSTANTIATE_TEST_SUITE_P(Declarations, CloudflareAgents1875,
                         testing::ValuesIn(kModes),
                         [](const auto& c) { return TestName(c.param.name); });

// ---------------------------------------------------------------------------
// mcp_dart#165: nested schemas were taken, values of any shape delivered, and
// the arrays of a multiple choice refused.

#define FORM(properties)                                                           \
  R"({"message":"m","requestedSchema":{"type":"object","properties":{)" properties \
  "}}}"

struct FlatFormCase {
  const char* name;
  std::string_view request;
  std::string_view content;  // of an accept; empty: the request is refused
  const char* want;
};

constexpr std::string_view kPick =
    FORM(R"("pick":{"type":"array","items":{"type":"string",)"
         R"("enum":["a","b"]}})");
constexpr std::string_view kAnyText = FORM(R"("name":{"type":"string"})");

const FlatFormCase kFlatForms[] = {
    {"an object within the form is refused",
     FORM(R"("a":{"type":"object","properties":{"b":{"type":"string"}}})"), "",
     "invalid_request /requestedSchema/properties/a/properties"},
    {"an object without properties is refused",
     FORM(R"("a":{"type":"object"})"), "",
     "invalid_request /requestedSchema/properties/a/type"},
    {"an array of objects is refused",
     FORM(R"("a":{"type":"array","items":{"type":"object"}})"), "",
     "invalid_request /requestedSchema/properties/a/items/type"},
    {"an array of numbers is refused",
     FORM(R"("a":{"type":"array","items":{"type":"number"}})"), "",
     "invalid_request /requestedSchema/properties/a/items/type"},
    {"an array of arrays is refused",
     FORM(R"("a":{"type":"array","items":{"type":"array",)"
          R"("items":{"type":"string"}}})"),
     "", "invalid_request /requestedSchema/properties/a/items/items"},
    {"an object is no value of a text", kAnyText, R"({"name":{"x":1}})",
     "invalid: invalid_response /content/name"},
    {"null is no value of a text", kAnyText, R"({"name":null})",
     "invalid: invalid_response /content/name"},
    {"an array is no value of a text", kAnyText, R"({"name":["x"]})",
     "invalid: invalid_response /content/name"},
    {"numbers are no choices", kPick, R"({"pick":[1,2]})",
     "invalid: invalid_response /content/pick/0"},
    {"a number beside a choice is none", kPick, R"({"pick":["a",2]})",
     "invalid: invalid_response /content/pick/1"},
    {"an object is no array of choices", kPick, R"({"pick":{"0":"a"}})",
     "invalid: invalid_response /content/pick"},
    {"a single text is no array of choices", kPick, R"({"pick":"a"})",
     "invalid: invalid_response /content/pick"},
    {"the texts of a multiple choice pass", kPick, R"({"pick":["b","a"]})",
     "answered"},
    {"none of a multiple choice passes", kPick, R"({"pick":[]})", "answered"},
    {"every primitive value passes",
     FORM(R"("s":{"type":"string"},"n":{"type":"number"},)"
          R"("i":{"type":"integer"},"b":{"type":"boolean"})"),
     R"({"s":"","n":1.5,"i":-3,"b":false})", "answered"},
};

class McpDart165 : public testing::TestWithParam<FlatFormCase> {};

TEST_P(McpDart165, FormsAreFlatAndValuesAreTextsNumbersBooleansOrTexts) {
  for (const mcp::Revision revision : {k1125, k0728}) {
    const std::string request =
        Short(JudgeRequest(OpenPolicy(), Asked(kElicitation, GetParam().request,
                                               revision, revision)));
    if (GetParam().content.empty()) {
      EXPECT_EQ(request, GetParam().want);
      continue;
    }
    ASSERT_EQ(request, "admitted");
    const std::string answer =
        absl::StrCat(R"({"action":"accept","content":)",
                     std::string(GetParam().content), "}");
    ResponseFacts facts = Answered(kElicitation, GetParam().request, answer);
    facts.upstream_revision = facts.client_revision = revision;
    EXPECT_EQ(Short(JudgeResponse(OpenPolicy(), facts)), GetParam().want);
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, McpDart165, testing::ValuesIn(kFlatForms),
                         [](const auto& c) { return TestName(c.param.name); });

}  // namespace
}  // namespace gatehouse::trust
