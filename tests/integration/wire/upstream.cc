#include "tests/integration/wire/upstream.h"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gatehouse::testing {
namespace {

// Headers that say how this very answer is framed, or when it was given.
bool IsOfTheTransport(const std::string& name) {
  static const std::set<std::string> kNames = {"connection", "content-length",
                                               "date", "keep-alive",
                                               "transfer-encoding"};
  return kNames.count(name) > 0;
}

std::string EventOf(const wire::Said& said, const std::string& text) {
  if (said.framing == wire::Said::Framing::kComment) {
    return absl::StrCat(": ", text, "\n\n");
  }
  std::string event;
  if (!said.event.empty()) absl::StrAppend(&event, "event: ", said.event, "\n");
  if (!said.id.empty()) absl::StrAppend(&event, "id: ", said.id, "\n");
  if (!said.retry.empty()) absl::StrAppend(&event, "retry: ", said.retry, "\n");
  return absl::StrCat(event, "data: ", text, "\n\n");
}

std::string Chunk(const std::string& data) {
  return absl::StrCat(absl::Hex(data.size()), "\r\n", data, "\r\n");
}

bool IsOfTheHandshake(const std::string& method) {
  return method == "initialize" || method == "tools/list";
}

}  // namespace

RecordedHttpUpstream::RecordedHttpUpstream(EventLoop* loop, wire::Trace trace,
                                           wire::Trace tools)
    : RecordedUpstream(std::move(trace), std::move(tools)), loop_(loop) {
  const absl::StatusOr<int> fd = ListenOn("127.0.0.1:0");
  EXPECT_TRUE(fd.ok()) << fd.status();
  if (!fd.ok()) return;
  listen_fd_ = *fd;
  address_ = LocalAddress(listen_fd_);
  loop_->Run([this] {
    loop_->Watch(listen_fd_, EPOLLIN, [this](uint32_t events) {
      if (events != EventLoop::kLoopEnds) Accept();
    });
  });
}

RecordedHttpUpstream::~RecordedHttpUpstream() {
  loop_->Run([this] {
    loop_->Unwatch(listen_fd_);
    const std::set<std::shared_ptr<Peer>> peers = peers_;
    for (const auto& peer : peers) peer->connection->Close();
  });
  close(listen_fd_);
}

std::string RecordedHttpUpstream::PolicyMember() const {
  bool authorized = false;
  for (const auto& [number, exchange] : conversation_.trace().exchanges) {
    authorized = authorized || exchange.headers.count("authorization") > 0;
  }
  return absl::StrCat("http: { url: \"http://", address_, "/mcp\"",
                      authorized ? ", headersFrom: { Authorization: "
                                   "\"env:WIRE_AUTHORIZATION\" }"
                                 : "",
                      " }");
}

