#include "dataplane/upstream/messages.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/fault.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "shared/mcp/envelope.h"

namespace gatehouse::upstream {
namespace {

// What is relayed may be as large and deep as a message may be.
constexpr json::Limits kRelayedLimits = {
    .max_bytes = 16 << 20, .max_depth = 512, .max_values = 2'000'000};
// What only we read is small.
constexpr json::Limits kNoticeLimits = {
    .max_bytes = 1 << 20, .max_depth = 64, .max_values = 20'000};

std::optional<json::Value> FindMeta(const json::Value& params) {
  std::optional<json::Value> meta = params.Find("_meta");
  if (meta.has_value() && !meta->IsObject()) return std::nullopt;
  return meta;
}

bool IsToken(const json::Value& value) {
  return value.IsString() || value.IsIntegerLexeme();
}

// For a negative control only: another text of the same shape.
void Alter(std::string& json) {
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '"') {
      in_string = !in_string;
      continue;
    }
    if (!in_string) continue;
    if (json[i] == '\\') {
      ++i;
      continue;
    }
    const size_t end = json.find('"', i);
    const size_t next = json.find_first_not_of(" \t\r\n", end + 1);
    if (end == std::string::npos || next == std::string::npos) return;
    if (json[next] == ':') {  // a member's name, not a value
      i = end - 1;
      continue;
    }
    json[i] = json[i] == 'x' ? 'y' : 'x';
    return;
  }
}

std::string MessageOf(std::string_view id, const relay::UpstreamReply& reply) {
  return reply.is_error
             ? mcp::ErrorMessage(id, reply.code, reply.message, reply.data)
             : mcp::ResultMessage(id, reply.result);
}

}  // namespace

std::string InitializeParams(const mcp::ClientFeatures& offered,
                             std::string_view version) {
  json::Writer writer;
  writer.StartObject()
      .Name("protocolVersion")
      .String(mcp::ToString(mcp::kLatestLegacy))
      .Name("capabilities")
      .Raw(mcp::ClientCapabilitiesJson(offered, mcp::kLatestLegacy))
      .Name("clientInfo")
      .StartObject()
      .Name("name")
      .String("gatehouse")
      .Name("version")
      .String(version)
      .EndObject()
      .EndObject();
  return writer.Take();
}

absl::StatusOr<mcp::Revision> RevisionOf(std::string_view result) {
  GATEHOUSE_ASSIGN_OR_RETURN(
      const json::Document document,
      json::Document::Parse(std::string(result), kNoticeLimits));
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value version,
                             document.root().Field("protocolVersion"));
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string_view text, version.String());
  const std::optional<mcp::Revision> revision = mcp::ParseLegacyRevision(text);
  if (!revision.has_value()) {
    return version.Error("not a revision that this gateway speaks");
  }
  return *revision;
}

bool IsEligible(std::string_view method) {
  constexpr std::array<std::string_view, 4> kEligible = {
      "tools/call", "resources/read", "prompts/get", "completion/complete"};
  return std::find(kEligible.begin(), kEligible.end(), method) !=
         kEligible.end();
}

bool IsInputRequest(std::string_view method) {
  return method == "sampling/createMessage" || method == "elicitation/create" ||
         method == "roots/list";
}

std::string WithProgressToken(std::string params, int64_t token) {
  const std::string digits = absl::StrCat(token);
  const std::string meta = absl::StrCat("{\"progressToken\":", digits, "}");
  if (params.empty()) return absl::StrCat("{\"_meta\":", meta, "}");
  const absl::StatusOr<json::Document> document =
      json::Document::Parse(params, kRelayedLimits);
  if (!document.ok() || !document->root().IsObject()) return params;
  const json::Value root = document->root();
  const std::optional<json::Value> old = FindMeta(root);
  return json::Splice(
      params, {old.has_value() ? json::SetMember(*old, "progressToken", digits)
                               : json::SetMember(root, "_meta", meta)});
}

std::string WithReplyToken(std::string params, std::string_view token) {
  const absl::StatusOr<json::Document> document =
      json::Document::Parse(params, kNoticeLimits);
  if (!document.ok() || !document->root().IsObject()) return "";
  return json::Splice(
      params, {json::SetMember(document->root(), "progressToken", token)});
}

