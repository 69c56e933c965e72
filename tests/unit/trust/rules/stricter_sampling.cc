#include <functional>
#include <set>
#include <string_view>
#include <vector>

#include "controlplane/trust/numbers.h"
#include "tests/unit/trust/rules/stricter.h"

namespace gatehouse::trust {
namespace {

using C = RequestContext;

bool AnyBlock(const Conversation& conversation, std::string_view type,
              const std::function<bool(const Block&)>& is) {
  for (const Block& block : conversation.blocks) {
    if (block.type == type && is(block)) return true;
  }
  return false;
}

bool AnyMessage(const C& c, const std::function<bool(const Message&)>& is) {
  for (const Message& message : c.conversation.messages) {
    if (is(message)) return true;
  }
  return false;
}

// The first tool of the request; the params themselves if there is none.
json::Value Tool(const C& c) {
  const auto tools = c.params.Find("tools");
  if (!tools.has_value() || tools->size() == 0) return c.params;
  return tools->Elements().front();
}

json::Value Preferences(const C& c) {
  return c.params.Find("modelPreferences").value_or(c.params);
}

std::vector<std::string_view> Ids(const C& c, std::string_view type,
                                  std::string_view member) {
  std::vector<std::string_view> ids;
  for (const Block& block : c.conversation.blocks) {
    if (block.type != type) continue;
    ids.push_back(StringMember(block.value, member).value_or(""));
  }
  return ids;
}

bool HasABlock(const C& c, const Message& message, std::string_view type) {
  for (size_t i = message.first_block; i < message.end_block; ++i) {
    if (c.conversation.blocks[i].type == type) return true;
  }
  return false;
}

Mutants<C> OptionMutants() {
  return {
      {"tools-permitted",
       [](const C& c) { return !c.policy.sampling_allow_tools; }},
      {"tools-declared",
       [](const C& c) { return !c.facts.declared.sampling_tools; }},
      {"tools-in-revision",
       [](const C& c) { return !c.upstream_era.elicitation_id; }},
      {"context-not-included",
       [](const C& c) { return Has(c.params, "includeContext"); }},
      {"max-tokens-present",
       [](const C& c) { return Raw(c.params, "maxTokens") == "1"; }},
      {"max-tokens-whole",
       [](const C& c) { return Raw(c.params, "maxTokens").size() >= 4; }},
      {"max-tokens-positive",
       [](const C& c) { return Raw(c.params, "maxTokens") == "1"; }},
      {"max-tokens-within-limit",
       [](const C& c) { return Raw(c.params, "maxTokens") == "4096"; }},
      {"tools-are-array",
       [](const C& c) { return IsEmpty(c.params, "tools"); }},
      {"tool-is-object", [](const C& c) { return Has(Tool(c), "x"); }},
      {"tool-name",
       [](const C& c) {
         return StringMember(Tool(c), "name").value_or("").size() >= 256;
       }},
      {"tool-description",
       [](const C& c) { return IsEmptyText(Tool(c), "description"); }},
      {"tool-schemas",
       [](const C& c) {
         const auto schema = Tool(c).Find("inputSchema");
         return schema.has_value() && Has(*schema, "$ref");
       }},
      {"tool-choice",
       [](const C& c) { return IsEmpty(c.params, "toolChoice"); }},
      {"preferences-are-object",
       [](const C& c) { return IsEmpty(c.params, "modelPreferences"); }},
      {"priorities",
       [](const C& c) { return Raw(Preferences(c), "costPriority") == "0"; }},
      {"hints",
       [](const C& c) {
         const auto hints = Preferences(c).Find("hints");
         return hints.has_value() && !Has(hints->Elements().front(), "name");
       }},
      {"system-prompt",
       [](const C& c) { return IsEmptyText(c.params, "systemPrompt"); }},
      {"metadata-is-object",
       [](const C& c) {
         return Raw(c.params, "metadata").find("null") !=
                std::string_view::npos;
       }},
      {"temperature",
       [](const C& c) {
         const auto value = c.params.Find("temperature");
         return value.has_value() && CompareWithWhole(*value, 2) > 0;
       }},
      {"stop-sequences",
       [](const C& c) { return IsEmpty(c.params, "stopSequences"); }},
  };
}

Mutants<C> MessageMutants() {
  return {
      {"messages-present",
       [](const C& c) { return c.conversation.messages.size() == 1; }},
      {"message-is-object",
       [](const C& c) {
         return AnyMessage(c,
                           [](const Message& m) { return Has(m.value, "x"); });
       }},
      {"message-role",
       [](const C& c) {
         return c.conversation.messages.front().role == "assistant";
       }},
      {"message-meta",
       [](const C& c) {
         return AnyMessage(
             c, [](const Message& m) { return Has(m.value, "_meta"); });
       }},
      {"message-content",
       [](const C& c) {
         return AnyMessage(c, [](const Message& m) {
           return m.value.Find("content")->IsArray();
         });
       }},
      {"content-single",
       [](const C& c) { return !c.upstream_era.content_arrays; }},
      {"content-not-empty",
       [](const C& c) {
         return AnyMessage(c, [](const Message& m) {
           return m.value.Find("content")->size() == 1;
         });
       }},
      {"tool-use-by-assistant",
       [](const C& c) {
         return AnyMessage(c, [&c](const Message& m) {
           return m.role == "assistant" && HasABlock(c, m, "tool_use");
         });
       }},
      {"tool-use-ids-unique",
       [](const C& c) {
         const auto ids = Ids(c, "tool_use", "id");
         return std::set<std::string_view>(ids.begin(), ids.end()).size() <
                ids.size();
       }},
      {"tool-result-by-user",
       [](const C& c) {
         return AnyMessage(c, [&c](const Message& m) {
           return m.role == "user" && HasABlock(c, m, "tool_result");
         });
       }},
      {"tool-results-alone",
       [](const C& c) {
         return Ids(c, "tool_result", "toolUseId").size() > 1;
       }},
      {"tool-results-answer",
       [](const C& c) {
         return Ids(c, "tool_use", "id") != Ids(c, "tool_result", "toolUseId");
       }},
      {"tool-uses-answered",
       [](const C& c) {
         return AnyMessage(c, [&c](const Message& m) {
           return HasABlock(c, m, "tool_use") && HasABlock(c, m, "text");
         });
       }},
      {"content-representable",
       [](const C& c) {
         return AnyMessage(c, [](const Message& m) {
           return m.value.Find("content")->IsArray();
         });
       }},
  };
}

Mutants<C> BlockMutants() {
  const auto any = [](std::string_view type, bool (*is)(const json::Value&)) {
    return [type, is](const C& c) {
      return AnyBlock(c.conversation, type,
                      [is](const Block& b) { return is(b.value); });
    };
  };
  return {
      {"block-is-object",
       any("text", [](const json::Value& b) { return Has(b, "x"); })},
      {"block-type", any("resource", [](const json::Value&) { return true; })},
      {"block-annotations",
       any("text",
           [](const json::Value& b) {
             const auto annotations = b.Find("annotations");
             return annotations.has_value() && Has(*annotations, "a");
           })},
      {"text-is-text",
       any("text",
           [](const json::Value& b) { return IsEmptyText(b, "text"); })},
      {"binary-data",
       any("image",
           [](const json::Value& b) { return IsEmptyText(b, "data"); })},
      {"binary-mime-type",
       any("image",
           [](const json::Value& b) {
             return StringMember(b, "mimeType").value_or("").find(';') !=
                    std::string_view::npos;
           })},
      {"resource-link-shape",
       any("resource_link",
           [](const json::Value& b) { return IsEmptyText(b, "name"); })},
      {"resource-shape", any("resource",
                             [](const json::Value& b) {
                               return IsEmptyText(*b.Find("resource"), "blob");
                             })},
      {"tool-use-shape",
       any("tool_use",
           [](const json::Value& b) { return IsEmpty(b, "input"); })},
      {"tool-result-shape",
       any("tool_result",
           [](const json::Value& b) { return IsEmpty(b, "content"); })},
      {"structured-content-shape",
       any("tool_result",
           [](const json::Value& b) { return Has(b, "structuredContent"); })},
      {"structured-content-representable",
       any("tool_result",
           [](const json::Value& b) { return Has(b, "structuredContent"); })},
  };
}

}  // namespace

const Mutants<RequestContext>& SamplingMutants() {
  static const auto* const mutants = [] {
    auto* all = new Mutants<C>(OptionMutants());
    all->merge(MessageMutants());
    all->merge(BlockMutants());
    return all;
  }();
  return *mutants;
}

}  // namespace gatehouse::trust
