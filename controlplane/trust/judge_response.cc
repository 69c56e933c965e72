#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controlplane/trust/asking.h"
#include "controlplane/trust/judge.h"
#include "controlplane/trust/kind.h"
#include "controlplane/trust/origin.h"
#include "controlplane/trust/reading.h"
#include "controlplane/trust/response_error.h"
#include "controlplane/trust/rule.h"
#include "shared/base/status.h"

namespace gatehouse::trust {
namespace {

constexpr int kMaxDepth = 64;
constexpr size_t kMaxValues = 200'000;

ReadText ReadAnswer(const policy::VirtualServer& policy,
                    const ResponseFacts& facts) {
  json::Limits limits;
  limits.max_bytes = static_cast<size_t>(policy.limits.input_response_bytes);
  limits.max_depth = kMaxDepth;
  limits.max_values = kMaxValues;
  return ReadStrictly(
      facts.result.value_or(facts.error.value_or(std::string_view())), limits);
}

// What the upstream asked. It passed the judge, so what cannot be read is a
// roots/list without params.
json::Document ReadRequest(const ResponseFacts& facts) {
  return ReadStrictly(facts.request_params, json::Limits()).document;
}

// Whether an elicitation's answer ends here: what stands beside a decline or a
// cancel, or in URL mode, is neither judged nor delivered.
bool HasContentToJudge(const ResponseContext& context) {
  return ActionOf(context.answer) == ElicitationAction::kAccept &&
         !IsUrlMode(context.request_params);
}

std::vector<ResponseRules> RulesOf(const ResponseContext& context) {
  switch (context.kind->kind) {
    case RequestKind::kSampling:
      return {CompletionContentRules(), CompletionRules(),
              CompletionToolUseRules(), CompletionToolRules(),
              CompletionConversionRules()};
    case RequestKind::kElicitation:
      if (!HasContentToJudge(context)) return {ElicitationResponseRules()};
      return {ElicitationResponseRules(), FormResponseRules()};
    case RequestKind::kRoots:
      return {RootsResponseRules()};
  }
  return {};
}

ResponseVerdict Deliver(ResponseOutcome outcome, std::string result) {
  ResponseVerdict verdict;
  verdict.outcome = outcome;
  verdict.result = std::move(result);
  return verdict;
}

// As it came, but for keys that are the gateway's own and, towards an upstream
// whose revision has none, the array around a single block.
ResponseVerdict DeliverAnswer(const ResponseContext& context) {
  std::vector<json::Edit> edits;
  DropOwnKeys(context.answer, edits);
  if (context.kind->kind == RequestKind::kSampling) {
    UnwrapContent(context.answer, context.upstream_era, edits);
  }
  return Deliver(ResponseOutcome::kAnswered,
                 json::Splice(*context.facts.result, std::move(edits)));
}

ResponseVerdict DeliverAction(const ResponseContext& context) {
  switch (ActionOf(context.answer).value_or(ElicitationAction::kCancel)) {
    case ElicitationAction::kDecline:
      return Deliver(ResponseOutcome::kDeclined, R"({"action":"decline"})");
    case ElicitationAction::kCancel:
      return Deliver(ResponseOutcome::kDismissed, R"({"action":"cancel"})");
    case ElicitationAction::kAccept:
      break;
  }
  if (IsUrlMode(context.request_params)) {
    return Deliver(ResponseOutcome::kAnswered, R"({"action":"accept"})");
  }
  return DeliverAnswer(context);
}

ResponseVerdict DeliverResult(const ResponseContext& context) {
  return context.kind->kind == RequestKind::kElicitation
             ? DeliverAction(context)
             : DeliverAnswer(context);
}

ResponseVerdict Invalid(Failure failure) {
  ResponseVerdict verdict;
  verdict.outcome = ResponseOutcome::kInvalid;
  verdict.failure = std::move(failure);
  return verdict;
}

ResponseVerdict Judge(const ResponseContext& context, Trace* trace) {
  const std::string subject = absl::StrCat(ToAbsl(context.facts.method),
                                           ": the client's answer was refused");
  Asking<ResponseContext> asking(context, Reason::kInvalidResponse, subject,
                                 trace);
  asking.Ask(ReadableResponseRules());
  if (asking.failure().has_value()) return Invalid(*asking.failure());
  if (!context.facts.result.has_value()) {
    asking.Ask(ErrorRules());
    if (asking.failure().has_value()) return Invalid(*asking.failure());
    return VerdictOfError(*context.kind, context.answer);
  }
  asking.Ask(ResultRules());
  for (const ResponseRules rules : RulesOf(context)) asking.Ask(rules);
  if (asking.failure().has_value()) return Invalid(*asking.failure());
  return DeliverResult(context);
}

}  // namespace

ResponseVerdict JudgeResponse(const policy::VirtualServer& policy,
                              const ResponseFacts& facts, Trace* trace) {
  const KindRow* const kind = FindKind(facts.method);
  if (kind == nullptr) {
    Failure failure;
    failure.reason = Reason::kInvalidResponse;
    failure.message = "response: it answers no request that the judge knows";
    return Invalid(std::move(failure));
  }
  const ReadText read = ReadAnswer(policy, facts);
  const json::Value answer = read.document.root();
  const json::Document request = ReadRequest(facts);
  const json::Value params = request.root();
  const Conversation conversation = kind->kind == RequestKind::kSampling
                                        ? ReadCompletion(answer)
                                        : Conversation();
  const Form form =
      kind->kind == RequestKind::kElicitation ? ReadForm(params) : Form();
  return Judge(
      ResponseContext{policy, facts, kind, EraOf(facts.upstream_revision),
                      EraOf(facts.client_revision), read.reading, answer,
                      params, conversation, form},
      trace);
}

}  // namespace gatehouse::trust
