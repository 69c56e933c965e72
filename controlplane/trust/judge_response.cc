#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "controlplane/trust/judge.h"
#include "controlplane/trust/kind.h"
#include "controlplane/trust/response_error.h"
#include "controlplane/trust/rules.h"
#include "shared/base/status.h"

namespace gatehouse::trust {
namespace {

ResponseVerdict Invalid(Objection objection, std::string_view method) {
  objection.what =
      absl::StrCat("the client's answer was refused: ", objection.what);
  ResponseVerdict verdict;
  verdict.outcome = ResponseOutcome::kInvalid;
  verdict.failure = ToFailure(objection, Reason::kInvalidResponse, method);
  return verdict;
}

ResponseVerdict Invalid(std::string_view what, std::string_view method) {
  Objection objection;
  objection.what = std::string(what);
  return Invalid(std::move(objection), method);
}

ResponseVerdict Deliver(ResponseOutcome outcome, std::string result) {
  ResponseVerdict verdict;
  verdict.outcome = outcome;
  verdict.result = std::move(result);
  return verdict;
}

std::optional<ResponseVerdict> SizeIsWithinTheLimit(
    const policy::VirtualServer& policy, const ResponseFacts& facts) {
  const int64_t limit = policy.limits.input_response_bytes;
  const std::string_view payload =
      facts.result.value_or(facts.error.value_or(std::string_view()));
  const auto size =
      facts.oversized_bytes.value_or(static_cast<int64_t>(payload.size()));
  if (!facts.oversized_bytes.has_value() && size <= limit) return std::nullopt;
  Objection objection;
  objection.reason = Reason::kResponseTooLarge;
  objection.what = absl::StrCat("larger than the limit of ", limit, " bytes");
  objection.details = {{"limit", absl::StrCat(limit)},
                       {"size", absl::StrCat(size)}};
  return Invalid(std::move(objection), facts.method);
}

// What the upstream asked; an empty object where there is nothing to read.
// The request passed the judge, so that is a roots/list without params.
absl::StatusOr<json::Document> RequestParams(const ResponseFacts& facts) {
  if (facts.request_params.empty()) return json::Document::Parse("{}");
  return json::Document::Parse(std::string(facts.request_params));
}

// As it came, but for the array around a single block towards an upstream
// whose revision has none.
std::string ResultToDeliver(const KindRow& row, const ResponseFacts& facts,
                            const json::Value& result) {
  if (row.kind != RequestKind::kSampling) return std::string(*facts.result);
  return json::Splice(*facts.result,
                      UnwrapContent(result, EraOf(facts.upstream_revision)));
}

ResponseVerdict AskRules(const KindRow& row, const ResponseFacts& facts,
                         const ResponseContext& context) {
  if (const Ruling ruling = OptionalObject(context.result, "_meta")) {
    return Invalid(*ruling, facts.method);
  }
  for (const ResponseRule rule : row.response_rules()) {
    if (const Ruling ruling = rule(context)) {
      return Invalid(*ruling, facts.method);
    }
  }
  return Deliver(ResponseOutcome::kAnswered,
                 ResultToDeliver(row, facts, context.result));
}

// What stands beside a decline or a cancel is neither judged nor delivered.
std::optional<ResponseVerdict> EndsWithoutAnAnswer(const json::Value& result,
                                                   std::string_view method) {
  const std::optional<ElicitationAction> action = ActionOf(result);
  if (!action.has_value()) {
    return Invalid(
        ObjectToMember(result, "action", "expected accept, decline or cancel"),
        method);
  }
  switch (*action) {
    case ElicitationAction::kAccept:
      return std::nullopt;
    case ElicitationAction::kDecline:
      return Deliver(ResponseOutcome::kDeclined, R"({"action":"decline"})");
    case ElicitationAction::kCancel:
      return Deliver(ResponseOutcome::kDismissed, R"({"action":"cancel"})");
  }
  return std::nullopt;
}

ResponseVerdict JudgeResult(const policy::VirtualServer& policy,
                            const KindRow& row, const ResponseFacts& facts) {
  const absl::StatusOr<json::Document> result =
      json::Document::Parse(std::string(*facts.result));
  if (!result.ok()) {
    Objection objection;
    objection.path = json::PointerOf(result.status());
    objection.what =
        "it cannot be read as JSON: it must be well-formed UTF-8 without "
        "duplicate keys";
    return Invalid(std::move(objection), facts.method);
  }
  const json::Value root = result->root();
  if (!root.IsObject()) {
    return Invalid("the result must be an object", facts.method);
  }
  if (row.kind == RequestKind::kElicitation) {
    if (auto verdict = EndsWithoutAnAnswer(root, facts.method)) {
      return *std::move(verdict);
    }
  }
  const absl::StatusOr<json::Document> request = RequestParams(facts);
  if (!request.ok()) {
    return Invalid("the request that it answers cannot be read", facts.method);
  }
  const json::Value params = request->root();
  return AskRules(
      row, facts,
      ResponseContext{root, params, policy, EraOf(facts.upstream_revision),
                      EraOf(facts.client_revision)});
}

}  // namespace

ResponseVerdict JudgeResponse(const policy::VirtualServer& policy,
                              const ResponseFacts& facts, Trace*) {
  const KindRow* row = FindKind(facts.method);
  if (row == nullptr) {
    return Invalid("it answers no request that the judge knows", "response");
  }
  if (auto verdict = SizeIsWithinTheLimit(policy, facts)) {
    return *std::move(verdict);
  }
  if (facts.result.has_value() == facts.error.has_value()) {
    return Invalid("expected either a result or an error", facts.method);
  }
  if (facts.error.has_value()) return JudgeError(*row, *facts.error);
  return JudgeResult(policy, *row, facts);
}

}  // namespace gatehouse::trust
