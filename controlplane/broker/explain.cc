// What the judge says of a request that nobody made (DESIGN §4,
// ExplainInputRequest; invariant 3: it is the same judge).

#include "controlplane/broker/explain.h"

#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controlplane/broker/decision.h"
#include "controlplane/broker/run.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "shared/mcp/features.h"
#include "shared/mcp/revision.h"

namespace gatehouse::broker {
namespace {

// Stands where an opaque id would in what would be relayed.
constexpr std::string_view kNoOpaqueId = "opaque-id";

class Explanation {
 public:
  Explanation(const policy::VirtualServer& policy,
              const ExplainCommand& command)
      : policy_(policy), command_(command) {}

  Explained Run();

 private:
  void Violate(std::string_view field, std::string_view message) {
    explained_.violations.push_back({std::string(field), std::string(message)});
  }
  mcp::Revision RevisionOf(std::string_view field, const std::string& text);
  mcp::ClientFeatures Declared();
  void FindUpstream();
  trust::Parent ParentOf() const;
  void JudgeRequest();
  void JudgeResponse();

  const policy::VirtualServer& policy_;
  const ExplainCommand& command_;
  Explained explained_;
  const policy::Upstream* upstream_ = nullptr;
  mcp::Revision upstream_revision_ = mcp::kLatestLegacy;
  mcp::Revision client_revision_ = mcp::kLatestLegacy;
  mcp::ClientFeatures declared_;
};

Explained Explanation::Run() {
  FindUpstream();
  upstream_revision_ =
      RevisionOf("upstream_revision", command_.upstream_revision);
  client_revision_ = RevisionOf("client_revision", command_.client_revision);
  declared_ = Declared();
  if (!explained_.violations.empty()) return std::move(explained_);
  JudgeRequest();
  if (std::holds_alternative<trust::AdmittedRequest>(
          explained_.request.verdict) &&
      (command_.result.has_value() || command_.error.has_value())) {
    JudgeResponse();
  }
  return std::move(explained_);
}

mcp::Revision Explanation::RevisionOf(std::string_view field,
                                      const std::string& text) {
  if (text.empty()) return mcp::kLatestLegacy;
  const std::optional<mcp::Revision> revision = mcp::ParseRevision(text);
  if (!revision.has_value()) {
    Violate(field,
            "this build does not know it; expected 2025-03-26, 2025-06-18, "
            "2025-11-25 or 2026-07-28");
  }
  return revision.value_or(mcp::kLatestLegacy);
}

mcp::ClientFeatures Explanation::Declared() {
  std::string capabilities = command_.client_capabilities;
  if (capabilities.empty()) {
    mcp::ClientFeatures all;
    all.sampling = all.sampling_tools = true;
    all.elicitation_form = all.elicitation_url = true;
    all.roots = all.roots_list_changed = true;
    capabilities = mcp::ClientCapabilitiesJson(all, client_revision_);
  }
  const absl::StatusOr<json::Document> document =
      json::Document::Parse(std::move(capabilities));
  absl::StatusOr<mcp::ClientFeatures> features =
      document.ok()
          ? mcp::ParseClientCapabilities(document->root(), client_revision_)
          : document.status();
  if (features.ok()) return *features;
  Violate("client_capabilities", ToStd(features.status().message()));
  return {};
}

void Explanation::FindUpstream() {
  if (command_.upstream.empty()) {
    if (!policy_.upstreams.empty()) upstream_ = &policy_.upstreams.front();
  } else {
    upstream_ = policy::FindUpstream(policy_, command_.upstream);
  }
  if (upstream_ != nullptr) return;
  std::string names;
  for (const policy::Upstream& upstream : policy_.upstreams) {
    absl::StrAppend(&names, names.empty() ? "" : ", ", upstream.name);
  }
  Violate("upstream", absl::StrCat("the policy has no such upstream; it has ",
                                   names.empty() ? "none" : names));
}

trust::Parent Explanation::ParentOf() const {
  switch (command_.attribution) {
    case Attribution::kOwnStream:
    case Attribution::kOnlyCall:
      return trust::Parent::kOperation;
    case Attribution::kAmbiguous:
      return trust::Parent::kAmbiguous;
    case Attribution::kNone:
      // As of a client that is there: the session is taken as initialized.
      return trust::Parent::kSession;
  }
  return trust::Parent::kNone;
}

void Explanation::JudgeRequest() {
  trust::RequestFacts facts;
  facts.method = command_.method;
  facts.params = command_.params;
  facts.upstream_revision = upstream_revision_;
  facts.client_revision = client_revision_;
  facts.declared = declared_;
  facts.parent = ParentOf();
  facts.upstream = upstream_->name;
  facts.tool = command_.tool;
  facts.progress_token = kNoOpaqueId;
  facts.elicitation_id = kNoOpaqueId;
  explained_.request.verdict =
      trust::JudgeRequest(policy_, facts, &explained_.request.rules);
}

void Explanation::JudgeResponse() {
  trust::ResponseFacts facts;
  facts.method = command_.method;
  facts.request_params = command_.params;
  facts.upstream_revision = upstream_revision_;
  facts.client_revision = client_revision_;
  if (command_.result.has_value()) facts.result = *command_.result;
  if (command_.error.has_value()) facts.error = *command_.error;
  ExplainedResponse& response = explained_.response.emplace();
  response.verdict = trust::JudgeResponse(policy_, facts, &response.rules);
}

}  // namespace

Explained Explain(const policy::VirtualServer& policy,
                  const ExplainCommand& command) {
  return Explanation(policy, command).Run();
}

void Broker::Explain(ExplainCommand command, Done<Explained> done) {
  Run<Explained>(
      [command = std::move(command)](Decision& decision,
                                     Explained& outcome) -> absl::Status {
        GATEHOUSE_ASSIGN_OR_RETURN(
            const std::shared_ptr<const CompiledPolicy> policy,
            decision.policies.Current(decision.tx, command.virtual_server));
        outcome = broker::Explain(policy->virtual_server, command);
        outcome.policy_version = policy->version;
        return absl::OkStatus();
      },
      std::move(done));
}

}  // namespace gatehouse::broker
