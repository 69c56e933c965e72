#include "dataplane/downstream/tool_call.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "shared/base/status.h"

namespace gatehouse::downstream {
namespace {

// The object without some members, the others as they were written.
std::string Without(const json::Value& object,
                    const std::vector<std::string_view>& names) {
  json::Writer writer;
  writer.StartObject();
  for (const json::Member& member : object.Members()) {
    if (std::find(names.begin(), names.end(), member.name) != names.end()) {
      continue;
    }
    writer.Name(member.name).Raw(member.value.raw());
  }
  return writer.EndObject().Take();
}

json::Edit Replace(const json::Value& value, std::string replacement) {
  return {value.offset(), value.raw().size(), std::move(replacement)};
}

}  // namespace

absl::StatusOr<ToolCall> ToolCall::Parse(std::string_view params) {
  if (params.empty()) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      "params: missing; `name` says which tool to call");
  }
  GATEHOUSE_ASSIGN_OR_RETURN(json::Document read,
                             json::Document::Parse(std::string(params)));
  ToolCall call(std::move(read));
  const json::Value root = call.params_.root();
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value name, root.Field("name"));
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string_view text, name.String());
  call.name_ = std::string(text);
  const std::optional<json::Value> arguments = root.Find("arguments");
  if (arguments.has_value() && !arguments->IsObject()) {
    return arguments->Error("expected an object");
  }
  const std::optional<json::Value> meta = root.Find("_meta");
  if (!meta.has_value()) return call;
  if (!meta->IsObject()) return meta->Error("expected an object");
  if (const auto token = meta->Find("progressToken"); token.has_value()) {
    if (!token->IsString() && !token->IsIntegerLexeme()) {
      return token->Error("expected a string or an integer");
    }
    call.progress_token_ = std::string(token->raw());
  }
  return call;
}

std::string ToolCall::UpstreamParams(std::string_view upstream_name) const {
  const json::Value root = params_.root();
  std::vector<json::Edit> edits;
  edits.push_back(Replace(*root.Find("name"), json::Quote(upstream_name)));
  if (!progress_token_.empty()) {
    const json::Value meta = *root.Find("_meta");
    edits.push_back(Replace(meta, Without(meta, {"progressToken"})));
  }
  std::string params = json::Splice(params_.text(), std::move(edits));
  // Tasks are not served. What answers a round that nobody asked is dropped: a
  // legacy call has none, and the judge would not have seen it.
  const std::vector<std::string_view> dropped = {"task", "inputResponses",
                                                 "requestState"};
  if (std::none_of(dropped.begin(), dropped.end(), [&](std::string_view name) {
        return root.Find(name).has_value();
      })) {
    return params;
  }
  const absl::StatusOr<json::Document> edited =
      json::Document::Parse(std::move(params));
  // It was read once and only values were replaced by values.
  return edited.ok() ? Without(edited->root(), dropped) : "{}";
}

}  // namespace gatehouse::downstream
