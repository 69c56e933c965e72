// What is relayed of an admitted request. Defends invariant 9 of the design:
// bytes pass unchanged but for the origin, which the gateway adds, and what the
// design names beside it.

#include <gtest/gtest.h>

#include <string>

#include "controlplane/trust/object_edit.h"
#include "tests/unit/trust/verdicts.h"

namespace gatehouse::trust {
namespace {

#define ORIGIN \
  R"("io.gatehouse/origin":{"virtualServer":"dev","upstream":"files","tool":"read"})"
#define MESSAGES \
  R"("messages":[{"role":"user","content":{"type":"text","text":"hi"}}])"
#define SCHEMA R"("requestedSchema":{"type":"object","properties":{}})"

struct RelayCase {
  const char* name;
  std::string_view method;
  std::string_view params;
  std::string_view want;
  int upstreams = 1;
  std::string_view progress_token = "";
  mcp::Revision client = k1125;
  std::string_view elicitation_id = "";
};

class RelayedParamsTest : public testing::TestWithParam<RelayCase> {};

TEST_P(RelayedParamsTest, AreTheBytesThatCameButForTheEdits) {
  policy::VirtualServer policy = OpenPolicy();
  policy.elicitation_url = true;
  for (int i = 1; i < GetParam().upstreams; ++i) {
    policy.upstreams.push_back(policy.upstreams.front());
  }
  RequestFacts facts =
      Asked(GetParam().method, GetParam().params, k1125, GetParam().client);
  facts.progress_token = GetParam().progress_token;
  facts.elicitation_id = GetParam().elicitation_id;
  const RequestVerdict verdict = JudgeRequest(policy, facts);
  ASSERT_EQ(Short(verdict), "admitted");
  EXPECT_EQ(std::get<AdmittedRequest>(verdict).params_to_relay,
            GetParam().want);
}

const RelayCase kCases[] = {
    {"roots without params get a _meta", kRoots, "",
     R"({"_meta":{)" ORIGIN "}}"},
    {"an empty object gets a _meta", kRoots, "{ }",
     R"({"_meta":{)" ORIGIN "} }"},
    {"_meta comes last and all else stays, spaces and order too", kSampling,
     "{ \"maxTokens\" : 10 ,\n" MESSAGES
     R"( , "x\u0041":[ 1.50, 12345678901234567890 ] })",
     "{ \"maxTokens\" : 10 ,\n" MESSAGES
     R"( , "x\u0041":[ 1.50, 12345678901234567890 ],"_meta":{)" ORIGIN "} }"},
    {"the origin joins a _meta that is there", kSampling,
     R"({"_meta": { "a/b" : 1 },"maxTokens":1,)" MESSAGES "}",
     R"({"_meta": { "a/b" : 1,)" ORIGIN R"( },"maxTokens":1,)" MESSAGES "}"},
    {"an empty _meta is filled", kRoots, R"({"_meta":{}})",
     R"({"_meta":{)" ORIGIN "}}"},
    {"a forged origin is replaced", kRoots,
     R"({"_meta":{"io.gatehouse/origin":{"upstream":"bank"},"k":1}})",
     R"({"_meta":{"k":1,)" ORIGIN "}}"},
    {"every key of ours is taken out, escaped or not", kRoots,
     R"({"_meta":{"a":0, "io.gatehouse/x":[1,2] , )"
     R"("io.gate\u0068ouse/decidedBy":"person","b":1}})",
     R"({"_meta":{"a":0,"b":1,)" ORIGIN "}}"},
    {"of nothing but our keys only the origin stays", kRoots,
     R"({"_meta":{ "io.gatehouse/a":1, "io.gatehouse/b":2 }})",
     R"({"_meta":{)" ORIGIN " }}"},
    {"a key that only resembles ours stays", kRoots,
     R"({"_meta":{"io.gatehouse.x/origin":1}})",
     R"({"_meta":{"io.gatehouse.x/origin":1,)" ORIGIN "}}"},
    {"the progress token is exchanged", kSampling,
     R"({"_meta":{"progressToken": 7 },"maxTokens":1,)" MESSAGES "}",
     R"({"_meta":{"progressToken": "ours-1",)" ORIGIN
     R"( },"maxTokens":1,)" MESSAGES "}",
     1, "ours-1"},
    {"without one of ours the progress token is left out", kSampling,
     R"({"_meta":{"progressToken":"p","k":2},"maxTokens":1,)" MESSAGES "}",
     R"({"_meta":{"k":2,)" ORIGIN R"(},"maxTokens":1,)" MESSAGES "}"},
    {"none is added where none was", kRoots, R"({"_meta":{"k":2}})",
     R"({"_meta":{"k":2,)" ORIGIN "}}", 1, "ours-1"},
    {"a task is left out at the start", kSampling,
     R"({"task":{"ttl":5},"maxTokens":1,)" MESSAGES "}",
     R"({"maxTokens":1,)" MESSAGES R"(,"_meta":{)" ORIGIN "}}"},
    {"a task is left out at the end", kSampling,
     R"({"maxTokens":1,)" MESSAGES R"(,"task":null})",
     R"({"maxTokens":1,)" MESSAGES R"(,"_meta":{)" ORIGIN "}}"},
    {"a task is left out between, beside an edited _meta", kSampling,
     R"({"_meta":{"k":1}, "task":{}, "maxTokens":1,)" MESSAGES "}",
     R"({"_meta":{"k":1,)" ORIGIN R"(}, "maxTokens":1,)" MESSAGES "}"},
    {"a task deeper down stays", kSampling,
     R"({"metadata":{"task":1},"maxTokens":1,)" MESSAGES "}",
     R"({"metadata":{"task":1},"maxTokens":1,)" MESSAGES R"(,"_meta":{)" ORIGIN
     "}}"},
    {"one upstream needs no name in the message", kElicitation,
     R"({"message":"Who?",)" SCHEMA "}",
     R"({"message":"Who?",)" SCHEMA R"(,"_meta":{)" ORIGIN "}}"},
    {"of several the message names the upstream", kElicitation,
     R"({"message":"\u0057ho?",)" SCHEMA "}",
     R"({"message":"[files] \u0057ho?",)" SCHEMA R"(,"_meta":{)" ORIGIN "}}",
     2},
    {"sampling is never prefixed", kSampling,
     R"({"message":"m","systemPrompt":"s","maxTokens":1,)" MESSAGES "}",
     R"({"message":"m","systemPrompt":"s","maxTokens":1,)" MESSAGES
     R"(,"_meta":{)" ORIGIN "}}",
     2},
    {"a single block loses its array for an older client", kSampling,
     R"({"maxTokens":1,"messages":[{"role":"user","content": [ )"
     R"({"type":"text","text":"[hi]"} ] }]})",
     R"({"maxTokens":1,"messages":[{"role":"user","content": )"
     R"({"type":"text","text":"[hi]"} }],"_meta":{)" ORIGIN "}}",
     1, "", k0618},
    {"a single block keeps its array for a newer client", kSampling,
     R"({"maxTokens":1,"messages":[{"role":"user","content":[)"
     R"({"type":"text","text":"hi"}]}]})",
     R"({"maxTokens":1,"messages":[{"role":"user","content":[)"
     R"({"type":"text","text":"hi"}]}],"_meta":{)" ORIGIN "}}"},
    {"titled choices are enum and enumNames to a 2025-06-18 client",
     kElicitation,
     R"({"message":"m","mode":"form","requestedSchema":{"type":"object",)"
     R"("properties":{"f":{"type":"string", "oneOf":[{"const":"\u0061",)"
     R"("title":"A"},{"title":"B","const":"b"}],"title":"T"}}}})",
     R"({"message":"m","requestedSchema":{"type":"object",)"
     R"("properties":{"f":{"type":"string","title":"T",)"
     R"("enum":["\u0061","b"],"enumNames":["A","B"]}}},"_meta":{)" ORIGIN "}}",
     1, "", k0618},
    {"mode form stays for a 2025-11-25 client", kElicitation,
     R"({"mode":"form","message":"m",)" SCHEMA "}",
     R"({"mode":"form","message":"m",)" SCHEMA R"(,"_meta":{)" ORIGIN "}}"},
    {"an elicitationId becomes the gateway's", kElicitation,
     R"({"mode":"url","elicitationId":"e1","url":"https://a.test/?x=%41",)"
     R"("message":"m"})",
     R"({"mode":"url","url":"https://a.test/?x=%41","message":"m",)"
     R"("elicitationId":"ours","_meta":{)" ORIGIN "}}",
     1, "", k1125, "ours"},
    {"a 2026-07-28 client gets no elicitationId", kElicitation,
     R"({"mode":"url","elicitationId":"e1","url":"https://a.test/",)"
     R"("message":"m"})",
     R"({"mode":"url","url":"https://a.test/","message":"m","_meta":{)" ORIGIN
     "}}",
     1, "", k0728, "ours"},
};

INSTANTIATE_TEST_SUITE_P(Relay, RelayedParamsTest, testing::ValuesIn(kCases),
                         [](const auto& c) { return TestName(c.param.name); });

TEST(RelayedParamsOriginTest, NamesAreQuoted) {
  RequestFacts facts = Asked(kRoots, "");
  facts.tool = "a\"b";
  const auto admitted =
      std::get<AdmittedRequest>(JudgeRequest(OpenPolicy(), facts));
  EXPECT_NE(admitted.params_to_relay.find(R"("tool":"a\"b")"),
            std::string::npos);
}

// Every subset of members taken out, with and without an addition, is what
// writing the object anew without them would be.
TEST(ObjectEditTest, AnySubsetMayGo) {
  const std::string text = R"({ "a":1 , "b":[2,3],"c" : "x,y" ,"d":{} })";
  const std::string names = "abcd";
  const auto document = json::Document::Parse(text);
  ASSERT_TRUE(document.ok());
  for (unsigned mask = 0; mask < 16; ++mask) {
    for (const bool add : {false, true}) {
      ObjectEdit edit(document->root());
      edit.RemoveIf([&](std::string_view name) {
        return (mask >> names.find(name) & 1U) != 0;
      });
      if (add) {
        edit.Add("e", "5");
        edit.Add("f", "6");
      }
      const auto edited =
          json::Document::Parse(json::Splice(text, edit.Edits()));
      ASSERT_TRUE(edited.ok()) << mask << " " << edited.status();
      std::string kept;
      for (const json::Member& member : edited->root().Members()) {
        kept += std::string(member.name) + "=" +
                std::string(member.value.raw()) + ";";
      }
      std::string want;
      for (const json::Member& member : document->root().Members()) {
        if ((mask >> names.find(member.name) & 1U) != 0) continue;
        want += std::string(member.name) + "=" +
                std::string(member.value.raw()) + ";";
      }
      EXPECT_EQ(kept, want + (add ? "e=5;f=6;" : "")) << mask;
    }
  }
}

// Towards the upstream too: what a client says of itself is not what the
// gateway says of it.
TEST(DeliveredResultTest, HasNoKeyOfTheGatewaysOwn) {
  ResponseFacts facts;
  facts.method = kRoots;
  facts.result =
      R"({"roots":[], "_meta": {"a/b":1,"io.gatehouse/decidedBy":"person"}})";
  EXPECT_EQ(JudgeResponse(OpenPolicy(), facts).result,
            R"({"roots":[], "_meta": {"a/b":1}})");
  facts.method = kElicitation;
  facts.request_params = R"({"message":"m",)" SCHEMA "}";
  facts.result =
      R"({"action":"accept","_meta":{"io.gatehouse/origin":{}},"content":{}})";
  EXPECT_EQ(JudgeResponse(OpenPolicy(), facts).result,
            R"({"action":"accept","_meta":{},"content":{}})");
}

}  // namespace
}  // namespace gatehouse::trust
