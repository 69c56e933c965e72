#ifndef GATEHOUSE_DATAPLANE_WORKER_WORKER_H_
#define GATEHOUSE_DATAPLANE_WORKER_WORKER_H_

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "admin/log.h"
#include "admin/metrics_page.h"
#include "admin/port.h"
#include "admin/signals.h"
#include "dataplane/control/grpc_control_client.h"
#include "dataplane/downstream/legacy_front.h"
#include "dataplane/downstream/request_stats.h"
#include "dataplane/http/client.h"
#include "dataplane/http/executor.h"
#include "dataplane/http/reactor.h"
#include "dataplane/http/server.h"
#include "dataplane/relay/operations.h"
#include "dataplane/relay/snapshots.h"
#include "dataplane/relay/strays.h"
#include "dataplane/upstream/upstreams.h"
#include "dataplane/worker/accounts.h"
#include "dataplane/worker/options.h"
#include "dataplane/worker/scheduling.h"
#include "dataplane/worker/upstream_health.h"
#include "shared/base/clock.h"
#include "shared/base/random.h"

namespace gatehouse::worker {

// The rooms of the data plane, joined: built in the order in which each needs
// the earlier ones, taken down the other way.
//
// For the main thread, which makes it, starts it and stops it, once each.
// Borrows the signals, which outlive it.
class Worker {
 public:
  Worker(Settings settings, admin::Signals& signals);

  // Errors say which option cannot be had.
  absl::Status Start();
  // Reads the files of TLS again; a bad pair changes nothing.
  void Reload() const;
  // Not ready any more: new sessions and calls get 503, event streams without a
  // call end. Waits until no request is in flight, the drain deadline is over,
  // or another SIGTERM or SIGINT comes.
  void Drain();
  // Ends what is left, says so to clients and control plane, stops all threads.
  void Stop();

 private:
  absl::Status ConnectControl();
  absl::Status BuildServing();
  absl::Status OpenAdmin();
  // Waits until no request is in flight, at most so long, and not beyond
  // another SIGTERM or SIGINT; says which it was.
  std::string_view AwaitRequests(absl::Duration patience);
  admin::Answer Health();
  admin::Answer Readiness() const;
  admin::Answer Metrics();
  void AddServing(admin::MetricsPage& page) const;
  void AddFront(admin::MetricsPage& page) const;
  void PrintReady() const;
  void OnControlEvent(std::string_view event, std::string_view detail);
  void LogUpstream(upstream::LogKind kind, std::string_view virtual_server,
                   std::string_view upstream, std::string_view line) const;
  std::string listen() const;

  const Settings settings_;
  admin::Signals& signals_;
  SystemClock clock_;
  SystemRandom random_;
  const admin::Log log_;
  Accounts accounts_;
  UpstreamHealth upstream_health_;
  downstream::RequestStats requests_;
  relay::Snapshots snapshots_;
  http::ReactorPool reactors_;
  http::Executor executor_;
  ReactorTimers timers_;
  std::unique_ptr<http::Client> client_;
  std::unique_ptr<control::GrpcControlClient> control_;
  std::unique_ptr<relay::Strays> strays_;
  std::unique_ptr<relay::Upstreams> upstreams_;
  std::unique_ptr<relay::Operations> operations_;
  std::unique_ptr<downstream::LegacyFront> front_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<admin::Port> admin_;
  std::atomic<bool> ready_{false};
  std::atomic<bool> draining_{false};
};

}  // namespace gatehouse::worker

#endif  // GATEHOUSE_DATAPLANE_WORKER_WORKER_H_