std::optional<int64_t> ProgressTokenOf(std::string_view params) {
  const absl::StatusOr<json::Document> document =
      json::Document::Parse(std::string(params), kNoticeLimits);
  if (!document.ok()) return std::nullopt;
  const std::optional<json::Value> token =
      document->root().Find("progressToken");
  if (!token.has_value()) return std::nullopt;
  const absl::StatusOr<int64_t> number = token->Integer();
  if (!number.ok()) return std::nullopt;
  return *number;
}

std::string AskedProgressToken(std::string_view params) {
  if (params.find("progressToken") == std::string_view::npos) return "";
  const absl::StatusOr<json::Document> document =
      json::Document::Parse(std::string(params));
  if (!document.ok()) return "";
  const std::optional<json::Value> meta = FindMeta(document->root());
  if (!meta.has_value()) return "";
  const std::optional<json::Value> token = meta->Find("progressToken");
  if (!token.has_value() || !IsToken(*token)) return "";
  return std::string(token->raw());
}

std::string CancelledParams(int64_t id, std::string_view reason) {
  json::Writer writer;
  writer.StartObject().Name("requestId").Integer(id);
  if (!reason.empty()) writer.Name("reason").String(reason);
  writer.EndObject();
  return writer.Take();
}

std::string CancelledRequestId(std::string_view params) {
  const absl::StatusOr<json::Document> document =
      json::Document::Parse(std::string(params), kNoticeLimits);
  if (!document.ok()) return "";
  const std::optional<json::Value> id = document->root().Find("requestId");
  if (!id.has_value() || !IsToken(*id)) return "";
  return std::string(id->raw());
}

std::string CompletedElicitationId(std::string_view params) {
  const absl::StatusOr<json::Document> document =
      json::Document::Parse(std::string(params), kNoticeLimits);
  if (!document.ok()) return "";
  const std::optional<json::Value> id = document->root().Find("elicitationId");
  if (!id.has_value() || !id->IsString()) return "";
  return std::string(*id->String());
}

bool IsErrorObject(std::string_view error) {
  const absl::StatusOr<json::Document> document =
      json::Document::Parse(std::string(error), kRelayedLimits);
  if (!document.ok()) return false;
  const std::optional<json::Value> code = document->root().Find("code");
  const std::optional<json::Value> message = document->root().Find("message");
  return code.has_value() && code->IsIntegerLexeme() && message.has_value() &&
         message->IsString();
}

std::optional<int64_t> ErrorCodeOf(std::string_view error) {
  const absl::StatusOr<json::Document> document =
      json::Document::Parse(std::string(error), kRelayedLimits);
  if (!document.ok()) return std::nullopt;
  const std::optional<json::Value> code = document->root().Find("code");
  if (!code.has_value() || !code->Integer().ok()) return std::nullopt;
  return *code->Integer();
}

std::string ReplyMessage(std::string_view id,
                         const relay::UpstreamReply& reply) {
  if (!MutantEnabled("alter_reply")) return MessageOf(id, reply);
  relay::UpstreamReply altered = reply;
  if (altered.is_error) {
    altered.message.insert(0, "x");
  } else {
    Alter(altered.result);
  }
  return MessageOf(id, altered);
}

absl::StatusOr<ToolsPage> ReadToolsPage(std::string result) {
  GATEHOUSE_ASSIGN_OR_RETURN(
      const json::Document document,
      json::Document::Parse(std::move(result), kRelayedLimits));
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value tools,
                             document.root().Field("tools"));
  if (!tools.IsArray()) return tools.Error("expected an array");
  ToolsPage page;
  for (const json::Value& tool : tools.Elements()) {
    page.tools.emplace_back(tool.raw());
  }
  const std::optional<json::Value> cursor = document.root().Find("nextCursor");
  if (cursor.has_value() && !cursor->IsNull()) {
    GATEHOUSE_ASSIGN_OR_RETURN(const std::string_view text, cursor->String());
    page.next_cursor = std::string(text);
  }
  return page;
}

std::string ToolsPageParams(const std::optional<std::string>& cursor) {
  if (!cursor.has_value()) return "";
  return absl::StrCat("{\"cursor\":", json::Quote(*cursor), "}");
}

}  // namespace gatehouse::upstream
