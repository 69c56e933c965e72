#ifndef GATEHOUSE_DATAPLANE_DOWNSTREAM_ANSWERS_H_
#define GATEHOUSE_DATAPLANE_DOWNSTREAM_ANSWERS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "dataplane/http/server.h"
#include "dataplane/relay/client_side.h"
#include "shared/reasons/reasons.h"

namespace gatehouse::downstream {

// The answers of the front as HTTP responses. Pure.

// What an Allow header says.
inline constexpr std::string_view kMethodsServed = "GET, POST, DELETE, OPTIONS";

http::Response JsonAnswer(int status, std::string body);
http::Response EmptyAnswer(int status);

// A refusal at the door: a JSON-RPC error without id, since what was refused is
// the HTTP request. `data` is raw JSON or empty.
http::Response Refusal(int status, int32_t code, std::string_view message,
                       std::string_view data = "");

// The same of a failure of the contract, as a legacy client learns of it.
http::Response Refusal(int status, const Failure& failure);

// 503 with Retry-After: nothing is known about the request, come again. Never
// 404, which would make clients start over.
http::Response ComeAgain(Reason reason, std::string_view message);

// A failure as the JSON-RPC error that answers a legacy client's request `id`.
std::string ErrorOf(std::string_view id, const Failure& failure);

// What is said to a client on its streams, apart from answers.
std::string AskMessage(const relay::ShownInputRequest& request);
std::string CancelledMessage(std::string_view opaque_id,
                             std::string_view reason);
std::string ElicitationCompleteMessage(std::string_view elicitation_id);

// What every stream starts with.
http::Headers SseHeaders();

}  // namespace gatehouse::downstream

#endif  // GATEHOUSE_DATAPLANE_DOWNSTREAM_ANSWERS_H_
