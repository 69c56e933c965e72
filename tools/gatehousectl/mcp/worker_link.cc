#include "tools/gatehousectl/mcp/worker_link.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "dataplane/upstream/sse_reader.h"
#include "shared/base/status.h"

namespace gatehouse::ctl {
namespace {

constexpr size_t kMaxMessageBytes = 16 << 20;
constexpr size_t kMaxErrorBytes = 64 << 10;
constexpr size_t kMaxSessionIdBytes = 1024;
constexpr absl::Duration kConnectTimeout = absl::Seconds(5);
constexpr absl::Duration kListenPatience = absl::Seconds(30);

bool IsType(const http::Headers& headers, std::string_view type) {
  const std::string_view header =
      http::FindHeader(headers, "Content-Type").value_or("");
  return absl::StartsWithIgnoreCase(ToAbsl(header), ToAbsl(type));
}

}  // namespace

std::string OnOneLine(std::string message) {
  std::replace_if(
      message.begin(), message.end(),
      [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return message;
}

// One request and what comes back.
class WorkerLink::Exchange final : public http::ClientObserver {
 public:
  Exchange(WorkerLink* link, ExchangeHandlers handlers)
      : link_(link),
        handlers_(std::move(handlers)),
        events_(kMaxMessageBytes, [this](upstream::SseReader::Event event) {
          handlers_.on_message(OnOneLine(std::move(event.data)));
        }) {}

  void OnHeaders(int status, const http::Headers& headers) override {
    end_.http_status = status;
    is_stream_ = status == 200 && IsType(headers, "text/event-stream");
    is_message_ = status == 200 && IsType(headers, "application/json");
    const auto session = http::FindHeader(headers, "Mcp-Session-Id");
    if (status == 200 && session.has_value() &&
        session->size() <= kMaxSessionIdBytes && link_->session_id_.empty()) {
      link_->session_id_ = std::string(*session);
    }
  }

  void OnBody(std::string_view bytes) override {
    if (!broken_.ok()) return;
    if (is_stream_) {
      broken_ = events_.Feed(bytes);
    } else if (body_.size() + bytes.size() <= kMaxMessageBytes) {
      body_.append(bytes);
    } else {
      broken_ = absl::ResourceExhaustedError("an answer is over 16 MiB");
    }
    if (!broken_.ok() && call_ != nullptr) call_->Cancel();
  }

  void OnEnd(absl::Status status) override {
    end_.status = broken_.ok() ? std::move(status) : broken_;
    if (is_stream_) {
      end_.last_event_id = events_.last_event_id();
      end_.retry_ms = events_.retry_ms();
    } else if (is_message_ && end_.status.ok()) {
      handlers_.on_message(OnOneLine(std::move(body_)));
    } else if (body_.size() <= kMaxErrorBytes) {
      end_.body = std::move(body_);
    }
    const ExchangeHandlers handlers = std::move(handlers_);
    call_.reset();
    handlers.on_end(end_);
  }

  void set_call(std::shared_ptr<http::ClientCall> call) {
    call_ = std::move(call);
  }

 private:
  WorkerLink* const link_;
  ExchangeHandlers handlers_;
  upstream::SseReader events_;
  std::shared_ptr<http::ClientCall> call_;
  bool is_stream_ = false;
  bool is_message_ = false;
  std::string body_;
  absl::Status broken_;  // ok until a bound is passed
  ExchangeEnd end_;
};

http::ClientRequest WorkerLink::MakeRequest(const std::string& method) const {
  http::ClientRequest request;
  request.method = method;
  request.url = options_.url;
  request.tls = options_.tls;
  request.connect_timeout = kConnectTimeout;
  if (!session_id_.empty()) {
    request.headers.emplace_back("Mcp-Session-Id", session_id_);
  }
  if (!revision_.empty()) {
    request.headers.emplace_back("MCP-Protocol-Version", revision_);
  }
  if (!options_.bearer_token.empty()) {
    request.headers.emplace_back("Authorization",
                                 "Bearer " + options_.bearer_token);
  }
  return request;
}

std::shared_ptr<http::ClientCall> WorkerLink::Start(http::ClientRequest request,
                                                    ExchangeHandlers handlers) {
  const auto exchange = std::make_shared<Exchange>(this, std::move(handlers));
  // Its callbacks come later, on this thread.
  auto call = client_.Start(std::move(request), exchange);
  exchange->set_call(call);
  return call;
}

std::shared_ptr<http::ClientCall> WorkerLink::Post(std::string message,
                                                   absl::Duration patience,
                                                   ExchangeHandlers handlers) {
  http::ClientRequest request = MakeRequest("POST");
  request.headers.emplace_back("Content-Type", "application/json");
  request.headers.emplace_back("Accept", "application/json, text/event-stream");
  request.header_timeout = patience;
  request.silence_timeout = patience;
  request.body = std::move(message);
  return Start(std::move(request), std::move(handlers));
}

std::shared_ptr<http::ClientCall> WorkerLink::Listen(
    const std::string& last_event_id, ExchangeHandlers handlers) {
  http::ClientRequest request = MakeRequest("GET");
  request.headers.emplace_back("Accept", "text/event-stream");
  if (!last_event_id.empty()) {
    request.headers.emplace_back("Last-Event-ID", last_event_id);
  }
  request.header_timeout = kListenPatience;
  return Start(std::move(request), std::move(handlers));
}

std::shared_ptr<http::ClientCall> WorkerLink::Delete(
    absl::Duration patience, ExchangeHandlers handlers) {
  http::ClientRequest request = MakeRequest("DELETE");
  request.connect_timeout = patience;
  request.header_timeout = patience;
  request.silence_timeout = patience;
  return Start(std::move(request), std::move(handlers));
}

}  // namespace gatehouse::ctl
