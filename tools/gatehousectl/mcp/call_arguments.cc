#include "tools/gatehousectl/mcp/call_arguments.h"

#include <set>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::ctl {
namespace {

// The `type` of a property; empty if it has none, or several.
std::string TypeOf(const std::optional<json::Value>& input_schema,
                   std::string_view name) {
  const auto properties =
      input_schema ? input_schema->Find("properties") : std::nullopt;
  const auto property = properties ? properties->Find(name) : std::nullopt;
  const auto type = property ? property->Find("type") : std::nullopt;
  return type && type->IsString() ? std::string(*type->String()) : "";
}

bool HasType(const json::Value& value, std::string_view type) {
  if (type == "integer") return value.IsIntegerLexeme();
  if (type == "number") return value.IsNumber();
  if (type == "boolean") return value.IsBool();
  if (type == "array") return value.IsArray();
  if (type == "object") return value.IsObject();
  return type != "null" || value.IsNull();
}

absl::StatusOr<std::string> ReadObject(const std::string& text) {
  const auto document = json::Document::Parse(text);
  if (!document.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("arguments: ", document.status().message()));
  }
  if (!document->root().IsObject()) {
    return absl::InvalidArgumentError("arguments: expected a JSON object");
  }
  return std::string(document->root().raw());
}

// The value of a pair, as JSON.
absl::StatusOr<std::string> ReadValue(std::string_view name,
                                      std::string_view value, bool is_json,
                                      const std::string& type) {
  if (!is_json && (type.empty() || type == "string")) {
    return json::Quote(value);
  }
  const auto document = json::Document::Parse(std::string(value));
  if (!document.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(ToAbsl(name), ": ",
                     is_json ? std::string("what stands behind := is no JSON")
                             : absl::StrCat("expected ", type, " as JSON")));
  }
  if (!is_json && !HasType(document->root(), type)) {
    return absl::InvalidArgumentError(
        absl::StrCat(ToAbsl(name), ": expected ", type, " as JSON"));
  }
  return std::string(document->root().raw());
}

}  // namespace

bool ArePairs(const std::vector<std::string>& words) {
  return !words.empty() && !words.front().starts_with('{');
}

absl::StatusOr<std::string> CallArguments(
    const std::vector<std::string>& words,
    const std::optional<json::Value>& input_schema) {
  if (words.empty()) return "{}";
  if (!ArePairs(words)) {
    if (words.size() == 1) return ReadObject(words.front());
    return absl::InvalidArgumentError(
        "arguments: one JSON object, or pairs key=value, not both");
  }
  json::Writer out;
  std::set<std::string_view> names;
  out.StartObject();
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    const bool is_json =
        equals != std::string::npos && equals > 0 && word[equals - 1] == ':';
    const std::string_view name =
        std::string_view(word).substr(0, is_json ? equals - 1 : equals);
    if (equals == std::string::npos || name.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          word, ": expected key=value, key:=JSON, or one JSON object"));
    }
    if (!names.insert(name).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(ToAbsl(name), ": given twice"));
    }
    GATEHOUSE_ASSIGN_OR_RETURN(
        const std::string value,
        ReadValue(name, std::string_view(word).substr(equals + 1), is_json,
                  TypeOf(input_schema, name)));
    out.Name(name).Raw(value);
  }
  return out.EndObject().Take();
}

}  // namespace gatehouse::ctl
