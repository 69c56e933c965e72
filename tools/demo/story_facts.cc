#include "tools/demo/story_facts.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"

namespace gatehouse::demo {
namespace {

using mcp::MessageKind;

absl::StatusOr<std::vector<WireMessage>> ReadMessages(
    const std::vector<RecordedMessage>& recording, std::string_view where) {
  std::vector<WireMessage> messages;
  for (const RecordedMessage& recorded : recording) {
    const auto envelope = mcp::ParseEnvelope(
        recorded.message, {.max_bytes = 16 << 20, .max_depth = 512});
    if (!envelope.ok()) {
      return absl::DataLossError(absl::StrCat(
          ToAbsl(where), ": a message is no JSON-RPC (",
          envelope.status().message(), "): ", recorded.message.substr(0, 200)));
    }
    messages.push_back({.time_us = recorded.time_us,
                        .to_server = recorded.to_server,
                        .channel = recorded.channel,
                        .kind = envelope->kind,
                        .id = std::string(envelope->id),
                        .method = envelope->method,
                        .params = std::string(envelope->params),
                        .result = std::string(envelope->result),
                        .error = std::string(envelope->error)});
  }
  return messages;
}

bool IsResponse(const WireMessage& message) {
  return message.kind == MessageKind::kResult ||
         message.kind == MessageKind::kError;
}

// The response to `request` among the messages after it, from the other side.
const WireMessage* ResponseTo(const std::vector<WireMessage>& messages,
                              size_t request, bool same_channel) {
  const WireMessage& asked = messages[request];
  for (size_t i = request + 1; i < messages.size(); ++i) {
    const WireMessage& message = messages[i];
    if (IsResponse(message) && message.id == asked.id &&
        message.to_server != asked.to_server &&
        (!same_channel || message.channel == asked.channel)) {
      return &message;
    }
  }
  return nullptr;
}

// Requests of the server's side between two times, with their answers. Towards
// a client they are answered on another connection, under an id that no other
// request has; an upstream's ids are its process's own.
std::vector<AskedAndAnswered> AskedBetween(
    const std::vector<WireMessage>& messages, int64_t from_us, int64_t to_us,
    bool same_channel) {
  std::vector<AskedAndAnswered> result;
  for (size_t i = 0; i < messages.size(); ++i) {
    const WireMessage& message = messages[i];
    if (message.to_server || message.kind != MessageKind::kRequest ||
        message.time_us < from_us || message.time_us > to_us) {
      continue;
    }
    const WireMessage* answer = ResponseTo(messages, i, same_channel);
    result.push_back({message, answer == nullptr
                                   ? std::nullopt
                                   : std::optional<WireMessage>(*answer)});
  }
  return result;
}

std::vector<Handshake> Handshakes(const std::vector<WireMessage>& messages) {
  std::vector<Handshake> result;
  for (size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].method != "initialize") continue;
    const WireMessage* response = ResponseTo(messages, i, true);
    if (response != nullptr) result.push_back({messages[i], *response});
  }
  return result;
}

std::string ToolOf(const WireMessage& call) {
  const auto params = json::Document::Parse(call.params);
  if (!params.ok()) return "";
  const auto name = params->root().Find("name");
  return name && name->IsString() ? std::string(*name->String()) : "";
}

int ProgressBetween(const std::vector<WireMessage>& messages, int64_t from_us,
                    int64_t to_us) {
  return static_cast<int>(std::count_if(
      messages.begin(), messages.end(), [&](const WireMessage& message) {
        return !message.to_server &&
               message.method == "notifications/progress" &&
               message.time_us >= from_us && message.time_us <= to_us;
      }));
}

