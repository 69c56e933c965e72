// Rows of controlplane/trust/message_content.cc and tool_pairs.cc, about what
// is asked.

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "tests/unit/trust/rules/rows.h"

namespace gatehouse::trust {
namespace {

std::string By(std::string_view role, std::string_view content) {
  return absl::StrCat("{\"role\":\"", ToAbsl(role),
                      "\",\"content\":", ToAbsl(content), "}");
}
std::string List(std::initializer_list<std::string> blocks) {
  std::string text;
  for (const std::string& block : blocks) {
    absl::StrAppend(&text, text.empty() ? "" : ",", block);
  }
  return absl::StrCat("[", text, "]");
}
// One message of the user with that content.
Ask Content(std::string_view content) { return Messages(By("user", content)); }
// One tool_use, and the message that answers it.
Ask AfterUse(std::string_view answer) {
  return Messages(absl::StrCat(By("assistant", Use("1")), ",", ToAbsl(answer)));
}
// A tool_result of `1` with those members, after its use.
Ask ToolResult(std::string_view members) {
  return AfterUse(By(
      "user", absl::StrCat(R"({"type":"tool_result",)", ToAbsl(members), "}")));
}
// A block within a tool_result.
Ask Within(std::string_view block) {
  return ToolResult(
      absl::StrCat(R"("toolUseId":"1","content":[)", ToAbsl(block), "]"));
}

Rows BlockRows() {
  const std::string text(kText);
  return {
      {"block-is-object", "a content block is no text", Content(R"(["t"])"),
       "invalid_request /messages/0/content/0"},
      {"block-is-object", "nor is one within a tool result", Within(R"("t")"),
       "invalid_request /messages/1/content/content/0"},
      {"block-is-object", "a block may have members of its own",
       Content(R"([{"type":"text","text":"t","x":[1]}])"), "admitted"},
      {"block-type", "a resource has no place in a message",
       Content(R"({"type":"resource","resource":{"uri":"a:b","text":""}})"),
       "invalid_request /messages/0/content/type"},
      {"block-type", "a block without a type", Content(R"({"text":"t"})"),
       "invalid_request /messages/0/content/type"},
      {"block-type", "a tool_use in 2025-06-18",
       Messages(By("assistant", Use("1"))).Both(k0618),
       "invalid_request /messages/0/content/type"},
      {"block-type", "a resource has its place within a tool result",
       Within(R"({"type":"resource","resource":{"uri":"a:b","text":""}})"),
       "admitted"},
      {"block-type", "audio is there from 2025-03-26 on",
       Content(R"({"type":"audio","data":"","mimeType":"audio/wav"})")
           .Both(k0326),
       "admitted"},
      {"block-annotations", "annotations that are an array",
       Content(R"({"type":"text","text":"t","annotations":[]})"),
       "invalid_request /messages/0/content/annotations"},
      {"block-annotations", "a block's _meta that is a text",
       Content(R"({"type":"text","text":"t","_meta":"x"})"),
       "invalid_request /messages/0/content/_meta"},
      {"block-annotations", "annotations of any kind",
       Content(R"({"type":"text","text":"t","annotations":{"a":1},)"
               R"("_meta":{}})"),
       "admitted"},
      {"text-is-text", "a text block without text",
       Content(R"({"type":"text"})"),
       "invalid_request /messages/0/content/text"},
      {"text-is-text", "an empty text", Content(R"({"type":"text","text":""})"),
       "admitted"},
      {"binary-data", "data that are no base64",
       Content(R"({"type":"image","data":"a-_=","mimeType":"image/png"})"),
       "invalid_request /messages/0/content/data"},
      {"binary-data", "data that lack their padding",
       Content(R"({"type":"audio","data":"YQ","mimeType":"audio/wav"})"),
       "invalid_request /messages/0/content/data"},
      {"binary-data", "no data at all are fine",
       Content(R"({"type":"image","data":"","mimeType":"image/png"})"),
       "admitted"},
      {"binary-data", "padded data",
       Content(R"({"type":"image","data":"YQ==","mimeType":"image/png"})"),
       "admitted"},
      {"binary-mime-type", "a media type without a slash",
       Content(R"({"type":"image","data":"","mimeType":"png"})"),
       "invalid_request /messages/0/content/mimeType"},
      {"binary-mime-type", "a media type with parameters",
       Content(R"({"type":"image","data":"","mimeType":"image/svg+xml; a=b"})"),
       "admitted"},
      {"resource-link-shape", "a link without a uri",
       Within(R"({"type":"resource_link","name":"n"})"),
       "invalid_request /messages/1/content/content/0/uri"},
      {"resource-link-shape", "a link without a name",
       Within(R"({"type":"resource_link","uri":"a:b"})"),
       "invalid_request /messages/1/content/content/0/name"},
      {"resource-link-shape", "a link with an empty name",
       Within(R"({"type":"resource_link","uri":"a:b","name":""})"), "admitted"},
      {"resource-shape", "a resource with neither text nor blob",
       Within(R"({"type":"resource","resource":{"uri":"a:b"}})"),
       "invalid_request /messages/1/content/content/0/resource/blob"},
      {"resource-shape", "a resource whose blob is no base64",
       Within(R"({"type":"resource","resource":{"uri":"a:b","blob":"?"}})"),
       "invalid_request /messages/1/content/content/0/resource/blob"},
      {"resource-shape", "a resource with an empty blob",
       Within(R"({"type":"resource","resource":{"uri":"a:b","blob":""}})"),
       "admitted"},
      {"tool-use-shape", "a tool_use without an input",
       Messages(By("assistant", R"({"type":"tool_use","id":"1","name":"a"})")),
       "invalid_request /messages/0/content/input"},
      {"tool-use-shape", "a tool_use with an empty id",
       Messages(By("assistant",
                   R"({"type":"tool_use","id":"","name":"a","input":{}})")),
       "invalid_request /messages/0/content/id"},
      {"tool-use-shape", "a tool_use with an empty input",
       AfterUse(By("user", Result("1"))), "admitted"},
      {"tool-result-shape", "a tool_result without content",
       ToolResult(R"("toolUseId":"1")"),
       "invalid_request /messages/1/content/content"},
      {"tool-result-shape", "a tool_result whose isError is a text",
       ToolResult(R"("toolUseId":"1","content":[],"isError":"no")"),
       "invalid_request /messages/1/content/isError"},
      {"tool-result-shape", "a tool_result with empty content",
       ToolResult(R"("toolUseId":"1","content":[],"isError":true)"),
       "admitted"},
      {"structured-content-shape", "an array in 2025-11-25",
       ToolResult(R"("toolUseId":"1","content":[],"structuredContent":[])"),
       "invalid_request /messages/1/content/structuredContent"},
      {"structured-content-shape", "an array in 2026-07-28",
       ToolResult(R"("toolUseId":"1","content":[],"structuredContent":[])")
           .Both(k0728),
       "admitted"},
      {"structured-content-representable",
       "an array of 2026-07-28 for a client of 2025-11-25",
       ToolResult(R"("toolUseId":"1","content":[],"structuredContent":[])")
           .From(k0728),
       "not_representable /messages/1/content/structuredContent"},
      {"structured-content-representable",
       "an object of 2026-07-28 for a client of 2025-11-25",
       ToolResult(R"("toolUseId":"1","content":[],"structuredContent":{})")
           .From(k0728),
       "admitted"},
      {"content-representable", "two blocks for a client of 2025-06-18",
       Content(List({text, text})).To(k0618),
       "not_representable /messages/0/content"},
      {"content-representable", "a tool block for a client of 2025-06-18",
       AfterUse(By("user", Result("1"))).To(k0618),
       "not_representable /messages/0/content"},
      {"content-representable", "one block in an array is written without it",
       Content(List({text})).To(k0618), "admitted"},
  };
}

Rows PairRows() {
  const std::string text(kText);
  const std::string both = By("assistant", List({Use("1"), Use("2")}));
  return {
      {"tool-use-by-assistant", "the user uses no tools",
       Messages(
           absl::StrCat(By("user", Use("1")), ",", By("user", Result("1")))),
       "invalid_request /messages/0/role"},
      {"tool-use-by-assistant", "the assistant does",
       AfterUse(By("user", Result("1"))), "admitted"},
      {"tool-use-ids-unique", "two uses of one id",
       Messages(absl::StrCat(By("assistant", List({Use("1"), Use("1")})), ",",
                             By("user", Result("1")))),
       "invalid_request /messages/0/content/1/id"},
      {"tool-use-ids-unique", "an id may come again in a later message",
       Messages(absl::StrCat(
           By("assistant", Use("1")), ",", By("user", Result("1")), ",",
           By("assistant", Use("1")), ",", By("user", Result("1")))),
       "admitted"},
      {"tool-result-by-user", "the assistant has no results",
       AfterUse(By("assistant", Result("1"))),
       "invalid_request /messages/1/role"},
      {"tool-result-by-user", "the user has", AfterUse(By("user", Result("1"))),
       "admitted"},
      {"tool-results-alone", "a text beside a tool_result",
       AfterUse(By("user", List({Result("1"), text}))),
       "invalid_request /messages/1/content/1"},
      {"tool-results-alone", "two results beside one another",
       Messages(absl::StrCat(both, ",",
                             By("user", List({Result("2"), Result("1")})))),
       "admitted"},
      {"tool-results-alone", "a text within a tool_result", Within(kText),
       "admitted"},
      {"tool-results-answer", "a result that answers nothing",
       Messages(By("user", Result("1"))),
       "invalid_request /messages/0/content/toolUseId"},
      {"tool-results-answer", "a result of an unknown id",
       Messages(absl::StrCat(By("assistant", Use("1")), ",",
                             By("user", List({Result("1"), Result("2")})))),
       "invalid_request /messages/1/content/1/toolUseId"},
      {"tool-results-answer", "a use that is answered twice",
       AfterUse(By("user", List({Result("1"), Result("1")}))),
       "invalid_request /messages/1/content/1/toolUseId"},
      {"tool-results-answer", "results in another order than the uses",
       Messages(absl::StrCat(both, ",",
                             By("user", List({Result("2"), Result("1")})))),
       "admitted"},
      {"tool-uses-answered", "one of two uses is answered",
       Messages(absl::StrCat(both, ",", By("user", Result("1")))),
       "invalid_request /messages/1"},
      {"tool-uses-answered", "a use in the last message",
       Messages(By("assistant", Use("1"))), "invalid_request /messages/0"},
      {"tool-uses-answered", "a text between a use and its result",
       Messages(
           absl::StrCat(By("assistant", Use("1")), ",", By("user", kText))),
       "invalid_request /messages/1"},
      {"tool-uses-answered", "a text beside the uses that are answered",
       Messages(absl::StrCat(By("assistant", List({text, Use("1")})), ",",
                             By("user", Result("1")), ",",
                             By("assistant", kText))),
       "admitted"},
  };
}

}  // namespace

Rows MessageRows() {
  const std::string text(kText);
  Rows rows = {
      {"messages-present", "no messages at all",
       Ask(kSampling, R"({"maxTokens":1})"), "invalid_request /messages"},
      {"messages-present", "an empty list of messages", Messages(""),
       "invalid_request /messages"},
      {"messages-present", "one message is enough", Content(kText), "admitted"},
      {"message-is-object", "a message is no text", Messages(R"("hi")"),
       "invalid_request /messages/0"},
      {"message-is-object", "a message may have members of its own",
       Messages(R"({"role":"user","content":{"type":"text","text":"t"},)"
                R"("x":1})"),
       "admitted"},
      {"message-role", "the system is no role", Messages(By("system", kText)),
       "invalid_request /messages/0/role"},
      {"message-role", "the assistant may speak first",
       Messages(By("assistant", kText)), "admitted"},
      {"message-meta", "a message's _meta that is a number",
       Messages(R"({"role":"user","content":{"type":"text","text":"t"},)"
                R"("_meta":1})"),
       "invalid_request /messages/0/_meta"},
      {"message-meta", "a message's _meta",
       Messages(R"({"role":"user","content":{"type":"text","text":"t"},)"
                R"("_meta":{"a":1}})"),
       "admitted"},
      {"message-content", "a message without content",
       Messages(R"({"role":"user"})"), "invalid_request /messages/0/content"},
      {"message-content", "content is no text", Content(R"("hi")"),
       "invalid_request /messages/0/content"},
      {"message-content", "content may be an array", Content(List({text})),
       "admitted"},
      {"content-single", "an array in 2025-06-18",
       Content(List({text})).From(k0618),
       "invalid_request /messages/0/content"},
      {"content-single", "a block in 2025-06-18", Content(kText).Both(k0618),
       "admitted"},
      {"content-not-empty", "an empty array", Content("[]"),
       "invalid_request /messages/0/content"},
      {"content-not-empty", "one block in an array", Content(List({text})),
       "admitted"},
  };
  for (const auto more : {BlockRows, PairRows}) {
    for (Row& row : more()) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace gatehouse::trust
