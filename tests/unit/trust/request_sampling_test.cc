// The rules about what a sampling request holds. Defends invariant 4 of the
// design (judge, never repair) and 7 (the limit of a request holds).

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "tests/unit/trust/verdicts.h"

namespace gatehouse::trust {
namespace {

struct SamplingCase {
  const char* name;
  // In place of `messages` or beside it: all members but maxTokens.
  std::string_view members;
  const char* want;
  mcp::Revision upstream = k1125;
  mcp::Revision client = k1125;
};

class SamplingRequestTest : public testing::TestWithParam<SamplingCase> {};

TEST_P(SamplingRequestTest, ReachesTheListedOutcome) {
  const std::string params =
      absl::StrCat("{", ToAbsl(GetParam().members), R"(,"maxTokens":10})");
  EXPECT_EQ(Short(JudgeRequest(OpenPolicy(),
                               Asked(kSampling, params, GetParam().upstream,
                                     GetParam().client))),
            GetParam().want);
}

#define HI \
  R"("messages":[{"role":"user","content":{"type":"text","text":"hi"}}])"
#define MESSAGE(content) R"("messages":[{"role":"user","content":)" content "}]"
#define ASK R"({"role":"user","content":{"type":"text","text":"?"}},)"
#define USE(id) R"({"type":"tool_use","id":")" id R"(","name":"w","input":{}})"
#define RESULT(id) \
  R"({"type":"tool_result","toolUseId":")" id R"(","content":[]})"
#define TEXT R"({"type":"text","text":"t"})"

const SamplingCase kMessages[] = {
    {"one text message is admitted", HI, "admitted"},
    {"absent messages are refused", R"("a":1)", "invalid_request /messages"},
    {"empty messages are refused", R"("messages":[])",
     "invalid_request /messages"},
    {"messages that are an object are refused", R"("messages":{})",
     "invalid_request /messages"},
    {"a message that is a text is refused", R"("messages":["hi"])",
     "invalid_request /messages/0"},
    {"another role is refused",
     R"("messages":[{"role":"system","content":)" TEXT "}]",
     "invalid_request /messages/0/role"},
    {"a missing role is refused", R"("messages":[{"content":)" TEXT "}]",
     "invalid_request /messages/0/role"},
    {"missing content is refused", R"("messages":[{"role":"user"}])",
     "invalid_request /messages/0/content"},
    {"content that is a text is refused", MESSAGE(R"("hi")"),
     "invalid_request /messages/0/content"},
    {"an array of blocks is admitted from 2025-11-25 on",
     MESSAGE("[" TEXT "," TEXT "]"), "admitted"},
    {"an empty array of blocks is refused", MESSAGE("[]"),
     "invalid_request /messages/0/content"},
    {"an array is refused of a 2025-06-18 upstream", MESSAGE("[" TEXT "]"),
     "invalid_request /messages/0/content", k0618, k0618},
    {"an array is refused of a 2025-03-26 upstream", MESSAGE("[" TEXT "]"),
     "invalid_request /messages/0/content", k0326, k1125},
    {"a block without a type is refused", MESSAGE(R"({"text":"t"})"),
     "invalid_request /messages/0/content/type"},
    {"an unknown block type is refused", MESSAGE(R"({"type":"video"})"),
     "invalid_request /messages/0/content/type"},
    {"a resource is no block of a message",
     MESSAGE(R"({"type":"resource","resource":{"uri":"u","text":""}})"),
     "invalid_request /messages/0/content/type"},
    {"a text block without text is refused", MESSAGE(R"({"type":"text"})"),
     "invalid_request /messages/0/content/text"},
    {"an empty text is admitted", MESSAGE(R"({"type":"text","text":""})"),
     "admitted"},
    {"an image is admitted",
     MESSAGE(R"({"type":"image","data":"aGk=","mimeType":"image/png"})"),
     "admitted"},
    {"audio is admitted of every revision",
     MESSAGE(R"({"type":"audio","data":"aGk=","mimeType":"audio/wav"})"),
     "admitted", k0326, k0326},
    {"an image that is no base64 is refused",
     MESSAGE(R"({"type":"image","data":"a-k_","mimeType":"image/png"})"),
     "invalid_request /messages/0/content/data"},
    {"an image without padding is refused",
     MESSAGE(R"({"type":"image","data":"aGk","mimeType":"image/png"})"),
     "invalid_request /messages/0/content/data"},
    {"an image without a media type is refused",
     MESSAGE(R"({"type":"image","data":"aGk="})"),
     "invalid_request /messages/0/content/mimeType"},
    {"a media type without a slash is refused",
     MESSAGE(R"({"type":"image","data":"aGk=","mimeType":"png"})"),
     "invalid_request /messages/0/content/mimeType"},
    {"annotations that are no object are refused",
     MESSAGE(R"({"type":"text","text":"t","annotations":1})"),
     "invalid_request /messages/0/content/annotations"},
    {"unknown members pass",
     MESSAGE(R"({"type":"text","text":"t","x":null})") R"(,"y":[1])",
     "admitted"},
};

const SamplingCase kToolBlocks[] = {
    {"a tool use and its result are admitted",
     R"("messages":[)" ASK R"({"role":"assistant","content":[)" USE(
         "1") R"(]},{"role":"user","content":[)" RESULT("1") "]}]",
     "admitted"},
    {"a text beside the tool use is admitted",
     R"("messages":[{"role":"assistant","content":[)" TEXT
     "," USE("1") R"(]},{"role":"user","content":)" RESULT("1") "}]",
     "admitted"},
    {"several uses may be answered in another order",
     R"("messages":[{"role":"assistant","content":[)" USE("1") "," USE(
         "2") R"(]},{"role":"user","content":[)" RESULT("2") "," RESULT("1") "]"
                                                                             "}"
                                                                             "]",
     "admitted"},
    {"a tool use at the end is refused",
     R"("messages":[{"role":"assistant","content":[)" USE("1") "]}]",
     "invalid_request /messages/0"},
    {"a tool use that the next message does not answer is refused",
     R"("messages":[{"role":"assistant","content":[)" USE(
         "1") "]}," ASK R"({"role":"user","content":)" RESULT("1") "}]",
     "invalid_request /messages/2/content/toolUseId"},
    {"one of two uses unanswered is refused",
     R"("messages":[{"role":"assistant","content":[)" USE("1") "," USE(
         "2") R"(]},{"role":"user","content":[)" RESULT("1") "]}]",
     "invalid_request /messages/1"},
    {"a result without its use is refused",
     R"("messages":[{"role":"user","content":)" RESULT("1") "}]",
     "invalid_request /messages/0/content/toolUseId"},
    {"a use answered twice is refused",
     R"("messages":[{"role":"assistant","content":[)" USE(
         "1") R"(]},{"role":"user","content":[)" RESULT("1") "," RESULT("1") "]"
                                                                             "}"
                                                                             "]",
     "invalid_request /messages/1/content/1/toolUseId"},
    {"a result beside a text is refused",
     R"("messages":[{"role":"assistant","content":[)" USE(
         "1") R"(]},{"role":"user","content":[)" RESULT("1") "," TEXT "]}]",
     "invalid_request /messages/1/content/1"},
    {"a result of the assistant's is refused",
     R"("messages":[{"role":"assistant","content":[)" USE(
         "1") R"(]},{"role":"assistant","content":[)" RESULT("1") "]}]",
     "invalid_request /messages/1/role"},
    {"a tool use of the user's is refused", MESSAGE(USE("1")),
     "invalid_request /messages/0/role"},
    {"the same id twice in a message is refused",
     R"("messages":[{"role":"assistant","content":[)" USE("1") "," USE(
         "1") R"(]},{"role":"user","content":[)" RESULT("1") "]}]",
     "invalid_request /messages/0/content/1/id"},
    {"a tool use without an input is refused",
     R"("messages":[{"role":"assistant","content":)"
     R"({"type":"tool_use","id":"1","name":"w"}}])",
     "invalid_request /messages/0/content/input"},
    {"a tool use whose input is a text is refused",
     R"("messages":[{"role":"assistant","content":)"
     R"({"type":"tool_use","id":"1","name":"w","input":"x"}}])",
     "invalid_request /messages/0/content/input"},
    {"a tool result without content is refused",
     R"("messages":[{"role":"assistant","content":)" USE(
         "1") R"(},{"role":"user","content":{"type":"tool_result","toolUseId":"1"}}])",
     "invalid_request /messages/1/content/content"},
    {"a tool result may hold a resource",
     R"("messages":[{"role":"assistant","content":)" USE(
         "1") R"(},{"role":"user","content":{"type":"tool_result","toolUseId":"1",)"
              R"("content":[{"type":"resource","resource":{"uri":"u","blob":"aGk="}},)"
              R"({"type":"resource_link","uri":"u","name":"n"}]}}])",
     "admitted"},
    {"a tool result within a tool result is refused",
     R"("messages":[{"role":"assistant","content":)" USE(
         "1") R"(},{"role":"user","content":{"type":"tool_result","toolUseId":"1",)"
              R"("content":[)" RESULT("2") "]}}]",
     "invalid_request /messages/1/content/content/0/type"},
    {"tool blocks do not exist in 2025-06-18",
     R"("messages":[{"role":"assistant","content":)" USE("1") "}]",
     "invalid_request /messages/0/content/type", k0618, k1125},
};

const SamplingCase kParts[] = {
    {"tools are admitted",
     HI R"(,"tools":[{"name":"w","inputSchema":{"type":"object"}}])",
     "admitted"},
    {"a tool's schema is opaque",
     HI R"(,"tools":[{"name":"w","inputSchema":{"$ref":"#/x","allOf":1}}])",
     "admitted"},
    {"tools that are no array are refused", HI R"(,"tools":{})",
     "invalid_request /tools"},
    {"a tool without a name is refused", HI R"(,"tools":[{"inputSchema":{}}])",
     "invalid_request /tools/0/name"},
    {"a tool without a schema is refused", HI R"(,"tools":[{"name":"w"}])",
     "invalid_request /tools/0/inputSchema"},
    {"tools do not exist in 2025-06-18", HI R"(,"tools":[])",
     "invalid_request /tools", k0618, k1125},
    {"a tool choice is admitted",
     HI R"(,"tools":[],"toolChoice":{"mode":"none"})", "admitted"},
    {"a tool choice without a mode is admitted", HI R"(,"toolChoice":{})",
     "admitted"},
    {"another tool choice is refused", HI R"(,"toolChoice":{"mode":"any"})",
     "invalid_request /toolChoice/mode"},
    {"a tool choice that is a text is refused", HI R"(,"toolChoice":"none")",
     "invalid_request /toolChoice"},
    {"no context may be asked for", HI R"(,"includeContext":"none")",
     "admitted"},
    {"the server's context is refused", HI R"(,"includeContext":"thisServer")",
     "not_permitted /includeContext"},
    {"all servers' context is refused", HI R"(,"includeContext":"allServers")",
     "not_permitted /includeContext", k0618, k0618},
    {"a null context is refused", HI R"(,"includeContext":null)",
     "not_permitted /includeContext"},
    {"an unusual temperature passes", HI R"(,"temperature":2.7)", "admitted"},
    {"a temperature that is a text is refused", HI R"(,"temperature":"hot")",
     "invalid_request /temperature"},
    {"a system prompt passes", HI R"(,"systemPrompt":"be brief")", "admitted"},
    {"a system prompt that is a number is refused", HI R"(,"systemPrompt":1)",
     "invalid_request /systemPrompt"},
    {"stop sequences pass", HI R"(,"stopSequences":["\n"])", "admitted"},
    {"a stop sequence that is a number is refused",
     HI R"(,"stopSequences":["a",1])", "invalid_request /stopSequences/1"},
    {"any metadata object passes", HI R"(,"metadata":{"a":[1.5,null]})",
     "admitted"},
    {"metadata that are an array are refused", HI R"(,"metadata":[])",
     "invalid_request /metadata"},
    {"unknown hints pass",
     HI
     R"(,"modelPreferences":{"hints":[{"name":"x","y":1}],"costPriority":1})",
     "admitted"},
    {"a priority over 1 is refused",
     HI R"(,"modelPreferences":{"speedPriority":2})",
     "invalid_request /modelPreferences/speedPriority"},
    {"_meta that is no object is refused", HI R"(,"_meta":[])",
     "invalid_request /_meta"},
    {"a progress token that is an object is refused",
     HI R"(,"_meta":{"progressToken":{}})",
     "invalid_request /_meta/progressToken"},
};

const SamplingCase kConversions[] = {
    {"one block in an array is representable for 2025-06-18",
     MESSAGE("[" TEXT "]"), "admitted", k1125, k0618},
    {"two blocks are not representable for 2025-06-18",
     MESSAGE("[" TEXT "," TEXT "]"), "not_representable /messages/0/content",
     k1125, k0618},
    {"a tool block is not representable for 2025-06-18",
     R"("messages":[{"role":"assistant","content":)" USE(
         "1") R"(},{"role":"user","content":)" RESULT("1") "}]",
     "not_representable /messages/0/content", k1125, k0618},
    {"an older upstream's content suits a newer client", HI, "admitted", k0618,
     k1125},
};

const auto kName = [](const auto& c) { return TestName(c.param.name); };
INSTANTIATE_TEST_SUITE_P(Messages, SamplingRequestTest,
                         testing::ValuesIn(kMessages), kName);
INSTANTIATE_TEST_SUITE_P(ToolBlocks, SamplingRequestTest,
                         testing::ValuesIn(kToolBlocks), kName);
INSTANTIATE_TEST_SUITE_P(Parts, SamplingRequestTest, testing::ValuesIn(kParts),
                         kName);
INSTANTIATE_TEST_SUITE_P(Conversions, SamplingRequestTest,
                         testing::ValuesIn(kConversions), kName);

struct TokensCase {
  const char* name;
  std::string_view max_tokens;  // raw; empty: absent
  const char* want;
};

class MaxTokensTest : public testing::TestWithParam<TokensCase> {};

TEST_P(MaxTokensTest, ReachesTheListedOutcome) {
  std::string params = "{" HI;
  if (!GetParam().max_tokens.empty()) {
    params += R"(,"maxTokens":)" + std::string(GetParam().max_tokens);
  }
  params += "}";
  EXPECT_EQ(Short(JudgeRequest(OpenPolicy(), Asked(kSampling, params))),
            GetParam().want);
}

const TokensCase kTokens[] = {
    {"absent is refused", "", "invalid_request /maxTokens"},
    {"one is admitted", "1", "admitted"},
    {"the limit is admitted", "4096", "admitted"},
    {"one over the limit is over the budget", "4097",
     "budget_exhausted /maxTokens"},
    {"more than 64 bits hold is over the budget", "99999999999999999999",
     "budget_exhausted /maxTokens"},
    {"zero is refused", "0", "invalid_request /maxTokens"},
    {"minus zero is refused", "-0", "invalid_request /maxTokens"},
    {"negative is refused", "-5", "invalid_request /maxTokens"},
    {"a fraction is refused", "10.5", "invalid_request /maxTokens"},
    {"ten point zero is refused", "10.0", "invalid_request /maxTokens"},
    {"an exponent is refused", "1e2", "invalid_request /maxTokens"},
    {"a text is refused", R"("10")", "invalid_request /maxTokens"},
    {"null is refused", "null", "invalid_request /maxTokens"},
};
INSTANTIATE_TEST_SUITE_P(MaxTokens, MaxTokensTest, testing::ValuesIn(kTokens),
                         kName);

TEST(SamplingBudgetTest, OverTheLimitSaysWhichAndHowMuch) {
  policy::VirtualServer policy = OpenPolicy();
  policy.limits.sampling_tokens_per_request = 100;
  const auto failure = std::get<Failure>(
      JudgeRequest(policy, Asked(kSampling, "{" HI R"(,"maxTokens":101})")));
  EXPECT_EQ(RowOf(failure.reason).to_upstream, -31001);
  EXPECT_EQ(DataOf(failure),
            R"({"reason":"budget_exhausted","path":"/maxTokens",)"
            R"("which":"tokensPerRequest","limit":100})");
}

TEST(SamplingToolsTest, ThePolicyRefusesThemBeforeTheClientDoes) {
  policy::VirtualServer policy = OpenPolicy();
  policy.sampling_allow_tools = false;
  RequestFacts facts = Asked(kSampling, "{" HI R"(,"maxTokens":1,"tools":[]})");
  facts.declared.sampling_tools = false;
  const auto failure = std::get<Failure>(JudgeRequest(policy, facts));
  EXPECT_EQ(failure.reason, Reason::kNotPermittedDetail);
  EXPECT_EQ(failure.path, "/tools");
}

TEST(SamplingToolsTest, AClientThatDeclaredNoneIsNotAsked) {
  for (const std::string_view part :
       {R"("tools":[])", R"("toolChoice":{"mode":"auto"})"}) {
    const std::string params =
        absl::StrCat("{" HI R"(,"maxTokens":1,)", ToAbsl(part), "}");
    RequestFacts facts = Asked(kSampling, params);
    facts.declared.sampling_tools = false;
    const auto failure = std::get<Failure>(JudgeRequest(OpenPolicy(), facts));
    EXPECT_EQ(failure.reason, Reason::kSubCapabilityNotDeclared);
  }
}

}  // namespace
}  // namespace gatehouse::trust
