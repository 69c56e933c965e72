#include "controlplane/rpc/trust_service.h"

#include <optional>
#include <utility>
#include <variant>

#include "controlplane/broker/explain.h"
#include "controlplane/rpc/convert.h"
#include "controlplane/rpc/explain_messages.h"
#include "controlplane/rpc/finish.h"
#include "shared/base/digest.h"
#include "shared/base/status.h"
#include "shared/mcp/trace_context.h"

namespace gatehouse::rpc {
namespace {

constexpr int kMaxRound = 8;
constexpr size_t kMaxKeyBytes = 1024;
constexpr size_t kMaxMethodBytes = 128;
constexpr size_t kMaxToolBytes = 256;
constexpr size_t kMaxOpaqueIdBytes = 256;
constexpr std::string_view kExplainRequest = "the request to explain";

absl::Status Invalid(std::string_view message) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, message);
}

absl::StatusOr<broker::Caller> CallerOf(const std::string& worker,
                                        int64_t epoch) {
  broker::Caller caller;
  GATEHOUSE_ASSIGN_OR_RETURN(caller.worker_id,
                             IdOf(worker, "workers/", "worker"));
  caller.epoch = epoch;
  return caller;
}

absl::StatusOr<broker::RaisedRequest> RaisedOf(const v1::InputRequest& in) {
  if (in.key().empty() || in.key().size() > kMaxKeyBytes) {
    return Invalid("input_requests.key: expected 1 to 1,024 bytes");
  }
  if (in.method().empty() || in.method().size() > kMaxMethodBytes) {
    return Invalid("input_requests.method: expected 1 to 128 bytes");
  }
  broker::RaisedRequest out;
  out.key = in.key();
  out.method = in.method();
  if (in.has_oversized()) {
    out.oversized_bytes = in.oversized().size_bytes();
  } else {
    out.params = in.params();
  }
  return out;
}

absl::StatusOr<broker::AdmitCommand> CommandOf(
    const v1::AdmitInputRequestsRequest& in) {
  broker::AdmitCommand out;
  GATEHOUSE_RETURN_IF_ERROR(CheckRequestId(in.request_id()));
  out.request_id = in.request_id();
  out.content_sha256 = Sha256(in.SerializeAsString());
  GATEHOUSE_ASSIGN_OR_RETURN(out.caller,
                             CallerOf(in.worker(), in.worker_epoch()));
  if (!in.operation().empty()) {
    GATEHOUSE_ASSIGN_OR_RETURN(
        out.operation_id, IdOf(in.operation(), "operations/", "operation"));
  }
  GATEHOUSE_ASSIGN_OR_RETURN(out.session_id,
                             IdOf(in.session(), "sessions/", "session"));
  GATEHOUSE_ASSIGN_OR_RETURN(UpstreamName upstream,
                             UpstreamNameOf(in.upstream()));
  out.virtual_server = std::move(upstream.virtual_server);
  out.upstream = std::move(upstream.upstream);
  out.upstream_revision = in.upstream_revision();
  if (in.tool().size() > kMaxToolBytes) {
    return Invalid("tool: at most 256 bytes");
  }
  out.tool = in.tool();
  const std::optional<broker::Attribution> attribution =
      FromProto(in.attribution());
  if (!attribution.has_value()) {
    return Invalid("attribution: expected one of the Attribution enum");
  }
  out.attribution = *attribution;
  out.oversized_round_count = in.oversized_round_count();
  out.notified = in.notified();
  if (out.notified && (out.attribution != broker::Attribution::kOwnStream ||
                       out.operation_id.empty())) {
    return Invalid("notified: needs the operation whose call the error ended");
  }
  const int count = in.input_requests_size();
  if (out.oversized_round_count > 0 ? count != 0
                                    : (count < 1 || count > kMaxRound)) {
    return Invalid(
        "input_requests: expected 1 to 8, or none and oversized_round_count");
  }
  for (const v1::InputRequest& request : in.input_requests()) {
    GATEHOUSE_ASSIGN_OR_RETURN(broker::RaisedRequest raised, RaisedOf(request));
    out.requests.push_back(std::move(raised));
  }
  return out;
}

void Fill(const broker::RelayWord& relay, v1::AdmitVerdict& out) {
  v1::RelayVerdict& verdict = *out.mutable_relay();
  verdict.set_opaque_id(relay.opaque_id);
  verdict.set_params(relay.params);
  *verdict.mutable_deadline() = ToProto(relay.deadline);
  verdict.set_deadline_in_ms(absl::ToInt64Milliseconds(relay.time_left));
  verdict.set_elicitation_id(relay.elicitation_id);
}

void Fill(const UpstreamReplyRow& refusal, v1::AdmitVerdict& out) {
  ToProto(refusal, *out.mutable_refuse());
}

void Fill(const broker::NotifyWord& notify, v1::AdmitVerdict& out) {
  out.mutable_notify()->set_params(notify.params);
  out.mutable_notify()->set_elicitation_id(notify.elicitation_id);
}

