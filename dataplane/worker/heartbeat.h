#ifndef GATEHOUSE_DATAPLANE_WORKER_HEARTBEAT_H_
#define GATEHOUSE_DATAPLANE_WORKER_HEARTBEAT_H_

#include "absl/time/time.h"
#include "dataplane/http/executor.h"
#include "dataplane/http/reactor.h"

namespace gatehouse::worker {

// Whether every reactor, and a thread of the executor, takes a task within
// `patience`: the event loops turn. Waits for that long at most, so not on a
// thread of theirs. Thread-safe.
bool LoopsAnswer(http::ReactorPool& reactors, http::Executor& executor,
                 absl::Duration patience);

}  // namespace gatehouse::worker

#endif  // GATEHOUSE_DATAPLANE_WORKER_HEARTBEAT_H_
