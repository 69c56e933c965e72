#include "tests/integration/harness/scripted_upstream.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "shared/json/json.h"
#include "tests/integration/harness/upstream_core.h"

namespace gatehouse::testing {

ToolCall::ToolCall(std::weak_ptr<UpstreamCore> core, Message request,
                   std::string session, int stream)
    : core_(std::move(core)),
      request_(std::move(request)),
      session_(std::move(session)),
      stream_(stream) {}

std::string ToolCall::Argument(const std::string& name) const {
  return request_.At(absl::StrCat("/params/arguments/", name));
}

std::string ToolCall::RawArgument(const std::string& name) const {
  return request_.RawAt(absl::StrCat("/params/arguments/", name));
}

std::string ToolCall::Ask(const std::string& method, const std::string& params,
                          OnReply on_reply) {
  const auto core = core_.lock();
  return core == nullptr ? ""
                         : core->Ask(session_, stream_, method, params,
                                     std::move(on_reply));
}

std::string ToolCall::AskOnGetStream(const std::string& method,
                                     const std::string& params,
                                     OnReply on_reply) {
  const auto core = core_.lock();
  if (core == nullptr) return "";
  return core->Ask(session_, core->GetStreamOf(session_), method, params,
                   std::move(on_reply));
}

void ToolCall::Notify(const std::string& method, const std::string& params) {
  if (const auto core = core_.lock()) {
    core->Notify(stream_, method, params);
  }
}

void ToolCall::Progress(int done, int total, const std::string& message) {
  const std::string token = request_.RawAt("/params/_meta/progressToken");
  if (token.empty()) return;
  Notify("notifications/progress",
         absl::StrCat("{\"progressToken\":", token, ",\"progress\":", done,
                      ",\"total\":", total,
                      ",\"message\":", json::Quote(message), "}"));
}

void ToolCall::Finish(const std::string& result) {
  if (const auto core = core_.lock()) {
    const std::shared_ptr<ToolCall> keep = shared_from_this();
    core->EndCall(*this);
    core->FinishAnswer(
        stream_, absl::StrCat("{\"jsonrpc\":\"2.0\",\"id\":", request_.id(),
                              ",\"result\":", result, "}"));
  }
}

void ToolCall::FinishWithText(const std::string& text) {
  Finish(absl::StrCat(
      "{\"content\":[{\"type\":\"text\",\"text\":", json::Quote(text), "}]}"));
}

void ToolCall::FinishWithError(int code, const std::string& message) {
  FinishWithErrorObject(absl::StrCat(
      "{\"code\":", code, ",\"message\":", json::Quote(message), "}"));
}

void ToolCall::FinishWithErrorObject(const std::string& error) {
  if (const auto core = core_.lock()) {
    const std::shared_ptr<ToolCall> keep = shared_from_this();
    core->EndCall(*this);
    core->FinishAnswer(
        stream_, absl::StrCat("{\"jsonrpc\":\"2.0\",\"id\":", request_.id(),
                              ",\"error\":", error, "}"));
  }
}

void ToolCall::Abandon() {
  if (const auto core = core_.lock()) {
    const std::shared_ptr<ToolCall> keep = shared_from_this();
    core->EndCall(*this);
    core->AbandonAnswer(stream_);
  }
}

ScriptedUpstream::ScriptedUpstream(EventLoop* loop, Options options)
    : loop_(loop),
      core_(std::make_shared<UpstreamCore>(loop, std::move(options))) {
  loop_->Run([this] { core_->Listen(); });
}

ScriptedUpstream::~ScriptedUpstream() {
  loop_->Run([this] { core_->Shutdown(); });
}

void ScriptedUpstream::AddTool(const std::string& name,
                               const std::string& definition, Tool tool) {
  core_->signal.Change([&] {
    core_->tools.push_back({name, definition, std::move(tool)});
  });
}

void ScriptedUpstream::AddTool(const std::string& name, Tool tool) {
  AddTool(name,
          absl::StrCat("{\"name\":\"", name,
                       "\",\"inputSchema\":{\"type\":\"object\"}}"),
          std::move(tool));
}

void ScriptedUpstream::OnUnasked(
    std::function<void(const Message&)> on_unasked) {
  core_->signal.Change([&] { core_->on_unasked = std::move(on_unasked); });
}

std::string ScriptedUpstream::address() const {
  std::string address;
  core_->signal.Read([&] { address = core_->address; });
  return address;
}

std::string ScriptedUpstream::url() const {
  return absl::StrCat("http://", address(), "/mcp");
}

std::vector<ScriptedUpstream::Received> ScriptedUpstream::received() const {
  std::vector<Received> copy;
  core_->signal.Read([&] { copy = core_->received; });
  return copy;
}

std::vector<Message> ScriptedUpstream::received(
    const std::string& method) const {
  std::vector<Message> found;
  for (const Received& one : received()) {
    if (one.message.method() == method) found.push_back(one.message);
  }
  return found;
}

std::vector<Message> ScriptedUpstream::replies() const {
  std::vector<Message> copy;
  core_->signal.Read([&] { copy = core_->replies; });
  return copy;
}

absl::StatusOr<Message> ScriptedUpstream::AwaitReceived(
    const std::string& method, size_t count, absl::Duration timeout) const {
  std::optional<Message> found;
  core_->signal.WaitUntil(timeout, [&] {
    size_t seen = 0;
    for (const Received& one : core_->received) {
      if (one.message.method() == method && ++seen == count) {
        found = one.message;
        break;
      }
    }
    return found.has_value();
  });
  if (!found.has_value()) {
    return absl::DeadlineExceededError(absl::StrCat(
        method, " no. ", count, ": did not reach the upstream in time"));
  }
  return *found;
}

absl::StatusOr<std::vector<Message>> ScriptedUpstream::AwaitReplies(
    size_t count, absl::Duration timeout) const {
  std::vector<Message> found;
  core_->signal.WaitUntil(timeout, [&] {
    found = core_->replies;
    return found.size() >= count;
  });
  if (found.size() >= count) return found;
  return absl::DeadlineExceededError(absl::StrCat(
      "reply no. ", count, ": did not reach the upstream in time"));
}

absl::StatusOr<std::vector<std::string>> ScriptedUpstream::AwaitListening(
    size_t count, absl::Duration timeout) const {
  std::vector<std::string> found;
  core_->signal.WaitUntil(timeout, [&] {
    found = core_->listening;
    return found.size() >= count;
  });
  if (found.size() >= count) return found;
  return absl::DeadlineExceededError(
      absl::StrCat("GET stream no. ", count, ": was not opened in time"));
}

void ScriptedUpstream::AskSession(const std::string& session,
                                  const std::string& method,
                                  const std::string& params) {
  loop_->Run([&] {
    core_->Ask(session, core_->GetStreamOf(session), method, params, nullptr);
  });
}

void ScriptedUpstream::NotifySession(const std::string& session,
                                     const std::string& method,
                                     const std::string& params) {
  loop_->Run(
      [&] { core_->Notify(core_->GetStreamOf(session), method, params); });
}

size_t ScriptedUpstream::open_sessions() const {
  size_t count = 0;
  core_->signal.Read([&] { count = core_->session_count; });
  return count;
}

void ScriptedUpstream::Crash() {
  loop_->Run([this] { core_->Crash(); });
}

}  // namespace gatehouse::testing
