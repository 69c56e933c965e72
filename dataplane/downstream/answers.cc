#include "dataplane/downstream/answers.h"

#include <utility>

#include "shared/json/json.h"
#include "shared/mcp/envelope.h"

namespace gatehouse::downstream {

http::Response JsonAnswer(int status, std::string body) {
  http::Response response;
  response.status = status;
  response.headers = {{"Content-Type", "application/json"}};
  response.body = std::move(body);
  return response;
}

http::Response EmptyAnswer(int status) {
  http::Response response;
  response.status = status;
  return response;
}

http::Response Refusal(int status, int32_t code, std::string_view message,
                       std::string_view data) {
  return JsonAnswer(status, mcp::ErrorMessage(/*id=*/"", code, message, data));
}

http::Response Refusal(int status, const Failure& failure) {
  return Refusal(status, CodeOf(failure, Receiver::kLegacyClient),
                 failure.message, DataOf(failure, Receiver::kLegacyClient));
}

http::Response ComeAgain(Reason reason, std::string_view message) {
  Failure failure;
  failure.reason = reason;
  failure.message = std::string(message);
  http::Response response = Refusal(503, failure);
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

std::string ErrorOf(std::string_view id, const Failure& failure) {
  return mcp::ErrorMessage(id, CodeOf(failure, Receiver::kLegacyClient),
                           failure.message,
                           DataOf(failure, Receiver::kLegacyClient));
}

std::string AskMessage(const relay::ShownInputRequest& request) {
  return mcp::RequestMessage(json::Quote(request.opaque_id), request.method,
                             request.params);
}

std::string CancelledMessage(std::string_view opaque_id,
                             std::string_view reason) {
  json::Writer params;
  params.StartObject().Name("requestId").String(opaque_id);
  params.Name("reason").String(reason).EndObject();
  return mcp::NotificationMessage("notifications/cancelled", params.Take());
}

std::string ElicitationCompleteMessage(std::string_view elicitation_id) {
  json::Writer params;
  params.StartObject().Name("elicitationId").String(elicitation_id).EndObject();
  return mcp::NotificationMessage("notifications/elicitation/complete",
                                  params.Take());
}

http::Headers SseHeaders() {
  return {{"Content-Type", "text/event-stream"},
          {"Cache-Control", "no-cache, no-transform"},
          {"X-Accel-Buffering", "no"}};
}

}  // namespace gatehouse::downstream
