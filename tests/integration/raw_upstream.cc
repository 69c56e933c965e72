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
  const Message request(std::exchange(peer.body, {}));
  const auto it = scripted_.find({peer.head.Target(), request.method()});
  if (it == scripted_.end()) {
    peer.connection->Write(
        peer.head.Method() == "POST"
            ? GoodAnswer(request)
            : "HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n");
    return;
  }
  peer.connection->Write(
      absl::StrReplaceAll(it->second.bytes, {{"{id}", request.id()}}));
  if (it->second.then_close) peer.connection->CloseAfterWriting();
}

std::string RawUpstream::GoodAnswer(const Message& request) {
  if (!request.IsRequest()) {
    return "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";
  }
  std::string result = "{}";
  if (request.method() == "initialize") {
    result = R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
             R"("serverInfo":{"name":"raw","version":"1"}})";
  } else if (request.method() == "tools/list") {
    result = R"({"tools":[{"name":"t","inputSchema":{"type":"object"}}]})";
  } else if (request.method() == "tools/call") {
    result = R"({"content":[{"type":"text","text":"good"}]})";
  }
  const std::string body = absl::StrCat(
      R"({"jsonrpc":"2.0","id":)", request.id(), ",\"result\":", result, "}");
  return absl::StrCat(
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
      "Content-Length: ",
      body.size(), "\r\n\r\n", body);
}

}  // namespace gatehouse::testing
