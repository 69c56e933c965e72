#include "dataplane/control/translate.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/digest.h"
#include "shared/base/status.h"

namespace gatehouse::control {
namespace {

std::string Named(std::string_view collection, std::string_view id) {
  return absl::StrCat(ToAbsl(collection), "/", ToAbsl(id));
}

void SetOversized(std::string_view bytes, v1::OversizedPayload& payload) {
  payload.set_size_bytes(static_cast<int64_t>(bytes.size()));
  payload.set_sha256(Sha256(bytes));
}

v1::Attribution ToProto(relay::Attribution attribution) {
  switch (attribution) {
    case relay::Attribution::kOwnStream:
      return v1::ATTRIBUTION_OWN_STREAM;
    case relay::Attribution::kOnlyCall:
      return v1::ATTRIBUTION_ONLY_CALL;
    case relay::Attribution::kAmbiguous:
      return v1::ATTRIBUTION_AMBIGUOUS;
    case relay::Attribution::kNone:
      return v1::ATTRIBUTION_NONE;
  }
  return v1::ATTRIBUTION_UNSPECIFIED;
}

relay::UpstreamReply FromProto(const v1::RefuseVerdict& refusal) {
  relay::UpstreamReply reply;
  reply.is_error = true;
  reply.code = refusal.code();
  reply.message = refusal.message();
  reply.data = refusal.data();
  return reply;
}

mcp::ClientFeatures PermittedFeatures(const v1::VirtualServer& server) {
  mcp::ClientFeatures permitted;
  const v1::ClientFeatures& features = server.client_features();
  permitted.sampling = features.sampling();
  permitted.sampling_tools =
      features.sampling() && server.trust().sampling().allow_tools();
  permitted.elicitation_form = features.elicitation();
  permitted.elicitation_url =
      features.elicitation() && server.trust().elicitation().url();
  permitted.roots = features.roots();
  // Changes of roots are not passed on, so never offered.
  return permitted;
}

relay::UpstreamTarget TargetOf(const v1::Upstream& upstream,
                               const v1::PolicySnapshot& snapshot) {
  relay::UpstreamTarget target;
  target.virtual_server = snapshot.virtual_server().name();
  target.upstream = upstream.name();
  target.policy_version = snapshot.policy_version();
  if (upstream.has_http()) {
    target.http_url = upstream.http().url();
    for (const auto& [name, reference] : upstream.http().headers_from()) {
      target.headers_from.emplace_back(name, reference);
    }
    target.tls_ca = upstream.http().tls().ca();
    target.tls_cert = upstream.http().tls().cert();
    target.tls_key = upstream.http().tls().key();
  }
  if (upstream.has_stdio()) {
    for (const std::string& word : upstream.stdio().command()) {
      target.command.push_back(word);
    }
    for (const auto& [name, value] : upstream.stdio().env()) {
      target.env.emplace_back(name, value);
    }
    target.run_as = upstream.stdio().run_as();
  }
  return target;
}

}  // namespace

std::string BareId(std::string_view name) {
  const size_t slash = name.rfind('/');
  return std::string(slash == std::string_view::npos ? name
                                                     : name.substr(slash + 1));
}

v1::AdmitInputRequestsRequest ToProto(const relay::AdmitRequest& request) {
  v1::AdmitInputRequestsRequest out;
  if (!request.operation.empty()) {
    out.set_operation(Named("operations", request.operation));
  }
  out.set_session(Named("sessions", request.session));
  out.set_upstream(Named(Named("virtualServers", request.virtual_server),
                         Named("upstreams", request.upstream)));
  out.set_upstream_revision(
      std::string(mcp::ToString(request.upstream_revision)));
  out.set_tool(request.tool);
  out.set_method(request.method);
  out.set_attribution(ToProto(request.attribution));
  out.set_notified(request.notified);
  if (request.requests.size() > kMaxRoundEntries) {
    out.set_oversized_round_count(
        static_cast<int32_t>(request.requests.size()));
    return out;
  }
  for (const relay::RaisedInputRequest& raised : request.requests) {
    v1::InputRequest& entry = *out.add_input_requests();
    entry.set_key(raised.key);
    entry.set_method(raised.method);
    if (raised.params.size() > kMaxInputRequestBytes) {
      SetOversized(raised.params, *entry.mutable_oversized());
    } else {
      entry.set_params(raised.params);
    }
  }
  return out;
}

std::vector<relay::AdmitVerdict> FromProto(
    const v1::AdmitInputRequestsResponse& response) {
  std::vector<relay::AdmitVerdict> verdicts;
  for (const v1::AdmitVerdict& entry : response.verdicts()) {
    relay::AdmitVerdict verdict;
    verdict.key = entry.key();
    verdict.input_request = BareId(entry.input_request());
    switch (entry.verdict_case()) {
      case v1::AdmitVerdict::kRelay:
        verdict.kind = relay::AdmitVerdict::Kind::kRelay;
        verdict.opaque_id = entry.relay().opaque_id();
        if (entry.relay().has_params()) {
          verdict.params = entry.relay().params();
        }
        verdict.time_left = absl::Milliseconds(entry.relay().deadline_in_ms());
        verdict.elicitation_id = entry.relay().elicitation_id();
        break;
      case v1::AdmitVerdict::kHold:
        verdict.kind = relay::AdmitVerdict::Kind::kHold;
        break;
      case v1::AdmitVerdict::kRefuse:
        verdict.kind = relay::AdmitVerdict::Kind::kRefuse;
        verdict.refusal = FromProto(entry.refuse());
        break;
      case v1::AdmitVerdict::kNotify:
        verdict.kind = relay::AdmitVerdict::Kind::kNotify;
        verdict.params = entry.notify().params();
        verdict.elicitation_id = entry.notify().elicitation_id();
        break;
      case v1::AdmitVerdict::kAnswer:
        verdict.kind = relay::AdmitVerdict::Kind::kAnswer;
        verdict.result = entry.answer().result();
        break;
      case v1::AdmitVerdict::VERDICT_NOT_SET:
        continue;  // no verdict: the caller answers as for none
    }
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

void SetPayload(std::optional<std::string> result,
                std::optional<std::string> error,
                v1::SubmitInputResponseRequest& request) {
  std::optional<std::string>& payload = result.has_value() ? result : error;
  if (!payload.has_value()) return;
  if (payload->size() > kMaxInputResponseBytes) {
    SetOversized(*payload, *request.mutable_oversized());
  } else if (result.has_value()) {
    request.set_result(std::move(*result));
  } else {
    request.set_error(std::move(*error));
  }
}

relay::SubmitVerdict FromProto(
    const v1::SubmitInputResponseResponse& response) {
  relay::SubmitVerdict verdict;
  verdict.input_request = BareId(response.input_request());
  switch (response.verdict_case()) {
    case v1::SubmitInputResponseResponse::kDeliver:
      verdict.outcome = relay::SubmitOutcome::kDeliver;
      verdict.deliver = FromProto(response.deliver());
      break;
    case v1::SubmitInputResponseResponse::kDeliveryElsewhere:
      verdict.outcome = relay::SubmitOutcome::kElsewhere;
      break;
    case v1::SubmitInputResponseResponse::kHold:
      verdict.outcome = relay::SubmitOutcome::kHold;
      break;
    case v1::SubmitInputResponseResponse::kIgnored:
    case v1::SubmitInputResponseResponse::VERDICT_NOT_SET:
      verdict.outcome = relay::SubmitOutcome::kIgnored;
      break;
  }
  return verdict;
}

relay::UpstreamReply FromProto(const v1::UpstreamReply& reply) {
  if (reply.has_error()) return FromProto(reply.error());
  relay::UpstreamReply out;
  out.result = reply.result();
  return out;
}

relay::SessionInfo FromProto(const v1::Session& session) {
  relay::SessionInfo info;
  info.id = BareId(session.name());
  info.virtual_server = BareId(session.virtual_server());
  info.issuer = session.principal().issuer();
  info.subject = session.principal().subject();
  info.revision = session.revision();
  info.client_capabilities = session.client_capabilities();
  return info;
}

relay::DeliveryReady FromProto(const v1::DeliveryReady& delivery) {
  relay::DeliveryReady ready;
  ready.input_request = BareId(delivery.input_request());
  ready.operation = BareId(delivery.operation());
  ready.withdraw = delivery.withdraw();
  return ready;
}

relay::VirtualServerSnapshot FromProto(const v1::PolicySnapshot& snapshot) {
  const v1::VirtualServer& server = snapshot.virtual_server();
  relay::VirtualServerSnapshot out;
  out.name = server.name();
  out.policy_version = snapshot.policy_version();
  out.prefix_names = server.catalogue().prefix() != "none";
  out.permitted = PermittedFeatures(server);
  if (server.has_reply_deadline()) {
    out.reply_deadline = absl::Seconds(server.reply_deadline().seconds()) +
                         absl::Nanoseconds(server.reply_deadline().nanos());
  }
  for (const v1::Upstream& upstream : server.upstreams()) {
    out.upstreams.push_back(TargetOf(upstream, snapshot));
  }
  out.elsewhere.assign(snapshot.upstreams_elsewhere().begin(),
                       snapshot.upstreams_elsewhere().end());
  return out;
}

v1::OperationEnd ToProto(relay::OperationEnd end) {
  switch (end) {
    case relay::OperationEnd::kCompleted:
      return v1::OPERATION_END_COMPLETED;
    case relay::OperationEnd::kClientCancelled:
      return v1::OPERATION_END_CLIENT_CANCELLED;
    case relay::OperationEnd::kUpstreamFailed:
      return v1::OPERATION_END_UPSTREAM_FAILED;
    case relay::OperationEnd::kTimedOut:
      return v1::OPERATION_END_TIMED_OUT;
    case relay::OperationEnd::kSessionEnded:
      return v1::OPERATION_END_SESSION_ENDED;
    case relay::OperationEnd::kWorkerShutdown:
      return v1::OPERATION_END_WORKER_SHUTDOWN;
  }
  return v1::OPERATION_END_UNSPECIFIED;
}

v1::CancelCause ToProto(relay::CancelCause cause) {
  return cause == relay::CancelCause::kUpstream
             ? v1::CANCEL_CAUSE_UPSTREAM
             : v1::CANCEL_CAUSE_CLIENT_UNREACHABLE;
}

}  // namespace gatehouse::control
