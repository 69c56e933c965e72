#include "tests/bench/requests.h"

#include <charconv>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "shared/mcp/envelope.h"

namespace gatehouse::bench {
namespace {

constexpr std::string_view kRevision = "2025-11-25";
constexpr size_t kArgumentBytes = 360;

std::string Head(const Peer& peer, std::string_view method) {
  std::string head = absl::StrCat(ToAbsl(method), " ", peer.path,
                                  " HTTP/1.1\r\nHost: ", peer.address,
                                  "\r\nUser-Agent: gatehouse-bench\r\n");
  if (!peer.token.empty()) {
    absl::StrAppend(&head, "Authorization: Bearer ", peer.token, "\r\n");
  }
  if (!peer.session.empty()) {
    absl::StrAppend(&head, "Mcp-Session-Id: ", peer.session,
                    "\r\nMCP-Protocol-Version: ", ToAbsl(kRevision), "\r\n");
  }
  return head;
}

}  // namespace

std::string Post(const Peer& peer, std::string_view body) {
  return absl::StrCat(Head(peer, "POST"),
                      "Accept: application/json, text/event-stream\r\n"
                      "Content-Type: application/json\r\nContent-Length: ",
                      body.size(), "\r\n\r\n", ToAbsl(body));
}

std::string OpenStream(const Peer& peer) {
  return absl::StrCat(Head(peer, "GET"), "Accept: text/event-stream\r\n\r\n");
}

std::string EndSession(const Peer& peer) {
  return absl::StrCat(Head(peer, "DELETE"), "\r\n");
}

std::string InitializeMessage() {
  json::Writer params;
  params.StartObject().Name("protocolVersion").String(kRevision);
  params.Name("capabilities").Raw("{\"sampling\":{},\"elicitation\":{}}");
  params.Name("clientInfo").StartObject().Name("name").String("bench");
  params.Name("version").String("1").EndObject().EndObject();
  return mcp::RequestMessage("0", "initialize", params.Take());
}

std::string InitializedMessage() {
  return mcp::NotificationMessage("notifications/initialized", "");
}

std::string SamplingReply(std::string_view id) {
  return mcp::ResultMessage(
      id,
      R"({"role":"assistant","content":{"type":"text","text":"The east gate )"
      R"(is nearest."},"model":"bench","stopReason":"endTurn"})");
}

CallRequest::CallRequest(const Peer& peer, std::string_view tool) {
  json::Writer params;
  params.StartObject().Name("name").String(tool);
  params.Name("arguments").StartObject().Name("text");
  params.String(std::string(kArgumentBytes, 'a')).EndObject().EndObject();
  text_ = Post(peer, mcp::RequestMessage(absl::StrCat(kFirstId), "tools/call",
                                         params.Take()));
  constexpr std::string_view kBeforeId = "\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":";
  id_at_ = text_.find(kBeforeId) + kBeforeId.size();
}

std::string_view CallRequest::Next() {
  std::to_chars(text_.data() + id_at_, text_.data() + id_at_ + kDigits, next_);
  next_ = next_ == kLastId ? kFirstId : next_ + 1;
  return text_;
}

}  // namespace gatehouse::bench
