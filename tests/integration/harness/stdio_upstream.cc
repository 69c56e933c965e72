// A legacy MCP server over stdio, for tests: one thread, blocking, simple, and
// driven by its tools' arguments as the scripted HTTP upstream is.
//
//   echo       the arguments come back as text
//   ask        {method, params, times}: one after another
//   progress   {steps}
//   hang       never answers
//   ask_after  {method, params}: answers, and asks only then
//   replies    what came back for what ask_after asked
//   whoami     uid, gid and the environment
//   probe      {socket, address, files}: tries to use the control plane
//   exit       ends the process without an answer

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/json/json.h"
#include "tests/integration/harness/control_api.h"
#include "tests/integration/harness/message.h"

extern char** environ;

namespace gatehouse::testing {
namespace {

void Send(const std::string& message) {
  std::cout << message << "\n" << std::flush;
}

std::string Argument(const Message& call, const std::string& name) {
  return call.At(absl::StrCat("/params/arguments/", name));
}

std::string TextResult(const std::string& text) {
  return absl::StrCat(
      "{\"content\":[{\"type\":\"text\",\"text\":", json::Quote(text), "}]}");
}

// What a thing that nobody but the control plane's owner may use says to us.
std::string TryFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno == EACCES ? "EACCES" : strerror(errno);
  close(fd);
  return "opened";
}

std::string TryControl(const std::string& address, const std::string& token) {
  ControlApi api(address, token);
  const auto servers = api.VirtualServers();
  if (servers.ok()) return "served";
  return absl::StatusCodeToString(servers.status().code());
}

std::string Probe(const Message& call) {
  const std::string socket = Argument(call, "socket");
  std::string report =
      absl::StrCat("address ", TryControl(Argument(call, "address"), ""), "\n");
  absl::StrAppend(&report, "guess ",
                  TryControl(Argument(call, "address"), "a-guess"), "\n");
  absl::StrAppend(&report, "socket ",
                  access(socket.c_str(), W_OK) != 0 && errno == EACCES
                      ? "EACCES"
                      : TryControl(absl::StrCat("unix:", socket), ""),
                  "\n");
  for (int i = 0;; ++i) {
    const std::string path = Argument(call, absl::StrCat("files/", i));
    if (path.empty()) break;
    absl::StrAppend(&report, "file ", TryFile(path), "\n");
  }
  return report;
}

std::string WhoAmI() {
  std::string text = absl::StrCat("uid ", getuid(), "\ngid ", getgid(), "\n");
  for (char** entry = environ; *entry != nullptr; ++entry) {
    absl::StrAppend(&text, "env ", *entry, "\n");
  }
  return text;
}

class StdioUpstream {
 public:
  int Serve() {
    for (std::string line; std::getline(std::cin, line);) {
      const Message message(line);
      if (message.IsResponse()) {
        TakeReply(message);
      } else if (message.IsRequest()) {
        Answer(message);
      }
    }
    return 0;
  }

 private:
  void Result(const Message& request, const std::string& result) {
    Send(absl::StrCat("{\"jsonrpc\":\"2.0\",\"id\":", request.id(),
                      ",\"result\":", result, "}"));
  }

  void Ask(const Message& call) {
    Send(absl::StrCat("{\"jsonrpc\":\"2.0\",\"id\":", next_id_++,
                      ",\"method\":\"", Argument(call, "method"),
                      "\",\"params\":", call.RawAt("/params/arguments/params"),
                      "}"));
  }

  void TakeReply(const Message& reply) {
    const std::string text =
        reply.Has("/error")
            ? absl::StrCat("{\"error\":", reply.RawAt("/error"), "}")
            : absl::StrCat("{\"result\":", reply.RawAt("/result"), "}");
    absl::StrAppend(&replies_, replies_.empty() ? "" : ",", text);
    if (!asking_.has_value()) return;
    if (--times_ > 0) {
      Ask(*asking_);
      return;
    }
    Result(*asking_, ReplyResult());
    asking_.reset();
  }

  // Empties the list.
  std::string ReplyResult() {
    return absl::StrCat("{\"content\":[],\"structuredContent\":{\"replies\":[",
                        std::exchange(replies_, ""), "]}}");
  }

  void Answer(const Message& request) {
    const std::string method = request.method();
    if (method == "initialize") {
      Result(request,
             absl::StrCat("{\"protocolVersion\":",
                          request.RawAt("/params/protocolVersion"),
                          ",\"capabilities\":{\"tools\":{}},\"serverInfo\":"
                          "{\"name\":\"stdio\",\"version\":\"1\"}}"));
    } else if (method == "tools/list") {
      Result(request, ToolList());
    } else if (method == "tools/call") {
      CallTool(request);
    } else {
      Result(request, "{}");
    }
  }

  static std::string ToolList() {
    std::string list;
    for (const char* name : {"echo", "ask", "progress", "hang", "ask_after",
                             "replies", "whoami", "probe", "exit"}) {
      absl::StrAppend(&list, list.empty() ? "" : ",", "{\"name\":\"", name,
                      "\",\"inputSchema\":{\"type\":\"object\"}}");
    }
    return absl::StrCat("{\"tools\":[", list, "]}");
  }

  void Progress(const Message& call) {
    const int steps = std::atoi(Argument(call, "steps").c_str());
    for (int i = 1; i <= steps; ++i) {
      Send(
          absl::StrCat("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                       "progress\",\"params\":{\"progressToken\":",
                       call.RawAt("/params/_meta/progressToken"),
                       ",\"progress\":", i, ",\"total\":", steps, "}}"));
    }
    Result(call, TextResult("done"));
  }

  void CallTool(const Message& call) {
    const std::string tool = call.At("/params/name");
    if (tool == "echo") {
      Result(call, TextResult(call.RawAt("/params/arguments")));
    } else if (tool == "ask") {
      asking_ = call;
      times_ = std::max(1, std::atoi(Argument(call, "times").c_str()));
      Ask(call);
    } else if (tool == "progress") {
      Progress(call);
    } else if (tool == "ask_after") {
      Result(call, TextResult("done"));
      Ask(call);
    } else if (tool == "replies") {
      Result(call, ReplyResult());
    } else if (tool == "whoami") {
      Result(call, TextResult(WhoAmI()));
    } else if (tool == "probe") {
      Result(call, TextResult(Probe(call)));
    } else if (tool == "exit") {
      _exit(3);
    }  // hang: nothing
  }

  int64_t next_id_ = 0;
  std::optional<Message> asking_;
  int times_ = 0;
  std::string replies_;
};

}  // namespace
}  // namespace gatehouse::testing

int main() { return gatehouse::testing::StdioUpstream().Serve(); }
