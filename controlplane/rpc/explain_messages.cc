#include "controlplane/rpc/explain_messages.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controlplane/broker/decision.h"
#include "controlplane/rpc/convert.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "shared/reasons/reasons.h"

namespace gatehouse::rpc {
namespace {

// The bounds that the proto names.
constexpr size_t kMaxCapabilitiesBytes = 64 << 10;
constexpr size_t kMaxMethodBytes = 128;
constexpr size_t kMaxParamsBytes = 1 << 20;
constexpr size_t kMaxToolBytes = 256;
constexpr size_t kMaxResponseBytes = 2 << 20;
constexpr size_t kMaxNameBytes = 128;

struct Bound {
  std::string_view field;
  size_t size;
  size_t most;
  size_t least = 0;
};

void CheckBounds(const v1::ExplainInputRequestRequest& request,
                 std::vector<policy::Violation>& violations) {
  for (const Bound& bound : {
           Bound{"upstream", request.upstream().size(), kMaxNameBytes},
           Bound{"upstream_revision", request.upstream_revision().size(),
                 kMaxNameBytes},
           Bound{"client_revision", request.client_revision().size(),
                 kMaxNameBytes},
           Bound{"client_capabilities", request.client_capabilities().size(),
                 kMaxCapabilitiesBytes},
           Bound{"method", request.method().size(), kMaxMethodBytes, 1},
           Bound{"params", request.params().size(), kMaxParamsBytes},
           Bound{"tool", request.tool().size(), kMaxToolBytes},
           Bound{"result", request.result().size(), kMaxResponseBytes},
           Bound{"error", request.error().size(), kMaxResponseBytes},
       }) {
    if (bound.size >= bound.least && bound.size <= bound.most) continue;
    violations.push_back(
        {std::string(bound.field),
         absl::StrCat("expected ", bound.least, " to ", bound.most,
                      " bytes, got ", bound.size)});
  }
}

std::string DetailsOf(const Failure& failure) {
  if (failure.details.empty()) return "";
  json::Writer writer;
  writer.StartObject();
  for (const auto& [name, value] : failure.details) {
    writer.Name(name).Raw(value);
  }
  return writer.EndObject().Take();
}

void AddRules(const trust::Trace& rules, v1::Explanation& out) {
  for (const trust::EvaluatedRule& rule : rules) {
    v1::EvaluatedRule& row = *out.add_rules();
    row.set_rule(std::string(rule.rule));
    row.set_summary(std::string(rule.summary));
    row.set_source(std::string(rule.source));
    row.set_outcome(rule.failure.has_value() ? v1::RULE_BROKEN : v1::RULE_KEPT);
    if (!rule.failure.has_value()) continue;
    row.set_path(rule.failure->path);
    row.set_reason(std::string(RowOf(rule.failure->reason).name));
    row.set_message(rule.failure->message);
    row.set_details(DetailsOf(*rule.failure));
  }
}

void SetRefusal(const Failure& failure, v1::Explanation& out) {
  ToProto(broker::ReplyOf(failure), *out.mutable_refusal());
}

std::string_view NameOf(trust::ResponseOutcome outcome) {
  switch (outcome) {
    case trust::ResponseOutcome::kAnswered:
      return "answered";
    case trust::ResponseOutcome::kDeclined:
      return "declined";
    case trust::ResponseOutcome::kDismissed:
      return "dismissed";
    case trust::ResponseOutcome::kInvalid:
      return "invalid";
    case trust::ResponseOutcome::kFailed:
      return "failed";
  }
  return "";
}

void ToProto(const broker::ExplainedRequest& request, v1::Explanation& out) {
  AddRules(request.rules, out);
  if (const auto* refused = std::get_if<Failure>(&request.verdict)) {
    out.set_verdict("refused");
    SetRefusal(*refused, out);
    return;
  }
  const auto& admitted = std::get<trust::AdmittedRequest>(request.verdict);
  out.set_verdict("admitted");
  out.set_to_send(admitted.params_to_relay);
  for (const std::string_view flag : admitted.flags) {
    out.add_flags(std::string(flag));
  }
}

void ToProto(const broker::ExplainedResponse& response, v1::Explanation& out) {
  AddRules(response.rules, out);
  out.set_verdict(std::string(NameOf(response.verdict.outcome)));
  if (response.verdict.result.has_value()) {
    out.set_to_send(*response.verdict.result);
  } else if (response.verdict.failure.has_value()) {
    SetRefusal(*response.verdict.failure, out);
  }
}

}  // namespace

std::optional<broker::Attribution> FromProto(v1::Attribution attribution) {
  switch (attribution) {
    case v1::ATTRIBUTION_OWN_STREAM:
      return broker::Attribution::kOwnStream;
    case v1::ATTRIBUTION_ONLY_CALL:
      return broker::Attribution::kOnlyCall;
    case v1::ATTRIBUTION_AMBIGUOUS:
      return broker::Attribution::kAmbiguous;
    case v1::ATTRIBUTION_NONE:
      return broker::Attribution::kNone;
    default:  // an open enum: any number may come
      return std::nullopt;
  }
}

broker::ExplainCommand FromProto(const v1::ExplainInputRequestRequest& request,
                                 std::vector<policy::Violation>& violations) {
  CheckBounds(request, violations);
  broker::ExplainCommand command;
  absl::StatusOr<std::string> virtual_server =
      IdOf(request.virtual_server(), "virtualServers/", "virtual_server");
  if (virtual_server.ok()) {
    command.virtual_server = *std::move(virtual_server);
  } else {
    violations.push_back(
        {"virtual_server",
         "expected `virtualServers/{id}`, the id of [A-Za-z0-9_-]"});
  }
  command.upstream = request.upstream();
  command.upstream_revision = request.upstream_revision();
  command.client_revision = request.client_revision();
  command.client_capabilities = request.client_capabilities();
  command.method = request.method();
  command.params = request.params();
  command.tool = request.tool();
  const std::optional<broker::Attribution> attribution =
      request.attribution() == v1::ATTRIBUTION_UNSPECIFIED
          ? broker::Attribution::kOwnStream
          : FromProto(request.attribution());
  if (attribution.has_value()) {
    command.attribution = *attribution;
  } else {
    violations.push_back(
        {"attribution",
         absl::StrCat("expected one of the Attribution enum, got ",
                      static_cast<int>(request.attribution()))});
  }
  switch (request.response_case()) {
    case v1::ExplainInputRequestRequest::kResult:
      command.result = request.result();
      break;
    case v1::ExplainInputRequestRequest::kError:
      command.error = request.error();
      break;
    case v1::ExplainInputRequestRequest::RESPONSE_NOT_SET:
      break;
  }
  return command;
}

void ToProto(const broker::Explained& explained,
             v1::ExplainInputRequestResponse& out) {
  ToProto(explained.request, *out.mutable_request());
  if (explained.response.has_value()) {
    ToProto(*explained.response, *out.mutable_response());
  }
  out.set_policy_version(explained.policy_version);
}

}  // namespace gatehouse::rpc
