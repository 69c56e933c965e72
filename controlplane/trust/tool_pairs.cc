#include "controlplane/trust/tool_pairs.h"

#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "controlplane/trust/content.h"

namespace gatehouse::trust {
namespace {

using Ids = std::set<std::string_view>;

Ids ToolUseIds(const std::vector<json::Value>& blocks) {
  Ids ids;
  for (const json::Value& block : blocks) {
    if (IsBlock(block, "tool_use")) ids.insert(*StringMember(block, "id"));
  }
  return ids;
}

bool HasToolResult(const std::vector<json::Value>& blocks) {
  for (const json::Value& block : blocks) {
    if (IsBlock(block, "tool_result")) return true;
  }
  return false;
}

Ruling ToolResultsStandAlone(const json::Value& message,
                             const std::vector<json::Value>& blocks) {
  if (StringMember(message, "role") != "user") {
    return ObjectToMember(message, "role",
                          "must be user, for the message has a tool_result");
  }
  for (const json::Value& block : blocks) {
    if (!IsBlock(block, "tool_result")) {
      return ObjectTo(block,
                      "stands beside a tool_result; a message with one holds "
                      "nothing else");
    }
  }
  return std::nullopt;
}

// Takes from `open` what the message answers.
Ruling AnswersOpenToolUses(const std::vector<json::Value>& blocks, Ids& open) {
  for (const json::Value& block : blocks) {
    if (open.erase(*StringMember(block, "toolUseId")) == 0) {
      return ObjectToMember(block, "toolUseId",
                            "answers no tool_use of the message before, or "
                            "one that has been answered");
    }
  }
  return std::nullopt;
}

}  // namespace

Ruling ToolUsesAreTheAssistants(const json::Value& message) {
  Ids ids;
  for (const json::Value& block : BlocksOf(message)) {
    if (!IsBlock(block, "tool_use")) continue;
    if (StringMember(message, "role") != "assistant") {
      return ObjectToMember(message, "role",
                            "must be assistant, for the message has a "
                            "tool_use");
    }
    if (!ids.insert(*StringMember(block, "id")).second) {
      return ObjectToMember(block, "id",
                            "is the id of another tool_use of this message");
    }
  }
  return std::nullopt;
}

Ruling ToolResultsAnswerToolUses(const std::vector<json::Value>& messages) {
  Ids open;
  for (size_t i = 0; i < messages.size(); ++i) {
    const std::vector<json::Value> blocks = BlocksOf(messages[i]);
    if (HasToolResult(blocks)) {
      if (Ruling ruling = ToolResultsStandAlone(messages[i], blocks)) {
        return ruling;
      }
      if (Ruling ruling = AnswersOpenToolUses(blocks, open)) return ruling;
    }
    if (!open.empty()) {
      return ObjectTo(messages[i],
                      "must answer every tool_use of the message before it, "
                      "each by a tool_result");
    }
    open = ToolUseIds(blocks);
  }
  if (open.empty()) return std::nullopt;
  return ObjectTo(messages.back(),
                  "has a tool_use that no tool_result answers in the next "
                  "message");
}

}  // namespace gatehouse::trust
