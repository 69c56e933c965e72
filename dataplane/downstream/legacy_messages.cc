// What a client sends within its session: requests, notifications, replies.

#include <algorithm>
#include <optional>
#include <utility>

#include "dataplane/downstream/answers.h"
#include "dataplane/downstream/legacy_front.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "shared/mcp/envelope.h"
#include "shared/mcp/trace_context.h"

namespace gatehouse::downstream {
namespace {

void RespondError(const std::shared_ptr<http::Exchange>& exchange,
                  std::string_view id, int32_t code, std::string_view message) {
  exchange->Respond(JsonAnswer(200, mcp::ErrorMessage(id, code, message, "")));
}

Failure FailureOf(const absl::Status& route) {
  Failure failure;
  failure.reason = Reason::kUnknownTool;
  failure.message =
      "there is no tool of that name here; tools/list says which there are";
  if (absl::IsUnavailable(route)) {
    failure.reason = Reason::kUpstreamUnavailable;
    failure.message =
        "the server that may have this tool cannot be reached; try again later";
  } else if (absl::IsOutOfRange(route)) {
    failure.reason = Reason::kUpstreamNotHere;
    failure.message =
        "this tool is served in another cluster than the one you are "
        "connected to; connect to a gateway there";
  } else if (absl::IsFailedPrecondition(route)) {
    failure.message =
        "two servers have a tool of that name, so neither can be called; the "
        "operator can set a prefix";
  }
  return failure;
}

std::string ToolsResult(const catalogue::Catalogue& listed) {
  json::Writer result;
  result.StartObject().Name("tools").StartArray();
  for (const std::string& tool : listed.tools()) result.Raw(tool);
  return result.EndArray().EndObject().Take();
}

// How many upstreams could not be listed.
size_t Unlisted(const catalogue::Catalogue& listed) {
  return static_cast<size_t>(std::count_if(
      listed.problems().begin(), listed.problems().end(),
      [](const catalogue::Problem& problem) { return problem.tool.empty(); }));
}

// The request's own trace context if its one header of that name is valid, else
// what `otherwise` has.
std::string TraceparentOf(const http::Headers& headers,
                          std::string_view otherwise) {
  const auto header = http::FindHeader(headers, mcp::kTraceparent);
  if (header.has_value() && !mcp::TraceIdOf(*header).empty() &&
      http::CountHeader(headers, mcp::kTraceparent) == 1) {
    return std::string(*header);
  }
  return std::string(otherwise);
}

// The decoded string of a lexeme that names one of our opaque ids, or nullopt.
std::optional<std::string> OpaqueIdOf(std::string_view lexeme) {
  const absl::StatusOr<json::Document> read =
      json::Document::Parse(std::string(lexeme));
  if (!read.ok()) return std::nullopt;
  const absl::StatusOr<std::string_view> text = read->root().String();
  if (!text.ok() || !IsSecretShaped(*text)) return std::nullopt;
  return std::string(*text);
}

// `progress` and `total`, and nothing else: free text of a client does not
// reach an upstream unjudged (invariant 1).
std::optional<std::string> NumbersOf(const json::Value& params) {
  const std::optional<json::Value> progress = params.Find("progress");
  if (!progress.has_value() || !progress->IsNumber()) return std::nullopt;
  json::Writer numbers;
  numbers.StartObject().Name("progress").Raw(progress->raw());
  if (const auto total = params.Find("total");
      total.has_value() && total->IsNumber()) {
    numbers.Name("total").Raw(total->raw());
  }
  return numbers.EndObject().Take();
}

}  // namespace

// ---- Requests. ----

void LegacyFront::OnRequest(const InSession& request) {
  const mcp::Envelope& message = request.what.message;
  if (message.method == "tools/call") return CallTool(request);
  if (message.method == "tools/list") return ListTools(request);
  if (message.method == "ping") {
    return request.exchange->Respond(
        JsonAnswer(200, mcp::ResultMessage(message.id, "{}")));
  }
  RespondError(request.exchange, message.id, mcp::kMethodNotFound,
               "this server does not have that method");
}

std::shared_ptr<CallStream> LegacyFront::Begin(const InSession& request,
                                               std::string progress_token) {
  const std::string id(request.what.message.id);
  auto stream = std::make_shared<CallStream>(
      request.exchange, id, std::move(progress_token), to_.timers,
      [session = request.session, id] { session->Finished(id); });
  Failure failure;
  switch (request.session->Begin(stream)) {
    case Session::Begun::kYes:
      stream->Arm();
      return stream;
    case Session::Begun::kDuplicate:
      failure.reason = Reason::kDuplicateId;
      failure.message = "a request with this id is in flight already";
      request.exchange->Respond(
          Refusal(RowOf(failure.reason).http_status, failure));
      return nullptr;
    case Session::Begun::kTooMany:
      request.exchange->Respond(ComeAgain(
          Reason::kWorkerBusy, "this session has too many requests in flight"));
      return nullptr;
    case Session::Begun::kEnded:
      request.exchange->Respond(
          ComeAgain(Reason::kOperationEnded, "this session is ending"));
      return nullptr;
  }
  return nullptr;
}

bool LegacyFront::CheckPolicyLease(const InSession& request) {
  if (to_.snapshots.trust() == relay::Snapshots::Trust::kHolds) return true;
  Failure failure;
  failure.reason = Reason::kTrustUnavailable;
  failure.message =
      "the gateway has not heard from its control plane for too long to serve "
      "calls; try again later";
  request.exchange->Respond(
      JsonAnswer(200, ErrorOf(request.what.message.id, failure)));
  return false;
}

void LegacyFront::ListTools(const InSession& request) {
  const mcp::Envelope& message = request.what.message;
  if (!CheckPolicyLease(request)) return;
  if (!message.params.empty()) {
    const absl::StatusOr<json::Document> params =
        json::Document::Parse(std::string(message.params));
    if (!params.ok() || !params->root().IsObject()) {
      return RespondError(request.exchange, message.id, mcp::kInvalidParams,
                          "params: expected an object");
    }
    if (params->root().Find("cursor").has_value()) {
      return RespondError(request.exchange, message.id, mcp::kInvalidParams,
                          "/cursor: not one of this server's; the list has one "
                          "page");
    }
  }
  std::shared_ptr<CallStream> stream = Begin(request, "");
  if (stream == nullptr) return;
  tool_lists_.List(request.session, request.snapshot,
                   [stream = std::move(stream), snapshot = request.snapshot](
                       std::shared_ptr<const catalogue::Catalogue> listed) {
                     // Where all are elsewhere, the list is truly empty.
                     if (snapshot->upstreams.empty() ||
                         Unlisted(*listed) < snapshot->upstreams.size()) {
                       return stream->AnswerResult(ToolsResult(*listed));
                     }
                     Failure failure;
                     failure.reason = Reason::kUpstreamUnavailable;
                     failure.message =
                         "no server behind this one can be reached";
                     stream->AnswerFailure(failure);
                   });
}

void LegacyFront::CallTool(const InSession& request) {
  const mcp::Envelope& message = request.what.message;
  if (!CheckPolicyLease(request)) return;
  absl::StatusOr<ToolCall> call = ToolCall::Parse(message.params);
  if (!call.ok()) {
    return RespondError(request.exchange, message.id, mcp::kInvalidParams,
                        ToStd(call.status().message()));
  }
  std::shared_ptr<CallStream> stream = Begin(request, call->progress_token());
  if (stream == nullptr) return;
  std::string name = call->name();
  tool_lists_.Route(
      request.session, request.snapshot, std::move(name),
      [this, stream = std::move(stream), call = *std::move(call),
       request](absl::StatusOr<catalogue::Destination> destination) {
        StartCall(stream, call, request, destination);
      });
}

void LegacyFront::StartCall(
    std::shared_ptr<CallStream> stream, const ToolCall& call,
    const InSession& request,
    const absl::StatusOr<catalogue::Destination>& destination) {
  const std::string traceparent =
      TraceparentOf(request.exchange->request().headers, call.traceparent());
  relay::CallName name;
  name.virtual_server = request.snapshot->name;
  name.traceparent = traceparent;
  if (!destination.ok()) {
    const Failure failure = FailureOf(destination.status());
    to_.observer.OnCallRefused(name, failure.reason);
    return stream->AnswerFailure(failure);
  }
  name.upstream = destination->upstream;
  const relay::UpstreamTarget* target = nullptr;
  for (const relay::UpstreamTarget& upstream : request.snapshot->upstreams) {
    if (upstream.upstream == destination->upstream) target = &upstream;
  }
  if (target == nullptr || stream->ended()) {
    const Failure failure = FailureOf(absl::NotFoundError(""));
    if (target == nullptr) to_.observer.OnCallRefused(name, failure.reason);
    return stream->AnswerFailure(failure);
  }
  relay::OperationSpec spec;
  spec.id = NewId(to_.random);
  spec.session = request.session->id();
  spec.tool = destination->tool;
  spec.call.target =
      std::shared_ptr<const relay::UpstreamTarget>(request.snapshot, target);
  spec.call.beneficiary = BeneficiaryOf(*request.session, *request.snapshot);
  spec.call.method = "tools/call";
  spec.call.params = call.UpstreamParams(destination->tool);
  spec.call.traceparent = traceparent;
  spec.call.wants_progress = !call.progress_token().empty();
  absl::StatusOr<std::shared_ptr<relay::Operation>> operation =
      to_.operations.Start(std::move(spec), stream);
  if (operation.ok()) return stream->Serve(*std::move(operation));
  Failure failure;
  failure.reason = Reason::kWorkerBusy;
  failure.message = std::string(ToStd(operation.status().message()));
  to_.observer.OnCallRefused(name, failure.reason);
  stream->AnswerRefusal(ComeAgain(failure.reason, failure.message), failure);
}

// ---- Notifications. ----

void LegacyFront::OnNotification(const InSession& request) {
  const mcp::Envelope& message = request.what.message;
  request.exchange->Respond(EmptyAnswer(202));
  if (message.method == "notifications/roots/list_changed") {
    return ReportRootsChanged(request.session);
  }
  if (message.method != "notifications/cancelled" &&
      message.method != "notifications/progress") {
    return;  // `initialized`, and what this version has no use for
  }
  const absl::StatusOr<json::Document> params =
      json::Document::Parse(std::string(message.params));
  if (!params.ok()) return;  // malformed ones are ignored (PROTOCOL §8.4)
  const json::Value root = params->root();
  if (message.method == "notifications/cancelled") {
    const std::optional<json::Value> id = root.Find("requestId");
    if (!id.has_value()) return;
    if (const auto stream = request.session->Find(id->raw());
        stream != nullptr) {
      const std::optional<json::Value> reason = root.Find("reason");
      const bool told = reason.has_value() && reason->IsString();
      stream->Cancel(told ? *reason->String() : std::string_view());
    }
    return;
  }
  const std::optional<json::Value> token = root.Find("progressToken");
  if (!token.has_value()) return;
  const std::optional<std::string> opaque_id = OpaqueIdOf(token->raw());
  std::optional<std::string> numbers = NumbersOf(root);
  if (!opaque_id.has_value() || !numbers.has_value()) return;
  to_.operations.ClientProgress(request.session->id(), *opaque_id,
                                *std::move(numbers));
}

void LegacyFront::ReportRootsChanged(const std::shared_ptr<Session>& session) {
  if (!session->declared().roots || !session->BeginRootsReport()) return;
  to_.control.ReportRootsChanged(session->id(), [this, session] {
    if (session->EndRootsReport()) ReportRootsChanged(session);
  });
}

// ---- Replies to input requests. ----

void LegacyFront::OnResponse(const InSession& request) {
  const mcp::Envelope& message = request.what.message;
  const std::optional<std::string> opaque_id = OpaqueIdOf(message.id);
  if (opaque_id.has_value()) {
    relay::ClientReply reply;
    reply.session = request.session->id();
    reply.opaque_id = *opaque_id;
    reply.traceparent = TraceparentOf(request.exchange->request().headers, "");
    if (message.kind == mcp::MessageKind::kResult) {
      reply.result = std::string(message.result);
    } else {
      reply.error = std::string(message.error);
    }
    to_.operations.SubmitReply(std::move(reply),
                               request.snapshot->reply_deadline);
  }
  // At once, whatever becomes of it: the verdict is not the client's to know.
  request.exchange->Respond(EmptyAnswer(202));
}

}  // namespace gatehouse::downstream