void Fill(const broker::AnswerWord& answer, v1::AdmitVerdict& out) {
  out.mutable_answer()->set_result(answer.result);
}

void FillVerdict(const broker::AdmitWord& word, v1::AdmitVerdict& out) {
  out.set_key(word.key);
  out.set_input_request("inputRequests/" + word.input_request_id);
  std::visit([&out](const auto& one) { Fill(one, out); }, word.word);
}

absl::StatusOr<broker::SubmitCommand> CommandOf(
    const v1::SubmitInputResponseRequest& in) {
  broker::SubmitCommand out;
  GATEHOUSE_RETURN_IF_ERROR(CheckRequestId(in.request_id()));
  out.request_id = in.request_id();
  out.content_sha256 = Sha256(in.SerializeAsString());
  GATEHOUSE_ASSIGN_OR_RETURN(out.caller,
                             CallerOf(in.worker(), in.worker_epoch()));
  if (in.opaque_id().empty() || in.opaque_id().size() > kMaxOpaqueIdBytes) {
    return Invalid("opaque_id: expected 1 to 256 bytes");
  }
  out.opaque_id = in.opaque_id();
  GATEHOUSE_ASSIGN_OR_RETURN(out.session_id,
                             IdOf(in.session(), "sessions/", "session"));
  switch (in.payload_case()) {
    case v1::SubmitInputResponseRequest::kResult:
      out.result = in.result();
      break;
    case v1::SubmitInputResponseRequest::kError:
      out.error = in.error();
      break;
    case v1::SubmitInputResponseRequest::kOversized:
      out.oversized_bytes = in.oversized().size_bytes();
      break;
    case v1::SubmitInputResponseRequest::PAYLOAD_NOT_SET:
      return Invalid("payload: expected a result, an error or its size");
  }
  return out;
}

void FillResponse(const broker::SubmitOutcome& outcome,
                  v1::SubmitInputResponseResponse& out) {
  if (!outcome.input_request_id.empty()) {
    out.set_input_request("inputRequests/" + outcome.input_request_id);
    out.set_state(ToProto(outcome.state));
  }
  switch (outcome.verdict) {
    case broker::SubmitOutcome::Verdict::kDeliver:
      ToProto(outcome.deliver, *out.mutable_deliver());
      break;
    case broker::SubmitOutcome::Verdict::kElsewhere:
      out.mutable_delivery_elsewhere();
      break;
    case broker::SubmitOutcome::Verdict::kIgnored:
      out.mutable_ignored()->set_cause(outcome.ignored_cause);
      break;
  }
}

absl::StatusOr<broker::CancelCommand> CommandOf(
    const v1::CancelInputRequestRequest& in) {
  broker::CancelCommand out;
  GATEHOUSE_RETURN_IF_ERROR(CheckRequestId(in.request_id()));
  out.request_id = in.request_id();
  GATEHOUSE_ASSIGN_OR_RETURN(out.caller,
                             CallerOf(in.worker(), in.worker_epoch()));
  if (!in.admit_request_id().empty()) {
    GATEHOUSE_RETURN_IF_ERROR(CheckRequestId(in.admit_request_id()));
    out.admit_request_id = in.admit_request_id();
  } else {
    GATEHOUSE_ASSIGN_OR_RETURN(
        out.input_request_id,
        IdOf(in.input_request(), "inputRequests/", "input_request"));
  }
  switch (in.cause()) {
    case v1::CANCEL_CAUSE_UPSTREAM:
      out.cause = broker::CancelCause::kUpstream;
      break;
    case v1::CANCEL_CAUSE_ADMIT_TIMED_OUT:
      out.cause = broker::CancelCause::kAdmitTimedOut;
      break;
    case v1::CANCEL_CAUSE_CLIENT_UNREACHABLE:
      out.cause = broker::CancelCause::kClientUnreachable;
      break;
    default:
      return Invalid("cause: expected one of the CancelCause enum");
  }
  return out;
}

std::string_view EndName(v1::OperationEnd end) {
  switch (end) {
    case v1::OPERATION_END_COMPLETED:
      return "completed";
    case v1::OPERATION_END_CLIENT_CANCELLED:
      return "client_cancelled";
    case v1::OPERATION_END_UPSTREAM_FAILED:
      return "upstream_failed";
    case v1::OPERATION_END_TIMED_OUT:
      return "timed_out";
    case v1::OPERATION_END_SESSION_ENDED:
      return "session_ended";
    case v1::OPERATION_END_WORKER_SHUTDOWN:
      return "worker_shutdown";
    default:
      return {};
  }
}

absl::StatusOr<broker::CloseOperationCommand> CommandOf(
    const v1::CloseOperationRequest& in) {
  broker::CloseOperationCommand out;
  GATEHOUSE_RETURN_IF_ERROR(CheckRequestId(in.request_id()));
  out.request_id = in.request_id();
  GATEHOUSE_ASSIGN_OR_RETURN(out.caller,
                             CallerOf(in.worker(), in.worker_epoch()));
  GATEHOUSE_ASSIGN_OR_RETURN(out.operation_id,
                             IdOf(in.operation(), "operations/", "operation"));
  GATEHOUSE_ASSIGN_OR_RETURN(out.session_id,
                             IdOf(in.session(), "sessions/", "session"));
  out.end = std::string(EndName(in.end()));
  if (out.end.empty()) {
    return Invalid("end: expected one of the OperationEnd enum");
  }
  return out;
}

