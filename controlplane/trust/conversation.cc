#include "controlplane/trust/conversation.h"

#include <optional>
#include <string_view>

#include "controlplane/trust/ruling.h"

namespace gatehouse::trust {
namespace {

void AddBlock(const json::Value& value, bool inner, Conversation& out) {
  if (!value.IsObject()) {
    out.no_blocks.push_back(value);
    return;
  }
  const std::string_view type = StringMember(value, "type").value_or("");
  out.blocks.push_back({value, type, inner});
  // One level deep: a tool result holds none of the tool blocks.
  if (inner || type != "tool_result") return;
  const std::optional<json::Value> content = value.Find("content");
  if (!content.has_value()) return;
  for (const json::Value& block : content->Elements()) {
    AddBlock(block, true, out);
  }
}

void AddMessage(const json::Value& value, Conversation& out) {
  Message message{value, StringMember(value, "role").value_or(""),
                  out.blocks.size(), 0};
  const std::optional<json::Value> content = value.Find("content");
  if (content.has_value() && content->IsArray()) {
    for (const json::Value& block : content->Elements()) {
      AddBlock(block, false, out);
    }
  } else if (content.has_value() && content->IsObject()) {
    AddBlock(*content, false, out);
  }
  message.end_block = out.blocks.size();
  out.messages.push_back(std::move(message));
}

}  // namespace

Conversation ReadConversation(const json::Value& params) {
  Conversation out;
  const std::optional<json::Value> messages = params.Find("messages");
  if (!messages.has_value()) return out;
  for (const json::Value& message : messages->Elements()) {
    if (message.IsObject()) {
      AddMessage(message, out);
    } else {
      out.no_messages.push_back(message);
    }
  }
  return out;
}

Conversation ReadCompletion(const json::Value& result) {
  Conversation out;
  if (result.IsObject()) AddMessage(result, out);
  return out;
}

void UnwrapContent(const json::Value& message, const Era& era,
                   std::vector<json::Edit>& edits) {
  if (era.content_arrays) return;
  const std::optional<json::Value> array = message.Find("content");
  if (!array.has_value() || !array->IsArray() || array->size() != 1) return;
  const json::Value block = array->Elements().front();
  const size_t before = block.offset() - array->offset();
  const size_t block_end = block.offset() + block.raw().size();
  const size_t after = array->raw().size() - before - block.raw().size();
  edits.push_back({array->offset(), before, ""});
  edits.push_back({block_end, after, ""});
}

}  // namespace gatehouse::trust
