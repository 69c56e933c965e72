#ifndef GATEHOUSE_TOOLS_DEMO_HTTP_EXCHANGE_H_
#define GATEHOUSE_TOOLS_DEMO_HTTP_EXCHANGE_H_

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/demo/http_reader.h"
#include "tools/demo/io.h"

namespace gatehouse::demo {

struct HttpRequest {
  std::string method;
  std::string path;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

// One request on a connection of its own, and its response as it comes: a JSON
// body as one message, an event stream as one message an event.
//
// Thread-compatible; blocking, each wait with a deadline on the steady clock.
class HttpExchange final : public HttpObserver {
 public:
  // Connects and sends. UNAVAILABLE if nobody takes it.
  static absl::StatusOr<std::unique_ptr<HttpExchange>> Start(
      const HostPort& server, const HttpRequest& request,
      absl::Duration timeout);

  // The response's head. DEADLINE_EXCEEDED if it did not come in time.
  absl::StatusOr<HttpHead> ReadHead(absl::Duration deadline);
  // The next message; nothing once the response has ended. DEADLINE_EXCEEDED
  // if neither came in time.
  absl::StatusOr<std::optional<std::string>> ReadMessage(
      absl::Duration deadline);

  void OnHead(const HttpHead& head) override;
  void OnMessage(std::string_view text) override;
  void OnEnd() override;

 private:
  explicit HttpExchange(Fd fd) : fd_(std::move(fd)) {}
  // Reads once and feeds it.
  absl::Status ReadMore(absl::Duration deadline);

  Fd fd_;
  HttpReader reader_{HttpReader::Side::kResponses, this};
  std::optional<HttpHead> head_;
  std::deque<std::string> messages_;
  bool ended_ = false;
};

}  // namespace gatehouse::demo

#endif  // GATEHOUSE_TOOLS_DEMO_HTTP_EXCHANGE_H_
