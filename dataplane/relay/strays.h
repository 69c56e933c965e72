#ifndef GATEHOUSE_DATAPLANE_RELAY_STRAYS_H_
#define GATEHOUSE_DATAPLANE_RELAY_STRAYS_H_

#include <map>
#include <memory>
#include <string>

#include "dataplane/relay/control_client.h"
#include "dataplane/relay/operations.h"
#include "dataplane/relay/scheduling.h"
#include "dataplane/relay/upstream.h"
#include "shared/base/mutex.h"
#include "shared/base/random.h"

namespace gatehouse::relay {

// Has input requests that belong to no call judged by the control plane, which
// refuses them, but for `roots/list`: that it may answer from what the client
// said before, or have the client asked (DESIGN §6), under an operation of its
// own. There is no operation whose refusals could be counted, so an upstream
// may have 64 of them judged a minute in one session; the rest are answered
// `trust_unavailable` and not asked about, lest it fill the log.
//
// Thread-safe. Ownership: borrows what it is constructed with; a timer that is
// still armed holds only the counts.
class Strays final : public StrayObserver {
 public:
  Strays(ControlClient& control, Timers& timers, Random& random)
      : control_(control), timers_(timers), random_(random) {}

  // Once, before the first one comes in. Borrowed.
  void SetOperations(Operations& operations) { operations_ = &operations; }

  Cancel OnStrayInputRequest(const UpstreamTarget& target,
                             const Beneficiary& beneficiary,
                             RaisedInputRequest request,
                             Attribution attribution,
                             mcp::Revision upstream_revision,
                             Reply reply) override;

 private:
  struct Counts {
    Mutex mutex;
    std::map<std::string, int> of ABSL_GUARDED_BY(mutex);  // this minute
  };

  bool MayAsk(const std::string& who);
  Cancel AskForRoots(const UpstreamTarget& target,
                     const Beneficiary& beneficiary, RaisedInputRequest request,
                     Attribution attribution, mcp::Revision upstream_revision,
                     const Reply& reply);

  ControlClient& control_;
  Timers& timers_;
  Random& random_;
  Operations* operations_ = nullptr;
  const std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace gatehouse::relay

#endif  // GATEHOUSE_DATAPLANE_RELAY_STRAYS_H_
