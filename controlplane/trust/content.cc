#include "controlplane/trust/content.h"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "controlplane/trust/binary.h"

namespace gatehouse::trust {
namespace {

// Where a block stands decides which types it may have.
enum class Where { kMessage, kToolResult };

Ruling TextBlock(const json::Value& block, const Era&) {
  return RequiredString(block, "text");
}

Ruling BinaryBlock(const json::Value& block, const Era&) {
  if (Ruling ruling = RequiredString(block, "data")) return ruling;
  if (Ruling ruling = RequiredString(block, "mimeType")) return ruling;
  if (!IsBase64(StringMember(block, "data").value_or(""))) {
    return ObjectToMember(block, "data", "is not base64");
  }
  if (!IsMimeType(StringMember(block, "mimeType").value_or(""))) {
    return ObjectToMember(block, "mimeType",
                          "is not a media type, such as image/png");
  }
  return std::nullopt;
}

Ruling ResourceLinkBlock(const json::Value& block, const Era&) {
  if (Ruling ruling = RequiredText(block, "uri")) return ruling;
  return RequiredString(block, "name");
}

Ruling ResourceBlock(const json::Value& block, const Era&) {
  if (Ruling ruling = RequiredObject(block, "resource")) return ruling;
  const json::Value resource = *block.Find("resource");
  if (Ruling ruling = RequiredText(resource, "uri")) return ruling;
  if (Ruling ruling = OptionalString(resource, "mimeType")) return ruling;
  if (resource.Find("text").has_value()) {
    return RequiredString(resource, "text");
  }
  if (Ruling ruling = RequiredString(resource, "blob")) return ruling;
  if (IsBase64(StringMember(resource, "blob").value_or(""))) {
    return std::nullopt;
  }
  return ObjectToMember(resource, "blob", "is not base64");
}

Ruling ToolUseBlock(const json::Value& block, const Era&) {
  if (Ruling ruling = RequiredText(block, "id")) return ruling;
  if (Ruling ruling = RequiredText(block, "name")) return ruling;
  return RequiredObject(block, "input");
}

Ruling BlockIsOfTheEra(const json::Value& block, const Era& era, Where where);

Ruling ToolResultBlock(const json::Value& block, const Era& era) {
  if (Ruling ruling = RequiredText(block, "toolUseId")) return ruling;
  if (Ruling ruling = OptionalObject(block, "structuredContent")) {
    return ruling;
  }
  if (Ruling ruling = OptionalBool(block, "isError")) return ruling;
  const std::optional<json::Value> content = block.Find("content");
  if (!content.has_value() || !content->IsArray()) {
    return ObjectToMember(block, "content",
                          "expected an array of content blocks");
  }
  for (const json::Value& inner : content->Elements()) {
    // One level deep: a tool result holds none of the tool blocks.
    if (Ruling ruling = BlockIsOfTheEra(inner, era, Where::kToolResult)) {
      return ruling;
    }
  }
  return std::nullopt;
}

// The block types: where each may stand, and from which era on.
struct BlockRow {
  std::string_view type;
  bool in_message;
  bool in_tool_result;
  bool needs_tool_blocks;
  Ruling (*rule)(const json::Value&, const Era&);
};
constexpr std::array<BlockRow, 7> kBlocks = {{
    {"text", true, true, false, TextBlock},
    {"image", true, true, false, BinaryBlock},
    {"audio", true, true, false, BinaryBlock},
    {"resource_link", false, true, false, ResourceLinkBlock},
    {"resource", false, true, false, ResourceBlock},
    {"tool_use", true, false, true, ToolUseBlock},
    {"tool_result", true, false, true, ToolResultBlock},
}};

Ruling BlockIsOfTheEra(const json::Value& block, const Era& era, Where where) {
  if (!block.IsObject()) return ObjectTo(block, "expected a content block");
  if (Ruling ruling = RequiredString(block, "type")) return ruling;
  const std::string_view type = StringMember(block, "type").value_or("");
  for (const BlockRow& row : kBlocks) {
    const bool here =
        where == Where::kMessage ? row.in_message : row.in_tool_result;
    if (row.type != type || !here) continue;
    if (row.needs_tool_blocks && !era.tool_blocks) break;
    if (Ruling ruling = OptionalObject(block, "annotations")) return ruling;
    if (Ruling ruling = OptionalObject(block, "_meta")) return ruling;
    return row.rule(block, era);
  }
  return ObjectToMember(
      block, "type",
      "is not a content type that the negotiated revision allows here");
}

}  // namespace

Ruling MessageIsOfTheEra(const json::Value& message, const Era& era) {
  if (Ruling ruling = RequiredString(message, "role")) return ruling;
  const std::string_view role = StringMember(message, "role").value_or("");
  if (role != "user" && role != "assistant") {
    return ObjectToMember(message, "role", "must be user or assistant");
  }
  if (Ruling ruling = OptionalObject(message, "_meta")) return ruling;
  const std::optional<json::Value> content = message.Find("content");
  if (!content.has_value()) {
    return ObjectToMember(message, "content",
                          "missing; expected a content block");
  }
  if (!content->IsArray()) {
    return BlockIsOfTheEra(*content, era, Where::kMessage);
  }
  if (!era.content_arrays) {
    return ObjectTo(*content,
                    "is an array, but the negotiated revision allows one "
                    "content block only");
  }
  if (content->size() == 0) {
    return ObjectTo(*content, "must hold at least one content block");
  }
  for (const json::Value& block : content->Elements()) {
    if (Ruling ruling = BlockIsOfTheEra(block, era, Where::kMessage)) {
      return ruling;
    }
  }
  return std::nullopt;
}

std::vector<json::Value> BlocksOf(const json::Value& message) {
  const std::optional<json::Value> content = message.Find("content");
  if (!content.has_value()) return {};
  if (content->IsArray()) return content->Elements();
  return {*content};
}

bool IsBlock(const json::Value& block, std::string_view type) {
  return StringMember(block, "type") == type;
}

Ruling ContentIsRepresentable(const json::Value& message, const Era& era) {
  const std::vector<json::Value> blocks = BlocksOf(message);
  if (!era.content_arrays && blocks.size() != 1) {
    return ObjectToMember(message, "content",
                          "has several content blocks, which the revision of "
                          "the other side cannot carry; send one block");
  }
  if (era.tool_blocks) return std::nullopt;
  for (const json::Value& block : blocks) {
    if (IsBlock(block, "tool_use") || IsBlock(block, "tool_result")) {
      return ObjectTo(block,
                      "is a tool block, which the revision of the other side "
                      "cannot carry");
    }
  }
  return std::nullopt;
}

bool NeedsUnwrapping(const json::Value& message, const Era& era) {
  const std::optional<json::Value> content = message.Find("content");
  return !era.content_arrays && content.has_value() && content->IsArray() &&
         content->size() == 1;
}

}  // namespace gatehouse::trust
