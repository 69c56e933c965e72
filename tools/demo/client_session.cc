#include "tools/demo/client_session.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"

namespace gatehouse::demo {
namespace {

constexpr absl::Duration kSendTimeout = absl::Seconds(10);

absl::Status WrongStatus(std::string_view what, const HttpHead& head) {
  return absl::FailedPreconditionError(
      absl::StrCat(ToAbsl(what), ": unexpected ", head.start_line));
}

std::string InitializeParams(const std::string& revision) {
  json::Writer out;
  out.StartObject().Name("protocolVersion").String(revision);
  out.Name("capabilities")
      .Raw(R"({"sampling":{},"elicitation":{},"roots":{}})");
  out.Name("clientInfo")
      .Raw(R"({"name":"gatehouse-demo-client","version":"1"})");
  return out.EndObject().Take();
}

}  // namespace

HttpRequest ClientSession::MakeRequest(std::string_view method) const {
  HttpRequest request;
  request.method = std::string(method);
  request.path = options_.path;
  auto& headers = request.headers;
  if (method == "POST")
    headers.emplace_back("Content-Type", "application/json");
  headers.emplace_back("Accept", method == "GET"
                                     ? "text/event-stream"
                                     : "application/json, text/event-stream");
  if (open_) headers.emplace_back("MCP-Protocol-Version", options_.revision);
  if (!session_id_.empty()) {
    headers.emplace_back("Mcp-Session-Id", session_id_);
  }
  if (!options_.bearer_token.empty()) {
    headers.emplace_back("Authorization", "Bearer " + options_.bearer_token);
  }
  return request;
}

absl::Status ClientSession::Post(std::string message) {
  HttpRequest request = MakeRequest("POST");
  request.body = std::move(message);
  GATEHOUSE_ASSIGN_OR_RETURN(
      const auto exchange,
      HttpExchange::Start(options_.server, request, kSendTimeout));
  GATEHOUSE_ASSIGN_OR_RETURN(const HttpHead head,
                             exchange->ReadHead(SteadyNow() + kSendTimeout));
  if (head.Status() != 202) return WrongStatus("POST", head);
  return absl::OkStatus();
}

absl::StatusOr<std::string> ClientSession::Open() {
  GATEHOUSE_ASSIGN_OR_RETURN(
      std::string response,
      Request("initialize", InitializeParams(options_.revision), {}));
  GATEHOUSE_ASSIGN_OR_RETURN(const mcp::Envelope envelope,
                             mcp::ParseEnvelope(response));
  if (envelope.kind != mcp::MessageKind::kResult) {
    return absl::FailedPreconditionError(
        absl::StrCat("initialize: ", ToAbsl(envelope.error)));
  }
  open_ = true;
  GATEHOUSE_RETURN_IF_ERROR(
      Post(mcp::NotificationMessage("notifications/initialized", "")));
  if (options_.open_get_stream) GATEHOUSE_RETURN_IF_ERROR(OpenGetStream());
  return response;
}

absl::Status ClientSession::OpenGetStream() {
  GATEHOUSE_ASSIGN_OR_RETURN(
      get_stream_,
      HttpExchange::Start(options_.server, MakeRequest("GET"), kSendTimeout));
  GATEHOUSE_ASSIGN_OR_RETURN(const HttpHead head,
                             get_stream_->ReadHead(SteadyNow() + kSendTimeout));
  if (head.Status() == 405) get_stream_.reset();  // not offered, which is fine
  if (head.Status() != 200 && head.Status() != 405) {
    return WrongStatus("GET", head);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ClientSession::Request(std::string_view method,
                                                   std::string params,
                                                   const AnswerPlan& plan) {
  const std::string id = absl::StrCat(next_id_++);
  HttpRequest request = MakeRequest("POST");
  request.body = mcp::RequestMessage(id, method, params);
  const absl::Duration deadline = SteadyNow() + options_.timeout;
  GATEHOUSE_ASSIGN_OR_RETURN(
      const auto exchange,
      HttpExchange::Start(options_.server, request, kSendTimeout));
  GATEHOUSE_ASSIGN_OR_RETURN(const HttpHead head, exchange->ReadHead(deadline));
  // An error's body is a JSON-RPC error where the server says why.
  if (head.Status() != 200 && head.Status() != 400) {
    return WrongStatus(method, head);
  }
  if (session_id_.empty()) {
    session_id_ = head.Header("mcp-session-id").value_or("");
  }
  absl::StatusOr<std::string> response =
      ReadResponse(exchange.get(), id, plan, deadline);
  GATEHOUSE_RETURN_IF_ERROR(DrainGetStream(plan));
  return response;
}

absl::StatusOr<std::string> ClientSession::ReadResponse(
    HttpExchange* exchange, std::string_view id, const AnswerPlan& plan,
    absl::Duration deadline) {
  for (;;) {
    GATEHOUSE_ASSIGN_OR_RETURN(std::optional<std::string> message,
                               exchange->ReadMessage(deadline));
    if (!message) {
      return absl::UnavailableError("the stream ended without a response");
    }
    GATEHOUSE_ASSIGN_OR_RETURN(const mcp::Envelope envelope,
                               mcp::ParseEnvelope(*message));
    switch (envelope.kind) {
      case mcp::MessageKind::kRequest:
        GATEHOUSE_RETURN_IF_ERROR(TakeRequest(envelope, plan));
        break;
      case mcp::MessageKind::kNotification:
        break;
      case mcp::MessageKind::kResult:
      case mcp::MessageKind::kError:
        if (envelope.id == id) return *std::move(message);
        break;
    }
  }
}

absl::Status ClientSession::DrainGetStream(const AnswerPlan& plan) {
  while (get_stream_ != nullptr) {
    auto message =
        get_stream_->ReadMessage(SteadyNow() + absl::Milliseconds(1));
    if (absl::IsDeadlineExceeded(message.status())) return absl::OkStatus();
    if (!message.ok()) return message.status();
    if (!message->has_value()) {
      get_stream_.reset();
      return absl::OkStatus();
    }
    GATEHOUSE_ASSIGN_OR_RETURN(const mcp::Envelope envelope,
                               mcp::ParseEnvelope(**message));
    if (envelope.kind == mcp::MessageKind::kRequest) {
      GATEHOUSE_RETURN_IF_ERROR(TakeRequest(envelope, plan));
    }
  }
  return absl::OkStatus();
}

absl::Status ClientSession::TakeRequest(const mcp::Envelope& request,
                                        const AnswerPlan& plan) {
  ++asked_count_;
  std::optional<std::string> answer = AnswerTo(request, plan);
  return answer ? Post(*std::move(answer)) : absl::OkStatus();
}

absl::Status ClientSession::Close() {
  get_stream_.reset();
  GATEHOUSE_ASSIGN_OR_RETURN(
      const auto exchange,
      HttpExchange::Start(options_.server, MakeRequest("DELETE"),
                          kSendTimeout));
  GATEHOUSE_ASSIGN_OR_RETURN(const HttpHead head,
                             exchange->ReadHead(SteadyNow() + kSendTimeout));
  if (head.Status() / 100 != 2 && head.Status() != 405) {
    return WrongStatus("DELETE", head);
  }
  return absl::OkStatus();
}

}  // namespace gatehouse::demo
