#ifndef GATEHOUSE_CONTROLPLANE_TRUST_KIND_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_KIND_H_

#include <string_view>

#include "controlplane/policy/virtual_server.h"
#include "controlplane/trust/era.h"
#include "controlplane/trust/judge.h"
#include "shared/mcp/features.h"

namespace gatehouse::trust {

// What the judge needs to know of a kind of input request beside its rules. A
// new kind is a new row.
struct KindRow {
  RequestKind kind;
  std::string_view method;
  std::string_view name;  // as in clientFeatures, and as clients declare it
  bool may_lack_params;
  bool may_lack_a_call;  // asked of an initialized session
  bool (*exists_in)(const Era&);
  // Whether policy or client have the feature at all, in whatever mode.
  bool (*permitted)(const policy::VirtualServer&);
  bool (*declared)(const mcp::ClientFeatures&);
};

// The row of that method, or null: the judge knows no other.
const KindRow* FindKind(std::string_view method);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_KIND_H_
