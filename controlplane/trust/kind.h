#ifndef GATEHOUSE_CONTROLPLANE_TRUST_KIND_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_KIND_H_

#include <span>
#include <string_view>

#include "controlplane/trust/judge.h"
#include "controlplane/trust/rules.h"
#include "shared/mcp/features.h"

namespace gatehouse::trust {

// All that the judge needs to know of a kind of input request. A new kind is a
// new row.
struct KindRow {
  RequestKind kind;
  std::string_view method;
  std::string_view name;        // as in clientFeatures
  std::string_view capability;  // as the client declares it
  bool mcp::ClientFeatures::*feature;
  bool may_lack_params;
  bool (*exists_in)(const Era&);
  std::span<const RequestRule> (*request_rules)();
  std::span<const ResponseRule> (*response_rules)();
};

// The row of that method, or null: the judge knows no other.
const KindRow* FindKind(std::string_view method);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_KIND_H_
