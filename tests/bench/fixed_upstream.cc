// bench-upstream: an MCP server whose tools give fixed answers, for a
// measurement to stand on. One thread, epoll, keep-alive; it speaks just
// enough of the legacy revisions: initialize, tools/list, tools/call, and a
// sampling within a call. Its tools are in answers.h. GET gets 405.
//
// It trusts its peers to write compact JSON with `id` before `params`, as the
// load and a Gatehouse worker do, and looks into it by Peek().

#include <signal.h>
#include <sys/socket.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "shared/mcp/envelope.h"
#include "tests/bench/answers.h"
#include "tests/bench/link.h"

namespace gatehouse::bench {
namespace {

constexpr std::string_view kSamplingParams =
    R"({"messages":[{"role":"user","content":{"type":"text","text":"Which )"
    R"(gate is nearest?"}}],"maxTokens":16})";
constexpr std::string_view kStreamHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    "Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n";
constexpr std::string_view kAccepted =
    "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";
constexpr std::string_view kEnded =
    "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
constexpr std::string_view kNoStream =
    "HTTP/1.1 405 Method Not Allowed\r\nAllow: POST, DELETE\r\n"
    "Content-Length: 0\r\n\r\n";

std::string JsonHead(size_t size, std::string_view more_headers) {
  return absl::StrCat("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n",
                      ToAbsl(more_headers), "Content-Length: ", size,
                      "\r\n\r\n");
}

std::string EventChunk(std::string_view message) {
  const std::string event =
      absl::StrCat("event: message\ndata: ", ToAbsl(message), "\n\n");
  return absl::StrFormat("%x\r\n%s\r\n", event.size(), event);
}

class FixedUpstream {
 public:
  FixedUpstream(int listen_fd, bool with_sessions)
      : listen_fd_(listen_fd), with_sessions_(with_sessions) {
    for (const ToolRow& row : kTools) {
      // With the brace that ends the message, so that it is sent as it lies.
      results_.push_back({&row, absl::StrCat(ResultOf(row), "}")});
    }
  }

  // Serves until the process is told to end.
  absl::Status Run() {
    GATEHOUSE_RETURN_IF_ERROR(poller_.Add(listen_fd_, kListener));
    while (true) {
      for (const epoll_event& event : poller_.Wait(absl::Minutes(1))) {
        if (event.data.u64 == kListener) {
          Accept();
        } else if (!Serve(event)) {
          Forget(event.data.u64);
        }
      }
    }
  }

 private:
  static constexpr uint64_t kListener = 0;
  struct Result {
    const ToolRow* row;
    std::string tail;
  };
  // A call that waits for the client's answer to what it asked.
  struct Asking {
    uint64_t connection;
    std::string call_id;
  };

  void Accept() {
    while (true) {
      const int fd =
          accept4(listen_fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) return;
      const uint64_t tag = next_tag_++;
      links_[tag] = std::make_unique<Link>(fd);
      if (!poller_.Add(fd, tag).ok()) links_.erase(tag);
    }
  }

  void Forget(uint64_t tag) {
    links_.erase(tag);
    std::erase_if(asking_, [tag](const auto& entry) {
      return entry.second.connection == tag;
    });
  }

  // False: the connection is over.
  bool Serve(const epoll_event& event) {
    const auto found = links_.find(event.data.u64);
    if (found == links_.end()) return true;
    Link& link = *found->second;
    if ((event.events & EPOLLOUT) != 0 && !link.Flush()) return false;
    if ((event.events & EPOLLIN) == 0) return true;
    const bool open = link.Receive();
    while (link.reader().held() > 0) {
      const HttpReader::State state = link.reader().Read();
      if (state == HttpReader::State::kBroken) return false;
      if (state == HttpReader::State::kMore) break;
      if (!Answer(event.data.u64, link)) return false;
      link.reader().Drop();
    }
    return open;
  }

  bool Answer(uint64_t tag, Link& link) {
    const std::string_view line = link.reader().first_line();
    if (line.substr(0, 4) == "GET ") return link.Send(kNoStream);
    if (line.substr(0, 7) == "DELETE ") return link.Send(kEnded);
    const std::string_view body = link.reader().body();
    const std::string_view id = PeekRaw(body, "id");
    const std::string_view method = Peek(body, "method");
    if (method.empty()) return TakeReply(body, id) && link.Send(kAccepted);
    if (id.empty()) return link.Send(kAccepted);  // a notification
    if (method == "tools/call") {
      return Call(tag, link, id, Peek(body, "name"));
    }
    if (method == "tools/list") return SendResult(link, id, ToolList());
    if (method == "initialize") return Initialize(link, id, body);
    if (method == "ping") return SendResult(link, id, "{}");
    return SendMessage(
        link, mcp::ErrorMessage(id, -32601, "no such method here", ""));
  }

