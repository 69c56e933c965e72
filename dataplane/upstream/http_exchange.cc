#include "dataplane/upstream/http_exchange.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "shared/base/status.h"

namespace gatehouse::upstream {
namespace {

// Of an answer whose content is of no use but for its JSON-RPC error, if any.
constexpr size_t kMaxErrorBodyBytes = 64 << 10;

// A JSON answer up to here is no burden for the reactor's other sockets.
constexpr size_t kLightBodyBytes = 256 << 10;

// The media type without its parameters, compared without case.
bool IsMediaType(std::string_view header, std::string_view type) {
  const std::string_view bare = header.substr(0, header.find(';'));
  return absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(ToAbsl(bare)),
                                ToAbsl(type));
}

}  // namespace

HttpExchange::HttpExchange(std::shared_ptr<Environment> environment,
                           http::SerialQueue queue, Handlers handlers)
    : environment_(std::move(environment)),
      queue_(queue),
      handlers_(std::move(handlers)),
      deadline_(environment_->reactor, queue) {}

void HttpExchange::Start(http::ClientRequest request, absl::Duration deadline) {
  call_ = environment_->client.Start(std::move(request), shared_from_this());
  deadline_.Start(deadline, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr || self->ended_) return;
    self->call_->Cancel();
    self->HandleEnd(absl::DeadlineExceededError("no whole answer in time"));
  });
}

void HttpExchange::Cancel() {
  deadline_.Stop();
  if (ended_) return;
  ended_ = true;
  handlers_ = {};
  if (call_ != nullptr) call_->Cancel();
  call_.reset();
}

void HttpExchange::Linger(absl::Duration at_most) {
  if (ended_) return;
  handlers_ = {};
  deadline_.Start(at_most, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Cancel();
  });
}

// ---- on the reactor's thread

void HttpExchange::OnHeaders(int status, const http::Headers& headers) {
  AnswerHead head;
  head.http_status = status;
  head.session_id = http::FindHeader(headers, "Mcp-Session-Id").value_or("");
  const std::string_view type =
      http::FindHeader(headers, "Content-Type").value_or("");
  if (IsMediaType(type, "application/json")) {
    JsonAnswer& answer = json_.emplace();
    answer.head = std::move(head);
    answer.limit = status == 200 ? environment_->options.max_message_bytes
                                 : kMaxErrorBodyBytes;
    size_t length = 0;
    if (absl::SimpleAtoi(
            ToAbsl(http::FindHeader(headers, "Content-Length").value_or("")),
            &length)) {
      answer.body.reserve(std::min(length, answer.limit));
    }
    return;
  }
  const Body body = status == 200 && IsMediaType(type, "text/event-stream")
                        ? Body::kEvents
                        : Body::kIgnored;
  queue_.Post([self = shared_from_this(), head = std::move(head), body] {
    self->HandleHead(head, body);
  });
}

void HttpExchange::OnBody(std::string_view bytes) {
  if (flooded_) return;
  const bool too_much = json_.has_value()
                            ? json_->body.size() + bytes.size() > json_->limit
                            : waiting_bytes_ + bytes.size() >
                                  2 * environment_->options.max_message_bytes;
  if (too_much) {
    flooded_ = true;
    json_.reset();
    queue_.Post([self = shared_from_this()] { self->GiveUp(); });
    return;
  }
  if (json_.has_value()) {
    json_->body.append(bytes);
    return;
  }
  waiting_bytes_ += bytes.size();
  queue_.Post([self = shared_from_this(), text = std::string(bytes)] {
    self->waiting_bytes_ -= text.size();
    self->HandleBody(text);
  });
}

void HttpExchange::OnEnd(absl::Status status) {
  if (!json_.has_value()) {
    queue_.Post([self = shared_from_this(), status = std::move(status)] {
      self->HandleEnd(status);
    });
    return;
  }
  const bool heavy = json_->body.size() > kLightBodyBytes;
  auto task = [self = shared_from_this(), status = std::move(status),
               answer = *std::move(json_)]() mutable {
    self->HandleHead(answer.head, Body::kIgnored);
    self->end_.body = std::move(answer.body);
    self->HandleEnd(status);
  };
  json_.reset();
  if (heavy) {
    queue_.PostHeavy(std::move(task));
  } else {
    queue_.Post(std::move(task));
  }
}

// ---- on the queue

void HttpExchange::HandleHead(const AnswerHead& head, Body body) {
  if (ended_) return;
  end_.http_status = head.http_status;
  body_ = body;
  if (body == Body::kEvents) {
    end_.event_stream = true;
    reader_ = std::make_unique<SseReader>(
        environment_->options.max_message_bytes,
        [this](SseReader::Event event) {
          // A handler may cancel this exchange while one chunk still holds
          // more events.
          if (event.data.empty() || ended_ || !handlers_.on_message) return;
          const auto on_message = handlers_.on_message;
          on_message(std::move(event.data));
        });
  }
  if (handlers_.on_answer) {
    const auto on_answer = handlers_.on_answer;
    on_answer(head);
  }
}

void HttpExchange::HandleBody(std::string_view bytes) {
  if (ended_) return;
  switch (body_) {
    case Body::kEvents: {
      const auto self = shared_from_this();  // a handler may drop the rest
      if (!reader_->Feed(bytes).ok()) GiveUp();
      return;
    }
    case Body::kIgnored:
      ignored_bytes_ += bytes.size();
      if (ignored_bytes_ > kMaxErrorBodyBytes) GiveUp();
      return;
  }
}

void HttpExchange::HandleEnd(absl::Status status) {
  deadline_.Stop();
  if (ended_) return;
  ended_ = true;
  call_.reset();
  end_.status = std::move(status);
  if (reader_ != nullptr) {
    end_.last_event_id = reader_->last_event_id();
    end_.retry_ms = reader_->retry_ms();
  }
  Handlers handlers = std::move(handlers_);
  handlers_ = {};
  if (handlers.on_end) handlers.on_end(std::move(end_));
}

void HttpExchange::GiveUp() {
  if (ended_) return;
  end_.too_large = true;
  if (call_ != nullptr) call_->Cancel();
  HandleEnd(absl::DataLossError("the answer is over a limit"));
}

}  // namespace gatehouse::upstream