// The trace id that came beside the request, or an empty one.
std::string TraceIdOf(const grpc::CallbackServerContext& context) {
  const auto& metadata = context.client_metadata();
  const auto it = metadata.find(std::string(mcp::kTraceparent));
  if (it == metadata.end()) return {};
  return std::string(mcp::TraceIdOf({it->second.data(), it->second.size()}));
}

}  // namespace

// In each method: request and response stay valid until Finish; nothing here
// blocks; the broker answers on the store's thread.

grpc::ServerUnaryReactor* TrustService::AdmitInputRequests(
    grpc::CallbackServerContext* context,
    const v1::AdmitInputRequestsRequest* request,
    v1::AdmitInputRequestsResponse* response) {
  absl::StatusOr<broker::AdmitCommand> command = CommandOf(*request);
  if (!command.ok()) return Finish(context, command.status());
  command->trace_id = TraceIdOf(*context);
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  broker_.Admit(
      *std::move(command),
      [response, reactor](absl::StatusOr<broker::AdmitOutcome> outcome) {
        if (outcome.ok()) {
          response->set_policy_version(outcome->policy_version);
          for (const broker::AdmitWord& word : outcome->words) {
            FillVerdict(word, *response->add_verdicts());
          }
        }
        reactor->Finish(ToGrpc(outcome.status()));
      });
  return reactor;
}

grpc::ServerUnaryReactor* TrustService::SubmitInputResponse(
    grpc::CallbackServerContext* context,
    const v1::SubmitInputResponseRequest* request,
    v1::SubmitInputResponseResponse* response) {
  absl::StatusOr<broker::SubmitCommand> command = CommandOf(*request);
  if (!command.ok()) return Finish(context, command.status());
  command->trace_id = TraceIdOf(*context);
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  broker_.Submit(
      *std::move(command),
      [response, reactor](absl::StatusOr<broker::SubmitOutcome> outcome) {
        if (outcome.ok()) FillResponse(*outcome, *response);
        reactor->Finish(ToGrpc(outcome.status()));
      });
  return reactor;
}

grpc::ServerUnaryReactor* TrustService::CancelInputRequest(
    grpc::CallbackServerContext* context,
    const v1::CancelInputRequestRequest* request,
    v1::CancelInputRequestResponse* response) {
  absl::StatusOr<broker::CancelCommand> command = CommandOf(*request);
  if (!command.ok()) return Finish(context, command.status());
  command->trace_id = TraceIdOf(*context);
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  broker_.Cancel(
      *std::move(command),
      [response, reactor](absl::StatusOr<broker::CancelOutcome> outcome) {
        if (outcome.ok()) {
          for (const auto& entry : outcome->entries) {
            v1::InputRequestStatus& status = *response->add_input_requests();
            status.set_input_request("inputRequests/" + entry.input_request_id);
            status.set_state(ToProto(entry.state));
          }
        }
        reactor->Finish(ToGrpc(outcome.status()));
      });
  return reactor;
}

grpc::ServerUnaryReactor* TrustService::CloseOperation(
    grpc::CallbackServerContext* context,
    const v1::CloseOperationRequest* request,
    v1::CloseOperationResponse* response) {
  absl::StatusOr<broker::CloseOperationCommand> command = CommandOf(*request);
  if (!command.ok()) return Finish(context, command.status());
  command->trace_id = TraceIdOf(*context);
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  broker_.CloseOperation(*std::move(command),
                         [response, reactor](absl::StatusOr<int> cancelled) {
                           if (cancelled.ok())
                             response->set_cancelled_count(*cancelled);
                           reactor->Finish(ToGrpc(cancelled.status()));
                         });
  return reactor;
}

grpc::ServerUnaryReactor* TrustService::ExplainInputRequest(
    grpc::CallbackServerContext* context,
    const v1::ExplainInputRequestRequest* request,
    v1::ExplainInputRequestResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  std::vector<policy::Violation> violations;
  broker::ExplainCommand command = FromProto(*request, violations);
  if (!violations.empty()) {
    reactor->Finish(ToGrpc(violations, kExplainRequest));
    return reactor;
  }
  broker_.Explain(
      std::move(command),
      [response, reactor](absl::StatusOr<broker::Explained> explained) {
        if (!explained.ok()) {
          reactor->Finish(ToGrpc(explained.status()));
        } else if (!explained->violations.empty()) {
          reactor->Finish(ToGrpc(explained->violations, kExplainRequest));
        } else {
          ToProto(*explained, *response);
          reactor->Finish(grpc::Status::OK);
        }
      });
  return reactor;
}

}  // namespace gatehouse::rpc
