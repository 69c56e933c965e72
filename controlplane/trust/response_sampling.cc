// The rules about a completion, beside its content: who made it, and the tools
// that the request offered.

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "controlplane/trust/rule.h"
#include "shared/base/status.h"

namespace gatehouse::trust {
namespace {

using Context = ResponseContext;

std::vector<json::Value> BlocksOf(const Context& context,
                                  std::string_view type) {
  std::vector<json::Value> blocks;
  for (const Block& block : context.conversation.blocks) {
    if (!block.inner && block.type == type) blocks.push_back(block.value);
  }
  return blocks;
}

bool CarriedTools(const Context& context) {
  return context.request_params.Find("tools").has_value() ||
         context.request_params.Find("toolChoice").has_value();
}

std::string_view ToolMode(const Context& context) {
  const auto choice = context.request_params.Find("toolChoice");
  if (!choice.has_value()) return "auto";
  return StringMember(*choice, "mode").value_or("auto");
}

std::string_view StopReason(const Context& context) {
  return StringMember(context.answer, "stopReason").value_or("");
}

// A completion uses tools; it is the upstream that has their results.
Ruling HoldsNoToolResult(const Context& context) {
  const std::vector<json::Value> results = BlocksOf(context, "tool_result");
  if (results.empty() || !context.client_era.tool_blocks) return std::nullopt;
  return ObjectTo(results.front(),
                  "is a tool_result, which no completion holds");
}

Ruling NamesItsModel(const Context& context) {
  return RequiredText(context.answer, "model");
}

Ruling StopReasonIsText(const Context& context) {
  return OptionalString(context.answer, "stopReason");
}

Ruling ToolsWereCarried(const Context& context) {
  if (CarriedTools(context)) return std::nullopt;
  const std::vector<json::Value> uses = BlocksOf(context, "tool_use");
  if (!uses.empty()) {
    return ObjectTo(uses.front(),
                    "is a tool_use, but the request carried no tools");
  }
  if (StopReason(context) != "toolUse") return std::nullopt;
  return ObjectToMember(context.answer, "stopReason",
                        "is toolUse, but the request carried no tools");
}

Ruling ToolsWereOffered(const Context& context) {
  const std::vector<json::Value> uses = BlocksOf(context, "tool_use");
  if (uses.empty() || !CarriedTools(context)) return std::nullopt;
  absl::flat_hash_set<absl::string_view> offered;
  if (const auto tools = context.request_params.Find("tools")) {
    for (const json::Value& tool : tools->Elements()) {
      if (const auto name = StringMember(tool, "name")) {
        offered.insert(ToAbsl(*name));
      }
    }
  }
  for (const json::Value& use : uses) {
    const auto name = StringMember(use, "name");
    if (!name.has_value() || offered.contains(ToAbsl(*name))) continue;
    return ObjectToMember(use, "name",
                          "is none of the tools that the request offered");
  }
  return std::nullopt;
}

Ruling ChoiceOfNoneIsHonoured(const Context& context) {
  if (ToolMode(context) != "none") return std::nullopt;
  const std::vector<json::Value> uses = BlocksOf(context, "tool_use");
  if (uses.empty()) return std::nullopt;
  return ObjectTo(uses.front(),
                  "is a tool_use, but the request's toolChoice is none");
}

// A model that ran out of tokens may not have come to its tool.
Ruling RequiredChoiceIsHonoured(const Context& context) {
  if (ToolMode(context) != "required" || StopReason(context) == "maxTokens" ||
      !BlocksOf(context, "tool_use").empty()) {
    return std::nullopt;
  }
  return ObjectToMember(context.answer, "content",
                        "uses no tool, but the request's toolChoice is "
                        "required");
}

constexpr std::array kMaker = {
    ResponseRule{"answer-holds-no-tool-result", "no tool_result", "DESIGN 6",
                 HoldsNoToolResult},
    ResponseRule{"answer-model", "the model's name", "PROTOCOL 6.3",
                 NamesItsModel},
    ResponseRule{"answer-stop-reason", "stopReason as any text", "PROTOCOL 6.3",
                 StopReasonIsText},
};

constexpr std::array kTools = {
    ResponseRule{"answer-tools-were-carried",
                 "tool use only where the request carried tools", "DESIGN 6",
                 ToolsWereCarried},
    ResponseRule{"answer-tools-were-offered",
                 "tools only of those that the request offered", "DESIGN 6",
                 ToolsWereOffered},
    ResponseRule{"answer-choice-none", "no tool use where toolChoice is none",
                 "PROTOCOL 6.4", ChoiceOfNoneIsHonoured},
    ResponseRule{"answer-choice-required",
                 "tool use where toolChoice is required, if tokens sufficed",
                 "PROTOCOL 6.4", RequiredChoiceIsHonoured},
};

}  // namespace

ResponseRules CompletionRules() { return kMaker; }
ResponseRules CompletionToolRules() { return kTools; }

}  // namespace gatehouse::trust
