#ifndef GATEHOUSE_DATAPLANE_RELAY_SNAPSHOTS_H_
#define GATEHOUSE_DATAPLANE_RELAY_SNAPSHOTS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "dataplane/relay/upstream.h"
#include "shared/base/clock.h"
#include "shared/base/mutex.h"
#include "shared/mcp/features.h"

namespace gatehouse::relay {

// A virtual server as this worker serves it: a policy, compiled. Immutable.
struct VirtualServerSnapshot {
  std::string name;
  int64_t policy_version = 0;
  std::vector<UpstreamTarget> upstreams;  // in the policy's order
  std::vector<std::string> elsewhere;     // upstreams of other clusters only
  bool prefix_names = true;               // shown names are `upstream__name`
  mcp::ClientFeatures permitted;          // one half of the offer mask
  absl::Duration reply_deadline = absl::Seconds(30);
};

// What the control plane last said about policies, and how long that holds: the
// policy lease lets plain calls go on for a while without the control plane.
// Thread-safe. Ownership: borrows the clock.
class Snapshots {
 public:
  explicit Snapshots(Clock& clock) : clock_(clock) {}

  // Told of a virtual server whose policy is another than before, on the
  // thread that brought it and without a lock; must not block. Set once, before
  // the first snapshot comes.
  using Observer = std::function<void(const std::string& name)>;
  void Observe(Observer observer);

  // All of them, as of now; extends the lease, and sets how long it is.
  void ReplaceAll(std::vector<VirtualServerSnapshot> all,
                  absl::Duration policy_lease);
  // Ignored if a later version is here already.
  void Put(VirtualServerSnapshot snapshot);
  void Remove(std::string_view name);
  // The control plane answered just now.
  void Touch();

  // Null if there is none of that name.
  std::shared_ptr<const VirtualServerSnapshot> Find(
      std::string_view name) const;

  // Of all that are here, sorted.
  std::vector<std::string> Names() const;

  enum class Trust {
    kNever,  // no snapshot has ever come: nothing can be said
    kHolds,
    kExpired,  // the policy lease ended: calls get `trust_unavailable`
  };
  Trust trust() const;
  // What is left of the policy lease; zero if it is over, or none ever came.
  absl::Duration lease_left() const;

 private:
  Clock& clock_;
  mutable Mutex mutex_;
  Observer observer_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, std::shared_ptr<const VirtualServerSnapshot>,
           std::less<>>
      by_name_ ABSL_GUARDED_BY(mutex_);
  absl::Duration lease_ ABSL_GUARDED_BY(mutex_) = absl::Hours(1);
  std::optional<absl::Duration> last_contact_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gatehouse::relay

#endif  // GATEHOUSE_DATAPLANE_RELAY_SNAPSHOTS_H_
