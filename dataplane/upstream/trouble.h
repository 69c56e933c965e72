#ifndef GATEHOUSE_DATAPLANE_UPSTREAM_TROUBLE_H_
#define GATEHOUSE_DATAPLANE_UPSTREAM_TROUBLE_H_

#include <string>
#include <string_view>

#include "shared/reasons/reasons.h"

namespace gatehouse::upstream {

// What went wrong with an upstream: the reason for the client, and the detail
// for the operator's log alone (it may name a host, a path or a status).
struct Trouble {
  Reason reason = Reason::kUpstreamUnavailable;
  std::string detail;
};

// What a client may be told of it: our own words and the upstream's configured
// name, never a detail. For the reasons kUpstream* and kOperationEnded.
Failure FailureOf(Reason reason, std::string_view upstream);

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_DATAPLANE_UPSTREAM_TROUBLE_H_
