// A refusal says what it is about, who lacks or forbids it, which rule that
// breaks and what to do (LM Studio bug tracker #1005 and typescript-sdk#738:
// "method not found", and no word of which feature, whose and why). Walks every
// not_permitted and capability_not_declared of the judge. Defends invariants 2
// (default deny) and 8 (honest errors) of the design.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "tests/unit/trust/verdicts.h"

namespace gatehouse::trust {
namespace {

using ::testing::HasSubstr;

#define MESSAGES \
  R"("messages":[{"role":"user","content":{"type":"text","text":"hi"}}])"
#define PLAIN R"({"maxTokens":1,)" MESSAGES "}"
#define TOOLS R"({"maxTokens":1,"tools":[],)" MESSAGES "}"
#define FORM \
  R"({"message":"m","requestedSchema":{"type":"object","properties":{}}})"
#define URL                                             \
  R"({"mode":"url","elicitationId":"e","message":"m",)" \
  R"("url":"https://example.com/"})"

struct RefusalCase {
  const char* name;
  const char* rule;  // of the judge
  std::string_view method;
  std::string_view params;
  void (*change)(policy::VirtualServer&, RequestFacts&);
  int code;
  const char* want;     // reason and path
  const char* feature;  // what it is about
  const char* who;      // lacks or forbids it
  const char* because;  // the rule in words
  const char* advice;   // what to do
};

void Nothing(policy::VirtualServer&, RequestFacts&) {}

constexpr char kPolicy[] = "the virtual server's policy does not permit";
constexpr char kClient[] = "the client has not declared";

const RefusalCase kRefusals[] = {
    {"a method that is none of the three", "method-known", "tools/call", "{}",
     Nothing, -32601, "not_permitted", "request of this method",
     "the gateway relays no", "it knows sampling/createMessage",
     "use one of these or go on without it"},
    {"an elicitation in 2025-03-26", "method-in-revision", kElicitation, FORM,
     [](policy::VirtualServer&, RequestFacts& facts) {
       facts.upstream_revision = k0326;
     },
     -32601, "not_permitted", "elicitation",
     "the revision that the upstream negotiated", "has no such request",
     "negotiate 2025-06-18 or later"},
    {"sampling that the policy leaves off", "feature-permitted", kSampling,
     PLAIN,
     [](policy::VirtualServer& policy, RequestFacts&) {
       policy.sampling = false;
     },
     -32601, "not_permitted", "sampling", kPolicy, "clientFeatures.sampling",
     "an operator can set"},
    {"elicitation that the policy leaves off", "feature-permitted",
     kElicitation, FORM,
     [](policy::VirtualServer& policy, RequestFacts&) {
       policy.elicitation = false;
     },
     -32601, "not_permitted", "elicitation", kPolicy,
     "clientFeatures.elicitation", "an operator can set"},
    {"roots that the policy leaves off", "feature-permitted", kRoots, "",
     [](policy::VirtualServer& policy, RequestFacts&) { policy.roots = false; },
     -32601, "not_permitted", "roots", kPolicy, "clientFeatures.roots",
     "an operator can set"},
    {"sampling that the client did not declare", "capability-declared",
     kSampling, PLAIN,
     [](policy::VirtualServer&, RequestFacts& facts) {
       facts.declared.sampling = false;
     },
     -32601, "capability_not_declared", "the capability sampling", kClient,
     "without which it may not be asked", "go on without it"},
    {"elicitation that the client did not declare", "capability-declared",
     kElicitation, FORM,
     [](policy::VirtualServer&, RequestFacts& facts) {
       facts.declared.elicitation_form = facts.declared.elicitation_url = false;
     },
     -32601, "capability_not_declared", "the capability elicitation", kClient,
     "without which it may not be asked", "go on without it"},
    {"roots that the client did not declare", "capability-declared", kRoots, "",
     [](policy::VirtualServer&, RequestFacts& facts) {
       facts.declared.roots = false;
     },
     -32601, "capability_not_declared", "the capability roots", kClient,
     "without which it may not be asked", "go on without it"},
    {"tools that the policy leaves off", "tools-permitted", kSampling, TOOLS,
     [](policy::VirtualServer& policy, RequestFacts&) {
       policy.sampling_allow_tools = false;
     },
     -32602, "not_permitted /tools", "tools in sampling", kPolicy,
     "trust.sampling.allowTools", "ask without them"},
    {"tools that the client did not declare", "tools-declared", kSampling,
     TOOLS,
     [](policy::VirtualServer&, RequestFacts& facts) {
       facts.declared.sampling_tools = false;
     },
     -32602, "capability_not_declared /tools", "the capability sampling.tools",
     kClient, "without which it may be offered no tools", "ask without tools"},
    {"the context of other servers", "context-not-included", kSampling,
     R"({"maxTokens":1,"includeContext":"thisServer",)" MESSAGES "}", Nothing,
     -32602, "not_permitted /includeContext", "includeContext", "the gateway",
     "never includes other servers' context", "leave includeContext out"},
    {"a form for a client with URL mode only", "form-declared", kElicitation,
     FORM,
     [](policy::VirtualServer&, RequestFacts& facts) {
       facts.declared.elicitation_form = false;
     },
     -32602, "capability_not_declared", "the capability elicitation.form",
     kClient, "without which it may be shown no form", "ask in URL mode"},
    {"a field for a password", "no-credential-fields", kElicitation,
     R"({"message":"m","requestedSchema":{"type":"object",)"
     R"("properties":{"password":{"type":"string"}}}})",
     Nothing, -32602, "not_permitted /requestedSchema/properties/password",
     "a credential", "the gateway permits", "no form", "leave the field out"},
    {"URL mode that the policy leaves off", "url-permitted", kElicitation, URL,
     Nothing, -32602, "not_permitted /mode", "elicitation in URL mode", kPolicy,
     "trust.elicitation.url", "ask by a form"},
    {"URL mode that the client did not declare", "url-declared", kElicitation,
     URL,
     [](policy::VirtualServer& policy, RequestFacts& facts) {
       policy.elicitation_url = true;
       facts.declared.elicitation_url = false;
     },
     -32602, "capability_not_declared /mode", "the capability elicitation.url",
     kClient, "without which it may be sent to no URL", "ask by a form"},
    {"a host that the policy does not list", "url-host-permitted", kElicitation,
     URL,
     [](policy::VirtualServer& policy, RequestFacts&) {
       policy.elicitation_url = true;
       policy.elicitation_url_hosts = {"login.example.org"};
     },
     -32602, "not_permitted /url", "a host",
     "the virtual server's policy does not list", "trust.elicitation.urlHosts",
     "an operator can add it"},
};

class LmStudio1005AndTypescriptSdk738
    : public testing::TestWithParam<RefusalCase> {};

TEST_P(LmStudio1005AndTypescriptSdk738, ARefusalNamesFeatureWhoRuleAndAdvice) {
  const RefusalCase& row = GetParam();
  policy::VirtualServer policy = OpenPolicy();
  RequestFacts facts = Asked(row.method, row.params);
  row.change(policy, facts);
  const RequestVerdict verdict = JudgeRequest(policy, facts);
  const Failure* failure = std::get_if<Failure>(&verdict);
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->rule, row.rule);
  EXPECT_EQ(Short(*failure), row.want);
  EXPECT_EQ(RowOf(failure->reason).to_upstream, row.code);
  EXPECT_THAT(failure->message, HasSubstr(row.feature));
  EXPECT_THAT(failure->message, HasSubstr(row.who));
  EXPECT_THAT(failure->message, HasSubstr(row.because));
  EXPECT_THAT(failure->message, HasSubstr(row.advice));
}

INSTANTIATE_TEST_SUITE_P(Refusals, LmStudio1005AndTypescriptSdk738,
                         testing::ValuesIn(kRefusals),
                         [](const auto& c) { return TestName(c.param.name); });

// How often the judge's sources name one of the four reasons.
int ObjectionsInTheSources() {
  const char* source = std::getenv("GATEHOUSE_SOURCE");
  EXPECT_NE(source, nullptr) << "run by ctest, which sets GATEHOUSE_SOURCE";
  const std::filesystem::path folder =
      std::filesystem::path(source == nullptr ? "." : source) /
      "controlplane/trust";
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".cc") continue;
    std::ifstream file(entry.path());
    std::stringstream stream;
    stream << file.rdbuf();
    const std::string text = stream.str();
    for (const std::string_view reason :
         {"Reason::kNotPermitted,", "Reason::kNotPermittedDetail,",
          "Reason::kCapabilityNotDeclared,",
          "Reason::kSubCapabilityNotDeclared,"}) {
      for (size_t at = text.find(reason); at != std::string::npos;
           at = text.find(reason, at + 1)) {
        ++found;
      }
    }
  }
  return found;
}

// A rule that gives one of these reasons and has no row above fails this.
TEST(LmStudio1005AndTypescriptSdk738Table, HasARowForEveryRuleThatRefusesSo) {
  std::set<std::string_view> rules;
  for (const RefusalCase& row : kRefusals) rules.insert(row.rule);
  EXPECT_EQ(static_cast<int>(rules.size()), ObjectionsInTheSources());
}

}  // namespace
}  // namespace gatehouse::trust
