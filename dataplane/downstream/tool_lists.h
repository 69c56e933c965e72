#ifndef GATEHOUSE_DATAPLANE_DOWNSTREAM_TOOL_LISTS_H_
#define GATEHOUSE_DATAPLANE_DOWNSTREAM_TOOL_LISTS_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "dataplane/catalogue/catalogue.h"
#include "dataplane/downstream/session.h"
#include "dataplane/relay/snapshots.h"
#include "dataplane/relay/upstream.h"

namespace gatehouse::downstream {

// On whose behalf a session's requests go upstream under that policy.
relay::Beneficiary BeneficiaryOf(const Session& session,
                                 const relay::VirtualServerSnapshot& snapshot);

// Lists the tools of a virtual server for a session, and finds where a name
// leads. Thread-safe; nothing blocks. Ownership: borrows the upstream side.
class ToolLists {
 public:
  using Listed =
      std::function<void(std::shared_ptr<const catalogue::Catalogue>)>;
  using Routed = std::function<void(absl::StatusOr<catalogue::Destination>)>;

  explicit ToolLists(relay::Upstreams& upstreams) : upstreams_(upstreams) {}

  // Asks every upstream afresh. The session keeps the list, for Route.
  void List(std::shared_ptr<Session> session,
            std::shared_ptr<const relay::VirtualServerSnapshot> snapshot,
            Listed done);
  // A name that was not listed yet is looked for in a fresh list, once; calls
  // of one session that wait for it share it. Errors: Catalogue::Route's.
  void Route(std::shared_ptr<Session> session,
             std::shared_ptr<const relay::VirtualServerSnapshot> snapshot,
             std::string name, Routed done);

 private:
  relay::Upstreams& upstreams_;
};

}  // namespace gatehouse::downstream

#endif  // GATEHOUSE_DATAPLANE_DOWNSTREAM_TOOL_LISTS_H_
