// What the worker shows at `/metrics`.

#include <string>

#include "admin/process_stats.h"
#include "dataplane/worker/worker.h"

namespace gatehouse::worker {

admin::Answer Worker::Metrics() {
  admin::MetricsPage page;
  page.Gauge("gatehouse_build_info", "1; the version is the label", 1,
             {{"program", "gatehouse-worker"}, {"version", GATEHOUSE_VERSION}});
  AddServing(page);
  AddFront(page);
  accounts_.AddTo(page);
  upstream_health_.AddTo(page, snapshots_);
  admin::AddProcessStats(page);
  admin::Answer answer;
  answer.content_type = std::string(admin::kMetricsType);
  answer.body = page.Text();
  return answer;
}

void Worker::AddServing(admin::MetricsPage& page) const {
  for (size_t kind = 0; kind < downstream::kRequestKinds; ++kind) {
    for (size_t outcome = 0; outcome < downstream::kRequestOutcomes;
         ++outcome) {
      const auto of_kind = static_cast<downstream::RequestKind>(kind);
      const auto of_outcome = static_cast<downstream::RequestOutcome>(outcome);
      page.Counter(
          "gatehouse_worker_requests_total",
          "HTTP requests of clients by MCP method and how they ended",
          static_cast<double>(requests_.count(of_kind, of_outcome)),
          {{"method", std::string(downstream::ToString(of_kind))},
           {"outcome", std::string(downstream::ToString(of_outcome))}});
    }
  }
  page.Histogram("gatehouse_worker_call_seconds",
                 "tools/call from the request to the end of its answer",
                 requests_.call_seconds());
  page.Gauge("gatehouse_worker_requests_in_flight",
             "requests of clients without their answer yet",
             static_cast<double>(requests_.in_flight()));
  const relay::Operations::Counts counts = operations_->counts();
  page.Gauge("gatehouse_worker_operations", "operations now", counts.running,
             {{"state", "running"}});
  page.Gauge("gatehouse_worker_operations", "operations now", counts.waiting,
             {{"state", "waiting"}});
  page.Gauge("gatehouse_worker_sessions",
             "sessions of clients that this worker has served lately",
             static_cast<double>(front_->sessions()));
  page.Gauge("gatehouse_worker_attached",
             "1 while the stream to the control plane is open",
             control_->attached() ? 1 : 0);
  page.Gauge("gatehouse_worker_policy_lease_seconds",
             "how long plain calls may go on without the control plane",
             absl::ToDoubleSeconds(snapshots_.lease_left()));
  for (const std::string& name : snapshots_.Names()) {
    const auto snapshot = snapshots_.Find(name);
    if (snapshot == nullptr) continue;
    page.Gauge("gatehouse_worker_upstreams_elsewhere",
               "upstreams of the virtual server that only other clusters serve",
               static_cast<double>(snapshot->elsewhere.size()),
               {{"virtual_server", name}});
  }
  page.Gauge("gatehouse_worker_draining", "1 after SIGTERM", draining_ ? 1 : 0);
}

void Worker::AddFront(admin::MetricsPage& page) const {
  const http::Server::Stats stats = server_->stats();
  const auto gauge = [&](const char* name, const char* help, int64_t value) {
    page.Gauge(name, help, static_cast<double>(value));
  };
  const auto counter = [&](const char* name, const char* help, int64_t value) {
    page.Counter(name, help, static_cast<double>(value));
  };
  gauge("gatehouse_worker_http_connections", "open connections of clients",
        stats.connections);
  gauge("gatehouse_worker_http_streams", "open event streams", stats.streams);
  gauge("gatehouse_worker_http_body_bytes", "request bodies held now",
        stats.bodies_bytes);
  counter("gatehouse_worker_http_requests_total", "whole requests read",
          stats.requests);
  counter("gatehouse_worker_http_refused_total",
          "connections and requests that the front refused by their form",
          stats.refused);
  counter("gatehouse_worker_http_handshakes_failed_total",
          "TLS handshakes that failed", stats.handshakes_failed);
  counter("gatehouse_worker_http_streams_lost_slow_total",
          "streams lost because their client read too slowly",
          stats.streams_lost_slow);
  counter("gatehouse_worker_http_unanswered_total",
          "requests let go without an answer: each is a bug of ours",
          stats.unanswered);
}

}  // namespace gatehouse::worker