void RecordedHttpUpstream::Accept() {
  const int fd =
      accept4(listen_fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return;
  auto peer = std::make_shared<Peer>();
  const std::weak_ptr<Peer> weak = peer;
  Peer* const raw = peer.get();
  peer->reader = std::make_unique<HttpReader>(
      HttpReader::Side::kRequests,
      HttpReader::Events{
          .on_head = [raw](const HttpHead& head) { raw->head = head; },
          .on_body = [raw](std::string_view data) { raw->body.append(data); },
          .on_end =
              [this, weak] {
                if (const auto self = weak.lock()) Serve(self);
              }});
  peer->connection = Connection::Adopt(
      loop_, fd, [raw](std::string_view data) { raw->reader->Feed(data); },
      [this, weak] { peers_.erase(weak.lock()); });
  peers_.insert(std::move(peer));
}

void RecordedHttpUpstream::Serve(const std::shared_ptr<Peer>& peer) {
  Arrival arrival;
  arrival.http_method = peer->head.Method();
  arrival.headers = peer->head.headers;
  arrival.message = Message(std::exchange(peer->body, {}));
  arrival = conversation_.Take(std::move(arrival));
  Answer answer;
  answer.peer = peer;
  answer.recorded = conversation_.AnswerTo(arrival);
  Play(std::move(answer), arrival);
}

void RecordedHttpUpstream::Play(Answer answer, const Arrival& arrival) {
  if (answer.recorded == nullptr || answer.recorded->status == 0) {
    // A server that was never asked so; one that says nothing of a stream.
    const char* const status =
        arrival.http_method == "DELETE" ? "200 OK" : "405 Method Not Allowed";
    answer.peer.lock()->connection->Write(
        absl::StrCat("HTTP/1.1 ", status, "\r\nContent-Length: 0\r\n\r\n"));
    return;
  }
  const std::map<std::string, std::string>& headers =
      answer.recorded->answer_headers;
  answer.whole = answer.recorded->status != 200 ||
                 headers.count("content-length") > 0 ||
                 headers.count("content-type") == 0 ||
                 headers.at("content-type") != "text/event-stream";
  const bool at_once = !arrival.message.IsRequest() ||
                       IsOfTheHandshake(arrival.message.method());
  Answer& kept = answers_[arrival.exchange] = std::move(answer);
  if (arrival.http_method == "GET" && kept.recorded->status == 200) {
    return Begin(kept);
  }
  if (!at_once) return;
  // Of another trace, its id is not known to the conversation.
  for (wire::Said said : kept.recorded->said) {
    if (arrival.exchange == 0) {
      const Message message(said.text);
      const absl::StatusOr<json::Document> read =
          json::Document::Parse(said.text);
      if (read.ok() && message.IsResponse()) {
        said.text = json::Splice(
            said.text,
            {json::SetMember(read->root(), "id", arrival.message.id())});
      }
    }
    Add(kept, said);
  }
  Finish(kept);
}

std::string RecordedHttpUpstream::HeadOf(const Answer& answer) {
  std::string head =
      absl::StrCat("HTTP/1.1 ", answer.recorded->status, " Recorded\r\n");
  for (const auto& [name, value] : answer.recorded->answer_headers) {
    if (IsOfTheTransport(name)) continue;
    const bool session = name == "mcp-session-id";
    const bool opens = Message(answer.recorded->body).method() == "initialize";
    absl::StrAppend(&head, name, ": ",
                    !session ? value
                    : opens  ? conversation_.NewSession(value)
                             : conversation_.session(),
                    "\r\n");
  }
  return head;
}

void RecordedHttpUpstream::Begin(Answer& answer) {
  const std::shared_ptr<Peer> peer = answer.peer.lock();
  if (answer.begun || answer.whole || peer == nullptr) return;
  answer.begun = true;
  peer->connection->Write(
      absl::StrCat(HeadOf(answer), "transfer-encoding: chunked\r\n\r\n"));
}

void RecordedHttpUpstream::Add(Answer& answer, const wire::Said& said) {
  const std::shared_ptr<Peer> peer = answer.peer.lock();
  if (peer == nullptr) return;
  ++answer.said;
  std::string text = conversation_.Translate(said.text);
  if (said.framing != wire::Said::Framing::kBody) text = EventOf(said, text);
  if (answer.whole) {
    answer.body += text;
    return;
  }
  Begin(answer);
  peer->connection->Write(Chunk(text));
}

void RecordedHttpUpstream::Finish(Answer& answer) {
  const std::shared_ptr<Peer> peer = answer.peer.lock();
  if (peer == nullptr) return;
  if (answer.whole) {
    peer->connection->Write(absl::StrCat(HeadOf(answer),
                                         "content-length: ", answer.body.size(),
                                         "\r\n\r\n", answer.body));
  } else {
    Begin(answer);
    peer->connection->Write("0\r\n\r\n");
  }
  answer.peer.reset();
}

void RecordedHttpUpstream::Head(int exchange) {
  loop_->Run([&] {
    const auto it = answers_.find(exchange);
    if (it != answers_.end()) Begin(it->second);
  });
}

void RecordedHttpUpstream::Say(int exchange, size_t said) {
  loop_->Run([&] {
    const auto it = answers_.find(exchange);
    if (it == answers_.end()) return;
    Answer& answer = it->second;
    Add(answer, answer.recorded->said[said]);
    // Nobody would see it before the end.
    if (answer.whole && answer.said == answer.recorded->said.size()) {
      Finish(answer);
    }
  });
}

void RecordedHttpUpstream::End(int exchange) {
  loop_->Run([&] {
    const auto it = answers_.find(exchange);
    if (it != answers_.end()) Finish(it->second);
  });
}

bool RecordedHttpUpstream::AwaitSessionEnd() {
  // One that gave out no session, or forgot it, is not told of its end.
  if (conversation_.session().empty() || conversation_.LostItsSession()) {
    return true;
  }
  return conversation_
      .Await([](const Arrival& arrival) {
        return arrival.http_method == "DELETE";
      })
      .ok();
}

}  // namespace gatehouse::testing
