#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "absl/strings/str_cat.h"
#include "controlplane/trust/judge.h"
#include "controlplane/trust/kind.h"
#include "controlplane/trust/origin.h"
#include "controlplane/trust/rules.h"
#include "shared/base/status.h"

namespace gatehouse::trust {
namespace {

// DESIGN §8: judged params may nest this deep.
constexpr int kMaxParamsDepth = 32;

Failure Refusal(std::string_view method, Reason reason, std::string_view what) {
  Objection objection;
  objection.what = std::string(what);
  return ToFailure(objection, reason, method);
}

Failure NoSuchMethod(std::string_view what) {
  Failure failure;
  failure.reason = Reason::kNotPermitted;
  // Not the method's name: it is the upstream's own text, of any length.
  failure.message = std::string(what);
  return failure;
}

std::optional<Failure> SizeIsWithinTheLimit(const policy::VirtualServer& policy,
                                            const RequestFacts& facts) {
  const int64_t limit = policy.limits.input_request_bytes;
  const auto size =
      facts.oversized_bytes.value_or(static_cast<int64_t>(facts.params.size()));
  if (!facts.oversized_bytes.has_value() && size <= limit) return std::nullopt;
  Failure failure =
      Refusal(facts.method, Reason::kTooLarge,
              absl::StrCat("the request is larger than the limit of ", limit,
                           " bytes; ask for less at a time"));
  failure.details = {{"limit", absl::StrCat(limit)},
                     {"size", absl::StrCat(size)}};
  return failure;
}

std::optional<Failure> BelongsToAnOperation(const RequestFacts& facts) {
  switch (facts.parent) {
    case Parent::kOperation:
      return std::nullopt;
    case Parent::kNone:
    case Parent::kSession:
      return Refusal(facts.method, Reason::kNoOperation,
                     "no call of the client is in flight that it could belong "
                     "to; ask only while a call is being served");
    case Parent::kAmbiguous:
      return Refusal(facts.method, Reason::kUnattributable,
                     "several calls of the client are in flight and it names "
                     "none of them; ask on the stream of the call");
    case Parent::kClosed:
      return Refusal(facts.method, Reason::kOperationEnded,
                     "the call that it belongs to has ended; ask only while a "
                     "call is being served");
  }
  return Refusal(facts.method, Reason::kNoOperation,
                 "the call that it belongs to is not known");
}

std::optional<Failure> FeatureIsOffered(const policy::VirtualServer& policy,
                                        const RequestFacts& facts,
                                        const KindRow& row) {
  const mcp::ClientFeatures permitted = policy::PermittedFeatures(policy);
  if (!(permitted.*row.feature)) {
    return Refusal(
        facts.method, Reason::kNotPermitted,
        absl::StrCat("the virtual server's policy does not permit ",
                     ToAbsl(row.name), "; an operator can set clientFeatures.",
                     ToAbsl(row.name)));
  }
  const mcp::ClientFeatures offered = mcp::Intersect(permitted, facts.declared);
  if (!(offered.*row.feature)) {
    return Refusal(facts.method, Reason::kCapabilityNotDeclared,
                   absl::StrCat("the client has not declared ",
                                ToAbsl(row.capability), "; go on without it"));
  }
  return std::nullopt;
}

Ruling AskRules(const KindRow& row, const RequestContext& context) {
  for (const RequestRule rule : row.request_rules()) {
    if (Ruling ruling = rule(context)) return ruling;
  }
  return MetaIsWellFormed(context.params);
}

// Absent params are an empty object: that is what they are relayed as.
absl::StatusOr<json::Document> ReadParams(const RequestFacts& facts,
                                          const KindRow& row) {
  if (facts.params.empty() && row.may_lack_params) {
    return json::Document::Parse("{}");
  }
  json::Limits limits;
  limits.max_depth = kMaxParamsDepth;
  return json::Document::Parse(std::string(facts.params), limits);
}

Failure Unreadable(std::string_view method, const absl::Status& status) {
  Failure failure = Refusal(
      method, Reason::kInvalidRequest,
      "the params cannot be read as JSON: they must be well-formed UTF-8 "
      "without duplicate keys, nested no deeper than 32");
  failure.path = json::PointerOf(status);
  return failure;
}

}  // namespace

RequestVerdict JudgeRequest(const policy::VirtualServer& policy,
                            const RequestFacts& facts, Trace*) {
  const KindRow* row = FindKind(facts.method);
  if (row == nullptr) {
    return NoSuchMethod("the gateway relays no request of this method");
  }
  const Era& upstream_era = EraOf(facts.upstream_revision);
  if (!row->exists_in(upstream_era)) {
    return NoSuchMethod("the negotiated revision has no such request");
  }
  if (auto failure = SizeIsWithinTheLimit(policy, facts)) return *failure;
  const absl::StatusOr<json::Document> params = ReadParams(facts, *row);
  if (!params.ok()) return Unreadable(facts.method, params.status());
  const json::Value root = params->root();
  if (!root.IsObject()) {
    return Refusal(facts.method, Reason::kInvalidRequest,
                   "the params must be an object");
  }
  if (auto failure = BelongsToAnOperation(facts)) return *failure;
  if (auto failure = FeatureIsOffered(policy, facts, *row)) return *failure;
  const RequestContext context{root, policy, facts.declared, upstream_era,
                               EraOf(facts.client_revision)};
  if (const Ruling ruling = AskRules(*row, context)) {
    return ToFailure(*ruling, Reason::kInvalidRequest, facts.method);
  }
  AdmittedRequest admitted;
  admitted.kind = row->kind;
  if (row->kind == RequestKind::kSampling) {
    admitted.max_tokens = MaxTokensOf(root);
  }
  admitted.params_to_relay = ParamsToRelay(policy, facts, row->kind, *params);
  return admitted;
}

}  // namespace gatehouse::trust
