#ifndef GATEHOUSE_CONTROLPLANE_BROKER_UPSTREAMS_H_
#define GATEHOUSE_CONTROLPLANE_BROKER_UPSTREAMS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "controlplane/broker/broker.h"
#include "controlplane/policy/virtual_server.h"
#include "controlplane/store/store.h"
#include "shared/reasons/reasons.h"

namespace gatehouse::broker {

// Which upstreams to list: those of one virtual server, or of all if that is
// empty, by virtual server and name, behind the given place.
struct UpstreamsQuery {
  std::string virtual_server = {};
  std::string after_virtual_server = {};
  std::string after_upstream = {};
  int limit = 0;
};

// An upstream of a current policy, and how often it had which verdict.
struct UpstreamFigures {
  std::string virtual_server;
  policy::Upstream upstream;
  std::vector<VerdictCountRow> verdicts;  // by counter
};

// Counts a verdict on an input request of that upstream, in the decision's own
// transaction; `refused` is null for one that was admitted. An upstream that
// the policy does not name is not counted: so what is stored is bounded by the
// policies and the table of reasons.
absl::Status CountVerdict(Transaction& tx, const policy::VirtualServer& policy,
                          std::string_view upstream, const Reason* refused);

// Forgets what is counted of that virtual server's upstreams but of those that
// `next`, its new policy, names; of all if it is null.
absl::Status ForgetVerdicts(Transaction& tx, std::string_view virtual_server,
                            const policy::VirtualServer* next);

}  // namespace gatehouse::broker

#endif  // GATEHOUSE_CONTROLPLANE_BROKER_UPSTREAMS_H_
