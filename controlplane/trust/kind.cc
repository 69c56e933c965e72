#include "controlplane/trust/kind.h"

#include <array>
#include <string_view>

namespace gatehouse::trust {
namespace {

constexpr std::array<KindRow, 3> kKinds = {{
    {RequestKind::kSampling, "sampling/createMessage", "sampling",
     /*may_lack_params=*/false, /*may_lack_a_call=*/false,
     [](const Era&) { return true; },
     [](const policy::VirtualServer& policy) { return policy.sampling; },
     [](const mcp::ClientFeatures& declared) { return declared.sampling; }},
    {RequestKind::kElicitation, "elicitation/create", "elicitation",
     /*may_lack_params=*/false, /*may_lack_a_call=*/false,
     [](const Era& era) { return era.elicitation; },
     [](const policy::VirtualServer& policy) { return policy.elicitation; },
     [](const mcp::ClientFeatures& declared) {
       return declared.elicitation_form || declared.elicitation_url;
     }},
    {RequestKind::kRoots, "roots/list", "roots",
     /*may_lack_params=*/true, /*may_lack_a_call=*/true,
     [](const Era&) { return true; },
     [](const policy::VirtualServer& policy) { return policy.roots; },
     [](const mcp::ClientFeatures& declared) { return declared.roots; }},
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
