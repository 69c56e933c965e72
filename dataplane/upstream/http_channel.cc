#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "dataplane/http/client.h"
#include "dataplane/upstream/channel.h"
#include "dataplane/upstream/http_exchange.h"
#include "dataplane/upstream/http_trouble.h"
#include "dataplane/upstream/queue_timer.h"
#include "dataplane/upstream/secret_reference.h"
#include "shared/base/status.h"
#include "shared/mcp/envelope.h"
#include "shared/mcp/trace_context.h"

namespace gatehouse::upstream {
namespace {

constexpr absl::Duration kAsideDeadline = absl::Seconds(10);
constexpr absl::Duration kLinger = absl::Seconds(5);
constexpr size_t kMaxAsides = 1024;  // under way
// An answer's header may be as late as its call permits; whoever sent the call
// has the deadline.
constexpr absl::Duration kElsewhere = absl::Hours(24);
constexpr int kMaxResumes = 5;  // of one answer's stream, without any event
constexpr absl::Duration kFirstBackoff = absl::Seconds(1);
constexpr absl::Duration kLongestBackoff = absl::Minutes(1);

// Streamable HTTP as PROTOCOL §2 has it for legacy upstreams.
class HttpChannel final : public Channel,
                          public std::enable_shared_from_this<HttpChannel> {
 public:
  HttpChannel(std::shared_ptr<Environment> environment, http::Url url,
              std::shared_ptr<const http::TlsConnector> tls,
              http::Headers headers, http::SerialQueue queue,
              std::weak_ptr<ChannelEvents> events)
      : environment_(std::move(environment)),
        url_(std::move(url)),
        tls_(std::move(tls)),
        headers_(std::move(headers)),
        queue_(queue),
        events_(std::move(events)),
        reopen_(environment_->reactor, queue) {}

  bool has_own_streams() const override { return true; }
  void SendRequest(int64_t id, std::string text,
                   std::string_view traceparent) override;
  void SendAside(std::string text, Sent sent) override;
  void StopReading(int64_t id, absl::Duration linger) override;
  void Settle(mcp::Revision revision) override { revision_ = revision; }
  void Listen() override;
  void MarkInUse(bool) override {}
  void Close(bool at_once) override;

 private:
  // The answer to one of our requests, over one or, resumed, more exchanges.
  struct Answer {
    std::shared_ptr<HttpExchange> exchange;
    std::unique_ptr<QueueTimer> resume;
    int resumes = 0;  // since the last event
  };

  http::ClientRequest Post(std::string text) const;
  http::ClientRequest Get(const std::string& last_event_id) const;
  void AddSessionHeaders(http::Headers& headers) const;
  HttpExchange::Handlers AnswerHandlers(int64_t id);

  void HandleAnswerHead(const AnswerHead& head);
  void HandleMessage(int64_t id, std::string text);
  void HandleAnswerEnd(int64_t id, ExchangeEnd end);
  bool ResumeLater(int64_t id, const ExchangeEnd& end);
  void Resume(int64_t id, const std::string& last_event_id);
  void FailAnswer(int64_t id, const ExchangeEnd& end);
  void HandleListenEnd(const ExchangeEnd& end);
  void Lose(Trouble trouble);

  const std::shared_ptr<Environment> environment_;
  const http::Url url_;
  const std::shared_ptr<const http::TlsConnector> tls_;  // null: plain HTTP
  const http::Headers headers_;  // the policy's, secrets resolved
  const http::SerialQueue queue_;
  const std::weak_ptr<ChannelEvents> events_;

  std::string session_id_;  // the upstream's, empty: none
  std::optional<mcp::Revision> revision_;
  std::map<int64_t, Answer> answers_;
  std::map<int64_t, std::shared_ptr<HttpExchange>> asides_;
  int64_t next_aside_ = 1;
  std::shared_ptr<HttpExchange> listener_;
  QueueTimer reopen_;
  std::string listen_event_id_;
  int listen_failures_ = 0;    // in a row
  bool has_listened_ = false;  // there was such a stream
  bool lost_ = false;
  bool closed_ = false;
};

void HttpChannel::AddSessionHeaders(http::Headers& headers) const {
  if (revision_.has_value() && *revision_ != mcp::Revision::k2025_03_26) {
    headers.emplace_back("MCP-Protocol-Version", mcp::ToString(*revision_));
  }
  if (!session_id_.empty()) {
    headers.emplace_back("Mcp-Session-Id", session_id_);
  }
  headers.insert(headers.end(), headers_.begin(), headers_.end());
}

http::ClientRequest HttpChannel::Post(std::string text) const {
  http::ClientRequest request;
  request.method = "POST";
  request.url = url_;
  request.tls = tls_;
  request.headers = {{"Accept", "application/json, text/event-stream"},
                     {"Content-Type", "application/json"}};
  AddSessionHeaders(request.headers);
  request.body = std::move(text);
  request.header_timeout = kElsewhere;
  return request;
}

http::ClientRequest HttpChannel::Get(const std::string& last_event_id) const {
  http::ClientRequest request;
  request.method = "GET";
  request.url = url_;
  request.tls = tls_;
  request.headers = {{"Accept", "text/event-stream"}};
  AddSessionHeaders(request.headers);
  if (!last_event_id.empty()) {
    request.headers.emplace_back("Last-Event-ID", last_event_id);
  }
  request.header_timeout = kAsideDeadline;
  return request;
}

HttpExchange::Handlers HttpChannel::AnswerHandlers(int64_t id) {
  const std::weak_ptr<HttpChannel> weak = weak_from_this();
  HttpExchange::Handlers handlers;
  // Only the answer to `initialize` gives a session its id.
  if (!revision_.has_value()) {
    handlers.on_answer = [weak](const AnswerHead& head) {
      if (const auto self = weak.lock()) self->HandleAnswerHead(head);
    };
  }
  handlers.on_message = [weak, id](std::string text) {
    if (const auto self = weak.lock()) self->HandleMessage(id, std::move(text));
  };
  handlers.on_end = [weak, id](ExchangeEnd end) {
    if (const auto self = weak.lock()) {
      self->HandleAnswerEnd(id, std::move(end));
    }
  };
  return handlers;
}

void HttpChannel::SendRequest(int64_t id, std::string text,
                              std::string_view traceparent) {
  if (closed_) return;
  http::ClientRequest request = Post(std::move(text));
  if (!traceparent.empty()) {
    request.headers.emplace_back(mcp::kTraceparent, traceparent);
  }
  Answer& answer = answers_[id];
  answer.exchange =
      std::make_shared<HttpExchange>(environment_, queue_, AnswerHandlers(id));
  answer.exchange->Start(std::move(request), absl::InfiniteDuration());
}

void HttpChannel::HandleAnswerHead(const AnswerHead& head) {
  if (revision_.has_value() || head.http_status != 200) return;
  if (IsFitSessionId(head.session_id)) session_id_ = head.session_id;
}

void HttpChannel::HandleMessage(int64_t id, std::string text) {
  const auto it = answers_.find(id);
  if (it == answers_.end()) return;
  it->second.resumes = 0;
  if (const auto events = events_.lock())
    events->OnMessage(std::move(text), id);
}

void HttpChannel::HandleAnswerEnd(int64_t id, ExchangeEnd end) {
  if (answers_.find(id) == answers_.end()) return;
  if (end.event_stream && ResumeLater(id, end)) return;
  std::string body = std::move(end.body);
  if (!body.empty() && end.status.ok() &&
      (end.http_status == 200 || IsErrorFor(body, id))) {
    if (const auto events = events_.lock()) {
      events->OnMessage(std::move(body), id);
    }
  }
  FailAnswer(id, end);  // of no effect if that was the answer
}

bool HttpChannel::ResumeLater(int64_t id, const ExchangeEnd& end) {
  const bool resumable =
      !end.last_event_id.empty() && !end.too_large &&
      (end.status.ok() || end.status.code() == absl::StatusCode::kDataLoss);
  Answer& answer = answers_[id];
  if (!resumable || lost_ || answer.resumes >= kMaxResumes) return false;
  ++answer.resumes;
  answer.exchange = nullptr;
  answer.resume = std::make_unique<QueueTimer>(environment_->reactor, queue_);
  answer.resume->Start(
      RetryDelay(end.retry_ms, /*failures=*/0, kFirstBackoff, kLongestBackoff),
      [weak = weak_from_this(), id, last = end.last_event_id] {
        if (const auto self = weak.lock()) self->Resume(id, last);
      });
  return true;
}

void HttpChannel::Resume(int64_t id, const std::string& last_event_id) {
  const auto it = answers_.find(id);
  if (closed_ || it == answers_.end()) return;
  HttpExchange::Handlers handlers = AnswerHandlers(id);
  handlers.on_end = [weak = weak_from_this(), id,
                     last_event_id](ExchangeEnd end) {
    const auto self = weak.lock();
    if (self == nullptr) return;
    // A stream without a new event is resumed where the last one ended.
    if (end.last_event_id.empty()) end.last_event_id = last_event_id;
    self->HandleAnswerEnd(id, std::move(end));
  };
  it->second.exchange =
      std::make_shared<HttpExchange>(environment_, queue_, std::move(handlers));
  it->second.exchange->Start(Get(last_event_id), absl::InfiniteDuration());
}

void HttpChannel::FailAnswer(int64_t id, const ExchangeEnd& end) {
  if (answers_.erase(id) == 0) return;
  HttpTrouble trouble = TroubleOf(end, !session_id_.empty());
  if (const auto events = events_.lock()) {
    events->OnRequestEnded(id, trouble.trouble);
  }
  if (trouble.session_lost) Lose(std::move(trouble.trouble));
}

void HttpChannel::Lose(Trouble trouble) {
  if (lost_ || closed_) return;
  lost_ = true;
  reopen_.Stop();
  if (const auto events = events_.lock()) events->OnLost(std::move(trouble));
}

void HttpChannel::StopReading(int64_t id, absl::Duration linger) {
  const auto it = answers_.find(id);
  if (it == answers_.end()) return;
  const std::shared_ptr<HttpExchange> exchange = it->second.exchange;
  answers_.erase(it);
  if (exchange == nullptr) return;
  if (linger > absl::ZeroDuration()) {
    exchange->Linger(linger);
  } else {
    exchange->Cancel();
  }
}

void HttpChannel::SendAside(std::string text, Sent sent) {
  if (closed_ || asides_.size() >= kMaxAsides) {
    if (!sent) return;
    return sent(closed_ ? absl::UnavailableError("the session has ended")
                        : absl::ResourceExhaustedError(
                              "too many messages are on their way"));
  }
  const int64_t aside = next_aside_++;
  const std::weak_ptr<HttpChannel> weak = weak_from_this();
  HttpExchange::Handlers handlers;
  handlers.on_answer = [weak, aside, sent](const AnswerHead& head) {
    const auto self = weak.lock();
    const int status = head.http_status;
    if (self == nullptr || status < 200 || status > 299) return;
    // Taken. What else the answer may hold is of no interest.
    if (const auto it = self->asides_.find(aside); it != self->asides_.end()) {
      it->second->Linger(kLinger);
      self->asides_.erase(it);
    }
    if (sent) sent(absl::OkStatus());
  };
  handlers.on_end = [weak, aside, sent](ExchangeEnd end) {
    const auto self = weak.lock();
    if (self != nullptr) self->asides_.erase(aside);
    if (sent) sent(absl::UnavailableError("the upstream did not take it"));
    if (self == nullptr) return;
    HttpTrouble trouble = TroubleOf(end, !self->session_id_.empty());
    if (trouble.session_lost) self->Lose(std::move(trouble.trouble));
  };
  const auto exchange =
      std::make_shared<HttpExchange>(environment_, queue_, std::move(handlers));
  asides_[aside] = exchange;
  exchange->Start(Post(std::move(text)), kAsideDeadline);
}

void HttpChannel::Listen() {
  if (closed_ || lost_) return;
  const std::weak_ptr<HttpChannel> weak = weak_from_this();
  HttpExchange::Handlers handlers;
  handlers.on_message = [weak](std::string text) {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->listen_failures_ = 0;
    if (const auto events = self->events_.lock()) {
      events->OnMessage(std::move(text), 0);
    }
  };
  handlers.on_end = [weak](ExchangeEnd end) {
    if (const auto self = weak.lock()) self->HandleListenEnd(end);
  };
  listener_ =
      std::make_shared<HttpExchange>(environment_, queue_, std::move(handlers));
  listener_->Start(Get(listen_event_id_), absl::InfiniteDuration());
}

void HttpChannel::HandleListenEnd(const ExchangeEnd& end) {
  listener_ = nullptr;
  if (closed_ || lost_) return;
  // An upstream that offers no such stream says so (405, or another 4xx): the
  // session goes on without one. What answers otherwise is no stream either.
  const bool offered =
      end.event_stream || end.http_status == 0 || end.http_status >= 500;
  if (!offered && has_listened_) {
    // It was restarted, say: better noticed here than by the next call.
    HttpTrouble trouble = TroubleOf(end, !session_id_.empty());
    if (trouble.session_lost) return Lose(std::move(trouble.trouble));
  }
  if (!offered || end.too_large) return;
  has_listened_ = has_listened_ || end.event_stream;
  if (!end.last_event_id.empty()) listen_event_id_ = end.last_event_id;
  const absl::Duration delay = RetryDelay(end.retry_ms, listen_failures_++,
                                          kFirstBackoff, kLongestBackoff);
  reopen_.Start(delay, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Listen();
  });
}

void HttpChannel::Close(bool) {
  if (closed_) return;
  closed_ = true;
  reopen_.Stop();
  if (listener_ != nullptr) listener_->Cancel();
  for (auto& [id, answer] : answers_) {
    if (answer.exchange != nullptr) answer.exchange->Cancel();
  }
  answers_.clear();
  // Replies that are on their way out may arrive: they bound themselves.
  if (session_id_.empty() || lost_) return;
  http::ClientRequest request;
  request.method = "DELETE";
  request.url = url_;
  request.tls = tls_;
  AddSessionHeaders(request.headers);
  const auto farewell = std::make_shared<HttpExchange>(
      environment_, queue_, HttpExchange::Handlers{});
  farewell->Start(std::move(request), kAsideDeadline);
}

// The headers that are ours to set, or the client's.
bool IsReserved(std::string_view name) {
  for (const char* const reserved :
       {"Host", "Content-Length", "Connection", "Transfer-Encoding", "Accept",
        "Content-Type", "MCP-Protocol-Version", "Mcp-Session-Id",
        "Last-Event-ID", "traceparent"}) {
    if (absl::EqualsIgnoreCase(ToAbsl(name), reserved)) return true;
  }
  return false;
}

}  // namespace

