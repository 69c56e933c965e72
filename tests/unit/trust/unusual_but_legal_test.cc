// What is legal but unusual passes: two public reports of checks that were too
// strict, each as a whole kind. Defends invariant 9 of the design (what is
// forwarded is forwarded as it came) and DESIGN 6, which lists what passes.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/unit/trust/verdicts.h"

namespace gatehouse::trust {
namespace {

#define MESSAGES \
  R"("messages":[{"role":"user","content":{"type":"text","text":"hi"}}])"
#define FORM(schema) R"({"message":"m","requestedSchema":)" schema "}"

// ---------------------------------------------------------------------------
// NexusPHP/mcp v0.2.0: checks beyond the specification. What is legal but
// unusual must pass; `maxTokens: 0`, which the specification does not forbid,
// stays refused here, as the design has it (a request for no tokens has no
// answer that would be one).

struct LegalCase {
  const char* name;
  std::string_view method;
  std::string_view params;
  const char* want = "admitted";
};

const LegalCase kLegal[] = {
    {"a temperature of 2.7", kSampling,
     R"({"maxTokens":1,"temperature":2.7,)" MESSAGES "}"},
    {"a temperature below zero, in exponent form", kSampling,
     R"({"maxTokens":1,"temperature":-1e-3,)" MESSAGES "}"},
    {"hints with names nobody knows, without names, none at all", kSampling,
     R"({"maxTokens":1,"modelPreferences":{"hints":[{"name":""},{},)"
     R"({"name":"x","vendor":1}]},)" MESSAGES "}"},
    {"an empty list of hints", kSampling,
     R"({"maxTokens":1,"modelPreferences":{"hints":[]},)" MESSAGES "}"},
    {"preferences without any member", kSampling,
     R"({"maxTokens":1,"modelPreferences":{},)" MESSAGES "}"},
    {"priorities at their bounds", kSampling,
     R"({"maxTokens":1,"modelPreferences":{"costPriority":0,)"
     R"("speedPriority":1.0,"intelligencePriority":1e-9},)" MESSAGES "}"},
    {"metadata of any content", kSampling,
     R"({"maxTokens":1,"metadata":{"a":[null,1.5,{"b":[]}]},)" MESSAGES "}"},
    {"an empty system prompt", kSampling,
     R"({"maxTokens":1,"systemPrompt":"",)" MESSAGES "}"},
    {"no stop sequences, and an empty one", kSampling,
     R"({"maxTokens":1,"stopSequences":["",""],)" MESSAGES "}"},
    {"includeContext none", kSampling,
     R"({"maxTokens":1,"includeContext":"none",)" MESSAGES "}"},
    {"members that no revision has", kSampling,
     R"({"maxTokens":1,"topP":0.1,"x":[],)" MESSAGES "}"},
    {"an assistant who speaks first, and twice", kSampling,
     R"({"maxTokens":1,"messages":[)"
     R"({"role":"assistant","content":{"type":"text","text":""}},)"
     R"({"role":"assistant","content":{"type":"text","text":"a"}}]})"},
    {"the limit of tokens itself", kSampling,
     R"({"maxTokens":4096,)" MESSAGES "}"},
    {"one token", kSampling, R"({"maxTokens":1,)" MESSAGES "}"},
    {"no tokens are refused, by the design", kSampling,
     R"({"maxTokens":0,)" MESSAGES "}", "invalid_request /maxTokens"},
    {"a form without fields", kElicitation,
     FORM(R"({"type":"object","properties":{}})")},
    {"an empty message", kElicitation,
     R"({"message":"","requestedSchema":{"type":"object","properties":{}}})"},
    {"an empty list of required names", kElicitation,
     FORM(R"({"type":"object","properties":{},"required":[]})")},
    {"a field with an empty name", kElicitation,
     FORM(R"({"type":"object","properties":{"":{"type":"string"}}})")},
    {"annotations, pattern and keywords that nobody knows", kElicitation,
     FORM(R"({"type":"object","properties":{"a":{"type":"string",)"
          R"("pattern":"^a+$","examples":["aa"],"x-order":1,"$comment":"c",)"
          R"("title":"","description":""}}})")},
    {"a choice of one", kElicitation,
     FORM(R"({"type":"object","properties":{"a":{"type":"string",)"
          R"("enum":["only"],"enumNames":["Only"]}}})")},
    {"lengths that allow one length only", kElicitation,
     FORM(R"({"type":"object","properties":{"a":{"type":"string",)"
          R"("minLength":0,"maxLength":0}}})")},
    {"bounds that allow one number only", kElicitation,
     FORM(R"({"type":"object","properties":{"a":{"type":"integer",)"
          R"("minimum":7,"maximum":7.0}}})")},
    {"roots with params of any content", kRoots, R"({"cursor":null})"},
};

class NexusPhpMcp020Requests : public testing::TestWithParam<LegalCase> {};

TEST_P(NexusPhpMcp020Requests, PassThoughUnusual) {
  for (const mcp::Revision revision : {k0618, k1125, k0728}) {
    EXPECT_EQ(Short(JudgeRequest(OpenPolicy(),
                                 Asked(GetParam().method, GetParam().params,
                                       revision, revision))),
              GetParam().want);
  }
}

INSTANTIATE_TEST_SUITE_P(Legal, NexusPhpMcp020Requests,
                         testing::ValuesIn(kLegal),
                         [](const auto& c) { return TestName(c.param.name); });

struct LegalAnswerCase {
  const char* name;
  std::string_view method;
  std::string_view request;
  std::string_view answer;
};

constexpr std::string_view kPlain = R"({"maxTokens":1,)" MESSAGES "}";

const LegalAnswerCase kLegalAnswers[] = {
    {"a stop reason that nobody knows", kSampling, kPlain,
     R"({"role":"assistant","model":"m","stopReason":"content_filter",)"
     R"("content":{"type":"text","text":"x"}})"},
    {"no stop reason, an empty text, members of its own", kSampling, kPlain,
     R"({"usage":{"in":1},"role":"assistant","model":"m",)"
     R"("content":{"type":"text","text":"","x":1},"_meta":{}})"},
    {"a user as the author", kSampling, kPlain,
     R"({"role":"user","model":"m","content":{"type":"text","text":"x"}})"},
    {"a model that no hint named", kSampling,
     R"({"maxTokens":1,"modelPreferences":{"hints":[{"name":"opus"}]},)" MESSAGES
     "}",
     R"({"role":"assistant","model":"other-7b",)"
     R"("content":{"type":"text","text":"x"}})"},
    {"more than the tokens asked, which nobody here counts", kSampling, kPlain,
     R"({"role":"assistant","model":"m","stopReason":"maxTokens",)"
     R"("content":{"type":"text","text":"one two three four five"}})"},
    {"an accept without content, of a form that requires nothing", kElicitation,
     FORM(R"({"type":"object","properties":)"
          R"({"a":{"type":"string"}}})"),
     R"({"action":"accept"})"},
    {"members beside action and content", kElicitation,
     FORM(R"({"type":"object","properties":{"a":{"type":"string"}}})"),
     R"({"x":1,"content":{},"action":"accept"})"},
    {"no roots", kRoots, "", R"({"roots":[]})"},
    {"a root without a name, and one with members of its own", kRoots, "",
     R"({"roots":[{"uri":"file:///a"},{"uri":"file:///b%20c/","name":"",)"
     R"("x":[1]}],"nextCursor":null})"},
};

class NexusPhpMcp020Answers : public testing::TestWithParam<LegalAnswerCase> {};

TEST_P(NexusPhpMcp020Answers, AreDeliveredAsTheyCame) {
  for (const mcp::Revision revision : {k0618, k1125, k0728}) {
    ResponseFacts facts =
        Answered(GetParam().method, GetParam().request, GetParam().answer);
    facts.upstream_revision = facts.client_revision = revision;
    const ResponseVerdict verdict = JudgeResponse(OpenPolicy(), facts);
    EXPECT_EQ(Short(verdict), "answered");
    EXPECT_EQ(verdict.result.value_or(""), GetParam().answer);
  }
}

INSTANTIATE_TEST_SUITE_P(Legal, NexusPhpMcp020Answers,
                         testing::ValuesIn(kLegalAnswers),
                         [](const auto& c) { return TestName(c.param.name); });

// ---------------------------------------------------------------------------
// Pydantic writes `title` and `description` beside the type of every schema it
// makes, of the form itself too; servers that use it send them.

struct PydanticCase {
  const char* name;
  std::string_view schema;
};

const PydanticCase kPydantic[] = {
    {"title and description of the form",
     R"({"description":"Where to?","properties":{"city":{"title":"City",)"
     R"("type":"string"}},"required":["city"],"title":"Trip",)"
     R"("type":"object"})"},
    {"a field with its default and its description",
     R"({"properties":{"days":{"default":3,"description":"How long",)"
     R"("maximum":30,"minimum":1,"title":"Days","type":"integer"}},)"
     R"("title":"Trip","type":"object"})"},
    {"a closed model",
     R"({"additionalProperties":false,"properties":{"a":{"title":"A",)"
     R"("type":"boolean"}},"title":"Trip","type":"object"})"},
    {"exclusive bounds and examples",
     R"({"properties":{"a":{"exclusiveMinimum":0,"examples":[1.5],)"
     R"("title":"A","type":"number"}},"title":"Trip","type":"object"})"},
    {"a literal as a choice, and a dialect",
     R"({"$schema":"https://json-schema.org/draft/2020-12/schema",)"
     R"("properties":{"a":{"enum":["x","y"],"title":"A","type":"string"}},)"
     R"("title":"Trip","type":"object"})"},
};

class PydanticForms : public testing::TestWithParam<PydanticCase> {};

TEST_P(PydanticForms, Pass) {
  const std::string params = R"({"message":"m","requestedSchema":)" +
                             std::string(GetParam().schema) + "}";
  for (const mcp::Revision revision : {k0618, k1125, k0728}) {
    EXPECT_EQ(Short(JudgeRequest(OpenPolicy(), Asked(kElicitation, params,
                                                     revision, revision))),
              "admitted");
  }
}

INSTANTIATE_TEST_SUITE_P(Schemas, PydanticForms, testing::ValuesIn(kPydantic),
                         [](const auto& c) { return TestName(c.param.name); });

}  // namespace
}  // namespace gatehouse::trust
