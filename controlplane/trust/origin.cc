#include "controlplane/trust/origin.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controlplane/trust/conversation.h"
#include "controlplane/trust/era.h"
#include "controlplane/trust/form.h"
#include "controlplane/trust/object_edit.h"
#include "controlplane/trust/rule.h"
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

// The client's revision has no `oneOf`: its constants become `enum`, its titles
// `enumNames`.
void WriteTitlesAsNames(const Field& field, std::vector<json::Edit>& edits) {
  json::Writer values;
  json::Writer names;
  values.StartArray();
  names.StartArray();
  for (const json::Value& option : field.options->Elements()) {
    values.Raw(option.Find("const")->raw());
    names.Raw(option.Find("title")->raw());
  }
  ObjectEdit edit(field.schema);
  edit.RemoveIf([](std::string_view name) { return name == "oneOf"; });
  edit.Add("enum", values.EndArray().Take());
  edit.Add("enumNames", names.EndArray().Take());
  AppendTo(edits, edit.Edits());
}

// What an elicitation's client knows differently; `unwanted` and `edit` are
// about the members of the params, `edits` about what lies deeper.
void EditElicitation(const json::Value& params, const RequestFacts& facts,
                     const Era& client_era,
                     std::set<std::string_view>& unwanted, ObjectEdit& edit,
                     std::vector<json::Edit>& edits) {
  if (!client_era.url_mode) unwanted.insert("mode");
  if (IsUrlMode(params)) {
    const bool replaced = !facts.elicitation_id.empty();
    if (replaced || !client_era.elicitation_id) {
      unwanted.insert("elicitationId");
    }
    if (replaced && client_era.elicitation_id) {
      edit.Add("elicitationId", json::Quote(facts.elicitation_id));
    }
    return;
  }
  if (client_era.titled_enums) return;
  for (const Field& field : ReadForm(params).fields) {
    if (field.kind == FieldKind::kChoice && field.titled) {
      WriteTitlesAsNames(field, edits);
    }
  }
}

}  // namespace

void DropOwnKeys(const json::Value& result, std::vector<json::Edit>& edits) {
  const std::optional<json::Value> meta = result.Find("_meta");
  if (!meta.has_value()) return;
  ObjectEdit edit(*meta);
  edit.RemoveIf([](std::string_view name) {
    return name.substr(0, kOwnKeys.size()) == kOwnKeys;
  });
  AppendTo(edits, edit.Edits());
}

std::string ParamsToRelay(const policy::VirtualServer& policy,
                          const RequestFacts& facts, RequestKind kind,
                          const json::Document& params) {
  const json::Value root = params.root();
  const Era& client_era = EraOf(facts.client_revision);
  const std::string origin = OriginJson(policy, facts);
  std::vector<json::Edit> edits;
  ObjectEdit edit(root);
  std::set<std::string_view> unwanted = {"task"};
  if (kind == RequestKind::kElicitation) {
    EditElicitation(root, facts, client_era, unwanted, edit, edits);
    if (policy.upstreams.size() > 1) NameUpstream(root, facts.upstream, edits);
  }
  edit.RemoveIf(
      [unwanted](std::string_view name) { return unwanted.contains(name); });
  const std::optional<json::Value> meta = root.Find("_meta");
  if (meta.has_value()) {
    EditMeta(*meta, facts, origin, edits);
  } else {
    edit.Add("_meta", NewMeta(origin));
  }
  AppendTo(edits, edit.Edits());
  if (kind == RequestKind::kSampling) {
    if (const auto messages = root.Find("messages")) {
      for (const json::Value& message : messages->Elements()) {
        UnwrapContent(message, client_era, edits);
      }
    }
  }
  return json::Splice(params.text(), std::move(edits));
}

}  // namespace gatehouse::trust
