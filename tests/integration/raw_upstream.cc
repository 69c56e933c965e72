#include "tests/integration/raw_upstream.h"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace gatehouse::testing {

RawUpstream::RawUpstream(EventLoop* loop) : loop_(loop) {
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

RawUpstream::~RawUpstream() {
  loop_->Run([this] {
    loop_->Unwatch(listen_fd_);
    const std::set<std::shared_ptr<Peer>> peers = peers_;
    for (const auto& peer : peers) peer->connection->Close();
  });
  close(listen_fd_);
}

void RawUpstream::Script(const std::string& path, const std::string& method,
                         Bytes bytes) {
  scripted_[{path, method}] = std::move(bytes);
}

void RawUpstream::Handle(const std::string& path, Handler handler) {
  handlers_[path] = std::move(handler);
}

void RawUpstream::Accept() {
  const int fd =
      accept4(listen_fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return;
  auto peer = std::make_shared<Peer>();
  Peer* const raw = peer.get();
  peer->reader = std::make_unique<HttpReader>(
      HttpReader::Side::kRequests,
      HttpReader::Events{
          .on_head = [raw](const HttpHead& head) { raw->head = head; },
          .on_body = [raw](std::string_view data) { raw->body.append(data); },
          .on_end = [this, raw] { Serve(*raw); }});
  peer->connection = Connection::Adopt(
      loop_, fd, [peer](std::string_view data) { peer->reader->Feed(data); },
      [this, weak = std::weak_ptr(peer)] { peers_.erase(weak.lock()); });
  peers_.insert(std::move(peer));
}

void RawUpstream::Serve(Peer& peer) {
  const Received request{peer.head, Message(std::exchange(peer.body, {}))};
  const std::string path = peer.head.Target();
  signal_.Change([&] { received_[path].push_back(request); });
  const auto handler = handlers_.find(path);
  if (handler != handlers_.end() && handler->second(request, peer.connection)) {
    return;
  }
  const auto it = scripted_.find({path, request.message.method()});
  if (it == scripted_.end()) return peer.connection->Write(GoodAnswer(request));
  peer.connection->Write(
      absl::StrReplaceAll(it->second.bytes, {{"{id}", request.message.id()}}));
  if (it->second.then_close) peer.connection->CloseAfterWriting();
}

std::vector<RawUpstream::Received> RawUpstream::received(
    const std::string& path) const {
  std::vector<Received> received;
  signal_.Read([&] {
    if (const auto it = received_.find(path); it != received_.end()) {
      received = it->second;
    }
  });
  return received;
}

bool RawUpstream::AwaitReceived(
    const std::string& path,
    const std::function<bool(const std::vector<Received>&)>& holds) const {
  return signal_.WaitUntil(kPatience, [&] {
    const auto it = received_.find(path);
    return it != received_.end() && holds(it->second);
  });
}

std::string RawUpstream::GoodMessage(const Message& request) {
  std::string result = "{}";
  if (request.method() == "initialize") {
    result = R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
             R"("serverInfo":{"name":"raw","version":"1"}})";
  } else if (request.method() == "tools/list") {
    result = R"({"tools":[{"name":"t","inputSchema":{"type":"object"}}]})";
  } else if (request.method() == "tools/call") {
    result = R"({"content":[{"type":"text","text":"good"}]})";
  }
  return absl::StrCat(R"({"jsonrpc":"2.0","id":)", request.id(),
                      ",\"result\":", result, "}");
}

std::string RawUpstream::GoodAnswer(const Received& request) {
  if (request.head.Method() != "POST") {
    return "HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n";
  }
  if (!request.message.IsRequest()) {
    return "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";
  }
  return Sized("200 OK", "application/json", GoodMessage(request.message));
}

std::string Sized(const std::string& status, const std::string& type,
                  const std::string& body, const std::string& headers) {
  return absl::StrCat(
      "HTTP/1.1 ", status, "\r\n",
      type.empty() ? "" : absl::StrCat("Content-Type: ", type, "\r\n"), headers,
      "Content-Length: ", body.size(), "\r\n\r\n", body);
}

std::string StreamHead(const std::string& headers) {
  return absl::StrCat("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n",
                      headers, "Connection: close\r\n\r\n");
}

std::string Event(const std::string& message) {
  return absl::StrCat("event: message\ndata: ", message, "\n\n");
}

std::string Said(const std::string& method, const std::string& params,
                 const std::string& id) {
  return absl::StrCat(
      R"({"jsonrpc":"2.0")", id.empty() ? "" : absl::StrCat(",\"id\":", id),
      ",\"method\":\"", method, "\"",
      params.empty() ? "" : absl::StrCat(",\"params\":", params), "}");
}

}  // namespace gatehouse::testing
