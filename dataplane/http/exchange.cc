#include "dataplane/http/exchange.h"

#include <utility>

#include "absl/time/time.h"
#include "dataplane/http/chunked.h"
#include "dataplane/http/http_text.h"

namespace gatehouse::http {
namespace {

constexpr size_t kJoinedBodyBytes = 32 << 10;
constexpr std::string_view kKeepAliveComment = ": keepalive\n\n";

// The Date header's value: made once a second on each thread.
std::string_view DateNow() {
  thread_local int64_t second = 0;
  thread_local std::string text;
  const int64_t now = absl::ToUnixSeconds(SystemClock().Wall());
  if (now != second) {
    text = HttpDate(now);
    second = now;
  }
  return text;
}

// Status line, the front's own headers and the handler's; no empty line yet.
std::string AnswerHead(int status, const Headers& headers, bool close) {
  // Interim and impossible codes are a handler's mistake.
  if (status < 200 || status > 599) status = 500;
  std::string head;
  head.reserve(256);
  head.append("HTTP/1.1 ").append(std::to_string(status)).push_back(' ');
  head.append(ReasonPhrase(status)).append("\r\nDate: ");
  head.append(DateNow()).append("\r\n");
  AppendHeaders(headers,
                {"content-length", "date", "connection", "transfer-encoding"},
                head);
  if (close) head.append("Connection: close\r\n");
  return head;
}

// What httplib reads of a request that passed the guard: what it routes by. The
// headers were read, raw, by the guard, and httplib would only decode them,
// byte by byte, for nobody.
std::string RoutedHead(const Request& request) {
  std::string head;
  head.reserve(request.path.size() + request.query.size() + 32);
  head.append(request.method).append(" ").append(request.path);
  if (!request.query.empty()) head.append("?").append(request.query);
  return head.append(" HTTP/1.1\r\n\r\n");
}

bool HasNoBody(int status) { return status == 204 || status == 304; }

// The whole head of an answer with a body of that size.
std::string AnswerHeadFor(const Response& response, size_t body_bytes,
                          bool close) {
  std::string head = AnswerHead(response.status, response.headers, close);
  if (!HasNoBody(response.status)) {
    head.append("Content-Length: ").append(std::to_string(body_bytes));
    head.append("\r\n");
  }
  return head.append("\r\n");
}

}  // namespace

std::string AnswerBytes(const Response& response, bool close) {
  std::string bytes = AnswerHeadFor(response, response.body.size(), close);
  if (!HasNoBody(response.status)) bytes += response.body;
  return bytes;
}

HttpExchange::HttpExchange(std::shared_ptr<Front> front,
                           std::shared_ptr<Connection> connection,
                           RequestHead head, std::string body, std::string peer,
                           BodyAccount account)
    : front_(std::move(front)),
      connection_(std::move(connection)),
      keep_alive_(head.keep_alive),
      chunked_(head.reads_chunks),
      account_(std::move(account)) {
  request_.method = std::move(head.method);
  request_.path = std::move(head.path);
  request_.query = std::move(head.query);
  request_.headers = std::move(head.headers);
  request_.body = std::move(body);
  request_.peer = std::move(peer);
}

HttpExchange::~HttpExchange() {
  const MutexLock lock(mutex_);
  if (phase_ == Phase::kWaiting) {
    front_->unanswered.fetch_add(1);
    Response response;
    response.status = 500;
    connection_->Send(AnswerBytes(response, /*close=*/true),
                      Connection::End::kClose);
  } else if (phase_ == Phase::kStreaming) {
    front_->unanswered.fetch_add(1);
    connection_->Reset();  // a clean end would be a lie
  }
  LeavePhaseLocked(Phase::kComplete);
}

void HttpExchange::Serve(std::shared_ptr<HttpExchange> exchange) {
  const std::string head = RoutedHead(exchange->request_);
  const bool parsed = exchange->front_->parser.Parse(
      head, [&exchange] { exchange->front_->handler(exchange); });
  if (parsed) return;
  exchange->front_->refused.fetch_add(1);
  Response response;
  response.status = 400;
  response.headers = {{"Connection", "close"}};
  exchange->Respond(std::move(response));
}

void HttpExchange::Respond(Response response) {
  Callbacks unused;  // destroyed without the lock
  const MutexLock lock(mutex_);
  if (phase_ != Phase::kWaiting) return;
  // A handler may ask for the close, as Serve does.
  const auto connection = FindHeader(response.headers, "connection");
  const bool close =
      closes() || (connection && ListHasToken(*connection, "close"));
  const auto end = close ? Connection::End::kClose : Connection::End::kReuse;
  if (response.body.size() <= kJoinedBodyBytes || HasNoBody(response.status)) {
    connection_->Send(AnswerBytes(response, close), end);
  } else {
    // A large one is not copied for its head's sake.
    std::string body = std::move(response.body);
    connection_->Send(AnswerHeadFor(response, body.size(), close),
                      Connection::End::kOpen);
    connection_->Send(std::move(body), end);
  }
  LeavePhaseLocked(Phase::kComplete);
  std::swap(unused, callbacks_);
}

void HttpExchange::StartStream(int status, Headers headers) {
  const MutexLock lock(mutex_);
  if (phase_ != Phase::kWaiting) return;
  phase_ = Phase::kStreaming;
  started_stream_ = true;
  const auto type = FindHeader(headers, "content-type");
  event_stream_ =
      type && EqualsNoCase(TrimSpace(type->substr(0, type->find(';'))),
                           "text/event-stream");
  front_->streams.fetch_add(1);
  std::string head = AnswerHead(status, headers, closes() || !chunked_);
  if (chunked_) head += "Transfer-Encoding: chunked\r\n";
  connection_->Send(head + "\r\n", Connection::End::kOpen);
  if (event_stream_) {
    connection_->reactor().Post(
        [connection = connection_] { connection->ArmTick(); });
  }
}

bool HttpExchange::WriteLocked(std::string_view bytes) {
  std::string wire;
  if (chunked_) {
    AppendChunk(bytes, wire);
  } else {
    wire = bytes;
  }
  switch (connection_->Send(std::move(wire), Connection::End::kOpen,
                            front_->options.max_stream_queue_bytes)) {
    case Connection::Sent::kQueued:
      return true;
    case Connection::Sent::kGone:
      // The reactor is about to tell us; until then nothing more is queued.
      LeavePhaseLocked(Phase::kLost);
      return false;
    case Connection::Sent::kOverLimit:
      front_->streams_lost_slow.fetch_add(1);
      LeavePhaseLocked(Phase::kLost);
      connection_->Reset();
      return false;
  }
  return false;
}

bool HttpExchange::Write(std::string_view bytes) {
  const MutexLock lock(mutex_);
  if (phase_ != Phase::kStreaming) return false;
  if (bytes.empty()) return true;
  at_boundary_ = bytes.ends_with("\n\n");
  return WriteLocked(bytes);
}

void HttpExchange::KeepAlive() {
  const MutexLock lock(mutex_);
  if (phase_ != Phase::kStreaming || !event_stream_ || !at_boundary_) return;
  WriteLocked(kKeepAliveComment);
}

void HttpExchange::EndStream() {
  Callbacks unused;  // destroyed without the lock
  const MutexLock lock(mutex_);
  if (phase_ != Phase::kStreaming) return;
  const bool close = closes() || !chunked_;
  connection_->Send(std::string(chunked_ ? kLastChunk : std::string_view()),
                    close ? Connection::End::kClose : Connection::End::kReuse);
  LeavePhaseLocked(Phase::kComplete);
  std::swap(unused, callbacks_);
}

bool HttpExchange::streaming() const {
  const MutexLock lock(mutex_);
  return started_stream_;
}

bool HttpExchange::is_event_stream() const {
  const MutexLock lock(mutex_);
  return phase_ == Phase::kStreaming && event_stream_;
}

void HttpExchange::LeavePhaseLocked(Phase next) {
  if (phase_ == Phase::kStreaming) front_->streams.fetch_sub(1);
  phase_ = next;
}

void HttpExchange::OnPeerGone(std::function<void()> callback) {
  std::function<void()> before;  // destroyed without the lock
  const MutexLock lock(mutex_);
  if (phase_ == Phase::kComplete) return;
  if (phase_ == Phase::kGone) {
    return connection_->reactor().Post(std::move(callback));
  }
  before = std::exchange(callbacks_.on_gone, std::move(callback));
}

void HttpExchange::OnPeerHalfClosed(std::function<void()> callback) {
  std::function<void()> before;  // destroyed without the lock
  const MutexLock lock(mutex_);
  if (phase_ == Phase::kComplete || phase_ == Phase::kGone) return;
  if (half_closed_) return connection_->reactor().Post(std::move(callback));
  before = std::exchange(callbacks_.on_half_closed, std::move(callback));
}

void HttpExchange::PeerHalfClosed() {
  std::function<void()> callback;
  {
    const MutexLock lock(mutex_);
    if (phase_ == Phase::kComplete || phase_ == Phase::kGone) return;
    half_closed_ = true;
    callback.swap(callbacks_.on_half_closed);
  }
  // A peer that has closed answers it with a reset, one that waits skips it.
  KeepAlive();
  if (callback) callback();
}

void HttpExchange::PeerGone() {
  Callbacks callbacks;
  {
    const MutexLock lock(mutex_);
    if (phase_ == Phase::kComplete || phase_ == Phase::kGone) return;
    LeavePhaseLocked(Phase::kGone);
    std::swap(callbacks, callbacks_);
  }
  if (callbacks.on_gone) callbacks.on_gone();
}

}  // namespace gatehouse::http
