#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controlplane/trust/content.h"
#include "controlplane/trust/rules.h"
#include "controlplane/trust/tool_pairs.h"

namespace gatehouse::trust {
namespace {

constexpr size_t kMaxToolNameBytes = 256;

// `tools: []` counts as tools: what is provided is provided.
Ruling ToolsArePermitted(const RequestContext& context) {
  for (const std::string_view name : {"tools", "toolChoice"}) {
    const std::optional<json::Value> part = context.params.Find(name);
    if (!part.has_value()) continue;
    if (!policy::PermittedFeatures(context.policy).sampling_tools) {
      return ObjectTo(*part, Reason::kNotPermittedDetail,
                      "the virtual server's policy does not permit tools in "
                      "sampling; ask without them, or an operator can set "
                      "trust.sampling.allowTools");
    }
    if (!context.declared.sampling_tools) {
      return ObjectTo(*part, Reason::kSubCapabilityNotDeclared,
                      "the client has not declared sampling.tools; ask "
                      "without tools");
    }
    if (!context.upstream_era.tool_blocks) {
      return ObjectTo(*part,
                      "does not exist in the negotiated revision; ask without "
                      "tools");
    }
  }
  return std::nullopt;
}

// Behind a gateway "this server" is every upstream: honouring it would show
// one upstream's context to another.
Ruling ContextIsNotIncluded(const RequestContext& context) {
  const std::optional<json::Value> include =
      context.params.Find("includeContext");
  if (!include.has_value()) return std::nullopt;
  if (StringMember(context.params, "includeContext") == "none") {
    return std::nullopt;
  }
  return ObjectTo(*include, Reason::kNotPermittedDetail,
                  "the gateway never includes other servers' context; leave "
                  "includeContext out or write none");
}

Ruling MessagesAreOfTheEra(const RequestContext& context) {
  const std::optional<json::Value> messages = context.params.Find("messages");
  if (!messages.has_value() || !messages->IsArray() || messages->size() == 0) {
    return ObjectToMember(context.params, "messages",
                          "expected an array of at least one message");
  }
  for (const json::Value& message : messages->Elements()) {
    if (!message.IsObject()) {
      return ObjectTo(message, "expected a message object");
    }
    if (Ruling ruling = MessageIsOfTheEra(message, context.upstream_era)) {
      return ruling;
    }
  }
  return std::nullopt;
}

Ruling ToolBlocksPair(const RequestContext& context) {
  const std::vector<json::Value> messages =
      context.params.Find("messages")->Elements();
  for (const json::Value& message : messages) {
    if (Ruling ruling = ToolUsesAreTheAssistants(message)) return ruling;
  }
  return ToolResultsAnswerToolUses(messages);
}

Objection OverTheTokenLimit(const json::Value& max_tokens, int64_t limit) {
  Objection objection =
      ObjectTo(max_tokens, Reason::kBudgetExhausted,
               absl::StrCat("maxTokens is over the limit of ", limit,
                            " tokens a request; ask for fewer"));
  objection.details = {{"which", json::Quote("tokensPerRequest")},
                       {"limit", absl::StrCat(limit)}};
  return objection;
}

Ruling MaxTokensIsWithinTheLimit(const RequestContext& context) {
  const std::optional<json::Value> max_tokens =
      context.params.Find("maxTokens");
  if (!max_tokens.has_value()) {
    return ObjectToMember(context.params, "maxTokens",
                          "missing; say how many tokens at most");
  }
  if (!max_tokens->IsIntegerLexeme() || max_tokens->raw().front() == '-') {
    return ObjectTo(*max_tokens, "expected a whole number, 1 or more");
  }
  const int64_t limit = context.policy.limits.sampling_tokens_per_request;
  const absl::StatusOr<int64_t> tokens = max_tokens->Integer();
  // What does not fit 64 bits is over any limit.
  if (!tokens.ok()) return OverTheTokenLimit(*max_tokens, limit);
  if (*tokens < 1) {
    return ObjectTo(*max_tokens, "expected a whole number, 1 or more");
  }
  if (*tokens > limit) return OverTheTokenLimit(*max_tokens, limit);
  return std::nullopt;
}

// Schemas of tools are opaque: the model reads them, the gateway does not.
Ruling ToolsAreWellFormed(const RequestContext& context) {
  const std::optional<json::Value> tools = context.params.Find("tools");
  if (!tools.has_value()) return std::nullopt;
  if (!tools->IsArray()) return ObjectTo(*tools, "expected an array of tools");
  for (const json::Value& tool : tools->Elements()) {
    if (!tool.IsObject()) return ObjectTo(tool, "expected a tool object");
    if (Ruling ruling = RequiredText(tool, "name")) return ruling;
    if (StringMember(tool, "name")->size() > kMaxToolNameBytes) {
      return ObjectToMember(tool, "name", "is longer than 256 bytes");
    }
    if (Ruling ruling = OptionalString(tool, "description")) return ruling;
    if (Ruling ruling = RequiredObject(tool, "inputSchema")) return ruling;
    if (Ruling ruling = OptionalObject(tool, "outputSchema")) return ruling;
  }
  return std::nullopt;
}

Ruling ToolChoiceIsLegal(const RequestContext& context) {
  const std::optional<json::Value> choice = context.params.Find("toolChoice");
  if (!choice.has_value()) return std::nullopt;
  if (!choice->IsObject()) return ObjectTo(*choice, "expected an object");
  const std::optional<json::Value> mode = choice->Find("mode");
  if (!mode.has_value()) return std::nullopt;
  const std::optional<std::string_view> name = StringMember(*choice, "mode");
  if (name == "auto" || name == "required" || name == "none") {
    return std::nullopt;
  }
  return ObjectTo(*mode, "must be auto, required or none");
}

Ruling PreferencesAreWellFormed(const RequestContext& context) {
  if (Ruling ruling = OptionalObject(context.params, "modelPreferences")) {
    return ruling;
  }
  const auto preferences = context.params.Find("modelPreferences");
  if (!preferences.has_value()) return std::nullopt;
  for (const std::string_view name :
       {"costPriority", "speedPriority", "intelligencePriority"}) {
    const std::optional<json::Value> priority = preferences->Find(name);
    if (!priority.has_value()) continue;
    const absl::StatusOr<double> value = priority->Number();
    if (!value.ok() || *value < 0 || *value > 1) {
      return ObjectTo(*priority, "expected a number from 0 to 1");
    }
  }
  const std::optional<json::Value> hints = preferences->Find("hints");
  if (!hints.has_value()) return std::nullopt;
  if (!hints->IsArray()) return ObjectTo(*hints, "expected an array of hints");
  for (const json::Value& hint : hints->Elements()) {
    if (!hint.IsObject()) return ObjectTo(hint, "expected a hint object");
    if (Ruling ruling = OptionalString(hint, "name")) return ruling;
  }
  return std::nullopt;
}

// Types only: what is legal but unusual (a temperature of 2.7) is the client's
// to use or not.
Ruling OptionsAreWellFormed(const RequestContext& context) {
  if (Ruling ruling = OptionalString(context.params, "systemPrompt")) {
    return ruling;
  }
  if (Ruling ruling = OptionalObject(context.params, "metadata")) {
    return ruling;
  }
  const auto temperature = context.params.Find("temperature");
  if (temperature.has_value() && !temperature->IsNumber()) {
    return ObjectTo(*temperature, "expected a number");
  }
  const auto stops = context.params.Find("stopSequences");
  if (!stops.has_value()) return std::nullopt;
  if (!stops->IsArray()) return ObjectTo(*stops, "expected an array");
  for (const json::Value& stop : stops->Elements()) {
    if (!stop.IsString()) return ObjectTo(stop, "expected a string");
  }
  return std::nullopt;
}

Ruling ClientCanReadTheContent(const RequestContext& context) {
  for (const json::Value& message :
       context.params.Find("messages")->Elements()) {
    if (Ruling ruling = ContentIsRepresentable(message, context.client_era)) {
      ruling->reason = Reason::kNotRepresentable;
      return ruling;
    }
  }
  return std::nullopt;
}

constexpr std::array<RequestRule, 10> kRules = {
    ToolsArePermitted,        ContextIsNotIncluded, MessagesAreOfTheEra,
    ToolBlocksPair,           ToolsAreWellFormed,   ToolChoiceIsLegal,
    PreferencesAreWellFormed, OptionsAreWellFormed, MaxTokensIsWithinTheLimit,
    ClientCanReadTheContent};

}  // namespace

std::span<const RequestRule> SamplingRequestRules() { return kRules; }

std::vector<json::Edit> UnwrapContent(const json::Value& message,
                                      const Era& era) {
  if (!NeedsUnwrapping(message, era)) return {};
  const json::Value array = *message.Find("content");
  const json::Value block = array.Elements().front();
  const size_t before = block.offset() - array.offset();
  const size_t block_end = block.offset() + block.raw().size();
  const size_t after = array.raw().size() - before - block.raw().size();
  return {{array.offset(), before, ""}, {block_end, after, ""}};
}

std::vector<json::Edit> UnwrapMessages(const json::Value& params,
                                       const Era& era) {
  std::vector<json::Edit> edits;
  const std::optional<json::Value> messages = params.Find("messages");
  if (!messages.has_value()) return edits;
  for (const json::Value& message : messages->Elements()) {
    for (json::Edit& edit : UnwrapContent(message, era)) {
      edits.push_back(std::move(edit));
    }
  }
  return edits;
}

int64_t MaxTokensOf(const json::Value& params) {
  const std::optional<json::Value> max_tokens = params.Find("maxTokens");
  return max_tokens.has_value() ? max_tokens->Integer().value_or(0) : 0;
}

}  // namespace gatehouse::trust
