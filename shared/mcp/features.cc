#include "shared/mcp/features.h"

#include <optional>
#include <string_view>

#include "shared/base/status.h"

namespace gatehouse::mcp {
namespace {

// The capability of that name in `parent`; null counts as absent.
absl::StatusOr<std::optional<json::Value>> Capability(const json::Value& parent,
                                                      std::string_view name) {
  const std::optional<json::Value> value = parent.Find(name);
  if (!value.has_value() || value->IsNull()) return std::nullopt;
  if (!value->IsObject()) {
    return value->Error("expected an object, as every capability is");
  }
  return value;
}

absl::StatusOr<bool> Declares(const json::Value& parent,
                              std::string_view name) {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::optional<json::Value> capability,
                             Capability(parent, name));
  return capability.has_value();
}

bool HasSamplingTools(Revision revision) {
  return revision == Revision::k2025_11_25 || revision == Revision::k2026_07_28;
}

absl::Status ReadSampling(const json::Value& capabilities, Revision revision,
                          ClientFeatures& features) {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::optional<json::Value> sampling,
                             Capability(capabilities, "sampling"));
  if (!sampling.has_value()) return absl::OkStatus();
  features.sampling = true;
  if (!HasSamplingTools(revision)) return absl::OkStatus();
  GATEHOUSE_ASSIGN_OR_RETURN(features.sampling_tools,
                             Declares(*sampling, "tools"));
  return absl::OkStatus();
}

bool HoldsOnlyNulls(const json::Value& object) {
  for (const json::Member& member : object.Members()) {
    if (!member.value.IsNull()) return false;
  }
  return true;
}

absl::Status ReadElicitation(const json::Value& capabilities, Revision revision,
                             ClientFeatures& features) {
  if (revision == Revision::k2025_03_26) return absl::OkStatus();
  GATEHOUSE_ASSIGN_OR_RETURN(const std::optional<json::Value> elicitation,
                             Capability(capabilities, "elicitation"));
  if (!elicitation.has_value()) return absl::OkStatus();
  if (revision == Revision::k2025_06_18 || HoldsOnlyNulls(*elicitation)) {
    features.elicitation_form = true;
    return absl::OkStatus();
  }
  // From here on a mode counts only if it is named: `{"url":{}}` is URL alone,
  // and a mode that we do not know makes none of ours.
  GATEHOUSE_ASSIGN_OR_RETURN(features.elicitation_form,
                             Declares(*elicitation, "form"));
  GATEHOUSE_ASSIGN_OR_RETURN(features.elicitation_url,
                             Declares(*elicitation, "url"));
  return absl::OkStatus();
}

absl::Status ReadRoots(const json::Value& capabilities, Revision revision,
                       ClientFeatures& features) {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::optional<json::Value> roots,
                             Capability(capabilities, "roots"));
  if (!roots.has_value()) return absl::OkStatus();
  features.roots = true;
  // The modern revision has no notification of a change.
  if (revision == Revision::k2026_07_28) return absl::OkStatus();
  const std::optional<json::Value> changed = roots->Find("listChanged");
  if (!changed.has_value() || changed->IsNull()) return absl::OkStatus();
  GATEHOUSE_ASSIGN_OR_RETURN(features.roots_list_changed, changed->Bool());
  return absl::OkStatus();
}

void WriteSampling(const ClientFeatures& features, Revision revision,
                   json::Writer& writer) {
  if (!features.sampling) return;
  writer.Name("sampling").StartObject();
  if (features.sampling_tools && HasSamplingTools(revision)) {
    writer.Name("tools").StartObject().EndObject();
  }
  writer.EndObject();
}

void WriteElicitation(const ClientFeatures& features, Revision revision,
                      json::Writer& writer) {
  switch (revision) {
    case Revision::k2025_03_26:
      return;
    case Revision::k2025_06_18:
      if (features.elicitation_form) {
        writer.Name("elicitation").StartObject().EndObject();
      }
      return;
    case Revision::k2025_11_25:
    case Revision::k2026_07_28:
      break;
  }
  if (!features.elicitation_form && !features.elicitation_url) return;
  writer.Name("elicitation").StartObject();
  // `form` is always named: an empty object would mean it as well, but not
  // beside `url`.
  if (features.elicitation_form) writer.Name("form").StartObject().EndObject();
  if (features.elicitation_url) writer.Name("url").StartObject().EndObject();
  writer.EndObject();
}

void WriteRoots(const ClientFeatures& features, Revision revision,
                json::Writer& writer) {
  if (!features.roots) return;
  writer.Name("roots").StartObject();
  if (features.roots_list_changed && revision != Revision::k2026_07_28) {
    writer.Name("listChanged").Bool(true);
  }
  writer.EndObject();
}

}  // namespace

absl::StatusOr<ClientFeatures> ParseClientCapabilities(
    const json::Value& capabilities, Revision revision) {
  if (!capabilities.IsObject()) {
    return capabilities.Error("expected an object of client capabilities");
  }
  ClientFeatures features;
  GATEHOUSE_RETURN_IF_ERROR(ReadSampling(capabilities, revision, features));
  GATEHOUSE_RETURN_IF_ERROR(ReadElicitation(capabilities, revision, features));
  GATEHOUSE_RETURN_IF_ERROR(ReadRoots(capabilities, revision, features));
  return features;
}

ClientFeatures Intersect(const ClientFeatures& policy,
                         const ClientFeatures& declared) {
  ClientFeatures both;
  both.sampling = policy.sampling && declared.sampling;
  // A part without its whole is nothing: `tools` needs `sampling` itself.
  both.sampling_tools =
      both.sampling && policy.sampling_tools && declared.sampling_tools;
  both.elicitation_form = policy.elicitation_form && declared.elicitation_form;
  both.elicitation_url = policy.elicitation_url && declared.elicitation_url;
  both.roots = policy.roots && declared.roots;
  both.roots_list_changed =
      both.roots && policy.roots_list_changed && declared.roots_list_changed;
  return both;
}

std::string ClientCapabilitiesJson(const ClientFeatures& features,
                                   Revision revision) {
  json::Writer writer;
  writer.StartObject();
  WriteRoots(features, revision, writer);
  WriteSampling(features, revision, writer);
  WriteElicitation(features, revision, writer);
  return writer.EndObject().Take();
}

}  // namespace gatehouse::mcp