  static bool SendMessage(Link& link, std::string_view message,
                          std::string_view more_headers = "") {
    return link.Send(
        absl::StrCat(JsonHead(message.size(), more_headers), ToAbsl(message)));
  }

  static bool SendResult(Link& link, std::string_view id,
                         std::string_view result) {
    return SendMessage(link, mcp::ResultMessage(id, result));
  }

  bool Initialize(Link& link, std::string_view id, std::string_view body) {
    json::Writer result;
    result.StartObject();
    result.Name("protocolVersion").String(Peek(body, "protocolVersion"));
    result.Name("capabilities").Raw("{\"tools\":{}}");
    result.Name("serverInfo").StartObject().Name("name").String("fixed");
    result.Name("version").String("1").EndObject().EndObject();
    return SendMessage(link, mcp::ResultMessage(id, result.Take()),
                       with_sessions_ ? absl::StrCat("Mcp-Session-Id: fixed-",
                                                     next_session_++, "\r\n")
                                      : "");
  }

  bool Call(uint64_t tag, Link& link, std::string_view id,
            std::string_view name) {
    for (const Result& result : results_) {
      if (result.row->name != name) continue;
      if (result.row->tool == Tool::kAsk) return Ask(tag, link, id);
      const std::string start = absl::StrCat(
          "{\"jsonrpc\":\"2.0\",\"id\":", ToAbsl(id), ",\"result\":");
      return link.Send(
          absl::StrCat(JsonHead(start.size() + result.tail.size(), ""), start),
          result.tail);
    }
    return SendMessage(link,
                       mcp::ErrorMessage(id, -32602, "no such tool here", ""));
  }

  bool Ask(uint64_t tag, Link& link, std::string_view id) {
    const std::string ask_id = absl::StrCat(next_ask_++);
    asking_[ask_id] = {tag, std::string(id)};
    return link.Send(
        absl::StrCat(ToAbsl(kStreamHead),
                     EventChunk(mcp::RequestMessage(
                         ask_id, "sampling/createMessage", kSamplingParams))));
  }

  // What a client answered: ends the call that asked. A reply to nothing is no
  // fault of the connection.
  bool TakeReply(std::string_view body, std::string_view id) {
    const auto found = asking_.find(std::string(id));
    if (found == asking_.end()) return true;
    const Asking asking = std::move(found->second);
    asking_.erase(found);
    const auto caller = links_.find(asking.connection);
    if (caller == links_.end()) return true;
    const bool answered = !PeekRaw(body, "result").empty();
    const std::string message =
        mcp::ResultMessage(asking.call_id, AskResult(answered));
    // A caller that is gone is noticed by its own event.
    caller->second->Send(absl::StrCat(EventChunk(message), "0\r\n\r\n"));
    return true;
  }

  const int listen_fd_;
  const bool with_sessions_;
  Poller poller_;
  std::vector<Result> results_;
  std::unordered_map<uint64_t, std::unique_ptr<Link>> links_;
  std::unordered_map<std::string, Asking> asking_;  // by our request's id
  uint64_t next_tag_ = kListener + 1;
  int64_t next_session_ = 1;
  int64_t next_ask_ = 1;
};

absl::Status Run(const std::string& listen, bool with_sessions) {
  GATEHOUSE_ASSIGN_OR_RETURN(const int fd, ListenOn(listen));
  RaiseDescriptorLimit();
  FixedUpstream upstream(fd, with_sessions);
  json::Writer ready;
  ready.StartObject().Name("event").String("ready");
  ready.Name("listen").String(AddressOf(fd)).EndObject();
  std::puts(ready.Take().c_str());
  std::fflush(stdout);
  return upstream.Run();
}

}  // namespace
}  // namespace gatehouse::bench

int main(int argc, char** argv) {
  CLI::App app("An MCP server with fixed answers, for tools/bench.");
  std::string listen = "127.0.0.1:0";
  bool without_sessions = false;
  app.add_option("--listen", listen, "HOST:PORT on loopback; port 0 takes any")
      ->capture_default_str();
  app.add_flag("--without-sessions", without_sessions,
               "Give no Mcp-Session-Id");
  CLI11_PARSE(app, argc, argv);
  signal(SIGPIPE, SIG_IGN);
  const absl::Status status = gatehouse::bench::Run(listen, !without_sessions);
  std::fprintf(stderr, "bench-upstream: %s\n", status.ToString().c_str());
  return 1;
}
