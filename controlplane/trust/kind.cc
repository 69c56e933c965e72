#include "controlplane/trust/kind.h"

#include <array>
#include <string_view>

namespace gatehouse::trust {
namespace {

bool InEveryEra(const Era&) { return true; }
bool WhereElicitationExists(const Era& era) { return era.elicitation; }

constexpr std::array<KindRow, 3> kKinds = {{
    {RequestKind::kSampling, "sampling/createMessage", "sampling", "sampling",
     &mcp::ClientFeatures::sampling, false, InEveryEra, SamplingRequestRules,
     SamplingResponseRules},
    {RequestKind::kElicitation, "elicitation/create", "elicitation",
     "elicitation by forms", &mcp::ClientFeatures::elicitation_form, false,
     WhereElicitationExists, ElicitationRequestRules, ElicitationResponseRules},
    {RequestKind::kRoots, "roots/list", "roots", "roots",
     &mcp::ClientFeatures::roots, true, InEveryEra, RootsRequestRules,
     RootsResponseRules},
}};

}  // namespace

const KindRow* FindKind(std::string_view method) {
  for (const KindRow& row : kKinds) {
    if (row.method == method) return &row;
  }
  return nullptr;
}

std::string_view ToString(RequestKind kind) {
  for (const KindRow& row : kKinds) {
    if (row.kind == kind) return row.name;
  }
  return "";
}

}  // namespace gatehouse::trust