OpenedChannel OpenHttpChannel(std::shared_ptr<Environment> environment,
                              const relay::UpstreamTarget& target,
                              http::SerialQueue queue,
                              std::weak_ptr<ChannelEvents> events) {
  absl::StatusOr<http::Url> url = http::ParseUrl(target.http_url);
  if (!url.ok()) {
    return Trouble{Reason::kUpstreamUnavailable,
                   absl::StrCat("http.url: ", url.status().message())};
  }
  std::shared_ptr<const http::TlsConnector> tls;
  if (url->tls) {
    auto connector = environment->trust.ConnectorFor(target);
    if (!connector.ok()) {
      return Trouble{Reason::kUpstreamUnavailable,
                     absl::StrCat("http.tls: ", connector.status().message())};
    }
    tls = *std::move(connector);
  }
  http::Headers headers;
  for (const auto& [name, reference] : target.headers_from) {
    if (IsReserved(name)) {
      return Trouble{Reason::kUpstreamUnavailable,
                     absl::StrCat("http.headersFrom.", name,
                                  ": this header is the gateway's own; remove "
                                  "it")};
    }
    absl::StatusOr<std::string> secret = ResolveSecret(reference);
    if (!secret.ok()) {
      return Trouble{Reason::kUpstreamUnavailable,
                     absl::StrCat("http.headersFrom.", name, ": ",
                                  secret.status().message())};
    }
    headers.emplace_back(name, *std::move(secret));
  }
  return std::static_pointer_cast<Channel>(std::make_shared<HttpChannel>(
      std::move(environment), *std::move(url), std::move(tls),
      std::move(headers), std::move(queue), std::move(events)));
}

}  // namespace gatehouse::upstream
