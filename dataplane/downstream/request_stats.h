#ifndef GATEHOUSE_DATAPLANE_DOWNSTREAM_REQUEST_STATS_H_
#define GATEHOUSE_DATAPLANE_DOWNSTREAM_REQUEST_STATS_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "dataplane/downstream/classify.h"
#include "dataplane/http/server.h"
#include "shared/base/clock.h"
#include "shared/base/counters.h"
#include "shared/base/mutex.h"

namespace gatehouse::downstream {

// What a client's HTTP request is counted as: its MCP method if that is one of
// a few, else what it is. A set that no client can enlarge.
enum class RequestKind {
  kInitialize,
  kToolsCall,
  kToolsList,
  kPing,
  kOtherRequest,
  kNotification,
  kResponse,
  kOpenStream,  // GET
  kEndSession,  // DELETE
  kUnread,      // refused at the door
};
inline constexpr size_t kRequestKinds = 10;
std::string_view ToString(RequestKind kind);
RequestKind KindOf(const Classified& what);

// How it ended.
enum class RequestOutcome {
  kOk,          // a result, or taken
  kError,       // a JSON-RPC error in a 200 or a stream
  kRefused,     // an HTTP status of 400 or more
  kUnanswered,  // no response: cancelled, or its client was gone
};
inline constexpr size_t kRequestOutcomes = 4;
std::string_view ToString(RequestOutcome outcome);

// The requests of a worker: how many of each kind ended how, how long calls
// took, and how many are in flight.
//
// Thread-safe; atomics only on the path of a call. Borrows the clock.
class RequestStats {
 public:
  explicit RequestStats(const Clock& clock) : clock_(clock) {}

  // Counts a request that is answered at once.
  void Count(RequestKind kind, RequestOutcome outcome) {
    of(kind, outcome).Add();
  }
  // The exchange of a request: counted when it is answered, and in flight until
  // then unless it is a GET's.
  std::shared_ptr<http::Exchange> Watch(
      std::shared_ptr<http::Exchange> exchange, RequestKind kind);

  int64_t count(RequestKind kind, RequestOutcome outcome) const {
    return counts_[static_cast<size_t>(kind)][static_cast<size_t>(outcome)]
        .value();
  }
  // Of tools/call, from the request to the end of its answer.
  const Histogram& call_seconds() const { return call_seconds_; }
  int64_t in_flight() const { return in_flight_.load(); }

  // From now on called whenever nothing is in flight any more, on the thread
  // that ended the last one; must be quick. Empty: no longer, once this has
  // returned.
  void OnNoneInFlight(std::function<void()> callback);

 private:
  class Watched;

  Counter& of(RequestKind kind, RequestOutcome outcome) {
    return counts_[static_cast<size_t>(kind)][static_cast<size_t>(outcome)];
  }
  void Begin() { in_flight_.fetch_add(1); }
  void End();

  const Clock& clock_;
  std::array<std::array<Counter, kRequestOutcomes>, kRequestKinds> counts_;
  Histogram call_seconds_;
  std::atomic<int64_t> in_flight_{0};
  std::atomic<bool> is_awaited_{false};  // somebody is to be told
  Mutex mutex_;
  std::function<void()> none_in_flight_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gatehouse::downstream

#endif  // GATEHOUSE_DATAPLANE_DOWNSTREAM_REQUEST_STATS_H_
