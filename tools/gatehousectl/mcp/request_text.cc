// How a request of the worker's reads on a terminal.

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "tools/gatehousectl/mcp/answers.h"
#include "tools/gatehousectl/output.h"

namespace gatehouse::ctl {
namespace {

// The text's own lines, each behind a bar, so that none can pass for ours.
std::string Barred(std::string_view text) {
  std::string result;
  for (;;) {
    const size_t end = text.find('\n');
    absl::StrAppend(&result, "  | ", Visible(text.substr(0, end)), "\n");
    if (end == std::string_view::npos) return result;
    text.remove_prefix(end + 1);
  }
}

std::string TextAt(const json::Value& object, std::string_view name) {
  const auto value = object.Find(name);
  if (!value.has_value() || !value->IsString()) return "";
  return std::string(*value->String());
}

// Who asks, as the gateway says it: `tool T of upstream U`.
std::string AskerText(const json::Value& params) {
  const auto meta = params.Find("_meta");
  const auto origin = meta ? meta->Find("io.gatehouse/origin") : std::nullopt;
  if (!origin.has_value()) return "An upstream";
  const std::string tool = TextAt(*origin, "tool");
  return absl::StrCat(
      "Upstream ", Visible(TextAt(*origin, "upstream")),
      tool.empty() ? "" : absl::StrCat(" (tool ", Visible(tool), ")"));
}

// One block: text in full, anything else by its members, data by its size.
std::string BlockText(const json::Value& block) {
  const std::string type = TextAt(block, "type");
  if (type == "text" && block.size() == 2) return Barred(TextAt(block, "text"));
  std::string text = "  [";
  bool first = true;
  for (const json::Member& member : block.Members()) {
    if (!first) text.append(", ");
    first = false;
    if (member.name == "data" && member.value.IsString()) {
      absl::StrAppend(&text, "data: ", member.value.raw().size() - 2,
                      " characters of base64");
    } else {
      absl::StrAppend(&text, Visible(member.name), ": ",
                      Visible(member.value.raw()));
    }
  }
  return text + "]\n";
}

std::string MessageText(const json::Value& message) {
  std::string text = absl::StrCat(Visible(TextAt(message, "role")), ":\n");
  const auto content = message.Find("content");
  if (!content.has_value()) return text;
  if (content->IsArray()) {
    for (const json::Value& block : content->Elements()) {
      text.append(BlockText(block));
    }
  } else {
    text.append(BlockText(*content));
  }
  for (const json::Member& member : message.Members()) {
    if (member.name == "role" || member.name == "content") continue;
    absl::StrAppend(&text, "  ", Visible(member.name), ": ",
                    Visible(member.value.raw()), "\n");
  }
  return text;
}

}  // namespace

std::string SamplingText(std::string_view params) {
  const auto document = json::Document::Parse(std::string(params));
  if (!document.ok()) return "An upstream asks what cannot be read.\n";
  const json::Value root = document->root();
  std::string text =
      absl::StrCat(AskerText(root), " asks for a completion of your model:\n");
  if (root.Find("systemPrompt").has_value()) {
    absl::StrAppend(&text, "system prompt:\n",
                    Barred(TextAt(root, "systemPrompt")));
  }
  const auto messages = root.Find("messages");
  for (const json::Value& message :
       messages ? messages->Elements() : std::vector<json::Value>()) {
    text.append(MessageText(message));
  }
  // Whatever else there is, as it stands.
  for (const json::Member& member : root.Members()) {
    if (member.name == "messages" || member.name == "systemPrompt") continue;
    absl::StrAppend(&text, Visible(member.name), ": ",
                    Visible(member.value.raw()), "\n");
  }
  return text;
}

std::string FormHeadText(std::string_view params) {
  const auto document = json::Document::Parse(std::string(params));
  if (!document.ok()) return "An upstream asks what cannot be read.\n";
  return absl::StrCat(AskerText(document->root()), " asks you:\n",
                      Barred(TextAt(document->root(), "message")));
}

}  // namespace gatehouse::ctl
