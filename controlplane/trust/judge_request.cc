#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controlplane/trust/asking.h"
#include "controlplane/trust/credential_fields.h"
#include "controlplane/trust/judge.h"
#include "controlplane/trust/kind.h"
#include "controlplane/trust/origin.h"
#include "controlplane/trust/reading.h"
#include "controlplane/trust/rule.h"
#include "controlplane/trust/web_url.h"

namespace gatehouse::trust {
namespace {

// DESIGN §8; a request of 64 KiB has fewer values than this, unless it is made
// of little else.
constexpr int kMaxDepth = 32;
constexpr size_t kMaxValues = 20'000;

// Absent params are an empty object where the kind has no need of them: that is
// what they are relayed as.
ReadText ReadParams(const policy::VirtualServer& policy,
                    const RequestFacts& facts, const KindRow* kind) {
  json::Limits limits;
  limits.max_bytes = static_cast<size_t>(policy.limits.input_request_bytes);
  limits.max_depth = kMaxDepth;
  limits.max_values = kMaxValues;
  const bool absent =
      facts.params.empty() && kind != nullptr && kind->may_lack_params;
  return ReadStrictly(absent ? "{}" : facts.params, limits);
}

// After what every kind is asked: the kind's own, and last whether the client's
// revision can carry it. What privacy has to say will stand behind them.
std::vector<RequestRules> RulesOf(const RequestContext& context) {
  switch (context.kind->kind) {
    case RequestKind::kSampling:
      return {SamplingPermissionRules(), MessageRules(), ToolPairRules(),
              SamplingOptionRules(), SamplingConversionRules()};
    case RequestKind::kElicitation:
      if (IsUrlMode(context.params)) return {ElicitationRules(), UrlRules()};
      return {ElicitationRules(), FormPermissionRules(), FormRules(),
              FieldRules(),       RequiredFieldRules(),  FormConversionRules()};
    case RequestKind::kRoots:
      return {};
  }
  return {};
}

void Flag(std::vector<std::string_view>& flags, std::string_view flag,
          bool raised) {
  if (raised) flags.push_back(flag);
}

std::vector<std::string_view> FlagsOf(const RequestContext& context) {
  std::vector<std::string_view> flags;
  if (IsUrlMode(context.params)) {
    const auto url =
        ParseWebUrl(StringMember(context.params, "url").value_or(""));
    if (url.has_value()) {
      Flag(flags, "punycode_host", HasPunycode(url->host));
      Flag(flags, "mixed_script_host", MixesScripts(url->host));
    }
    return flags;
  }
  bool described = false;
  bool allowed = false;
  for (const Field& field : context.form.fields) {
    described = described || DescribesACredential(field);
    allowed = allowed || AsksForCredential(field);
  }
  Flag(flags, "credential_in_description", described);
  Flag(flags, "allowed_credential_field", allowed);
  return flags;
}

AdmittedRequest Admitted(const RequestContext& context,
                         const json::Document& params) {
  AdmittedRequest admitted;
  admitted.kind = context.kind->kind;
  if (admitted.kind == RequestKind::kSampling) {
    const auto max_tokens = context.params.Find("maxTokens");
    admitted.max_tokens =
        max_tokens.has_value() ? max_tokens->Integer().value_or(0) : 0;
  }
  if (admitted.kind == RequestKind::kElicitation) {
    admitted.url_mode = IsUrlMode(context.params);
    admitted.flags = FlagsOf(context);
  }
  admitted.params_to_relay =
      ParamsToRelay(context.policy, context.facts, admitted.kind, params);
  return admitted;
}

}  // namespace

RequestVerdict JudgeRequest(const policy::VirtualServer& policy,
                            const RequestFacts& facts, Trace* trace) {
  const KindRow* const kind = FindKind(facts.method);
  const ReadText read = ReadParams(policy, facts, kind);
  const json::Value params = read.document.root();
  const bool is_sampling =
      kind != nullptr && kind->kind == RequestKind::kSampling;
  const bool is_elicitation =
      kind != nullptr && kind->kind == RequestKind::kElicitation;
  const Conversation conversation =
      is_sampling ? ReadConversation(params) : Conversation();
  const Form form = is_elicitation ? ReadForm(params) : Form();
  const RequestContext context{policy,
                               facts,
                               kind,
                               EraOf(facts.upstream_revision),
                               EraOf(facts.client_revision),
                               read.reading,
                               params,
                               conversation,
                               form};
  // An unknown method is the upstream's own text and is not repeated.
  Asking<RequestContext> asking(
      context, Reason::kInvalidRequest,
      kind == nullptr ? "input request" : facts.method, trace);
  asking.Ask(ReadableRequestRules());
  if (!asking.failure().has_value() && kind != nullptr) {
    asking.Ask(CommonRequestRules());
    for (const RequestRules rules : RulesOf(context)) asking.Ask(rules);
  }
  if (asking.failure().has_value()) return *asking.failure();
  if (kind == nullptr) return Failure();  // a test has masked the rule
  return Admitted(context, read.document);
}

}  // namespace gatehouse::trust
