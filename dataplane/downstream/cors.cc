#include "dataplane/downstream/cors.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "dataplane/downstream/answers.h"

namespace gatehouse::downstream {
namespace {

constexpr std::string_view kMethods = "GET, POST, DELETE";
// What a client of any revision sends (PROTOCOL §2.1) and a browser asks about.
constexpr std::string_view kRequestHeaders =
    "Accept, Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, "
    "Mcp-Method, Mcp-Name, Mcp-Session-Id";
constexpr std::string_view kExposedHeaders =
    "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate";
// Short, since nothing is gained by a longer one: each request is checked.
constexpr std::string_view kMaxAgeSeconds = "600";

class CorsExchange final : public http::Exchange {
 public:
  CorsExchange(std::shared_ptr<http::Exchange> exchange,
               std::string_view origin)
      : exchange_(std::move(exchange)), origin_(origin) {}

  const http::Request& request() const override { return exchange_->request(); }
  void Respond(http::Response response) override {
    AddHeaders(response.headers);
    exchange_->Respond(std::move(response));
  }
  void StartStream(int status, http::Headers headers) override {
    AddHeaders(headers);
    exchange_->StartStream(status, std::move(headers));
  }
  bool Write(std::string_view bytes) override {
    return exchange_->Write(bytes);
  }
  void EndStream() override { exchange_->EndStream(); }
  bool streaming() const override { return exchange_->streaming(); }
  void OnPeerGone(std::function<void()> callback) override {
    exchange_->OnPeerGone(std::move(callback));
  }
  void OnPeerHalfClosed(std::function<void()> callback) override {
    exchange_->OnPeerHalfClosed(std::move(callback));
  }

 private:
  void AddHeaders(http::Headers& headers) const {
    headers.emplace_back("Access-Control-Allow-Origin", origin_);
    headers.emplace_back("Access-Control-Expose-Headers", kExposedHeaders);
    // A cache must not give one page what was made for another.
    headers.emplace_back("Vary", "Origin");
  }

  const std::shared_ptr<http::Exchange> exchange_;
  const std::string origin_;
};

}  // namespace

http::Response AnswerOptions(const http::Headers& headers) {
  http::Response response = EmptyAnswer(204);
  response.headers.emplace_back("Allow", kMethodsServed);
  if (http::CountHeader(headers, "Origin") == 0 ||
      http::CountHeader(headers, "Access-Control-Request-Method") == 0) {
    return response;
  }
  response.headers.emplace_back("Access-Control-Allow-Methods", kMethods);
  response.headers.emplace_back("Access-Control-Allow-Headers",
                                kRequestHeaders);
  response.headers.emplace_back("Access-Control-Max-Age", kMaxAgeSeconds);
  return response;
}

std::shared_ptr<http::Exchange> WithCors(
    std::shared_ptr<http::Exchange> exchange) {
  const std::optional<std::string_view> origin =
      http::FindHeader(exchange->request().headers, "Origin");
  if (!origin.has_value()) return exchange;
  return std::make_shared<CorsExchange>(std::move(exchange), *origin);
}

}  // namespace gatehouse::downstream
