#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "controlplane/trust/content.h"
#include "controlplane/trust/rules.h"
#include "controlplane/trust/tool_pairs.h"

namespace gatehouse::trust {
namespace {

bool CarriedTools(const json::Value& request_params) {
  return request_params.Find("tools").has_value() ||
         request_params.Find("toolChoice").has_value();
}

std::string_view ToolMode(const json::Value& request_params) {
  const std::optional<json::Value> choice = request_params.Find("toolChoice");
  if (!choice.has_value()) return "auto";
  return StringMember(*choice, "mode").value_or("auto");
}

bool WasOffered(const json::Value& request_params, std::string_view tool) {
  const std::optional<json::Value> tools = request_params.Find("tools");
  if (!tools.has_value()) return false;
  for (const json::Value& offered : tools->Elements()) {
    if (StringMember(offered, "name") == tool) return true;
  }
  return false;
}

std::vector<json::Value> ToolUses(const json::Value& result) {
  std::vector<json::Value> uses;
  for (const json::Value& block : BlocksOf(result)) {
    if (IsBlock(block, "tool_use")) uses.push_back(block);
  }
  return uses;
}

Ruling NamesItsModel(const ResponseContext& context) {
  if (Ruling ruling = RequiredText(context.result, "model")) return ruling;
  return OptionalString(context.result, "stopReason");
}

Ruling ContentIsOfTheClientsEra(const ResponseContext& context) {
  return MessageIsOfTheEra(context.result, context.client_era);
}

// A completion uses tools; it is the upstream that has their results.
Ruling HoldsNoToolResult(const ResponseContext& context) {
  for (const json::Value& block : BlocksOf(context.result)) {
    if (IsBlock(block, "tool_result")) {
      return ObjectTo(block, "is a tool_result, which no completion holds");
    }
  }
  return std::nullopt;
}

Ruling UsesToolsOnlyIfOffered(const ResponseContext& context) {
  if (Ruling ruling = ToolUsesAreTheAssistants(context.result)) return ruling;
  if (!CarriedTools(context.request_params)) {
    if (StringMember(context.result, "stopReason") == "toolUse") {
      return ObjectToMember(context.result, "stopReason",
                            "is toolUse, but the request carried no tools");
    }
  }
  for (const json::Value& use : ToolUses(context.result)) {
    if (!WasOffered(context.request_params, *StringMember(use, "name"))) {
      return ObjectToMember(use, "name",
                            "is none of the tools that the request offered");
    }
  }
  return std::nullopt;
}

Ruling HonoursTheToolChoice(const ResponseContext& context) {
  const std::string_view mode = ToolMode(context.request_params);
  const std::vector<json::Value> uses = ToolUses(context.result);
  if (mode == "none" && !uses.empty()) {
    return ObjectTo(uses.front(),
                    "is a tool_use, but the request's toolChoice is none");
  }
  // A model that ran out of tokens may not have come to its tool.
  if (mode == "required" && uses.empty() &&
      StringMember(context.result, "stopReason") != "maxTokens") {
    return ObjectToMember(context.result, "content",
                          "uses no tool, but the request's toolChoice is "
                          "required");
  }
  return std::nullopt;
}

Ruling UpstreamCanReadTheContent(const ResponseContext& context) {
  return ContentIsRepresentable(context.result, context.upstream_era);
}

constexpr std::array<ResponseRule, 6> kRules = {
    ContentIsOfTheClientsEra, NamesItsModel,        HoldsNoToolResult,
    UsesToolsOnlyIfOffered,   HonoursTheToolChoice, UpstreamCanReadTheContent};

}  // namespace

std::span<const ResponseRule> SamplingResponseRules() { return kRules; }

}  // namespace gatehouse::trust
