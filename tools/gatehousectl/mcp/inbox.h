#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_INBOX_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_INBOX_H_

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "shared/base/mutex.h"
#include "tools/gatehousectl/mcp/wake.h"
#include "tools/gatehousectl/mcp/worker_link.h"

namespace gatehouse::ctl {

// What came back during one exchange: a message, or its end.
struct Arrival {
  std::string message;
  std::optional<ExchangeEnd> end;
};

// Where the reactor's thread leaves what comes for the thread that waits.
// Thread-safe. Bound: beyond 16 MiB that wait notifications are dropped.
class Inbox {
 public:
  enum class Outcome { kArrival, kInterrupted, kTimedOut };

  void Put(Arrival arrival) ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits for the next one, until `at_most` has passed or SIGINT or SIGTERM
  // comes (which stays readable: all later waits end too).
  Outcome Take(absl::Duration at_most, Arrival* arrival)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether a person who is answering request `id` may stop: it was withdrawn,
  // its exchange ended, or a signal came.
  bool Withdrawn(std::string_view id) ABSL_LOCKS_EXCLUDED(mutex_);

  // One of them is readable when Withdrawn may have become true.
  std::array<int, 2> wake_fds() const { return {wake_.fd(), signals_.fd()}; }
  bool interrupted() const;

 private:
  const EndSignals signals_;
  const Wake wake_;

  Mutex mutex_;
  std::deque<Arrival> arrivals_ ABSL_GUARDED_BY(mutex_);
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_INBOX_H_
