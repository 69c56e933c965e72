#ifndef GATEHOUSE_DATAPLANE_WORKER_ACCOUNTS_H_
#define GATEHOUSE_DATAPLANE_WORKER_ACCOUNTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "admin/log.h"
#include "admin/metrics_page.h"
#include "dataplane/relay/observer.h"
#include "shared/base/counters.h"
#include "shared/reasons/reasons.h"

namespace gatehouse::worker {

// Counts how calls and input requests end, and logs those that did not end
// well, with their trace. Never content, nor what a client or an upstream
// chose, but for the names of tools in the log.
//
// Thread-safe; a call that goes well costs one atomic addition. Borrows the
// log.
class Accounts final : public relay::Observer {
 public:
  explicit Accounts(const admin::Log& log) : log_(log) {}

  void OnOperationEnded(const relay::CallName& call, relay::OperationEnd end,
                        const Failure* failure) override;
  void OnCallRefused(const relay::CallName& call, Reason reason) override;
  void OnInputRequestEnded(const relay::CallName& call, std::string_view method,
                           std::string_view input_request,
                           const relay::UpstreamReply* reply,
                           absl::Duration took) override;
  void OnSessionOpened(std::string_view virtual_server,
                       std::string_view revision) override;
  void OnSessionEnded(std::string_view virtual_server) override;

  void AddTo(admin::MetricsPage& page) const;

 private:
  static constexpr size_t kEnds = 6;      // of OperationEnd
  static constexpr size_t kFeatures = 4;  // sampling, elicitation, roots, other
  // By the reason's place in its table; then those that are none.
  static constexpr size_t kMaxReasons = 40;
  static constexpr size_t kDelivered = kMaxReasons;
  static constexpr size_t kWithdrawn = kMaxReasons + 1;

  void LogFailure(const relay::CallName& call, Reason reason) const;

  const admin::Log& log_;
  std::array<Counter, kEnds> operations_;
  std::array<Counter, kMaxReasons> failures_;
  std::array<std::array<Counter, kMaxReasons + 2>, kFeatures> input_requests_;
  Histogram input_request_seconds_;
  Counter sessions_opened_;
  Counter sessions_ended_;
};

}  // namespace gatehouse::worker

#endif  // GATEHOUSE_DATAPLANE_WORKER_ACCOUNTS_H_
