#include "tests/integration/harness/exchange.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gatehouse::testing {
namespace {

std::string Serialise(const HttpRequest& request, const std::string& address) {
  std::string out =
      absl::StrCat(request.method, " ", request.target, " HTTP/1.1\r\n");
  if (request.headers.count("Host") == 0) {
    absl::StrAppend(&out, "Host: ", address, "\r\n");
  }
  for (const auto& [name, value] : request.headers) {
    absl::StrAppend(&out, name, ": ", value, "\r\n");
  }
  if (request.method == "POST") {
    absl::StrAppend(&out, "Content-Length: ", request.body.size(), "\r\n");
  }
  return absl::StrCat(out, "\r\n", request.body);
}

absl::Status Missing(bool ended, const std::string& what) {
  return ended ? absl::UnavailableError(
                     absl::StrCat(what, ": the answer ended without it"))
               : absl::DeadlineExceededError(
                     absl::StrCat(what, ": did not come in time"));
}

}  // namespace

std::shared_ptr<Exchange> Exchange::Start(EventLoop* loop,
                                          const std::string& address,
                                          const HttpRequest& request,
                                          OnMessage on_message) {
  std::shared_ptr<Exchange> exchange(new Exchange(loop));
  exchange->on_message_ = std::move(on_message);
  loop->Post([exchange, address, bytes = Serialise(request, address)] {
    exchange->Open(address, bytes);
  });
  return exchange;
}

void Exchange::Open(const std::string& address, std::string bytes) {
  const absl::StatusOr<int> fd = ConnectTo(address);
  if (!fd.ok()) {
    OnEnd();
    return;
  }
  reader_.emplace(
      HttpReader::Side::kResponses,
      HttpReader::Events{[this](const HttpHead& head) { OnHead(head); },
                         [this](std::string_view data) { OnBody(data); },
                         [this] { OnEnd(); }});
  connection_ = Connection::Adopt(
      loop_, *fd,
      [self = shared_from_this()](std::string_view data) {
        self->reader_->Feed(data);
      },
      [self = shared_from_this()] {
        self->reader_->FeedEnd();
        self->OnEnd();
      });
  connection_->Write(bytes);
}

void Exchange::OnHead(const HttpHead& head) {
  if (head.Header("content-type").rfind("text/event-stream", 0) == 0) {
    sse_.emplace([this](const SseEvent& event) { OnEvent(event); });
  }
  signal_.Change([&] { head_ = head; });
}

void Exchange::OnBody(std::string_view data) {
  signal_.Change([&] { body_.append(data); });
  if (sse_.has_value()) sse_->Feed(data);
}

void Exchange::OnEvent(const SseEvent& event) {
  signal_.Change([&] { events_.push_back(event); });
  if (!event.data.empty()) AddMessage(event.data);
}

void Exchange::AddMessage(const std::string& raw) {
  const Message message(raw);
  signal_.Change([&] { messages_.push_back(message); });
  if (on_message_) on_message_(message);
}

void Exchange::OnEnd() {
  bool first = false;
  std::string body;
  signal_.Read([&] {
    first = !ended_;
    body = body_;
  });
  if (!first) return;
  if (!sse_.has_value() && !body.empty()) AddMessage(body);
  signal_.Change([&] { ended_ = true; });
  if (connection_ != nullptr) {
    // Posted: the reader that called us must not be destroyed under its feet.
    loop_->Post([connection = connection_] { connection->Close(); });
  }
}

absl::StatusOr<int> Exchange::Status(absl::Duration timeout) const {
  const bool came = signal_.WaitUntil(timeout, [&] { return head_ || ended_; });
  std::optional<HttpHead> head;
  signal_.Read([&] { head = head_; });
  if (!head.has_value()) return Missing(came, "HTTP status");
  return head->Status();
}

std::string Exchange::Header(const std::string& lower_case_name) const {
  std::string value;
  signal_.Read([&] {
    if (head_.has_value()) value = head_->Header(lower_case_name);
  });
  return value;
}

absl::StatusOr<std::string> Exchange::Body(absl::Duration timeout) const {
  if (!AwaitEnd(timeout)) return Missing(false, "HTTP body");
  std::string body;
  signal_.Read([&] { body = body_; });
  return body;
}

absl::StatusOr<Message> Exchange::Await(
    const std::function<bool(const Message&)>& matches,
    absl::Duration timeout) const {
  size_t next = 0;
  std::optional<Message> found;
  signal_.WaitUntil(timeout, [&] {
    for (; next < messages_.size() && !found; ++next) {
      if (matches(messages_[next])) found = messages_[next];
    }
    return found.has_value() || ended_;
  });
  if (!found.has_value()) {
    std::string seen;
    for (const Message& message : messages()) {
      absl::StrAppend(&seen, "\n  ", message.raw().substr(0, 400));
    }
    return Missing(ended(), absl::StrCat("message (seen:", seen, ")"));
  }
  return *found;
}

absl::StatusOr<Message> Exchange::AwaitMethod(const std::string& method,
                                              absl::Duration timeout) const {
  return Await([&](const Message& m) { return m.method() == method; }, timeout);
}

absl::StatusOr<Message> Exchange::AwaitResponse(const std::string& id_lexeme,
                                                absl::Duration timeout) const {
  return Await(
      [&](const Message& m) { return m.IsResponse() && m.id() == id_lexeme; },
      timeout);
}

bool Exchange::AwaitMessages(size_t count, absl::Duration timeout) const {
  bool came = false;
  signal_.WaitUntil(timeout, [&] {
    came = messages_.size() >= count;
    return came || ended_;
  });
  return came;
}

bool Exchange::AwaitEnd(absl::Duration timeout) const {
  return signal_.WaitUntil(timeout, [&] { return ended_; });
}

std::vector<Message> Exchange::messages() const {
  std::vector<Message> copy;
  signal_.Read([&] { copy = messages_; });
  return copy;
}

std::vector<SseEvent> Exchange::events() const {
  std::vector<SseEvent> copy;
  signal_.Read([&] { copy = events_; });
  return copy;
}

bool Exchange::ended() const {
  bool value = false;
  signal_.Read([&] { value = ended_; });
  return value;
}

void Exchange::Close() {
  loop_->Post([self = shared_from_this()] {
    if (self->connection_ != nullptr) self->connection_->Close();
  });
}

void Exchange::PauseReading(bool pause) {
  loop_->Post([self = shared_from_this(), pause] {
    if (self->connection_ != nullptr) self->connection_->PauseReading(pause);
  });
}

}  // namespace gatehouse::testing
