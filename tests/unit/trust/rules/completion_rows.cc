// Rows of what answers a sampling request: message_content.cc, tool_pairs.cc
// and response_sampling.cc of controlplane/trust.

#include <string>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "tests/unit/trust/rules/rows.h"

namespace gatehouse::trust {
namespace {

const char kBad[] = "invalid: invalid_response ";

std::string At(std::string_view path) {
  return absl::StrCat(kBad, ToAbsl(path));
}
Ask Content(std::string_view content) {
  return Completion(absl::StrCat("\"content\":", ToAbsl(content)));
}
Ask ToolContent(std::string_view content) {
  return ToolCompletion("", absl::StrCat("\"content\":", ToAbsl(content)));
}

Rows ContentRows() {
  const std::string text(kText);
  const std::string two = absl::StrCat("[", text, ",", text, "]");
  const std::string one = absl::StrCat("[", text, "]");
  return {
      {"answer-role", "no role",
       Sampling().Answered(
           absl::StrCat(R"({"model":"m","content":)", text, "}")),
       At("/role")},
      {"answer-role", "the user's role", Completion(R"("role":"user")"),
       "answered"},
      {"answer-content", "no content",
       Sampling().Answered(R"({"role":"assistant","model":"m"})"),
       At("/content")},
      {"answer-content", "content that is a text", Content(R"("t")"),
       At("/content")},
      {"answer-content", "content in an array", Content(one), "answered"},
      {"answer-content-single", "an array of a client of 2025-06-18",
       Content(one).To(k0618), At("/content")},
      {"answer-content-single", "a block of a client of 2025-06-18",
       Content(text).To(k0618), "answered"},
      {"answer-content-not-empty", "no blocks", Content("[]"), At("/content")},
      {"answer-content-not-empty", "one block", Content(one), "answered"},
      {"answer-block-is-object", "a block that is null", Content("[null]"),
       At("/content/0")},
      {"answer-block-is-object", "a block with members of its own",
       Content(R"({"type":"text","text":"","x":1})"), "answered"},
      {"answer-block-type", "a resource link",
       Content(R"({"type":"resource_link","uri":"a:b","name":"n"})"),
       At("/content/type")},
      {"answer-block-type", "a tool_use of a client of 2025-06-18",
       ToolContent(Use("1")).To(k0618), At("/content/type")},
      {"answer-block-type", "audio",
       Content(R"({"type":"audio","data":"","mimeType":"audio/wav"})"),
       "answered"},
      {"answer-block-annotations", "annotations that are null",
       Content(R"({"type":"text","text":"","annotations":null})"),
       At("/content/annotations")},
      {"answer-block-annotations", "a block's _meta",
       Content(R"({"type":"text","text":"","_meta":{}})"), "answered"},
      {"answer-text", "a text that is a number",
       Content(R"({"type":"text","text":1})"), At("/content/text")},
      {"answer-text", "an empty text", Content(R"({"type":"text","text":""})"),
       "answered"},
      {"answer-binary-data", "an image that is no base64",
       Content(R"({"type":"image","data":"%","mimeType":"image/png"})"),
       At("/content/data")},
      {"answer-binary-data", "an empty image",
       Content(R"({"type":"image","data":"","mimeType":"image/png"})"),
       "answered"},
      {"answer-binary-mime-type", "an image without a media type",
       Content(R"({"type":"image","data":""})"), At("/content/mimeType")},
      {"answer-binary-mime-type", "an unusual media type",
       Content(R"({"type":"image","data":"","mimeType":"x/y"})"), "answered"},
      {"answer-tool-use-shape", "a tool_use without a name",
       ToolContent(R"({"type":"tool_use","id":"1","input":{}})"),
       At("/content/name")},
      {"answer-tool-use-shape", "an input that is an array",
       ToolContent(R"({"type":"tool_use","id":"1","name":"add","input":[]})"),
       At("/content/input")},
      {"answer-tool-use-shape", "an empty input", ToolContent(Use("1")),
       "answered"},
      {"answer-representable", "two blocks for an upstream of 2025-06-18",
       Content(two).From(k0618), "invalid: not_representable /content"},
      {"answer-representable", "one block in an array is written without it",
       Content(one).From(k0618), "answered"},
  };
}

Rows ToolRows() {
  const std::string none = R"("toolChoice":{"mode":"none"})";
  const std::string required = R"("toolChoice":{"mode":"required"})";
  const std::string text = absl::StrCat("\"content\":", ToAbsl(kText));
  const std::string use = absl::StrCat("\"content\":", Use("1"));
  return {
      {"answer-tool-use-by-assistant", "the user uses no tools",
       ToolCompletion("", R"("role":"user")"), At("/role")},
      {"answer-tool-use-by-assistant", "the assistant does",
       ToolCompletion("", R"("role":"assistant")"), "answered"},
      {"answer-tool-use-ids-unique", "two uses of one id",
       ToolContent(absl::StrCat("[", Use("1"), ",", Use("1"), "]")),
       At("/content/1/id")},
      {"answer-tool-use-ids-unique", "two uses of two ids",
       ToolContent(absl::StrCat("[", Use("1"), ",", Use("2"), "]")),
       "answered"},
      {"answer-tools-were-carried", "a tool_use that nobody offered",
       Content(Use("1")), At("/content")},
      {"answer-tools-were-carried", "stopReason toolUse without tools",
       Completion(R"("stopReason":"toolUse")"), At("/stopReason")},
      {"answer-tools-were-carried", "any other stopReason",
       Completion(R"("stopReason":"tool_use")"), "answered"},
      {"answer-tools-were-carried",
       "stopReason toolUse without a tool_use, where tools were offered",
       ToolCompletion("", absl::StrCat(text, R"(,"stopReason":"toolUse")")),
       "answered"},
      {"answer-tools-were-offered", "a tool that is none of those",
       ToolContent(R"({"type":"tool_use","id":"1","name":"Add","input":{}})"),
       At("/content/name")},
      {"answer-tools-were-offered", "a tool_use where only a choice was given",
       Sampling(R"("toolChoice":{})")
           .Answered(
               absl::StrCat(R"({"role":"assistant","model":"m",)", use, "}")),
       At("/content/name")},
      {"answer-tools-were-offered", "a tool that was offered",
       ToolContent(Use("1")), "answered"},
      {"answer-choice-none", "a tool_use although the choice is none",
       ToolCompletion(none, use), At("/content")},
      {"answer-choice-none", "a text where the choice is none",
       ToolCompletion(none, text), "answered"},
      {"answer-choice-required", "a text although a tool is required",
       ToolCompletion(required, text), At("/content")},
      {"answer-choice-required", "a text for want of tokens",
       ToolCompletion(required,
                      absl::StrCat(text, R"(,"stopReason":"maxTokens")")),
       "answered"},
      {"answer-choice-required", "a tool_use where one is required",
       ToolCompletion(required, use), "answered"},
      {"answer-holds-no-tool-result", "a tool_result", ToolContent(Result("1")),
       At("/content")},
      {"answer-holds-no-tool-result", "a tool_use", ToolContent(Use("1")),
       "answered"},
      {"answer-model", "no model",
       Sampling().Answered(absl::StrCat(R"({"role":"assistant",)", text, "}")),
       At("/model")},
      {"answer-model", "an empty model", Completion(R"("model":"")"),
       At("/model")},
      {"answer-model", "a model that no hint named",
       Completion(R"("model":"x")"), "answered"},
      {"answer-stop-reason", "a stopReason that is null",
       Completion(R"("stopReason":null)"), At("/stopReason")},
      {"answer-stop-reason", "a stopReason that nobody knows",
       Completion(R"("stopReason":"content_filter")"), "answered"},
  };
}

}  // namespace

Rows CompletionRows() {
  Rows rows;
  for (const auto more : {ContentRows, ToolRows}) {
    for (Row& row : more()) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace gatehouse::trust
