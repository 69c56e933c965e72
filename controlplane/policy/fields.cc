#include "controlplane/policy/fields.h"

#include <string_view>
#include <vector>

namespace gatehouse::policy {

const std::vector<FieldRow>& AllFields() {
  using enum Standing;
  static const std::vector<FieldRow> kFields = {
      {"kind", kEnforced},
      {"name", kEnforced},
      {"etag", kOutputOnly},
      {"version", kOutputOnly},
      {"updateTime", kOutputOnly},
      {"upstreams", kEnforced},
      {"upstreams[].name", kEnforced},
      {"upstreams[].http", kEnforced},
      {"upstreams[].http.url", kEnforced},
      {"upstreams[].http.headersFrom", kEnforced},
      {"upstreams[].http.tls", kEnforced},
      {"upstreams[].http.tls.ca", kEnforced},
      {"upstreams[].http.tls.cert", kEnforced},
      {"upstreams[].http.tls.key", kEnforced},
      {"upstreams[].stdio", kEnforced},
      {"upstreams[].stdio.command", kEnforced},
      {"upstreams[].stdio.env", kEnforced},
      {"upstreams[].stdio.runAs", kEnforced},
      {"upstreams[].clusters", kEnforced},
      {"upstreams[].timeout", kLater},
      {"catalogue", kEnforced},
      {"catalogue.prefix", kEnforced},
      {"catalogue.tools", kLater},
      {"catalogue.pin", kLater},
      {"catalogue.allow", kLater},
      {"clientFeatures", kEnforced},
      {"clientFeatures.sampling", kEnforced},
      {"clientFeatures.roots", kEnforced},
      {"clientFeatures.elicitation", kEnforced},
      {"trust", kEnforced},
      {"trust.sampling", kEnforced},
      {"trust.sampling.route", kEnforced},
      {"trust.sampling.allowTools", kEnforced},
      {"trust.sampling.reviewRequest", kLater},
      {"trust.sampling.reviewResponse", kLater},
      {"trust.sampling.audience", kLater},
      {"trust.sampling.separateDuties", kLater},
      {"trust.sampling.when", kLater},
      {"trust.elicitation", kEnforced},
      {"trust.elicitation.route", kEnforced},
      {"trust.elicitation.url", kEnforced},
      {"trust.elicitation.urlHosts", kEnforced},
      {"trust.elicitation.allowFields", kEnforced},
      {"trust.elicitation.allowFields[].upstream", kEnforced},
      {"trust.elicitation.allowFields[].field", kEnforced},
      {"trust.elicitation.reviewRequest", kLater},
      {"trust.elicitation.reviewResponse", kLater},
      {"trust.elicitation.audience", kLater},
      {"trust.elicitation.separateDuties", kLater},
      {"trust.elicitation.when", kLater},
      {"trust.roots", kLater},
      {"replyDeadline", kEnforced},
      {"limits", kEnforced},
      {"limits.inputRequestsPerOperation", kEnforced},
      {"limits.samplingTokensPerOperation", kEnforced},
      {"limits.samplingTokensPerRequest", kEnforced},
      {"limits.openInputRequestsPerUpstream", kEnforced},
      {"limits.openInputRequestsPerVirtualServer", kEnforced},
      {"limits.inputRequestBytes", kEnforced},
      {"limits.inputResponseBytes", kEnforced},
      {"limits.formProperties", kEnforced},
      {"access", kLater},
      {"logging", kLater},
      {"missingCapabilityHttpStatus", kLater},
      {"nameUpstream", kLater},
      {"parkCalls", kLater},
      {"privacy", kLater},
      {"progressBeats", kLater},
      {"rates", kLater},
      {"retention", kLater},
      {"reviewDeadline", kLater},
      {"shadow", kLater},
      {"windows", kLater},
  };
  return kFields;
}

Standing StandingOf(std::string_view pattern) {
  for (const FieldRow& row : AllFields()) {
    if (row.pattern == pattern) return row.standing;
  }
  return Standing::kUnknown;
}

}  // namespace gatehouse::policy
