#ifndef GATEHOUSE_DATAPLANE_UPSTREAM_PROCESS_TABLE_H_
#define GATEHOUSE_DATAPLANE_UPSTREAM_PROCESS_TABLE_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "dataplane/upstream/process.h"
#include "shared/base/clock.h"
#include "shared/base/mutex.h"

namespace gatehouse::upstream {

// The stdio processes of a worker: owns them until they are gone, counts them
// against the limits, and remembers crashes, so that an upstream which keeps
// crashing is left alone for a pause that grows: from the third crash within a
// minute on, 1 s, 2 s, 4 s, ... up to a minute; 5 min without one forgive.
//
// Thread-safe. A `key` names one upstream of one virtual server.
class ProcessTable {
 public:
  ProcessTable(int max_per_upstream, int max_all, Clock& clock);

  // Takes a place for a process to be spawned and names it; give it back by
  // Remove. RESOURCE_EXHAUSTED at a limit; UNAVAILABLE within a pause.
  absl::StatusOr<int64_t> Reserve(const std::string& key);
  // Owns `process` from here on.
  void Adopt(int64_t place, std::shared_ptr<Process> process);
  // It was told to stop: its place may be taken while it still ends, though
  // never by more than as many again as the limit on all.
  void MarkStopping(int64_t place);
  // It is gone, or was never spawned.
  void Remove(int64_t place);
  // It ended unasked.
  void RecordCrash(const std::string& key);

  // Kills and reaps whatever is left.
  void KillAll();

 private:
  struct Place {
    std::string key;
    std::shared_ptr<Process> process;
    bool stopping = false;
  };
  struct History {
    std::deque<absl::Duration> crashes;  // steady times, the last minute's
    absl::Duration last;
    absl::Duration paused_until;
    int pauses = 0;
  };

  const int max_per_upstream_;
  const int max_all_;
  Clock& clock_;
  Mutex mutex_;
  std::map<int64_t, Place> places_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, History> histories_ ABSL_GUARDED_BY(mutex_);
  int64_t next_place_ ABSL_GUARDED_BY(mutex_) = 1;
};

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_DATAPLANE_UPSTREAM_PROCESS_TABLE_H_
