#include "tools/gatehousectl/mcp/result_text.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "tools/gatehousectl/output.h"

namespace gatehouse::ctl {
namespace {

constexpr size_t kMaxDescription = 90;  // characters of a table's cell

absl::StatusOr<json::Document> Parse(const std::string& text) {
  json::Limits limits;
  limits.max_bytes = 16 << 20;
  limits.max_depth = 512;
  limits.max_values = 4'000'000;
  return json::Document::Parse(text, limits);
}

std::string TextAt(const json::Value& object, std::string_view name) {
  const auto value = object.Find(name);
  if (!value.has_value() || !value->IsString()) return "";
  return std::string(*value->String());
}

// Its own line ends stay; everything else that acts on a terminal is shown.
std::string VisibleLines(std::string_view text) {
  std::string result;
  for (;;) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    absl::StrAppend(&result, Visible(line), "\n");
    if (end == std::string_view::npos || end + 1 == text.size()) return result;
    text.remove_prefix(end + 1);
  }
}

std::string BlockText(const json::Value& block) {
  const std::string type = TextAt(block, "type");
  if (type == "text") return VisibleLines(TextAt(block, "text"));
  const auto data = block.Find("data");
  if (data.has_value() && data->IsString()) {
    return absl::StrCat("[", Visible(type), " ",
                        Visible(TextAt(block, "mimeType")), ", ",
                        data->String()->size(), " characters of base64]\n");
  }
  return absl::StrCat("[", Visible(type), ": ", Visible(block.raw()), "]\n");
}

// Cut behind whole characters.
std::string Shortened(std::string_view text) {
  const size_t end = text.find('\n');
  std::string line(text.substr(0, end));
  size_t characters = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const bool starts = (static_cast<unsigned char>(line[i]) & 0xc0) != 0x80;
    if (starts && ++characters > kMaxDescription)
      return line.substr(0, i) + "…";
  }
  return line;
}

}  // namespace

std::string ResultText(const std::string& result) {
  const auto document = Parse(result);
  if (!document.ok()) return Visible(result) + "\n";
  std::string text;
  const auto content = document->root().Find("content");
  for (const json::Value& block :
       content ? content->Elements() : std::vector<json::Value>()) {
    text.append(BlockText(block));
  }
  const auto structured = document->root().Find("structuredContent");
  if (text.empty() && structured.has_value()) {
    text = VisibleJson(structured->raw()) + "\n";
  }
  return text;
}

bool IsErrorResult(const std::string& result) {
  const auto document = Parse(result);
  if (!document.ok()) return false;
  const auto flag = document->root().Find("isError");
  return flag.has_value() && flag->IsBool() && *flag->Bool();
}

std::string ErrorText(const std::string& error) {
  const auto document = Parse(error);
  if (!document.ok()) return "an error that cannot be read";
  const json::Value root = document->root();
  const auto code = root.Find("code");
  const auto data = root.Find("data");
  const std::string reason = data ? TextAt(*data, "reason") : "";
  return absl::StrCat("error ", code ? ToAbsl(code->raw()) : "without code",
                      reason.empty() ? "" : absl::StrCat(" (", reason, ")"),
                      ": ", TextAt(root, "message"));
}

std::string NotificationText(const mcp::Envelope& notification) {
  const auto document = Parse(std::string(notification.params));
  if (!document.ok()) return "";
  const json::Value params = document->root();
  if (notification.method == "notifications/progress") {
    const auto progress = params.Find("progress");
    const auto total = params.Find("total");
    const std::string message = TextAt(params, "message");
    return absl::StrCat(
        "progress ", progress ? ToAbsl(progress->raw()) : "?",
        total ? absl::StrCat(" of ", ToAbsl(total->raw())) : std::string(),
        message.empty() ? "" : absl::StrCat(": ", message));
  }
  if (notification.method == "notifications/message") {
    const auto data = params.Find("data");
    return absl::StrCat("log ", TextAt(params, "level"), ": ",
                        data ? ToAbsl(data->raw()) : "");
  }
  return "";
}

std::string ToolsTable(const std::vector<std::string>& tools) {
  Table table({"TOOL", "ARGUMENTS", "DESCRIPTION"});
  for (const std::string& text : tools) {
    const auto tool = Parse(text);
    if (!tool.ok()) continue;
    const auto schema = tool->root().Find("inputSchema");
    const auto properties = schema ? schema->Find("properties") : std::nullopt;
    std::vector<std::string> names;
    for (const json::Member& member :
         properties ? properties->Members() : std::vector<json::Member>()) {
      names.emplace_back(member.name);
    }
    table.Add({TextAt(tool->root(), "name"), absl::StrJoin(names, " "),
               Shortened(TextAt(tool->root(), "description"))});
  }
  return table.empty() ? "no tools\n" : table.ToString();
}

std::string ToolsJson(const std::vector<std::string>& tools) {
  return VisibleJson(
      absl::StrCat("{\"tools\":[", absl::StrJoin(tools, ","), "]}\n"));
}

}  // namespace gatehouse::ctl
