// The rules about the content of sampling messages, of a request and of the
// completion that answers it.

#include <array>
#include <optional>
#include <string_view>

#include "controlplane/trust/binary.h"
#include "controlplane/trust/conversation.h"
#include "controlplane/trust/rule.h"

namespace gatehouse::trust {
namespace {

// What both directions have: the messages and the revision of who wrote them.
using ConversationCheck = Ruling (*)(const Conversation&, const Era&);

template <ConversationCheck check>
Ruling Asked(const RequestContext& context) {
  return check(context.conversation, context.upstream_era);
}
template <ConversationCheck check>
Ruling Answered(const ResponseContext& context) {
  return check(context.conversation, context.client_era);
}

Ruling MessagesArePresent(const RequestContext& context) {
  const std::optional<json::Value> messages = context.params.Find("messages");
  if (messages.has_value() && messages->IsArray() && messages->size() > 0) {
    return std::nullopt;
  }
  return ObjectToMember(context.params, "messages",
                        "expected an array of at least one message");
}

Ruling MessageIsAnObject(const RequestContext& context) {
  if (context.conversation.no_messages.empty()) return std::nullopt;
  return ObjectTo(context.conversation.no_messages.front(),
                  "expected a message object");
}

Ruling RoleIsKnown(const Conversation& conversation, const Era&) {
  for (const Message& message : conversation.messages) {
    if (message.role == "user" || message.role == "assistant") continue;
    return ObjectToMember(message.value, "role", "must be user or assistant");
  }
  return std::nullopt;
}

Ruling MessageMetaIsAnObject(const RequestContext& context) {
  for (const Message& message : context.conversation.messages) {
    if (Ruling ruling = OptionalObject(message.value, "_meta")) return ruling;
  }
  return std::nullopt;
}

Ruling ContentIsPresent(const Conversation& conversation, const Era&) {
  for (const Message& message : conversation.messages) {
    const auto content = message.value.Find("content");
    if (content.has_value() && (content->IsObject() || content->IsArray())) {
      continue;
    }
    return ObjectToMember(message.value, "content", "expected a content block");
  }
  return std::nullopt;
}

// Of messages whose content is an array.
Ruling OfContentArrays(const Conversation& conversation,
                       Ruling (*check)(const json::Value& array)) {
  for (const Message& message : conversation.messages) {
    const auto content = message.value.Find("content");
    if (!content.has_value() || !content->IsArray()) continue;
    if (Ruling ruling = check(*content)) return ruling;
  }
  return std::nullopt;
}

Ruling ContentIsSingle(const Conversation& conversation, const Era& era) {
  if (era.content_arrays) return std::nullopt;
  return OfContentArrays(conversation, [](const json::Value& array) -> Ruling {
    return ObjectTo(array,
                    "is an array, but the negotiated revision allows one "
                    "content block only");
  });
}

Ruling ContentIsNotEmpty(const Conversation& conversation, const Era&) {
  return OfContentArrays(conversation, [](const json::Value& array) -> Ruling {
    if (array.size() > 0) return std::nullopt;
    return ObjectTo(array, "must hold at least one content block");
  });
}

Ruling BlockIsAnObject(const Conversation& conversation, const Era&) {
  if (conversation.no_blocks.empty()) return std::nullopt;
  return ObjectTo(conversation.no_blocks.front(), "expected a content block");
}

// Where a type of block may stand, and from which era on.
struct TypeRow {
  std::string_view type;
  bool in_message;
  bool in_tool_result;
  bool needs_tool_blocks;
};
constexpr std::array<TypeRow, 7> kTypes = {{
    {"text", true, true, false},
    {"image", true, true, false},
    {"audio", true, true, false},
    {"resource_link", false, true, false},
    {"resource", false, true, false},
    {"tool_use", true, false, true},
    {"tool_result", true, false, true},
}};

bool MayStandHere(const Block& block, const Era& era) {
  for (const TypeRow& row : kTypes) {
    if (row.type != block.type) continue;
    return (block.inner ? row.in_tool_result : row.in_message) &&
           (!row.needs_tool_blocks || era.tool_blocks);
  }
  return false;
}

Ruling BlockTypeIsKnown(const Conversation& conversation, const Era& era) {
  for (const Block& block : conversation.blocks) {
    if (MayStandHere(block, era)) continue;
    return ObjectToMember(
        block.value, "type",
        "is not a content type that the negotiated revision allows here");
  }
  return std::nullopt;
}

Ruling AnnotationsAreObjects(const Conversation& conversation, const Era&) {
  for (const Block& block : conversation.blocks) {
    for (const std::string_view name : {"annotations", "_meta"}) {
      if (Ruling ruling = OptionalObject(block.value, name)) return ruling;
    }
  }
  return std::nullopt;
}

// Of the blocks of that type, or of those two.
Ruling OfBlocks(const Conversation& conversation, std::string_view type,
                std::string_view or_type,
                Ruling (*check)(const json::Value& block)) {
  for (const Block& block : conversation.blocks) {
    if (block.type != type && block.type != or_type) continue;
    if (Ruling ruling = check(block.value)) return ruling;
  }
  return std::nullopt;
}

Ruling TextIsText(const Conversation& conversation, const Era&) {
  return OfBlocks(conversation, "text", "text", [](const json::Value& block) {
    return RequiredString(block, "text");
  });
}

Ruling RequiredBase64(const json::Value& parent, std::string_view name) {
  if (Ruling ruling = RequiredString(parent, name)) return ruling;
  if (IsBase64(StringMember(parent, name).value_or(""))) return std::nullopt;
  return ObjectToMember(parent, name, "is not base64");
}

Ruling DataIsBase64(const Conversation& conversation, const Era&) {
  return OfBlocks(conversation, "image", "audio", [](const json::Value& block) {
    return RequiredBase64(block, "data");
  });
}

Ruling MimeTypeIsOne(const Conversation& conversation, const Era&) {
  return OfBlocks(
      conversation, "image", "audio", [](const json::Value& block) -> Ruling {
        if (Ruling ruling = RequiredString(block, "mimeType")) return ruling;
        if (IsMimeType(StringMember(block, "mimeType").value_or(""))) {
          return std::nullopt;
        }
        return ObjectToMember(block, "mimeType",
                              "is not a media type, such as image/png");
      });
}

Ruling ToolUseHasItsShape(const Conversation& conversation, const Era&) {
  return OfBlocks(conversation, "tool_use", "tool_use",
                  [](const json::Value& block) {
                    if (Ruling ruling = RequiredText(block, "id")) {
                      return ruling;
                    }
                    if (Ruling ruling = RequiredText(block, "name")) {
                      return ruling;
                    }
                    return RequiredObject(block, "input");
                  });
}

Ruling ResourceLinkHasItsShape(const Conversation& conversation, const Era&) {
  return OfBlocks(conversation, "resource_link", "resource_link",
                  [](const json::Value& block) {
                    if (Ruling ruling = RequiredText(block, "uri")) {
                      return ruling;
                    }
                    return RequiredString(block, "name");
                  });
}

Ruling ResourceIsOne(const json::Value& block) {
  if (Ruling ruling = RequiredObject(block, "resource")) return ruling;
  const json::Value resource = *block.Find("resource");
  if (Ruling ruling = RequiredText(resource, "uri")) return ruling;
  if (Ruling ruling = OptionalString(resource, "mimeType")) return ruling;
  if (resource.Find("text").has_value()) {
    return OptionalString(resource, "text");
  }
  return RequiredBase64(resource, "blob");
}

Ruling ResourceHasItsShape(const Conversation& conversation, const Era&) {
  return OfBlocks(conversation, "resource", "resource", ResourceIsOne);
}

Ruling ToolResultHasItsShape(const Conversation& conversation, const Era&) {
  return OfBlocks(conversation, "tool_result", "tool_result",
                  [](const json::Value& block) -> Ruling {
                    if (Ruling ruling = RequiredText(block, "toolUseId")) {
                      return ruling;
                    }
                    const auto content = block.Find("content");
                    if (!content.has_value() || !content->IsArray()) {
                      return ObjectToMember(block, "content",
                                            "expected an array of content "
                                            "blocks");
                    }
                    return OptionalBool(block, "isError");
                  });
}

Ruling OptionalStructuredObject(const json::Value& block) {
  return OptionalObject(block, "structuredContent");
}

Ruling StructuredContentIsAnObject(const Conversation& conversation,
                                   const Era& era) {
  if (era.any_structured) return std::nullopt;
  return OfBlocks(conversation, "tool_result", "tool_result",
                  OptionalStructuredObject);
}

Ruling NotRepresentable(Objection objection) {
  objection.reason = Reason::kNotRepresentable;
  return objection;
}

// What a peer of that era cannot read: an array of other than one block. (One
// block in an array is written without it.)
Ruling ArrayIsRepresentable(const Message& message, const Era& era) {
  if (era.content_arrays) return std::nullopt;
  const auto content = message.value.Find("content");
  if (!content || !content->IsArray() || content->size() == 1) {
    return std::nullopt;
  }
  return NotRepresentable(
      ObjectTo(*content,
               "has several content blocks, which the revision of the other "
               "side cannot carry; send one block"));
}

Ruling BlocksAreRepresentable(const Conversation& conversation,
                              const Message& message, const Era& era) {
  if (era.tool_blocks) return std::nullopt;
  for (size_t i = message.first_block; i < message.end_block; ++i) {
    const Block& block = conversation.blocks[i];
    if (block.type != "tool_use" && block.type != "tool_result") continue;
    return NotRepresentable(
        ObjectTo(block.value,
                 "is a tool block, which the client's revision cannot carry"));
  }
  return std::nullopt;
}

Ruling ClientCanReadTheContent(const RequestContext& context) {
  const Era& era = context.client_era;
  for (const Message& message : context.conversation.messages) {
    if (Ruling ruling = ArrayIsRepresentable(message, era)) return ruling;
    if (Ruling ruling =
            BlocksAreRepresentable(context.conversation, message, era)) {
      return ruling;
    }
  }
  return std::nullopt;
}

Ruling ClientCanReadStructuredContent(const RequestContext& context) {
  if (context.client_era.any_structured || !context.client_era.tool_blocks) {
    return std::nullopt;
  }
  Ruling ruling = OfBlocks(context.conversation, "tool_result", "tool_result",
                           OptionalStructuredObject);
  if (!ruling.has_value()) return std::nullopt;
  ruling->what = "is no object, and the client's revision can carry no other";
  return NotRepresentable(*std::move(ruling));
}

Ruling UpstreamCanReadTheContent(const ResponseContext& context) {
  for (const Message& message : context.conversation.messages) {
    if (Ruling ruling = ArrayIsRepresentable(message, context.upstream_era)) {
      return ruling;
    }
  }
  return std::nullopt;
}

constexpr std::array kMessages = {
    RequestRule{"messages-present", "at least one message", "DESIGN 6",
                MessagesArePresent},
    RequestRule{"message-is-object", "each message as an object",
                "PROTOCOL 6.3", MessageIsAnObject},
    RequestRule{"message-role", "role user or assistant", "PROTOCOL 6.3",
                Asked<RoleIsKnown>},
    RequestRule{"message-meta", "a message's _meta as an object",
                "PROTOCOL 6.3", MessageMetaIsAnObject},
    RequestRule{"message-content", "content in each message", "PROTOCOL 6.3",
                Asked<ContentIsPresent>},
    RequestRule{"content-single",
                "one content block, in revisions without arrays",
                "PROTOCOL 6.3", Asked<ContentIsSingle>},
    RequestRule{"content-not-empty", "one content block or more", "DESIGN 6",
                Asked<ContentIsNotEmpty>},
    RequestRule{"block-is-object", "each content block as an object",
                "PROTOCOL 6.3", Asked<BlockIsAnObject>},
    RequestRule{"block-type", "block types that the revision allows there",
                "PROTOCOL 6.3", Asked<BlockTypeIsKnown>},
    RequestRule{"block-annotations", "annotations and _meta as objects",
                "PROTOCOL 5.3", Asked<AnnotationsAreObjects>},
    RequestRule{"text-is-text", "the text of a text block", "PROTOCOL 6.3",
                Asked<TextIsText>},
    RequestRule{"binary-data", "base64 in images and audio", "DESIGN 6",
                Asked<DataIsBase64>},
    RequestRule{"binary-mime-type", "a media type in images and audio",
                "DESIGN 6", Asked<MimeTypeIsOne>},
    RequestRule{"resource-link-shape", "uri and name of a resource link",
                "PROTOCOL 5.3", Asked<ResourceLinkHasItsShape>},
    RequestRule{"resource-shape", "uri, and text or blob, of a resource",
                "PROTOCOL 5.3", Asked<ResourceHasItsShape>},
    RequestRule{"tool-use-shape", "id, name and input of a tool_use",
                "PROTOCOL 6.3", Asked<ToolUseHasItsShape>},
    RequestRule{"tool-result-shape", "toolUseId and content of a tool_result",
                "PROTOCOL 6.3", Asked<ToolResultHasItsShape>},
    RequestRule{"structured-content-shape",
                "structuredContent as an object, in revisions that ask so",
                "PROTOCOL 6.3", Asked<StructuredContentIsAnObject>},
};

constexpr std::array kConversions = {
    RequestRule{"content-representable",
                "content that the client's revision can carry", "PROTOCOL 6.8",
                ClientCanReadTheContent},
    RequestRule{"structured-content-representable",
                "structuredContent that the client's revision can carry",
                "PROTOCOL 11.7", ClientCanReadStructuredContent},
};

constexpr std::array kCompletion = {
    ResponseRule{"answer-role", "role user or assistant", "PROTOCOL 6.3",
                 Answered<RoleIsKnown>},
    ResponseRule{"answer-content", "content", "PROTOCOL 6.3",
                 Answered<ContentIsPresent>},
    ResponseRule{"answer-content-single",
                 "one content block, in revisions without arrays",
                 "PROTOCOL 6.3", Answered<ContentIsSingle>},
    ResponseRule{"answer-content-not-empty", "one content block or more",
                 "DESIGN 6", Answered<ContentIsNotEmpty>},
    ResponseRule{"answer-block-is-object", "each content block as an object",
                 "PROTOCOL 6.3", Answered<BlockIsAnObject>},
    ResponseRule{"answer-block-type",
                 "block types that the client's revision allows",
                 "PROTOCOL 6.3", Answered<BlockTypeIsKnown>},
    ResponseRule{"answer-block-annotations", "annotations and _meta as objects",
                 "PROTOCOL 5.3", Answered<AnnotationsAreObjects>},
    ResponseRule{"answer-text", "the text of a text block", "PROTOCOL 6.3",
                 Answered<TextIsText>},
    ResponseRule{"answer-binary-data", "base64 in images and audio", "DESIGN 6",
                 Answered<DataIsBase64>},
    ResponseRule{"answer-binary-mime-type", "a media type in images and audio",
                 "DESIGN 6", Answered<MimeTypeIsOne>},
    ResponseRule{"answer-tool-use-shape", "id, name and input of a tool_use",
                 "PROTOCOL 6.3", Answered<ToolUseHasItsShape>},
};

constexpr std::array kCompletionConversion = {
    ResponseRule{"answer-representable",
                 "content that the upstream's revision can carry",
                 "PROTOCOL 6.8", UpstreamCanReadTheContent},
};

}  // namespace

RequestRules MessageRules() { return kMessages; }
RequestRules SamplingConversionRules() { return kConversions; }
ResponseRules CompletionContentRules() { return kCompletion; }
ResponseRules CompletionConversionRules() { return kCompletionConversion; }

}  // namespace gatehouse::trust
