#include "tests/integration/harness/upstream_core.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>

#include "absl/strings/str_cat.h"
#include "shared/base/random.h"
#include "shared/json/json.h"

namespace gatehouse::testing {
namespace {

std::string ResultText(const std::string& id, const std::string& result) {
  return absl::StrCat("{\"jsonrpc\":\"2.0\",\"id\":", id,
                      ",\"result\":", result, "}");
}

std::string ErrorText(const std::string& id, int code,
                      const std::string& message) {
  return absl::StrCat("{\"jsonrpc\":\"2.0\",\"id\":", id,
                      ",\"error\":{\"code\":", code,
                      ",\"message\":", json::Quote(message), "}}");
}

std::string Chunk(const std::string& data) {
  return absl::StrCat(absl::Hex(data.size()), "\r\n", data, "\r\n");
}

constexpr char kStreamHead[] =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    "Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n";

}  // namespace

void UpstreamCore::Listen() {
  const absl::StatusOr<int> fd = ListenOn(options_.address);
  if (!fd.ok()) return;  // address stays empty, which every test notices
  listen_fd_ = *fd;
  signal.Change([&] { address = LocalAddress(listen_fd_); });
  loop_->Watch(listen_fd_, EPOLLIN,
               [core = shared_from_this()](uint32_t events) {
                 if (events != EventLoop::kLoopEnds) core->Accept();
               });
}

void UpstreamCore::Shutdown() {
  if (listen_fd_ >= 0) {
    loop_->Unwatch(listen_fd_);
    close(listen_fd_);
    listen_fd_ = -1;
  }
  Crash();
  signal.Change([&] { tools.clear(); });
}

void UpstreamCore::Crash() {
  const auto peers = std::exchange(peers_, {});
  for (const std::shared_ptr<Peer>& peer : peers) peer->connection->Close();
  answers_.clear();
  sessions_.clear();
  signal.Change([&] { session_count = 0; });
}

void UpstreamCore::Accept() {
  for (;;) {
    const int fd =
        accept4(listen_fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    auto peer = std::make_shared<Peer>();
    std::weak_ptr<Peer> weak = peer;
    peer->reader = std::make_unique<HttpReader>(
        HttpReader::Side::kRequests,
        HttpReader::Events{[weak](const HttpHead& head) {
                             if (auto p = weak.lock()) p->head = head;
                           },
                           [weak](std::string_view data) {
                             if (auto p = weak.lock()) p->body.append(data);
                           },
                           [weak, this] {
                             if (auto p = weak.lock()) Serve(p);
                           }});
    peer->connection = Connection::Adopt(
        loop_, fd, [peer](std::string_view data) { peer->reader->Feed(data); },
        [weak, core = shared_from_this()] {
          if (auto p = weak.lock()) core->peers_.erase(p);
        });
    peers_.insert(peer);
  }
}

void UpstreamCore::Respond(Connection& connection, int status,
                           const std::string& body,
                           const std::string& headers) {
  connection.Write(
      absl::StrCat("HTTP/1.1 ", status, " Scripted\r\n", headers,
                   body.empty() ? "" : "Content-Type: application/json\r\n",
                   "Content-Length: ", body.size(), "\r\n\r\n", body));
}

int UpstreamCore::NewAnswer(const std::shared_ptr<Connection>& connection) {
  const int number = next_answer_++;
  answers_[number] = Answer{connection, options_.always_stream};
  if (options_.always_stream) connection->Write(kStreamHead);
  return number;
}

void UpstreamCore::SendEvent(int stream, const std::string& message) {
  const auto it = answers_.find(stream);
  if (it == answers_.end()) return;
  Answer& answer = it->second;
  if (!std::exchange(answer.streaming, true)) {
    answer.connection->Write(kStreamHead);
  }
  answer.connection->Write(
      Chunk(absl::StrCat("event: message\ndata: ", message, "\n\n")));
}

void UpstreamCore::FinishAnswer(int stream, const std::string& message) {
  const auto it = answers_.find(stream);
  if (it == answers_.end()) return;
  const std::shared_ptr<Connection> connection = it->second.connection;
  if (it->second.streaming) {
    SendEvent(stream, message);
    connection->Write("0\r\n\r\n");
  } else {
    Respond(*connection, 200, message);
  }
  answers_.erase(stream);
}

void UpstreamCore::AbandonAnswer(int stream) {
  const auto it = answers_.find(stream);
  if (it == answers_.end()) return;
  const std::shared_ptr<Connection> connection = it->second.connection;
  answers_.erase(it);
  connection->Close();
}

void UpstreamCore::EndCall(const ToolCall& call) {
  const auto it = sessions_.find(call.session());
  if (it != sessions_.end()) it->second.running.erase(call.request().id());
}

void UpstreamCore::Serve(const std::shared_ptr<Peer>& peer) {
  const std::string session = peer->head.Header("mcp-session-id");
  if (peer->head.Method() == "POST") {
    ServePost(peer);
  } else if (sessions_.count(session) == 0) {
    Respond(*peer->connection, 404, "");
  } else if (peer->head.Method() == "GET") {
    ServeGet(peer, session);
  } else {
    sessions_.erase(session);
    signal.Change([&] { session_count = sessions_.size(); });
    Respond(*peer->connection, 200, "");
  }
  peer->body.clear();
}

void UpstreamCore::ServeGet(const std::shared_ptr<Peer>& peer,
                            const std::string& session) {
  const int number = NewAnswer(peer->connection);
  Answer& answer = answers_[number];
  if (!std::exchange(answer.streaming, true)) {
    peer->connection->Write(kStreamHead);
  }
  sessions_[session].get_stream = number;
  signal.Change([&] { listening.push_back(session); });
}

void UpstreamCore::ServePost(const std::shared_ptr<Peer>& peer) {
  const Message message(peer->body);
  signal.Change([&] {
    received.push_back({message, peer->head.headers});
    if (message.IsResponse()) replies.push_back(message);
  });
  if (message.method() == "initialize") {
    ServeInitialize(peer, message);
    return;
  }
  const std::string id = peer->head.Header("mcp-session-id");
  const auto it = sessions_.find(id);
  if (it == sessions_.end()) {
    Respond(*peer->connection, 404, "");
    return;
  }
  if (message.IsRequest()) {
    ServeRequest(peer, message, id);
    return;
  }
  Respond(*peer->connection, 202, "");
  if (message.IsResponse()) {
    TakeReply(it->second, message);
  } else if (message.method() == "notifications/cancelled") {
    TakeCancel(it->second, message);
  }
}

void UpstreamCore::ServeInitialize(const std::shared_ptr<Peer>& peer,
                                   const Message& message) {
  SystemRandom random;
  const std::string id = absl::StrCat("s", next_session_++, "-", NewId(random));
  std::string revision = message.At("/params/protocolVersion");
  // Dates in this form sort as text.
  if (revision > options_.revision) revision = options_.revision;
  sessions_[id].revision = revision;
  signal.Change([&] { session_count = sessions_.size(); });
  Respond(*peer->connection, 200,
          ResultText(message.id(),
                     absl::StrCat("{\"protocolVersion\":\"", revision,
                                  "\",\"capabilities\":{\"tools\":{}},"
                                  "\"serverInfo\":{\"name\":\"",
                                  options_.name, "\",\"version\":\"1\"}}")),
          absl::StrCat("Mcp-Session-Id: ", id, "\r\n"));
}

std::string UpstreamCore::ToolList() const {
  std::string list;
  signal.Read([&] {
    for (const ToolEntry& tool : tools) {
      absl::StrAppend(&list, list.empty() ? "" : ",", tool.definition);
    }
  });
  return absl::StrCat("{\"tools\":[", list, "]}");
}

void UpstreamCore::ServeRequest(const std::shared_ptr<Peer>& peer,
                                const Message& message,
                                const std::string& session) {
  if (message.method() == "tools/call") {
    CallTool(peer, message, session);
    return;
  }
  std::string answer;
  if (message.method() == "ping") {
    answer = ResultText(message.id(), "{}");
  } else if (message.method() == "tools/list") {
    answer = ResultText(message.id(), ToolList());
  } else {
    answer = ErrorText(message.id(), -32601, "no such method");
  }
  FinishAnswer(NewAnswer(peer->connection), answer);
}

void UpstreamCore::CallTool(const std::shared_ptr<Peer>& peer,
                            const Message& message,
                            const std::string& session) {
  ScriptedUpstream::Tool tool;
  signal.Read([&] {
    for (const ToolEntry& entry : tools) {
      if (entry.name == message.At("/params/name")) tool = entry.tool;
    }
  });
  const int stream = NewAnswer(peer->connection);
  if (!tool) {
    FinishAnswer(stream, ErrorText(message.id(), -32602, "unknown tool"));
    return;
  }
  auto call =
      std::make_shared<ToolCall>(weak_from_this(), message, session, stream);
  sessions_[session].running[message.id()] = call;
  tool(call);
}

void UpstreamCore::TakeReply(Session& session, const Message& message) {
  const auto it = session.asked.find(message.id());
  if (it == session.asked.end()) {
    std::function<void(const Message&)> tell;
    signal.Read([&] { tell = on_unasked; });
    if (tell) tell(message);
    return;
  }
  const ToolCall::OnReply on_reply = std::move(it->second);
  session.asked.erase(it);
  if (on_reply) on_reply(message);
}

void UpstreamCore::TakeCancel(Session& session, const Message& message) {
  const auto it = session.running.find(message.RawAt("/params/requestId"));
  if (it == session.running.end()) return;
  const std::shared_ptr<ToolCall> call = it->second;
  session.running.erase(it);
  if (call->on_cancel_) call->on_cancel_();
}

std::string UpstreamCore::Ask(const std::string& session, int stream,
                              const std::string& method,
                              const std::string& params,
                              ToolCall::OnReply on_reply) {
  const auto it = sessions_.find(session);
  if (it == sessions_.end()) return "";
  const std::string id = absl::StrCat(it->second.next_id++);
  it->second.asked[id] = std::move(on_reply);
  SendEvent(
      stream,
      absl::StrCat("{\"jsonrpc\":\"2.0\",\"id\":", id, ",\"method\":\"", method,
                   "\"", params.empty() ? "" : ",\"params\":", params, "}"));
  return id;
}

void UpstreamCore::Notify(int stream, const std::string& method,
                          const std::string& params) {
  SendEvent(stream, absl::StrCat("{\"jsonrpc\":\"2.0\",\"method\":\"", method,
                                 "\",\"params\":", params, "}"));
}

int UpstreamCore::GetStreamOf(const std::string& session) const {
  const auto it = sessions_.find(session);
  return it == sessions_.end() ? -1 : it->second.get_stream;
}

}  // namespace gatehouse::testing
