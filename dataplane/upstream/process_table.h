#ifndef GATEHOUSE_DATAPLANE_UPSTREAM_PROCESS_TABLE_H_
#define GATEHOUSE_DATAPLANE_UPSTREAM_PROCESS_TABLE_H_

#include <cstdint>
#include <deque>
#include <functional>
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
  // Remove. At a limit it takes that of the process that is idle longest.
  // RESOURCE_EXHAUSTED if none is; UNAVAILABLE within a pause.
  absl::StatusOr<int64_t> Reserve(const std::string& key);
  // Owns `process` from here on.
  void Adopt(int64_t place, std::shared_ptr<Process> process);
  // It has nothing to do. `give_up` is called, at most once and by any thread,
  // when another took its place: it must not block, and stop the process.
  void MarkIdle(int64_t place, std::function<void()> give_up);
  void MarkBusy(int64_t place);
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
    int64_t idle_number = 0;        // counts up; orders the idle ones
    std::function<void()> give_up;  // set: idle
  };
  struct History {
    std::deque<absl::Duration> crashes;  // steady times, the last minute's
    absl::Duration last;
    absl::Duration paused_until;
    int pauses = 0;
  };

  // Reserve, but for the call of `give_up`, which must wait for the lock's end.
  absl::StatusOr<int64_t> ReserveOrEvict(const std::string& key,
                                         std::function<void()>& give_up);
  absl::Status CheckPauseLocked(const std::string& key) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // RESOURCE_EXHAUSTED if there is no place left for one more.
  absl::Status CheckLimitsLocked(const std::string& key) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Takes the place of the longest idle process, of `key` or, if that has fewer
  // than its limit, of any; its `give_up`, or empty if none is idle.
  std::function<void()> EvictLocked(const std::string& key)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  int RunningLocked(const std::string& key) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int max_per_upstream_;
  const int max_all_;
  Clock& clock_;
  Mutex mutex_;
  std::map<int64_t, Place> places_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, History> histories_ ABSL_GUARDED_BY(mutex_);
  int64_t next_place_ ABSL_GUARDED_BY(mutex_) = 1;
  int64_t next_idle_number_ ABSL_GUARDED_BY(mutex_) = 1;
};

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_DATAPLANE_UPSTREAM_PROCESS_TABLE_H_
