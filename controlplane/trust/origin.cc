#include "controlplane/trust/origin.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controlplane/trust/object_edit.h"
#include "controlplane/trust/rules.h"
#include "shared/base/status.h"

namespace gatehouse::trust {
namespace {

constexpr std::string_view kOwnKeys = "io.gatehouse/";
constexpr std::string_view kOriginKey = "io.gatehouse/origin";
constexpr std::string_view kProgressToken = "progressToken";

std::string OriginJson(const policy::VirtualServer& policy,
                       const RequestFacts& facts) {
  json::Writer writer;
  writer.StartObject();
  writer.Name("virtualServer").String(policy.name);
  writer.Name("upstream").String(facts.upstream);
  writer.Name("tool").String(facts.tool);
  writer.EndObject();
  return writer.Take();
}

std::string NewMeta(const std::string& origin) {
  json::Writer writer;
  writer.StartObject();
  writer.Name(kOriginKey).Raw(origin);
  writer.EndObject();
  return writer.Take();
}

void AppendTo(std::vector<json::Edit>& edits, std::vector<json::Edit> more) {
  for (json::Edit& edit : more) edits.push_back(std::move(edit));
}

void EditMeta(const json::Value& meta, const RequestFacts& facts,
              const std::string& origin, std::vector<json::Edit>& edits) {
  const std::optional<json::Value> token = meta.Find(kProgressToken);
  // Without a token of ours the upstream's must not go out: the client's
  // progress would be addressed to what it cannot know.
  const bool drop_token = facts.progress_token.empty();
  if (token.has_value() && !drop_token) {
    edits.push_back({token->offset(), token->raw().size(),
                     json::Quote(facts.progress_token)});
  }
  ObjectEdit edit(meta);
  edit.RemoveIf([drop_token](std::string_view name) {
    return name.substr(0, kOwnKeys.size()) == kOwnKeys ||
           (drop_token && name == kProgressToken);
  });
  edit.Add(kOriginKey, origin);
  AppendTo(edits, edit.Edits());
}

// After the opening quote; the name is of [a-z0-9-] and needs no escape.
void NameUpstream(const json::Value& params, std::string_view upstream,
                  std::vector<json::Edit>& edits) {
  const std::optional<json::Value> message = params.Find("message");
  if (!message.has_value()) return;
  edits.push_back(
      {message->offset() + 1, 0, absl::StrCat("[", ToAbsl(upstream), "] ")});
}

}  // namespace

Ruling MetaIsWellFormed(const json::Value& params) {
  if (Ruling ruling = OptionalObject(params, "_meta")) return ruling;
  const std::optional<json::Value> meta = params.Find("_meta");
  if (!meta.has_value()) return std::nullopt;
  const std::optional<json::Value> token = meta->Find(kProgressToken);
  if (!token.has_value() || token->IsString() || token->IsIntegerLexeme()) {
    return std::nullopt;
  }
  return ObjectTo(*token, "expected a string or an integer");
}

std::string ParamsToRelay(const policy::VirtualServer& policy,
                          const RequestFacts& facts, RequestKind kind,
                          const json::Document& params) {
  const json::Value root = params.root();
  const std::string origin = OriginJson(policy, facts);
  std::vector<json::Edit> edits;
  ObjectEdit edit(root);
  edit.RemoveIf([](std::string_view name) { return name == "task"; });
  const std::optional<json::Value> meta = root.Find("_meta");
  if (meta.has_value()) {
    EditMeta(*meta, facts, origin, edits);
  } else {
    edit.Add("_meta", NewMeta(origin));
  }
  AppendTo(edits, edit.Edits());
  if (kind == RequestKind::kElicitation && policy.upstreams.size() > 1) {
    NameUpstream(root, facts.upstream, edits);
  }
  if (kind == RequestKind::kSampling) {
    AppendTo(edits, UnwrapMessages(root, EraOf(facts.client_revision)));
  }
  return json::Splice(params.text(), std::move(edits));
}

}  // namespace gatehouse::trust
