#include "tests/bench/answers.h"

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"

namespace gatehouse::bench {
namespace {

constexpr std::string_view kSentence =
    "The gate is open from dawn to dusk, and the keeper writes every name in "
    "the book; \"who goes there?\" is asked of all. \xC3\x84rger spart man "
    "so.\n";
constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string TextResult(std::string_view text) {
  json::Writer result;
  result.StartObject().Name("content").StartArray().StartObject();
  result.Name("type").String("text").Name("text").String(text);
  return result.EndObject().EndArray().EndObject().Take();
}

std::string Repeated(std::string_view unit, size_t bytes) {
  std::string text;
  text.reserve(bytes + unit.size());
  while (text.size() + unit.size() <= bytes) text.append(unit);
  return text;
}

std::string ImageResult(size_t bytes) {
  json::Writer result;
  result.StartObject().Name("content").StartArray().StartObject();
  result.Name("type").String("image");
  result.Name("data").String(Repeated(kBase64, bytes));
  result.Name("mimeType").String("image/png");
  return result.EndObject().EndArray().EndObject().Take();
}

std::string MembersResult(size_t bytes) {
  json::Writer rows;
  rows.StartArray();
  // A row is about 100 bytes.
  const int64_t count = static_cast<int64_t>(bytes / 100);
  for (int64_t i = 0; i < count; ++i) {
    rows.StartObject().Name("id").Integer(1'000'000 + i);
    rows.Name("name").String(absl::StrCat("visitor-", 1'000'000 + i));
    rows.Name("in").Bool(i % 2 == 0).Name("weight").Double(0.5 + i % 64);
    rows.Name("tags").StartArray().String("day").String("north").EndArray();
    rows.Name("note").Null().EndObject();
  }
  json::Writer result;
  result.StartObject().Name("content").StartArray().EndArray();
  result.Name("structuredContent").StartObject();
  result.Name("rows").Raw(rows.EndArray().Take()).EndObject();
  return result.EndObject().Take();
}

// Where the value of the first `"NAME":` starts; npos if there is none.
size_t ValueOf(std::string_view message, std::string_view name) {
  size_t at = 0;
  while ((at = message.find(name, at)) != std::string_view::npos) {
    const size_t after = at + name.size();
    if (at > 0 && message[at - 1] == '"' && message.substr(after, 2) == "\":") {
      return after + 2;
    }
    at = after;
  }
  return std::string_view::npos;
}

}  // namespace

const ToolRow* FindTool(std::string_view name) {
  for (const ToolRow& row : kTools) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::string ResultOf(const ToolRow& row) {
  switch (row.tool) {
    case Tool::kSmall:
    case Tool::kText:
      return TextResult(Repeated(kSentence, row.bytes));
    case Tool::kBase64:
      return ImageResult(row.bytes);
    case Tool::kMembers:
      return MembersResult(row.bytes);
    case Tool::kAsk:
      return AskResult(true);
  }
  return "";
}

std::string AskResult(bool answered) {
  return TextResult(answered ? "the client answered" : "the client refused");
}

std::string ToolList() {
  json::Writer list;
  list.StartObject().Name("tools").StartArray();
  for (const ToolRow& row : kTools) {
    list.StartObject().Name("name").String(row.name);
    list.Name("description").String("A fixed answer, for measurements.");
    list.Name("inputSchema").Raw("{\"type\":\"object\"}").EndObject();
  }
  return list.EndArray().EndObject().Take();
}

std::string_view PeekRaw(std::string_view message, std::string_view name) {
  const size_t start = ValueOf(message, name);
  if (start == std::string_view::npos || start >= message.size()) return "";
  const size_t end = message[start] == '"' ? message.find('"', start + 1) + 1
                                           : message.find_first_of(",}", start);
  if (end == 0 || end == std::string_view::npos) return "";
  return message.substr(start, end - start);
}

std::string_view Peek(std::string_view message, std::string_view name) {
  std::string_view value = PeekRaw(message, name);
  if (value.size() >= 2 && value.front() == '"') {
    value = value.substr(1, value.size() - 2);
  }
  return value;
}

}  // namespace gatehouse::bench
