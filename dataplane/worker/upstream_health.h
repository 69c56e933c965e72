#ifndef GATEHOUSE_DATAPLANE_WORKER_UPSTREAM_HEALTH_H_
#define GATEHOUSE_DATAPLANE_WORKER_UPSTREAM_HEALTH_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "admin/metrics_page.h"
#include "dataplane/relay/snapshots.h"
#include "dataplane/upstream/upstreams.h"
#include "shared/base/mutex.h"
#include "shared/reasons/reasons.h"

namespace gatehouse::worker {

// How each upstream of each virtual server does, as this worker sees it. None
// of it lies on the path of a call that goes well.
//
// Thread-safe. At most 4,096 upstreams; what no policy names any more is
// forgotten at a scrape, once its last session has ended.
class UpstreamHealth final : public upstream::UpstreamObserver {
 public:
  void OnSession(std::string_view virtual_server, std::string_view upstream,
                 SessionEvent event) override;
  void OnTrouble(std::string_view virtual_server, std::string_view upstream,
                 Reason reason) override;
  void OnElicitationComplete(std::string_view virtual_server,
                             std::string_view upstream,
                             Completion completion) override;
  void OnProcessStarted(std::string_view virtual_server,
                        std::string_view upstream) override;

  void AddTo(admin::MetricsPage& page, const relay::Snapshots& snapshots);

 private:
  struct Entry {
    std::optional<bool> up;  // whether the last handshake came about
    int64_t sessions = 0;    // open now
    int64_t opened = 0;
    int64_t failed = 0;
    int64_t processes = 0;                    // started
    std::array<int64_t, 3> completions = {};  // by Completion
    std::map<Reason, int64_t> troubles;
  };
  using Key = std::pair<std::string, std::string>;  // virtual server, upstream

  // Null if there are too many.
  Entry* FindLocked(std::string_view virtual_server, std::string_view upstream)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mutex mutex_;
  std::map<Key, Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gatehouse::worker

#endif  // GATEHOUSE_DATAPLANE_WORKER_UPSTREAM_HEALTH_H_
