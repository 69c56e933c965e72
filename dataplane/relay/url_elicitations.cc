#include "dataplane/relay/url_elicitations.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"

namespace gatehouse::relay {
namespace {

constexpr int64_t kUrlElicitationRequired = -32042;
constexpr size_t kMaxElicitationIdBytes = 256;
constexpr json::Limits kErrorLimits = {.max_bytes = kMaxRequiringErrorBytes,
                                       .max_depth = 64};

absl::StatusOr<json::Value> EntriesOf(const json::Document& error) {
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value data,
                             error.root().Field("data"));
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value entries,
                             data.Field("elicitations"));
  if (!entries.IsArray()) return entries.Error("expected an array");
  return entries;
}

std::string IdIn(const json::Value& params) {
  const auto id = params.Find("elicitationId");
  const auto mode = params.Find("mode");
  if (!id.has_value() || !mode.has_value()) return "";
  const absl::StatusOr<std::string_view> text = id->String();
  const absl::StatusOr<std::string_view> named = mode->String();
  if (!text.ok() || !named.ok() || *named != "url" ||
      text->size() > kMaxElicitationIdBytes) {
    return "";
  }
  return std::string(*text);
}

}  // namespace

bool RequiresElicitations(const CallObserver::End& end) {
  if (end.error.empty() ||
      end.upstream_revision != mcp::Revision::k2025_11_25) {
    return false;
  }
  // Most errors are others: they are told from it without a tree.
  if (end.error.find("-32042") == std::string::npos) return false;
  const absl::StatusOr<json::Document> error =
      json::Document::Parse(end.error, kErrorLimits);
  if (!error.ok()) return false;
  const auto code = error->root().Find("code");
  return code.has_value() &&
         code->Integer().value_or(0) == kUrlElicitationRequired;
}

absl::StatusOr<std::vector<RequiredElicitation>> ReadRequiredElicitations(
    const std::string& error) {
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Document document,
                             json::Document::Parse(error, kErrorLimits));
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value entries, EntriesOf(document));
  if (entries.size() < 1 || entries.size() > kMaxRequiredElicitations) {
    return entries.Error(
        absl::StrCat("expected 1 to ", kMaxRequiredElicitations, " elements"));
  }
  std::vector<RequiredElicitation> required;
  for (const json::Value& entry : entries.Elements()) {
    if (!entry.IsObject()) return entry.Error("expected an object");
    if (entry.raw().size() > kMaxRequiredBytes) {
      return entry.Error("longer than an input request may be");
    }
    required.push_back({std::string(entry.raw()), IdIn(entry)});
  }
  return required;
}

std::string WithElicitations(const std::string& error,
                             const std::vector<std::string>& params) {
  const absl::StatusOr<json::Document> document =
      json::Document::Parse(error, kErrorLimits);
  if (!document.ok()) return "";
  const absl::StatusOr<json::Value> entries = EntriesOf(*document);
  if (!entries.ok() || entries->size() != params.size()) return "";
  std::vector<json::Edit> edits;
  for (const json::Value& entry : entries->Elements()) {
    edits.push_back({entry.offset(), entry.raw().size(), params[edits.size()]});
  }
  return json::Splice(document->text(), std::move(edits));
}

std::string ElicitationIdOf(std::string_view params) {
  const absl::StatusOr<json::Document> document = json::Document::Parse(
      std::string(params), {.max_bytes = kMaxRequiredBytes, .max_depth = 32});
  return document.ok() ? IdIn(document->root()) : "";
}

std::string ErrorObjectOf(const UpstreamReply& refusal) {
  json::Writer error;
  error.StartObject().Name("code").Integer(refusal.code);
  error.Name("message").String(refusal.message);
  if (!refusal.data.empty()) error.Name("data").Raw(refusal.data);
  return error.EndObject().Take();
}

}  // namespace gatehouse::relay
