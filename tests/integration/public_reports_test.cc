// The public reports of tests/unit/trust/public_reports_test.cc that are about
// what peers see, over real sockets and with the real programs. Defends
// invariants 2 (what is not declared is neither offered nor forwarded), 4
// (judge, never repair) and 9 (bytes pass unchanged).

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/integration/harness/fixture.h"

namespace gatehouse::testing {
namespace {

constexpr char kSampling[] = "sampling/createMessage";
constexpr char kForm[] = "elicitation/create";
constexpr char kFirst[] = "/result/structuredContent/replies/0";
constexpr char kAllDeclared[] =
    R"({"sampling":{"tools":{}},"elicitation":{},"roots":{}})";
constexpr char kOrigin[] =
    R"(,"_meta":{"io.gatehouse/origin":{"virtualServer":"dev",)"
    R"("upstream":"up","tool":"ask"}}})";

// go-sdk#758, typescript-sdk#966.
struct RefusedFormCase {
  const char* name;
  const char* reply;  // the client's `result`
  const char* delivered;
  const char* record;
};

const RefusedFormCase kRefusedForms[] = {
    {"DeclineWithoutContent", R"({"action":"decline"})",
     R"({"action":"decline"})", "declined"},
    {"DeclineWithAnEmptyObject", R"({"action":"decline","content":{}})",
     R"({"action":"decline"})", "declined"},
    {"CancelWithNull", R"({"action":"cancel","content":null})",
     R"({"action":"cancel"})", "dismissed"},
    {"CancelWithoutContent", R"({"action":"cancel"})", R"({"action":"cancel"})",
     "dismissed"},
};

class GoSdk758AndTypescriptSdk966
    : public GatehouseTest,
      public ::testing::WithParamInterface<RefusedFormCase> {};

TEST_P(GoSdk758AndTypescriptSdk966, TheUsersNoReachesTheUpstream) {
  Start();
  auto client = Connect();
  client->OnAsked(kForm, [](const Message&) {
    return absl::StrCat("\"result\":", GetParam().reply);
  });
  const absl::StatusOr<Message> answer =
      client->CallTool("up__ask", AskArguments(kForm, FormParams()));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->RawAt(absl::StrCat(kFirst, "/result")),
            GetParam().delivered)
      << answer->raw();
  EXPECT_EQ(Records(GetParam().record, 1).size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Answers, GoSdk758AndTypescriptSdk966,
                         ::testing::ValuesIn(kRefusedForms), [](const auto& c) {
                           return std::string(c.param.name);
                         });

// An ask, and what of it reaches the client.
struct AskCase {
  const char* name;
  const char* method;
  const char* params;  // without the last brace
  const char* declared;
  const char* reply;  // the client's `result`; empty: it is never asked
  const char* path;   // of the refusal
  const char* reason;
  const char* rule;  // of the judge
};

#define USER_TEXT R"({"role":"user","content":{"type":"text","text":"t"}})"
#define TWO_USES                                                              \
  R"({"role":"assistant","content":[{"type":"tool_use","id":"a","name":"s",)" \
  R"("input":{}},{"type":"tool_use","id":"b","name":"s","input":{}}]})"
#define RESULT(id) \
  R"({"type":"tool_result","toolUseId":")" id R"(","content":[]})"
#define TOOLS R"("tools":[{"name":"s","inputSchema":{"n":1.50}}])"
constexpr char kText[] =
    R"({"role":"assistant","model":"m","content":{"type":"text","text":"x"}})";

const AskCase kAsks[] = {
    {"RubyMcpClient177ToolsForAClientWithout", kSampling,
     R"({"maxTokens":5,)" TOOLS R"(,"messages":[)" USER_TEXT "]",
     R"({"sampling":{}})", "", "/tools", "capability_not_declared",
     "tools-declared"},
    {"RubyMcpClient177NoToolsInAnArrayForAClientWithout", kSampling,
     R"({"maxTokens":5,"tools":[],"messages":[)" USER_TEXT "]",
     R"({"sampling":{}})", "", "/tools", "capability_not_declared",
     "tools-declared"},
    {"RubyMcpClient177ToolsForAClientWithThem", kSampling,
     R"({ "maxTokens" : 5,)" TOOLS R"(, "x":[18446744073709551617],)"
     R"("toolChoice":{"mode":"auto"},"messages":[)" USER_TEXT "]",
     kAllDeclared, kText, "", "", ""},
    {"PythonSdk2622TwoUsesOneAnswered", kSampling,
     R"({"maxTokens":5,)" TOOLS R"(,"messages":[)" USER_TEXT "," TWO_USES
     R"(,{"role":"user","content":[)" RESULT("a") "]}]",
     kAllDeclared, "", "/messages/2", "invalid_request", "tool-uses-answered"},
    {"PythonSdk2622TheBalancedParallelCase", kSampling,
     R"({"maxTokens":5,)" TOOLS R"(,"messages":[)" USER_TEXT "," TWO_USES
     R"(,{"role":"user","content":[)" RESULT("b") "," RESULT("a") "]}]",
     kAllDeclared, kText, "", "", ""},
    {"McpDart165ANestedSchema", kForm,
     R"({"message":"m","requestedSchema":{"type":"object","properties":)"
     R"({"a":{"type":"object","properties":{}}}})",
     kAllDeclared, "", "/requestedSchema/properties/a/properties",
     "invalid_request", "field-evaluated"},
    {"McpDart165TheTextsOfAMultipleChoice", kForm,
     R"({"message":"m","requestedSchema":{"type":"object","properties":)"
     R"({"a":{"type":"array","items":{"type":"string","enum":["x","y"]}}}})",
     kAllDeclared, R"({"action":"accept","content":{"a":["y","x"]}})", "", "",
     ""},
    {"PydanticTitleAndDescription", kForm,
     R"({"message":"m","requestedSchema":{"description":"d","properties":)"
     R"({"a":{"title":"A","type":"string"}},"title":"T","type":"object"})",
     kAllDeclared, R"({"action":"accept","content":{"a":""}})", "", "", ""},
};

class PublicReportTest : public GatehouseTest,
                         public ::testing::WithParamInterface<AskCase> {};

TEST_P(PublicReportTest, IsForwardedByteForByteOrRefusedUnseen) {
  const AskCase& c = GetParam();
  Start();
  auto client = Connect({.capabilities = c.declared});
  client->OnAsked(c.method, [&](const Message&) {
    return absl::StrCat("\"result\":", c.reply);
  });
  const absl::StatusOr<Message> answer = client->CallTool(
      "up__ask", AskArguments(c.method, absl::StrCat(c.params, "}")));
  ASSERT_TRUE(answer.ok()) << answer.status();
  if (*c.reply != '\0') {
    EXPECT_EQ(answer->RawAt(absl::StrCat(kFirst, "/result")), c.reply);
    ASSERT_EQ(client->asked(c.method).size(), 1u);
    EXPECT_EQ(client->asked(c.method)[0].RawAt("/params"),
              absl::StrCat(c.params, kOrigin));
    return;
  }
  const std::string error = absl::StrCat(kFirst, "/error");
  EXPECT_EQ(answer->At(error + "/code"), "-32602") << answer->raw();
  EXPECT_EQ(answer->At(error + "/data/reason"), c.reason);
  EXPECT_EQ(answer->At(error + "/data/path"), c.path);
  EXPECT_TRUE(client->asked().empty());
  EXPECT_TRUE(Records("forwarded").empty());
  const std::vector<v1::AuditRecord> refused = Records("refused", 1);
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].rule(), c.rule);
}

