// The rules about what a sampling request asks for, beside its messages.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "controlplane/trust/numbers.h"
#include "controlplane/trust/rule.h"

namespace gatehouse::trust {
namespace {

using Context = RequestContext;

constexpr size_t kMaxToolNameBytes = 256;

// `tools: []` counts as tools: what is provided is provided.
std::optional<json::Value> ToolPart(const Context& context) {
  std::optional<json::Value> part = context.params.Find("tools");
  return part.has_value() ? part : context.params.Find("toolChoice");
}

Ruling ToolsArePermitted(const Context& context) {
  const std::optional<json::Value> part = ToolPart(context);
  if (!part.has_value() || context.policy.sampling_allow_tools) {
    return std::nullopt;
  }
  return ObjectTo(*part, Reason::kNotPermittedDetail,
                  "the virtual server's policy does not permit tools in "
                  "sampling; ask without them, or an operator can set "
                  "trust.sampling.allowTools");
}

Ruling ToolsAreDeclared(const Context& context) {
  const std::optional<json::Value> part = ToolPart(context);
  if (!part.has_value() || context.facts.declared.sampling_tools) {
    return std::nullopt;
  }
  return ObjectTo(*part, Reason::kSubCapabilityNotDeclared,
                  "the client has not declared the capability sampling.tools, "
                  "without which it may be offered no tools; ask without "
                  "tools");
}

Ruling ToolsAreInTheRevision(const Context& context) {
  const std::optional<json::Value> part = ToolPart(context);
  if (!part.has_value() || context.upstream_era.tool_blocks) {
    return std::nullopt;
  }
  return ObjectTo(*part,
                  "does not exist in the negotiated revision; ask without "
                  "tools");
}

// Behind a gateway "this server" is every upstream: honouring it would show
// one upstream's context to another.
Ruling ContextIsNotIncluded(const Context& context) {
  const auto include = context.params.Find("includeContext");
  if (!include.has_value() ||
      StringMember(context.params, "includeContext") == "none") {
    return std::nullopt;
  }
  return ObjectTo(*include, Reason::kNotPermittedDetail,
                  "the gateway never includes other servers' context; leave "
                  "includeContext out or write none");
}

Ruling MaxTokensIsPresent(const Context& context) {
  if (context.params.Find("maxTokens").has_value()) return std::nullopt;
  return ObjectToMember(context.params, "maxTokens",
                        "missing; say how many tokens at most");
}

Ruling MaxTokensIsWhole(const Context& context) {
  const auto max_tokens = context.params.Find("maxTokens");
  if (!max_tokens.has_value() || max_tokens->IsIntegerLexeme()) {
    return std::nullopt;
  }
  return ObjectTo(*max_tokens,
                  "expected a whole number, written without fraction or "
                  "exponent");
}

bool IsPositive(const json::Value& integer) {
  return integer.raw().front() != '-' && integer.raw() != "0";
}

Ruling MaxTokensIsPositive(const Context& context) {
  const auto max_tokens = context.params.Find("maxTokens");
  if (!max_tokens.has_value() || !max_tokens->IsIntegerLexeme() ||
      IsPositive(*max_tokens)) {
    return std::nullopt;
  }
  return ObjectTo(*max_tokens, "expected 1 or more");
}

Ruling MaxTokensIsWithinTheLimit(const Context& context) {
  const auto max_tokens = context.params.Find("maxTokens");
  if (!max_tokens.has_value() || !max_tokens->IsIntegerLexeme() ||
      !IsPositive(*max_tokens)) {
    return std::nullopt;
  }
  const int64_t limit = context.policy.limits.sampling_tokens_per_request;
  const absl::StatusOr<int64_t> tokens = max_tokens->Integer();
  // What does not fit 64 bits is over any limit.
  if (tokens.ok() && *tokens <= limit) return std::nullopt;
  Objection objection =
      ObjectTo(*max_tokens, Reason::kBudgetExhausted,
               absl::StrCat("maxTokens is over the limit of ", limit,
                            " tokens a request; ask for fewer"));
  objection.details = {{"which", json::Quote("tokensPerRequest")},
                       {"limit", absl::StrCat(limit)}};
  return objection;
}

Ruling ToolsAreAnArray(const Context& context) {
  const std::optional<json::Value> tools = context.params.Find("tools");
  if (!tools.has_value() || tools->IsArray()) return std::nullopt;
  return ObjectTo(*tools, "expected an array of tools");
}

// Each element of `tools`; of `check` those that are objects.
Ruling OfEachTool(const Context& context,
                  Ruling (*check)(const json::Value& tool)) {
  const std::optional<json::Value> tools = context.params.Find("tools");
  if (!tools.has_value()) return std::nullopt;
  for (const json::Value& tool : tools->Elements()) {
    if (!tool.IsObject()) continue;
    if (Ruling ruling = check(tool)) return ruling;
  }
  return std::nullopt;
}

Ruling ToolIsAnObject(const Context& context) {
  const std::optional<json::Value> tools = context.params.Find("tools");
  if (!tools.has_value()) return std::nullopt;
  for (const json::Value& tool : tools->Elements()) {
    if (!tool.IsObject()) return ObjectTo(tool, "expected a tool object");
  }
  return std::nullopt;
}

Ruling ToolHasAName(const Context& context) {
  return OfEachTool(context, [](const json::Value& tool) -> Ruling {
    if (Ruling ruling = RequiredText(tool, "name")) return ruling;
    if (StringMember(tool, "name")->size() <= kMaxToolNameBytes) {
      return std::nullopt;
    }
    return ObjectToMember(tool, "name", "is longer than 256 bytes");
  });
}

Ruling ToolDescriptionIsText(const Context& context) {
  return OfEachTool(context, [](const json::Value& tool) {
    return OptionalString(tool, "description");
  });
}

// They are opaque: the model reads them, the gateway does not.
Ruling ToolHasSchemas(const Context& context) {
  return OfEachTool(context, [](const json::Value& tool) {
    if (Ruling ruling = RequiredObject(tool, "inputSchema")) return ruling;
    return OptionalObject(tool, "outputSchema");
  });
}

Ruling ToolChoiceIsLegal(const Context& context) {
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

Ruling PreferencesAreAnObject(const Context& context) {
  return OptionalObject(context.params, "modelPreferences");
}

Ruling PrioritiesAreWithinBounds(const Context& context) {
  const auto preferences = context.params.Find("modelPreferences");
  if (!preferences.has_value()) return std::nullopt;
  for (const std::string_view name :
       {"costPriority", "speedPriority", "intelligencePriority"}) {
    const std::optional<json::Value> priority = preferences->Find(name);
    if (!priority.has_value()) continue;
    if (!priority->IsNumber() || CompareWithWhole(*priority, 0) < 0 ||
        CompareWithWhole(*priority, 1) > 0) {
      return ObjectTo(*priority, "expected a number from 0 to 1");
    }
  }
  return std::nullopt;
}

Ruling HintsAreNamed(const Context& context) {
  const auto preferences = context.params.Find("modelPreferences");
  if (!preferences.has_value()) return std::nullopt;
  const std::optional<json::Value> hints = preferences->Find("hints");
  if (!hints.has_value()) return std::nullopt;
  if (!hints->IsArray()) return ObjectTo(*hints, "expected an array of hints");
  for (const json::Value& hint : hints->Elements()) {
    if (!hint.IsObject()) return ObjectTo(hint, "expected a hint object");
    if (Ruling ruling = OptionalString(hint, "name")) return ruling;
  }
  return std::nullopt;
}

Ruling SystemPromptIsText(const Context& context) {
  return OptionalString(context.params, "systemPrompt");
}

Ruling MetadataIsAnObject(const Context& context) {
  return OptionalObject(context.params, "metadata");
}

// Any number: what is legal but unusual is the client's to use or not.
Ruling TemperatureIsANumber(const Context& context) {
  const auto temperature = context.params.Find("temperature");
  if (!temperature.has_value() || temperature->IsNumber()) return std::nullopt;
  return ObjectTo(*temperature, "expected a number");
}

Ruling StopSequencesAreTexts(const Context& context) {
  const auto stops = context.params.Find("stopSequences");
  if (!stops.has_value()) return std::nullopt;
  if (!stops->IsArray()) return ObjectTo(*stops, "expected an array");
  for (const json::Value& stop : stops->Elements()) {
    if (!stop.IsString()) return ObjectTo(stop, "expected a string");
  }
  return std::nullopt;
}

constexpr std::array kPermissions = {
    RequestRule{"tools-permitted", "tools only if the policy permits them",
                "DESIGN 6", ToolsArePermitted},
    RequestRule{"tools-declared", "tools only for a client with sampling.tools",
                "PROTOCOL 6.4", ToolsAreDeclared},
    RequestRule{"tools-in-revision", "tools only in revisions that have them",
                "PROTOCOL 6.2", ToolsAreInTheRevision},
    RequestRule{"context-not-included", "no context of other servers",
                "DESIGN 6", ContextIsNotIncluded},
};

constexpr std::array kOptions = {
    RequestRule{"max-tokens-present", "maxTokens", "PROTOCOL 6.2",
                MaxTokensIsPresent},
    RequestRule{"max-tokens-whole", "maxTokens as a whole number", "DESIGN 6",
                MaxTokensIsWhole},
    RequestRule{"max-tokens-positive", "maxTokens of 1 or more", "DESIGN 6",
                MaxTokensIsPositive},
    RequestRule{"max-tokens-within-limit", "maxTokens within the limit",
                "DESIGN 8", MaxTokensIsWithinTheLimit},
    RequestRule{"tools-are-array", "tools as an array", "PROTOCOL 6.2",
                ToolsAreAnArray},
    RequestRule{"tool-is-object", "each tool as an object", "PROTOCOL 6.2",
                ToolIsAnObject},
    RequestRule{"tool-name", "each tool's name, at most 256 bytes",
                "PROTOCOL 5.3", ToolHasAName},
    RequestRule{"tool-description", "a tool's description as text",
                "PROTOCOL 5.3", ToolDescriptionIsText},
    RequestRule{"tool-schemas", "a tool's schemas as objects, read by no one",
                "DESIGN 6", ToolHasSchemas},
    RequestRule{"tool-choice", "toolChoice of auto, required or none",
                "PROTOCOL 6.2", ToolChoiceIsLegal},
    RequestRule{"preferences-are-object", "modelPreferences as an object",
                "PROTOCOL 6.5", PreferencesAreAnObject},
    RequestRule{"priorities", "priorities from 0 to 1", "PROTOCOL 6.5",
                PrioritiesAreWithinBounds},
    RequestRule{"hints", "hints as objects with a name", "PROTOCOL 6.5",
                HintsAreNamed},
    RequestRule{"system-prompt", "systemPrompt as text", "PROTOCOL 6.2",
                SystemPromptIsText},
    RequestRule{"metadata-is-object", "metadata as an object", "PROTOCOL 6.2",
                MetadataIsAnObject},
    RequestRule{"temperature", "temperature as a number", "PROTOCOL 6.2",
                TemperatureIsANumber},
    RequestRule{"stop-sequences", "stopSequences as texts", "PROTOCOL 6.2",
                StopSequencesAreTexts},
};

}  // namespace

RequestRules SamplingPermissionRules() { return kPermissions; }
RequestRules SamplingOptionRules() { return kOptions; }

}  // namespace gatehouse::trust
