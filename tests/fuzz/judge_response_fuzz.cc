// The judge of responses. An input is a result, or an error, in answer to one
// of the requests below: of those whose answers look like it the one that the
// digest picks. Defends invariants 3, 4 and 9 of DESIGN §1:
//
//   - a refusal names its rule and points into the answer;
//   - with a trace the verdict is the same, and the trace's first broken rule
//     is the one that decided;
//   - the order of members changes neither the outcome nor the rule;
//   - what is delivered is the answer as it came, but for an elicitation that
//     delivers its action alone, and content that loses the array around it.

#include <iterator>
#include <string>
#include <string_view>

#include "controlplane/trust/judge.h"
#include "shared/json/json.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/judge_support.h"

namespace gatehouse::trust {
namespace {

using fuzz::Require;

struct Request {
  std::string_view method, params;
};

constexpr Request kRequests[] = {
    {fuzz::kSampling,
     R"({"messages":[{"role":"user","content":{"type":"text","text":"t"}}],)"
     R"("maxTokens":5})"},
    {fuzz::kSampling,
     R"({"messages":[{"role":"user","content":{"type":"text","text":"t"}}],)"
     R"("maxTokens":5,"tools":[{"name":"read","inputSchema":{}}]})"},
    {fuzz::kSampling,
     R"({"messages":[{"role":"user","content":{"type":"text","text":"t"}}],)"
     R"("maxTokens":5,"tools":[{"name":"read","inputSchema":{}}],)"
     R"("toolChoice":{"mode":"required"}})"},
    {fuzz::kElicitation,
     R"({"message":"m","requestedSchema":{"type":"object","properties":{)"
     R"("name":{"type":"string","minLength":1,"maxLength":4},)"
     R"("mail":{"type":"string","format":"email"},)"
     R"("when":{"type":"string","format":"date-time"},)"
     R"("count":{"type":"integer","minimum":1,"exclusiveMaximum":10},)"
     R"("share":{"type":"number","minimum":0,"maximum":1e400},)"
     R"("agree":{"type":"boolean"},)"
     R"("pick":{"type":"string","enum":["a","b"]}},"required":["name"]}})"},
    {fuzz::kElicitation,
     R"({"message":"m","requestedSchema":{"type":"object","properties":{)"
     R"("tags":{"type":"array","items":{"type":"string","enum":["a","b","c"]},)"
     R"("minItems":1,"maxItems":2,"uniqueItems":true},)"
     R"("book":{"type":"string","oneOf":[{"const":"a","title":"A"}]}}}})"},
    {fuzz::kElicitation,
     R"({"mode":"url","message":"m","url":"https://a.example/",)"
     R"("elicitationId":"1"})"},
    {fuzz::kRoots, "{}"},
};

constexpr mcp::Revision kNew[] = {mcp::Revision::k2025_11_25,
                                  mcp::Revision::k2026_07_28};

std::string_view MethodOf(std::string_view answer) {
  const auto has = [answer](std::string_view name) {
    return answer.find(name) != std::string_view::npos;
  };
  if (has("\"action\"")) return fuzz::kElicitation;
  return has("\"roots\"") ? fuzz::kRoots : fuzz::kSampling;
}

bool LooksLikeAnError(std::string_view answer) {
  return answer.find("\"code\"") != std::string_view::npos;
}

// The request that an answer is to, of those whose answers look like it.
const Request& RequestFor(std::string_view answer, fuzz::Dice& dice) {
  const std::string_view method = MethodOf(answer);
  size_t pick = dice.Below(12);  // divides by 1 and 3, as many as there are
  const Request* request = kRequests;
  while (request->method != method || pick-- > 0) {
    request = request + 1 == std::end(kRequests) ? kRequests : request + 1;
  }
  return *request;
}

ResponseFacts FactsFor(std::string_view answer, fuzz::Dice& dice) {
  const Request& request = RequestFor(answer, dice);
  ResponseFacts facts;
  facts.method = request.method;
  facts.request_params = request.params;
  facts.upstream_revision = facts.client_revision = kNew[dice.Below(2)];
  if (dice.Below(4) == 0) {
    facts.client_revision = mcp::Revision::k2025_06_18;
  } else if (dice.Below(4) == 0) {
    facts.upstream_revision = mcp::Revision::k2025_06_18;
  }
  return facts;
}

void CheckDelivered(const ResponseFacts& facts, std::string_view input,
                    const std::string& delivered) {
  if (delivered == input) return;
  const auto document = json::Document::Parse(delivered);
  Require(document.ok(), "what is delivered is JSON");
  if (facts.method == fuzz::kElicitation) {
    Require(document->root().size() == 1 &&
                document->root().Find("action").has_value(),
            "of an elicitation all is delivered, or the action alone");
    return;
  }
  Require(facts.method == fuzz::kSampling &&
              facts.upstream_revision == mcp::Revision::k2025_06_18 &&
              document->root().Find("content").has_value() &&
              document->root().Find("content")->IsObject(),
          "a completion changes only to lose the array around its content");
}

bool IsRefused(const ResponseVerdict& verdict) {
  return verdict.outcome == ResponseOutcome::kInvalid;
}

void CheckReordered(const policy::VirtualServer& policy, ResponseFacts facts,
                    const json::Document& answer,
                    const ResponseVerdict& verdict) {
  const std::string canonical = json::Canonical(answer.root());
  (facts.result ? facts.result : facts.error) = canonical;
  const ResponseVerdict again = JudgeResponse(policy, facts);
  Require(verdict.outcome == again.outcome,
          "the order of members does not change the outcome");
  if (IsRefused(verdict)) {
    Require(verdict.failure->rule == again.failure->rule,
            "the order of members does not change the rule");
  }
}

void Check(const policy::VirtualServer& policy, const ResponseFacts& facts,
           std::string_view input) {
  const ResponseVerdict verdict = JudgeResponse(policy, facts);
  Trace trace;
  Require(fuzz::Alike(verdict, JudgeResponse(policy, facts, &trace)),
          "a trace does not change the verdict");
  const auto answer = fuzz::ReadAnswer(input);
  if (IsRefused(verdict)) {
    Require(verdict.failure.has_value(), "a refusal says why");
    Require(fuzz::FirstBroken(trace) == verdict.failure->rule,
            "the first broken rule of the trace decided");
    fuzz::RequireFailure(*verdict.failure, answer ? &*answer : nullptr);
  } else {
    Require(answer.has_value(), "what is not refused can be read");
    Require(fuzz::FirstBroken(trace).empty(), "nothing of it was broken");
  }
  Require(verdict.result.has_value() ||
              verdict.outcome != ResponseOutcome::kAnswered,
          "an answer is delivered");
  if (verdict.result) CheckDelivered(facts, input, *verdict.result);
  if (answer) CheckReordered(policy, facts, *answer, verdict);
}

}  // namespace
}  // namespace gatehouse::trust

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gatehouse;         // NOLINT: the function's name is
  using namespace gatehouse::trust;  // NOLINT: libFuzzer's
  const std::string_view input = fuzz::View(data, size);
  const policy::VirtualServer policy = fuzz::OpenPolicy();
  fuzz::Dice dice(input);
  ResponseFacts facts = FactsFor(input, dice);
  (LooksLikeAnError(input) ? facts.error : facts.result) = input;
  Check(policy, facts, input);
  return 0;
}
