#include "tests/integration/harness/scripted_client.h"

#include <atomic>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "shared/json/json.h"

namespace gatehouse::testing {

struct ScriptedClient::State {
  State(EventLoop* event_loop, Options client_options)
      : loop(event_loop), options(std::move(client_options)) {}

  EventLoop* const loop;
  std::atomic<int64_t> next_id{0};
  Signal signal;  // guards what follows
  Options options;
  std::string session_id;
  std::map<std::string, Handler> handlers;
  std::vector<Message> asked;
};

namespace {

std::map<std::string, std::string> HeadersOf(
    const ScriptedClient::Options& options, const std::string& session_id,
    const std::map<std::string, std::string>& overrides) {
  std::map<std::string, std::string> headers = {
      {"Content-Type", "application/json"},
      {"Accept", "application/json, text/event-stream"}};
  if (!options.token.empty()) {
    headers["Authorization"] = absl::StrCat("Bearer ", options.token);
  }
  if (!session_id.empty()) {
    headers["Mcp-Session-Id"] = session_id;
    if (options.revision != "2025-03-26") {
      headers["MCP-Protocol-Version"] = options.revision;
    }
  }
  for (const auto& [name, value] : overrides) {
    if (value.empty()) {
      headers.erase(name);
    } else {
      headers[name] = value;
    }
  }
  return headers;
}

std::string RequestText(const std::string& id, const std::string& method,
                        const std::string& params) {
  return absl::StrCat("{\"jsonrpc\":\"2.0\",\"id\":", id, ",\"method\":\"",
                      method, "\",\"params\":", params, "}");
}

}  // namespace

ScriptedClient::ScriptedClient(EventLoop* loop, Options options)
    : state_(std::make_shared<State>(loop, std::move(options))) {}

ScriptedClient::~ScriptedClient() {
  state_->signal.Change([&] { state_->handlers.clear(); });
}

absl::StatusOr<Message> ScriptedClient::Initialize() {
  Options options;
  state_->signal.Read([&] { options = state_->options; });
  const ClientCall call =
      Start("initialize",
            absl::StrCat("{\"protocolVersion\":\"", options.revision,
                         "\",\"capabilities\":", options.capabilities,
                         ",\"clientInfo\":{\"name\":\"scripted-client\","
                         "\"version\":\"1\"}}"));
  const absl::StatusOr<int> status = call.exchange->Status();
  if (!status.ok()) return status.status();
  if (*status != 200) {
    return absl::UnavailableError(absl::StrCat("initialize: HTTP ", *status));
  }
  absl::StatusOr<Message> result = call.Await();
  if (!result.ok() || !result->Has("/result")) return result;
  state_->signal.Change([&] {
    state_->session_id = call.exchange->Header("mcp-session-id");
    state_->options.revision = result->At("/result/protocolVersion");
  });
  if (const int sent = Notify("notifications/initialized", "{}"); sent != 202) {
    return absl::UnavailableError(absl::StrCat("initialized: HTTP ", sent));
  }
  return result;
}

void ScriptedClient::MoveTo(const std::string& address) {
  state_->signal.Change([&] { state_->options.address = address; });
}

void ScriptedClient::OnAsked(const std::string& method, Handler handler) {
  state_->signal.Change([&] { state_->handlers[method] = std::move(handler); });
}

ClientCall ScriptedClient::Start(const std::string& method,
                                 const std::string& params) {
  const std::string id = absl::StrCat(state_->next_id++);
  return ClientCall{id, Post(RequestText(id, method, params))};
}

ClientCall ScriptedClient::StartTool(const std::string& tool,
                                     const std::string& arguments,
                                     const std::string& meta) {
  return Start(
      "tools/call",
      absl::StrCat("{\"name\":\"", tool, "\",\"arguments\":", arguments,
                   meta.empty() ? "" : ",\"_meta\":", meta, "}"));
}

absl::StatusOr<Message> ScriptedClient::Request(const std::string& method,
                                                const std::string& params,
                                                absl::Duration timeout) {
  return Start(method, params).Await(timeout);
}

absl::StatusOr<Message> ScriptedClient::CallTool(const std::string& tool,
                                                 const std::string& arguments,
                                                 absl::Duration timeout) {
  return StartTool(tool, arguments).Await(timeout);
}

std::shared_ptr<Exchange> ScriptedClient::SendReply(
    const std::shared_ptr<State>& state, const std::string& id_lexeme,
    const std::string& member) {
  HttpRequest request;
  std::string address;
  state->signal.Read([&] {
    request.target = absl::StrCat("/mcp/", state->options.virtual_server);
    request.headers = HeadersOf(state->options, state->session_id, {});
    address = state->options.address;
  });
  request.body =
      absl::StrCat("{\"jsonrpc\":\"2.0\",\"id\":", id_lexeme, ",", member, "}");
  return Exchange::Start(state->loop, address, request, nullptr);
}

int ScriptedClient::Reply(const std::string& id_lexeme,
                          const std::string& member) {
  return SendReply(state_, id_lexeme, member)->Status().value_or(0);
}

int ScriptedClient::Notify(const std::string& method,
                           const std::string& params) {
  return Post(absl::StrCat("{\"jsonrpc\":\"2.0\",\"method\":\"", method,
                           "\",\"params\":", params, "}"))
      ->Status()
      .value_or(0);
}

std::map<std::string, std::string> ScriptedClient::Headers(
    const std::map<std::string, std::string>& overrides) const {
  std::map<std::string, std::string> headers;
  state_->signal.Read([&] {
    headers = HeadersOf(state_->options, state_->session_id, overrides);
  });
  return headers;
}

std::shared_ptr<Exchange> ScriptedClient::Send(HttpRequest request) {
  std::string address;
  state_->signal.Read([&] {
    address = state_->options.address;
    request.target = absl::StrCat("/mcp/", state_->options.virtual_server);
  });
  return Exchange::Start(
      state_->loop, address, request,
      [state = state_](const Message& message) { OnMessage(state, message); });
}

std::shared_ptr<Exchange> ScriptedClient::Post(
    const std::string& body,
    const std::map<std::string, std::string>& headers) {
  HttpRequest request;
  request.headers = Headers(headers);
  request.body = body;
  return Send(request);
}

std::shared_ptr<Exchange> ScriptedClient::OpenStream(
    const std::string& last_event_id) {
  HttpRequest request;
  request.method = "GET";
  request.headers = Headers({{"Accept", "text/event-stream"},
                             {"Content-Type", ""},
                             {"Last-Event-ID", last_event_id}});
  return Send(request);
}

int ScriptedClient::Delete() {
  HttpRequest request;
  request.method = "DELETE";
  request.headers = Headers({{"Content-Type", ""}});
  return Send(request)->Status().value_or(0);
}

void ScriptedClient::OnMessage(const std::shared_ptr<State>& state,
                               const Message& message) {
  if (message.method().empty()) return;
  Handler handler;
  state->signal.Change([&] {
    state->asked.push_back(message);
    const auto it = state->handlers.find(message.method());
    if (it != state->handlers.end()) handler = it->second;
  });
  if (!handler) return;
  const std::optional<std::string> member = handler(message);
  if (member.has_value()) SendReply(state, message.id(), *member);
}

std::vector<Message> ScriptedClient::asked(const std::string& method) const {
  std::vector<Message> found;
  state_->signal.Read([&] {
    for (const Message& message : state_->asked) {
      if (method.empty() || message.method() == method) {
        found.push_back(message);
      }
    }
  });
  return found;
}

absl::StatusOr<Message> ScriptedClient::AwaitAsked(
    const std::string& method, size_t count, absl::Duration timeout) const {
  std::optional<Message> found;
  state_->signal.WaitUntil(timeout, [&] {
    size_t seen = 0;
    for (const Message& message : state_->asked) {
      if (message.method() == method && ++seen == count) {
        found = message;
        break;
      }
    }
    return found.has_value();
  });
  if (!found.has_value()) {
    return absl::DeadlineExceededError(
        absl::StrCat(method, " no. ", count, ": was not asked in time"));
  }
  return *found;
}

std::string ScriptedClient::session_id() const {
  std::string id;
  state_->signal.Read([&] { id = state_->session_id; });
  return id;
}

void ScriptedClient::set_session_id(const std::string& id) {
  state_->signal.Change([&] { state_->session_id = id; });
}

std::string SamplingReply(const std::string& text) {
  return absl::StrCat(
      "\"result\":{\"role\":\"assistant\",\"content\":{\"type\":\"text\","
      "\"text\":",
      json::Quote(text),
      "},\"model\":\"scripted-model\",\"stopReason\":\"endTurn\"}");
}

std::string ErrorReply(int code, const std::string& message) {
  return absl::StrCat("\"error\":{\"code\":", code,
                      ",\"message\":", json::Quote(message), "}");
}

std::string FormReply(const std::string& action, const std::string& content) {
  return absl::StrCat("\"result\":{\"action\":\"", action, "\"",
                      content.empty() ? "" : ",\"content\":", content, "}");
}

}  // namespace gatehouse::testing
