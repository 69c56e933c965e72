// The judge of requests. An input is the params; the method is the one whose
// params it looks like, and the facts follow from the digest. Defends
// invariants 3, 4 and 9 of DESIGN §1:
//
//   - a refusal names its rule and points into the params;
//   - with a trace the verdict is the same, and the trace's first broken rule
//     is the one that decided;
//   - the order of members changes neither the outcome nor the rule;
//   - what is relayed is JSON, and between equal revisions differs in `_meta`,
//     `task`, an elicitation's message and `elicitationId` alone.

#include <string>
#include <string_view>
#include <variant>

#include "controlplane/trust/judge.h"
#include "shared/json/json.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/judge_support.h"

namespace gatehouse::trust {
namespace {

using fuzz::Require;

constexpr mcp::Revision kRevisions[] = {
    mcp::Revision::k2025_03_26, mcp::Revision::k2025_06_18,
    mcp::Revision::k2025_11_25, mcp::Revision::k2026_07_28};

std::string_view MethodOf(std::string_view params) {
  const auto has = [params](std::string_view name) {
    return params.find(name) != std::string_view::npos;
  };
  if (has("\"messages\"") || has("\"maxTokens\"")) return fuzz::kSampling;
  if (has("\"message\"") || has("\"requestedSchema\"") || has("\"url\"")) {
    return fuzz::kElicitation;
  }
  return fuzz::kRoots;
}

// Most often what admits most; now and then something is off.
RequestFacts FactsFor(std::string_view params, fuzz::Dice& dice) {
  RequestFacts facts;
  facts.method = MethodOf(params);
  facts.params = params;
  facts.upstream_revision = kRevisions[1 + dice.Below(3)];
  facts.client_revision =
      dice.Below(2) == 0 ? facts.upstream_revision : kRevisions[dice.Below(4)];
  facts.declared = fuzz::AllDeclared();
  if (dice.Below(16) == 0) facts.declared.sampling_tools = false;
  if (dice.Below(16) == 0) facts.declared.elicitation_url = false;
  facts.parent = dice.Below(32) == 0 ? Parent::kSession : Parent::kOperation;
  facts.upstream = "files";
  facts.tool = "read";
  if (dice.Below(2) == 0) facts.progress_token = "ours";
  if (dice.Below(2) == 0) facts.elicitation_id = "el-of-ours";
  facts.notified = dice.Below(32) == 0;
  return facts;
}

policy::VirtualServer PolicyFor(fuzz::Dice& dice) {
  policy::VirtualServer policy = fuzz::OpenPolicy();
  if (dice.Below(2) == 0) {
    policy.upstreams.push_back({"web", policy.upstreams[0].transport});
  }
  if (dice.Below(8) == 0) policy.elicitation_url_hosts = {"*.example.com"};
  if (dice.Below(16) == 0) policy.sampling_allow_tools = false;
  return policy;
}

// 2025-06-18 has no `mode`, so a client of it gets none.
bool MayDiffer(std::string_view name, mcp::Revision client) {
  return name == "_meta" || name == "task" || name == "message" ||
         name == "elicitationId" ||
         (name == "mode" && client == mcp::Revision::k2025_06_18);
}

void CheckRelayed(const json::Document& params, const RequestFacts& facts,
                  const AdmittedRequest& admitted) {
  const auto relayed = json::Document::Parse(admitted.params_to_relay);
  Require(relayed.ok() && relayed->root().IsObject(),
          "what is relayed is a JSON object");
  const auto meta = relayed->root().Find("_meta");
  Require(meta.has_value() && meta->Find("io.gatehouse/origin").has_value(),
          "what is relayed says where it comes from");
  if (facts.client_revision != facts.upstream_revision) return;
  for (const json::Member& member : params.root().Members()) {
    if (MayDiffer(member.name, facts.client_revision)) continue;
    const auto now = relayed->root().Find(member.name);
    Require(now.has_value() && now->raw() == member.value.raw(),
            "a member is relayed as it came");
  }
  for (const json::Member& member : relayed->root().Members()) {
    Require(MayDiffer(member.name, facts.client_revision) ||
                params.root().Find(member.name).has_value(),
            "no member is made up");
  }
}

void CheckReordered(const policy::VirtualServer& policy, RequestFacts facts,
                    const json::Document& params,
                    const RequestVerdict& verdict) {
  const std::string canonical = json::Canonical(params.root());
  facts.params = canonical;
  const RequestVerdict again = JudgeRequest(policy, facts);
  Require(verdict.index() == again.index(),
          "the order of members does not change the outcome");
  if (const auto* failure = std::get_if<Failure>(&verdict)) {
    Require(failure->rule == std::get<Failure>(again).rule,
            "the order of members does not change the rule");
  }
}

}  // namespace
}  // namespace gatehouse::trust

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gatehouse;         // NOLINT: the function's name is
  using namespace gatehouse::trust;  // NOLINT: libFuzzer's
  const std::string_view input = fuzz::View(data, size);
  fuzz::Dice dice(input);
  const policy::VirtualServer policy = PolicyFor(dice);
  const RequestFacts facts = FactsFor(input, dice);
  const RequestVerdict verdict = JudgeRequest(policy, facts);
  Trace trace;
  Require(fuzz::Alike(verdict, JudgeRequest(policy, facts, &trace)),
          "a trace does not change the verdict");
  const auto* failure = std::get_if<Failure>(&verdict);
  Require(fuzz::FirstBroken(trace) ==
              (failure == nullptr ? std::string_view() : failure->rule),
          "the first broken rule of the trace decided");
  const auto params = fuzz::ReadParams(input.empty() ? "{}" : input);
  if (failure != nullptr) {
    fuzz::RequireFailure(*failure, params ? &*params : nullptr);
  } else {
    Require(params.has_value(), "what is admitted can be read");
    CheckRelayed(*params, facts, std::get<AdmittedRequest>(verdict));
  }
  if (params && !input.empty()) {
    CheckReordered(policy, facts, *params, verdict);
  }
  return 0;
}
