// The rules about how tool_use and tool_result blocks stand to one another
// (PROTOCOL 6.4).

#include <array>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "controlplane/trust/conversation.h"
#include "controlplane/trust/rule.h"
#include "shared/base/status.h"

namespace gatehouse::trust {
namespace {

using Ids = absl::flat_hash_set<absl::string_view>;

// The blocks of a message itself, without what its tool_results hold.
template <typename Visit>
void ForOwnBlocks(const Conversation& conversation, const Message& message,
                  Visit visit) {
  for (size_t i = message.first_block; i < message.end_block; ++i) {
    if (!conversation.blocks[i].inner) visit(conversation.blocks[i]);
  }
}

bool Has(const Conversation& conversation, const Message& message,
         std::string_view type) {
  bool found = false;
  ForOwnBlocks(conversation, message,
               [&](const Block& block) { found |= block.type == type; });
  return found;
}

Ruling RoleWith(const Conversation& conversation, std::string_view type,
                std::string_view role, std::string_view what) {
  for (const Message& message : conversation.messages) {
    if (message.role != role && Has(conversation, message, type)) {
      return ObjectToMember(message.value, "role", what);
    }
  }
  return std::nullopt;
}

Ruling ToolUseIsTheAssistants(const Conversation& conversation) {
  return RoleWith(conversation, "tool_use", "assistant",
                  "must be assistant, for the message has a tool_use");
}

Ruling ToolUseIdsAreUnique(const Conversation& conversation) {
  Ruling ruling;
  for (const Message& message : conversation.messages) {
    Ids ids;
    ForOwnBlocks(conversation, message, [&](const Block& block) {
      if (ruling.has_value() || block.type != "tool_use") return;
      const auto id = StringMember(block.value, "id");
      if (!id.has_value() || ids.insert(ToAbsl(*id)).second) return;
      ruling = ObjectToMember(block.value, "id",
                              "is the id of another tool_use of this message");
    });
    if (ruling.has_value()) return ruling;
  }
  return std::nullopt;
}

Ruling ToolResultIsTheUsers(const RequestContext& context) {
  return RoleWith(context.conversation, "tool_result", "user",
                  "must be user, for the message has a tool_result");
}

Ruling ToolResultsStandAlone(const RequestContext& context) {
  const Conversation& conversation = context.conversation;
  Ruling ruling;
  for (const Message& message : conversation.messages) {
    if (!Has(conversation, message, "tool_result")) continue;
    ForOwnBlocks(conversation, message, [&](const Block& block) {
      if (ruling.has_value() || block.type == "tool_result") return;
      if (block.type.empty()) return;  // block-type's concern
      ruling = ObjectTo(block.value,
                        "stands beside a tool_result; a message with one "
                        "holds nothing else");
    });
    if (ruling.has_value()) return ruling;
  }
  return std::nullopt;
}

// The ids that blocks of that type have in that member; `nullptr`: no message.
Ids IdsOf(const Conversation& conversation, const Message* message,
          std::string_view type, std::string_view member) {
  Ids ids;
  if (message == nullptr) return ids;
  ForOwnBlocks(conversation, *message, [&](const Block& block) {
    if (block.type != type) return;
    if (const auto id = StringMember(block.value, member)) {
      ids.insert(ToAbsl(*id));
    }
  });
  return ids;
}

Ruling ToolResultsAnswer(const RequestContext& context) {
  const Conversation& conversation = context.conversation;
  const Message* before = nullptr;
  Ruling ruling;
  for (const Message& message : conversation.messages) {
    Ids open = IdsOf(conversation, before, "tool_use", "id");
    ForOwnBlocks(conversation, message, [&](const Block& block) {
      if (ruling.has_value() || block.type != "tool_result") return;
      const auto id = StringMember(block.value, "toolUseId");
      if (!id.has_value() || open.erase(ToAbsl(*id)) > 0) return;
      ruling = ObjectToMember(block.value, "toolUseId",
                              "answers no tool_use of the message before, or "
                              "one that has been answered");
    });
    if (ruling.has_value()) return ruling;
    before = &message;
  }
  return std::nullopt;
}

Ruling ToolUsesAreAnswered(const RequestContext& context) {
  const Conversation& conversation = context.conversation;
  for (size_t i = 0; i < conversation.messages.size(); ++i) {
    const Message& message = conversation.messages[i];
    const Ids asked = IdsOf(conversation, &message, "tool_use", "id");
    if (asked.empty()) continue;
    const bool is_last = i + 1 == conversation.messages.size();
    const Message* next = is_last ? nullptr : &conversation.messages[i + 1];
    const Ids answered = IdsOf(conversation, next, "tool_result", "toolUseId");
    for (const absl::string_view id : asked) {
      if (answered.contains(id)) continue;
      return is_last ? ObjectTo(message.value,
                                "has a tool_use that no tool_result answers "
                                "in the next message")
                     : ObjectTo(next->value,
                                "must answer every tool_use of the message "
                                "before it, each by a tool_result");
    }
  }
  return std::nullopt;
}

template <Ruling (*check)(const Conversation&)>
Ruling Asked(const RequestContext& context) {
  return check(context.conversation);
}
template <Ruling (*check)(const Conversation&)>
Ruling Answered(const ResponseContext& context) {
  return check(context.conversation);
}

constexpr std::array kPairs = {
    RequestRule{"tool-use-by-assistant", "tool_use only by the assistant",
                "PROTOCOL 6.4", Asked<ToolUseIsTheAssistants>},
    RequestRule{"tool-use-ids-unique", "each tool_use id once in its message",
                "PROTOCOL 6.4", Asked<ToolUseIdsAreUnique>},
    RequestRule{"tool-result-by-user", "tool_result only by the user",
                "PROTOCOL 6.4", ToolResultIsTheUsers},
    RequestRule{"tool-results-alone",
                "nothing but tool_results in a message with one",
                "PROTOCOL 6.4", ToolResultsStandAlone},
    RequestRule{"tool-results-answer",
                "a tool_use right before, for each tool_result", "PROTOCOL 6.4",
                ToolResultsAnswer},
    RequestRule{"tool-uses-answered",
                "a tool_result in the next message, for each tool_use",
                "PROTOCOL 6.4", ToolUsesAreAnswered},
};

constexpr std::array kUses = {
    ResponseRule{"answer-tool-use-by-assistant",
                 "tool_use only by the assistant", "PROTOCOL 6.4",
                 Answered<ToolUseIsTheAssistants>},
    ResponseRule{"answer-tool-use-ids-unique", "each tool_use id once",
                 "PROTOCOL 6.4", Answered<ToolUseIdsAreUnique>},
};

}  // namespace

RequestRules ToolPairRules() { return kPairs; }
ResponseRules CompletionToolUseRules() { return kUses; }

}  // namespace gatehouse::trust