INSTANTIATE_TEST_SUITE_P(Asks, PublicReportTest, ::testing::ValuesIn(kAsks),
                         [](const auto& c) {
                           return std::string(c.param.name);
                         });

// cloudflare/agents#1875: what an upstream is offered of what was declared.
struct OfferCase {
  const char* name;
  const char* declared;
  const char* more;  // of the policy's trust.elicitation
  const char* offered;
};

const OfferCase kOffers[] = {
    {"AnEmptyObjectMeansForm", R"({"elicitation":{}})", ", url: true",
     R"({"elicitation":{"form":{}}})"},
    {"BothModesAreBoth", R"({"elicitation":{"form":{},"url":{}}})",
     ", url: true", R"({"elicitation":{"form":{},"url":{}}})"},
    {"UrlAloneIsUrlAlone", R"({"elicitation":{"url":{}}})", ", url: true",
     R"({"elicitation":{"url":{}}})"},
    {"UrlModeIsOffUntilThePolicySaysSo",
     R"({"elicitation":{"form":{},"url":{}}})", "",
     R"({"elicitation":{"form":{}}})"},
    {"UrlAloneIsNothingUntilThePolicySaysSo", R"({"elicitation":{"url":{}}})",
     "", "{}"},
};

class CloudflareAgents1875 : public GatehouseTest,
                             public ::testing::WithParamInterface<OfferCase> {};

TEST_P(CloudflareAgents1875, TheUpstreamIsOfferedTheModesThatWereDeclared) {
  Start(Gatehouse::Options{
      .policy =
          PolicyText("dev", {{"up", upstream_.url()}},
                     absl::StrCat("clientFeatures: { elicitation: true }\n"
                                  "trust: { elicitation: { route: client",
                                  GetParam().more, " } }\n"))});
  auto client = Connect({.capabilities = GetParam().declared});
  ASSERT_TRUE(client->CallTool("up__echo", "{}").ok());
  const absl::StatusOr<Message> initialize =
      upstream_.AwaitReceived("initialize");
  ASSERT_TRUE(initialize.ok()) << initialize.status();
  EXPECT_EQ(initialize->RawAt("/params/capabilities"), GetParam().offered);
}

INSTANTIATE_TEST_SUITE_P(Offers, CloudflareAgents1875,
                         ::testing::ValuesIn(kOffers), [](const auto& c) {
                           return std::string(c.param.name);
                         });

// LM Studio bug tracker #1005, typescript-sdk#738: what the upstream's author
// reads names the feature, who lacks it, the rule and what to do.
class LmStudio1005AndTypescriptSdk738 : public GatehouseTest {};

TEST_F(LmStudio1005AndTypescriptSdk738, TheErrorSaysWhatIsMissingAndWhere) {
  Start();
  auto client = Connect({.capabilities = R"({"elicitation":{}})"});
  const absl::StatusOr<Message> answer =
      client->CallTool("up__ask", AskArguments(kSampling, SamplingParams()));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->At(absl::StrCat(kFirst, "/error/code")), "-32601");
  EXPECT_EQ(answer->At(absl::StrCat(kFirst, "/error/message")),
            "sampling/createMessage: the client has not declared the "
            "capability sampling, without which it may not be asked; go on "
            "without it");
}

}  // namespace
}  // namespace gatehouse::testing
