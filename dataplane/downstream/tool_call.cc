#include "dataplane/downstream/tool_call.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "shared/json/text.h"
#include "shared/mcp/trace_context.h"

namespace gatehouse::downstream {
namespace {

// What does not go on to an upstream. Tasks are not served. What answers a
// round that nobody asked is dropped: a legacy call has none, and the judge
// would not have seen it.
constexpr std::array<std::string_view, 3> kDropped = {"task", "inputResponses",
                                                      "requestState"};

absl::Status Wrong(std::string_view path, std::string_view what) {
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    absl::StrCat(ToAbsl(path), ": ", ToAbsl(what)));
}

bool IsDropped(std::string_view name) {
  return std::find(kDropped.begin(), kDropped.end(), name) != kDropped.end();
}

// An object of these members but for those that `leave_out` names, the others
// as they were written.
template <typename LeaveOut>
std::string ObjectOf(const std::vector<json::SkippedMember>& members,
                     const LeaveOut& leave_out) {
  json::Writer writer;
  writer.StartObject();
  for (const json::SkippedMember& member : members) {
    if (!leave_out(member.name)) writer.Name(member.name).Raw(member.value);
  }
  return writer.EndObject().Take();
}

// A string, or a number without fraction and exponent.
bool IsToken(std::string_view raw) {
  const char c = raw.front();
  return c == '"' ||
         ((c == '-' || (c >= '0' && c <= '9')) && json::IsIntegerText(raw));
}

}  // namespace

absl::StatusOr<ToolCall> ToolCall::Parse(std::string_view params) {
  if (params.empty()) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      "params: missing; `name` says which tool to call");
  }
  ToolCall call;
  call.params_ = params;
  GATEHOUSE_RETURN_IF_ERROR(call.Read());
  return call;
}

absl::Status ToolCall::Read() {
  absl::StatusOr<json::SkippedObject> scanned =
      json::SkipScan(params_, "_meta");
  if (!scanned.ok()) return Annotate(scanned.status(), "params");
  const std::vector<json::SkippedMember>& members = scanned->members();
  const auto name = json::FindSkipped(members, "name");
  if (!name.has_value()) return Wrong("/", "missing field 'name'");
  std::string decoded;
  if (name->front() != '"') return Wrong("/name", "expected a string");
  json::ReadString(*name, 0, &decoded);
  name_ = std::move(decoded);
  name_at_ = SpanOf(*name);
  const auto arguments = json::FindSkipped(members, "arguments");
  if (arguments.has_value() && arguments->front() != '{') {
    return Wrong("/arguments", "expected an object");
  }
  has_dropped_ = std::any_of(
      members.begin(), members.end(),
      [](const json::SkippedMember& one) { return IsDropped(one.name); });
  const auto meta = json::FindSkipped(members, "_meta");
  return meta.has_value() ? ReadMeta(*meta, scanned->opened())
                          : absl::OkStatus();
}

absl::Status ToolCall::ReadMeta(std::string_view raw,
                                const std::vector<json::SkippedMember>& meta) {
  if (raw.front() != '{') return Wrong("/_meta", "expected an object");
  const auto traceparent = json::FindSkipped(meta, mcp::kTraceparent);
  if (traceparent.has_value() && traceparent->front() == '"') {
    json::ReadString(*traceparent, 0, &traceparent_);
    if (mcp::TraceIdOf(traceparent_).empty()) traceparent_.clear();
  }
  const auto token = json::FindSkipped(meta, "progressToken");
  if (!token.has_value()) return absl::OkStatus();
  if (!IsToken(*token)) {
    return Wrong("/_meta/progressToken", "expected a string or an integer");
  }
  progress_token_ = std::string(*token);
  meta_at_ = SpanOf(raw);
  meta_ = ObjectOf(
      meta, [](std::string_view name) { return name == "progressToken"; });
  return absl::OkStatus();
}

ToolCall::Span ToolCall::SpanOf(std::string_view part) const {
  return {static_cast<size_t>(part.data() - params_.data()), part.size()};
}

std::string ToolCall::UpstreamParams(std::string_view upstream_name) const {
  std::vector<json::Edit> edits;
  edits.push_back({name_at_.offset, name_at_.size, json::Quote(upstream_name)});
  if (!progress_token_.empty()) {
    edits.push_back({meta_at_.offset, meta_at_.size, meta_});
  }
  std::string params = json::Splice(params_, std::move(edits));
  if (!has_dropped_) return params;
  const absl::StatusOr<json::SkippedObject> edited = json::SkipScan(params, "");
  // It was read once and only values were replaced by values.
  return edited.ok() ? ObjectOf(edited->members(), IsDropped) : "{}";
}

}  // namespace gatehouse::downstream