std::optional<AskedAndAnswered> ForwardedCall(
    const std::vector<WireMessage>& at_upstream, int64_t from_us,
    int64_t to_us) {
  for (size_t i = 0; i < at_upstream.size(); ++i) {
    const WireMessage& message = at_upstream[i];
    if (message.method != "tools/call" || message.time_us < from_us ||
        message.time_us > to_us) {
      continue;
    }
    const WireMessage* response = ResponseTo(at_upstream, i, true);
    if (response == nullptr) return AskedAndAnswered{message, std::nullopt};
    return AskedAndAnswered{message, *response};
  }
  return std::nullopt;
}

absl::StatusOr<Scene> ReadScene(const std::vector<WireMessage>& at_client,
                                const std::vector<WireMessage>& at_upstream,
                                size_t call) {
  const WireMessage* response = ResponseTo(at_client, call, true);
  if (response == nullptr) {
    return absl::DataLossError(absl::StrCat(
        "client's tap: no response to the call ", at_client[call].params));
  }
  const int64_t from_us = at_client[call].time_us;
  const int64_t to_us = response->time_us;
  Scene scene;
  scene.call = at_client[call];
  scene.response = *response;
  scene.tool = ToolOf(scene.call);
  scene.progress_count = ProgressBetween(at_client, from_us, to_us);
  scene.shown = AskedBetween(at_client, from_us, to_us, false);
  scene.asked = AskedBetween(at_upstream, from_us, to_us, true);
  scene.forwarded = ForwardedCall(at_upstream, from_us, to_us);
  return scene;
}

// Everything that was asked must lie within a scene: what does not was asked of
// nobody's behalf.
absl::Status CheckNoneOutside(const std::vector<WireMessage>& messages,
                              size_t within, std::string_view where) {
  const size_t all = static_cast<size_t>(std::count_if(
      messages.begin(), messages.end(), [](const WireMessage& message) {
        return !message.to_server && message.kind == MessageKind::kRequest;
      }));
  if (all == within) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(ToAbsl(where), ": ", all,
                                          " requests passed, but only ", within,
                                          " while a call was running"));
}

}  // namespace

absl::StatusOr<Facts> ReadFacts(
    const std::vector<RecordedMessage>& at_client,
    const std::vector<RecordedMessage>& at_upstream) {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::vector<WireMessage> client,
                             ReadMessages(at_client, "client's tap"));
  GATEHOUSE_ASSIGN_OR_RETURN(const std::vector<WireMessage> upstream,
                             ReadMessages(at_upstream, "upstream's tap"));
  Facts facts;
  facts.client_handshakes = Handshakes(client);
  facts.upstream_handshakes = Handshakes(upstream);
  size_t shown = 0;
  size_t asked = 0;
  for (size_t i = 0; i < client.size(); ++i) {
    if (client[i].method != "tools/call") continue;
    GATEHOUSE_ASSIGN_OR_RETURN(Scene scene, ReadScene(client, upstream, i));
    shown += scene.shown.size();
    asked += scene.asked.size();
    facts.scenes.push_back(std::move(scene));
  }
  GATEHOUSE_RETURN_IF_ERROR(CheckNoneOutside(client, shown, "client's tap"));
  GATEHOUSE_RETURN_IF_ERROR(
      CheckNoneOutside(upstream, asked, "upstream's tap"));
  for (const RecordedMessage& message : at_upstream) {
    if (message.to_server) facts.to_upstream.push_back(message);
  }
  return facts;
}

absl::StatusOr<ErrorParts> ReadError(std::string_view error) {
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Document document,
                             json::Document::Parse(std::string(error)));
  ErrorParts parts;
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value code,
                             document.root().Field("code"));
  GATEHOUSE_ASSIGN_OR_RETURN(parts.code, code.Integer());
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value message,
                             document.root().Field("message"));
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string_view text, message.String());
  parts.message = std::string(text);
  const auto data = document.root().Find("data");
  const auto reason = data ? data->Find("reason") : std::nullopt;
  if (reason && reason->IsString()) {
    parts.reason = std::string(*reason->String());
  }
  return parts;
}

}  // namespace gatehouse::demo
