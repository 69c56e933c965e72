#ifndef GATEHOUSE_DATAPLANE_RELAY_REPLIES_H_
#define GATEHOUSE_DATAPLANE_RELAY_REPLIES_H_

#include "dataplane/relay/upstream.h"
#include "shared/reasons/reasons.h"

namespace gatehouse::relay {

// A failure as the error that an upstream which waits is sent. Pure.
UpstreamReply ReplyOf(const Failure& failure);

// The only two answers that a worker gives without the control plane
// (invariant 1): there is no verdict; its word did not come in time.
UpstreamReply NoVerdictReply();
UpstreamReply NoWordReply();

}  // namespace gatehouse::relay

#endif  // GATEHOUSE_DATAPLANE_RELAY_REPLIES_H_
