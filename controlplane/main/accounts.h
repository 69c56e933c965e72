#ifndef GATEHOUSE_CONTROLPLANE_MAIN_ACCOUNTS_H_
#define GATEHOUSE_CONTROLPLANE_MAIN_ACCOUNTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "admin/log.h"
#include "admin/metrics_page.h"
#include "controlplane/audit/record.h"
#include "shared/base/mutex.h"

namespace gatehouse {

// Counts and logs what the audit log recorded, once that is durable: what was
// decided, for which feature and why. The log lines are for people who look for
// trouble; what proves anything is the audit log.
//
// Thread-safe. Borrows the log.
class Accounts {
 public:
  explicit Accounts(const admin::Log& log) : log_(log) {}

  // `trace_id` is that of the call it belongs to, or empty.
  void OnRecord(const audit::Record& record, std::string_view trace_id);

  void AddTo(admin::MetricsPage& page) const;

 private:
  // Feature, verdict (`relay`, `refuse`, or how it ended) and reason: each of a
  // set that this code bounds.
  using Decided = std::tuple<std::string, std::string, std::string>;

  void Count(const audit::Record& record, std::string_view verdict);
  void LogInputRequest(admin::LogLevel level, std::string_view event,
                       const audit::Record& record,
                       std::string_view trace_id) const;
  void LogOther(const audit::Record& record, std::string_view trace_id) const;

  const admin::Log& log_;
  mutable Mutex mutex_;
  std::map<Decided, int64_t> decided_ ABSL_GUARDED_BY(mutex_);
  // Feature and terminal state.
  using Ended = std::pair<std::string, InputRequestState>;
  std::map<Ended, int64_t> ended_ ABSL_GUARDED_BY(mutex_);
  // Of records that are no decision on an input request, by their type.
  std::map<audit::RecordType, int64_t> others_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gatehouse

#endif  // GATEHOUSE_CONTROLPLANE_MAIN_ACCOUNTS_H_
