#include "dataplane/downstream/request_stats.h"

#include <utility>

#include "shared/mcp/envelope.h"

namespace gatehouse::downstream {
namespace {

// The message of an event that http::SseEvent wrote; empty of anything else.
std::string_view MessageOf(std::string_view event) {
  constexpr std::string_view kData = "\ndata: ";
  const size_t at = event.find(kData);
  return at == std::string_view::npos ? std::string_view()
                                      : event.substr(at + kData.size());
}

RequestOutcome OutcomeOf(std::string_view response) {
  return mcp::IsErrorResponse(response) ? RequestOutcome::kError
                                        : RequestOutcome::kOk;
}

}  // namespace

std::string_view ToString(RequestKind kind) {
  switch (kind) {
    case RequestKind::kInitialize:
      return "initialize";
    case RequestKind::kToolsCall:
      return "tools/call";
    case RequestKind::kToolsList:
      return "tools/list";
    case RequestKind::kPing:
      return "ping";
    case RequestKind::kOtherRequest:
      return "other";
    case RequestKind::kNotification:
      return "notification";
    case RequestKind::kResponse:
      return "response";
    case RequestKind::kOpenStream:
      return "GET";
    case RequestKind::kEndSession:
      return "DELETE";
    case RequestKind::kUnread:
      return "unread";
  }
  return "";
}

std::string_view ToString(RequestOutcome outcome) {
  switch (outcome) {
    case RequestOutcome::kOk:
      return "ok";
    case RequestOutcome::kError:
      return "error";
    case RequestOutcome::kRefused:
      return "refused";
    case RequestOutcome::kUnanswered:
      return "unanswered";
  }
  return "";
}

RequestKind KindOf(const Classified& what) {
  switch (what.intent) {
    case Intent::kInitialize:
      return RequestKind::kInitialize;
    case Intent::kNotification:
      return RequestKind::kNotification;
    case Intent::kResponse:
      return RequestKind::kResponse;
    case Intent::kOpenStream:
      return RequestKind::kOpenStream;
    case Intent::kEndSession:
      return RequestKind::kEndSession;
    case Intent::kRefused:
      return RequestKind::kUnread;
    case Intent::kRequest:
      break;
  }
  for (const RequestKind kind :
       {RequestKind::kToolsCall, RequestKind::kToolsList, RequestKind::kPing}) {
    if (what.message.method == ToString(kind)) return kind;
  }
  return RequestKind::kOtherRequest;
}

// Passes everything on and sees how it ends.
class RequestStats::Watched final : public http::Exchange {
 public:
  Watched(RequestStats& stats, std::shared_ptr<http::Exchange> exchange,
          RequestKind kind)
      : stats_(stats),
        exchange_(std::move(exchange)),
        kind_(kind),
        begun_(stats.clock_.Steady()) {
    if (kind_ != RequestKind::kOpenStream) stats_.Begin();
  }
  ~Watched() override { Ended(RequestOutcome::kUnanswered); }

  const http::Request& request() const override { return exchange_->request(); }
  void Respond(http::Response response) override {
    const RequestOutcome outcome = response.status >= 400
                                       ? RequestOutcome::kRefused
                                       : OutcomeOf(response.body);
    exchange_->Respond(std::move(response));
    Ended(outcome);
  }
  void StartStream(int status, http::Headers headers) override {
    exchange_->StartStream(status, std::move(headers));
    if (kind_ == RequestKind::kOpenStream) Ended(RequestOutcome::kOk);
  }
  bool Write(std::string_view bytes) override {
    const std::string_view message = MessageOf(bytes);
    const bool written = exchange_->Write(bytes);
    // One response at most is written, and nothing after it.
    if (written && mcp::IsResponse(message)) {
      outcome_.store(OutcomeOf(message));
    }
    return written;
  }
  void EndStream() override {
    exchange_->EndStream();
    Ended(outcome_.load());
  }
  bool streaming() const override { return exchange_->streaming(); }
  void OnPeerGone(std::function<void()> callback) override {
    exchange_->OnPeerGone(std::move(callback));
  }
  void OnPeerHalfClosed(std::function<void()> callback) override {
    exchange_->OnPeerHalfClosed(std::move(callback));
  }

 private:
  void Ended(RequestOutcome outcome) {
    if (ended_.exchange(true)) return;
    stats_.Count(kind_, outcome);
    if (kind_ == RequestKind::kToolsCall) {
      stats_.call_seconds_.Add(stats_.clock_.Steady() - begun_);
    }
    if (kind_ != RequestKind::kOpenStream) stats_.End();
  }

  RequestStats& stats_;
  const std::shared_ptr<http::Exchange> exchange_;
  const RequestKind kind_;
  const absl::Duration begun_;
  std::atomic<RequestOutcome> outcome_{RequestOutcome::kUnanswered};
  std::atomic<bool> ended_{false};
};

std::shared_ptr<http::Exchange> RequestStats::Watch(
    std::shared_ptr<http::Exchange> exchange, RequestKind kind) {
  return std::make_shared<Watched>(*this, std::move(exchange), kind);
}

void RequestStats::End() {
  if (in_flight_.fetch_sub(1) > 1 || !is_awaited_) return;
  const MutexLock lock(mutex_);
  if (none_in_flight_) none_in_flight_();
}

void RequestStats::OnNoneInFlight(std::function<void()> callback) {
  const MutexLock lock(mutex_);
  none_in_flight_ = std::move(callback);
  is_awaited_ = static_cast<bool>(none_in_flight_);
}

}  // namespace gatehouse::downstream
