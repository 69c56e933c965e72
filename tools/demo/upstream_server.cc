#include "tools/demo/upstream_server.h"

#include <cstdio>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "shared/mcp/revision.h"

namespace gatehouse::demo {
namespace {

constexpr size_t kMaxWaiting = 64;
constexpr absl::Duration kWriteTimeout = absl::Seconds(30);

std::optional<json::Value> MemberOf(const std::optional<json::Value>& object,
                                    std::string_view name) {
  return object ? object->Find(name) : std::nullopt;
}

// The params of a message; nothing if it has none, or none that can be read.
std::optional<json::Value> ParamsOf(const mcp::Envelope& message) {
  if (message.params.empty()) return std::nullopt;
  const auto document = json::Document::Parse(std::string(message.params));
  if (!document.ok()) return std::nullopt;
  return document->root();
}

std::string StringOf(const std::optional<json::Value>& value) {
  if (!value || !value->IsString()) return "";
  return std::string(*value->String());
}

}  // namespace

void UpstreamServer::Run() {
  std::string line;
  while (!closed_) {
    if (!waiting_.empty()) {
      line = std::move(waiting_.front());
      waiting_.pop_front();
    } else if (!ReadLine(absl::InfiniteDuration(), &line)) {
      break;  // the client closed our input: that is how stdio ends
    }
    Serve(line);
  }
}

bool UpstreamServer::ReadLine(absl::Duration deadline, std::string* line) {
  while (!lines_.Next(line)) {
    const absl::StatusOr<std::string> bytes = ReadSome(options_.in, deadline);
    if (absl::IsDeadlineExceeded(bytes.status())) return false;
    if (!bytes.ok() || bytes->empty() || !lines_.Feed(*bytes).ok()) {
      closed_ = true;
      return false;
    }
  }
  return true;
}

void UpstreamServer::Serve(const std::string& line) {
  if (line.empty()) return;
  const absl::StatusOr<mcp::Envelope> message = mcp::ParseEnvelope(line);
  if (!message.ok()) {
    Send(mcp::ErrorMessage("", mcp::CodeOf(message.status()),
                           ToStd(message.status().message()), ""));
    return;
  }
  switch (message->kind) {
    case mcp::MessageKind::kRequest:
      ServeRequest(*message);
      break;
    case mcp::MessageKind::kNotification:
      break;  // "initialized", or a "cancelled" that came too late
    case mcp::MessageKind::kResult:
    case mcp::MessageKind::kError:
      break;  // an answer that came after we stopped waiting for it
  }
}

void UpstreamServer::ServeRequest(const mcp::Envelope& message) {
  if (message.method == "initialize") {
    Initialize(message);
  } else if (message.method == "ping") {
    Send(mcp::ResultMessage(message.id, "{}"));
  } else if (message.method == "tools/list") {
    Send(mcp::ResultMessage(message.id, ToolListJson()));
  } else if (message.method == "tools/call") {
    CallNamedTool(message);
  } else {
    Send(mcp::ErrorMessage(message.id, mcp::kMethodNotFound,
                           absl::StrCat(message.method, ": not served"), ""));
  }
}

void UpstreamServer::Initialize(const mcp::Envelope& message) {
  const std::string asked =
      StringOf(MemberOf(ParamsOf(message), "protocolVersion"));
  const auto revision = mcp::ParseLegacyRevision(asked);
  const bool known = revision == mcp::Revision::k2025_06_18 ||
                     revision == mcp::Revision::k2025_11_25;
  json::Writer out;
  out.StartObject();
  out.Name("protocolVersion")
      .String(known ? std::string_view(asked)
                    : mcp::ToString(mcp::kLatestLegacy));
  out.Name("capabilities").Raw(R"({"tools":{}})");
  out.Name("serverInfo")
      .Raw(R"({"name":"gatehouse-demo-upstream","version":"1"})");
  out.EndObject();
  Send(mcp::ResultMessage(message.id, out.Take()));
}

void UpstreamServer::CallNamedTool(const mcp::Envelope& message) {
  const std::optional<json::Value> params = ParamsOf(message);
  call_id_ = std::string(message.id);
  cancelled_ = false;
  const auto token = MemberOf(MemberOf(params, "_meta"), "progressToken");
  progress_token_ = token ? std::string(token->raw()) : "";
  const absl::StatusOr<std::string> result = CallTool(
      StringOf(MemberOf(params, "name")), MemberOf(params, "arguments"), *this);
  const std::string id = std::exchange(call_id_, {});
  if (cancelled_) return;  // nobody waits for the response
  if (result.ok()) {
    Send(mcp::ResultMessage(id, *result));
  } else {
    Send(mcp::ErrorMessage(id, mcp::kInvalidParams,
                           ToStd(result.status().message()), ""));
  }
}

Outcome UpstreamServer::Ask(std::string_view method, std::string params) {
  if (Stopped()) return {};
  const std::string id = absl::StrCat(next_id_++);
  Send(mcp::RequestMessage(id, method, params));
  const absl::Duration deadline = SteadyNow() + options_.answer_timeout;
  std::string line;
  Outcome outcome;
  while (ReadLine(deadline, &line)) {
    if (TakeWhileAsking(line, id, &outcome)) return outcome;
    if (cancelled_) {
      Withdraw(id, "the call was cancelled");
      return {.kind = Outcome::Kind::kCancelled, .raw = ""};
    }
  }
  if (closed_) return {.kind = Outcome::Kind::kClosed, .raw = ""};
  Withdraw(id, "no answer came in time");
  return {.kind = Outcome::Kind::kNoAnswer, .raw = ""};
}

bool UpstreamServer::TakeWhileAsking(const std::string& line,
                                     std::string_view id, Outcome* outcome) {
  const absl::StatusOr<mcp::Envelope> message = mcp::ParseEnvelope(line);
  if (!message.ok()) return false;
  switch (message->kind) {
    case mcp::MessageKind::kResult:
      if (message->id != id) return false;
      *outcome = {Outcome::Kind::kResult, std::string(message->result)};
      return true;
    case mcp::MessageKind::kError:
      if (message->id != id) return false;
      *outcome = {Outcome::Kind::kError, std::string(message->error)};
      return true;
    case mcp::MessageKind::kNotification:
      if (message->method == "notifications/cancelled") {
        TakeCancelled(message->params);
      }
      return false;
    case mcp::MessageKind::kRequest:
      if (message->method == "ping") {
        Send(mcp::ResultMessage(message->id, "{}"));
      } else if (waiting_.size() < kMaxWaiting) {
        waiting_.push_back(line);
      } else {
        Send(mcp::ErrorMessage(message->id, mcp::kInternalError,
                               "too many requests wait already", ""));
      }
      return false;
  }
  return false;
}

void UpstreamServer::TakeCancelled(std::string_view params) {
  const auto document = json::Document::Parse(std::string(params));
  if (!document.ok()) return;
  const auto id = document->root().Find("requestId");
  if (!id) return;
  if (id->raw() == call_id_) cancelled_ = true;
  std::erase_if(waiting_, [&](const std::string& line) {
    const auto waiting = mcp::ParseEnvelope(line);
    return waiting.ok() && waiting->id == id->raw();
  });
}

void UpstreamServer::Progress(int64_t done, int64_t total) {
  if (progress_token_.empty()) return;
  json::Writer params;
  params.StartObject().Name("progressToken").Raw(progress_token_);
  params.Name("progress").Integer(done).Name("total").Integer(total);
  params.EndObject();
  Send(mcp::NotificationMessage("notifications/progress", params.Take()));
}

void UpstreamServer::Withdraw(std::string_view id, std::string_view why) {
  json::Writer params;
  params.StartObject().Name("requestId").Raw(id);
  params.Name("reason").String(why).EndObject();
  Send(mcp::NotificationMessage("notifications/cancelled", params.Take()));
}

void UpstreamServer::Send(std::string message) {
  message.push_back('\n');
  const absl::Status status = WriteAll(options_.out, message, kWriteTimeout);
  if (!status.ok()) closed_ = true;
}

}  // namespace gatehouse::demo
