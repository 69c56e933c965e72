#include "dataplane/worker/worker.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dataplane/worker/heartbeat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"

namespace gatehouse::worker {
namespace {

// Of the 5 s that a stop may take: for what the control plane is to be told,
// and for callbacks under way.
constexpr absl::Duration kFlushPatience = absl::Seconds(2);
constexpr absl::Duration kStopPatience = absl::Seconds(1);
// For every loop to take a task.
constexpr absl::Duration kLoopPatience = absl::Seconds(1);

int Cores() {
  const unsigned cores = std::thread::hardware_concurrency();
  return cores == 0 ? 2 : static_cast<int>(cores);
}

void SayRights(const admin::Log& log) {
  if (geteuid() == 0) {
    log.Info("stdio_rights",
             {{"detail",
               "this worker is root: a stdio upstream runs as the user of its "
               "runAs; one without runAs is refused"}});
  } else {
    log.Warning("stdio_rights",
                {{"detail",
                  "this worker is not root: stdio upstreams run as its own "
                  "user and share its rights; runAs is refused"}});
  }
}

}  // namespace

Worker::Worker(Settings settings, admin::Signals& signals)
    : settings_(std::move(settings)),
      signals_(signals),
      log_(clock_, settings_.log_level),
      accounts_(log_),
      requests_(clock_),
      snapshots_(clock_),
      reactors_(Cores()),
      executor_(2 * Cores()),
      timers_(reactors_.first()) {}

std::string Worker::listen() const {
  const bool v6 = settings_.host.find(':') != std::string::npos;
  return absl::StrCat(v6 ? "[" : "", settings_.host, v6 ? "]" : "", ":",
                      server_->port());
}

void Worker::PrintReady() const {
  json::Writer ready;
  ready.StartObject().Name("event").String("ready");
  ready.Name("listen").String(listen());
  if (admin_ != nullptr) ready.Name("admin").String(admin_->address());
  std::printf("%s\n", ready.EndObject().Take().c_str());
  std::fflush(stdout);
}

absl::Status Worker::Start() {
  SayRights(log_);
  GATEHOUSE_RETURN_IF_ERROR(reactors_.Start());
  client_ = http::Client::Create(reactors_);
  GATEHOUSE_RETURN_IF_ERROR(ConnectControl());
  GATEHOUSE_RETURN_IF_ERROR(BuildServing());
  GATEHOUSE_RETURN_IF_ERROR(server_->Start());
  front_->Start();
  GATEHOUSE_RETURN_IF_ERROR(OpenAdmin());
  log_.Info("listening",
            {{"listen", listen()},
             {"admin", admin_ == nullptr ? "off" : admin_->address()},
             {"worker", settings_.name},
             {"version", GATEHOUSE_VERSION},
             {"tls", settings_.tls == nullptr ? "off" : "on"},
             {"clients", settings_.identities.anonymous() ? "anonymous"
                                                          : "bearer tokens"}});
  control_->Attach(listen(), *front_);
  return absl::OkStatus();
}

absl::Status Worker::ConnectControl() {
  control::ControlClientOptions options;
  options.address = settings_.control;
  options.token = settings_.token;
  options.worker = settings_.name;
  options.cluster = settings_.cluster;
  options.version = GATEHOUSE_VERSION;
  options.operations = [this] {
    const relay::Operations::Counts counts = operations_->counts();
    return counts.running + counts.waiting;
  };
  options.log = [this](std::string_view event, std::string_view detail) {
    OnControlEvent(event, detail);
  };
  GATEHOUSE_ASSIGN_OR_RETURN(
      control_, control::GrpcControlClient::Create(
                    std::move(options), snapshots_, timers_, clock_, random_));
  return absl::OkStatus();
}

absl::Status Worker::BuildServing() {
  strays_ = std::make_unique<relay::Strays>(*control_, timers_, random_);
  upstream::UpstreamsOptions options;
  options.version = GATEHOUSE_VERSION;
  options.log = [this](upstream::LogKind kind, std::string_view virtual_server,
                       std::string_view upstream, std::string_view line) {
    LogUpstream(kind, virtual_server, upstream, line);
  };
  options.tools_changed = [this](const std::string& session) {
    front_->OnToolsChanged(session);
  };
  options.observer = &upstream_health_;
  upstreams_ = upstream::MakeUpstreams(std::move(options), reactors_.first(),
                                       executor_, *client_, *strays_, clock_);
  operations_ = std::make_unique<relay::Operations>(
      *upstreams_, *control_, timers_, clock_,
      [this] { return std::make_shared<PooledQueue>(executor_); }, accounts_);
  front_ = std::make_unique<downstream::LegacyFront>(
      GATEHOUSE_VERSION,
      downstream::OriginCheck(settings_.host, settings_.allow_hosts,
                              settings_.allow_origins),
      settings_.identities,
      downstream::LegacyFront::Neighbours{snapshots_, *control_, *operations_,
                                          *upstreams_, timers_, random_,
                                          requests_, accounts_},
      settings_.tls != nullptr);
  operations_->SetClientSessions(*front_);
  strays_->SetOperations(*operations_);
  snapshots_.Observe([this](const std::string& virtual_server) {
    front_->OnPolicyChanged(virtual_server);
  });
  http::ServerOptions server;
  server.host = settings_.host;
  server.port = settings_.port;
  server.tls = settings_.tls;
  server.stream_keepalive = settings_.stream_keepalive;
  GATEHOUSE_ASSIGN_OR_RETURN(server_,
                             http::Server::Create(
                                 server,
                                 [this](std::shared_ptr<http::Exchange> e) {
                                   front_->Handle(std::move(e));
                                 },
                                 reactors_, executor_));
  return absl::OkStatus();
}

void Worker::OnControlEvent(std::string_view event, std::string_view detail) {
  log_.Line(
      event == "attached" ? admin::LogLevel::kInfo : admin::LogLevel::kWarning,
      event, {{"detail", detail}});
  // Attached means that the snapshots are here; it listens since before that.
  if (event == "attached" && !ready_.exchange(true)) PrintReady();
}

void Worker::LogUpstream(upstream::LogKind kind,
                         std::string_view virtual_server,
                         std::string_view upstream,
                         std::string_view line) const {
  log_.Line(kind == upstream::LogKind::kStderr ? admin::LogLevel::kInfo
                                               : admin::LogLevel::kWarning,
            kind == upstream::LogKind::kStderr ? "upstream_stderr" : "upstream",
            {{"virtualServer", virtual_server},
             {"upstream", upstream},
             {"line", line}});
}

void Worker::Reload() const {
  if (settings_.tls == nullptr) {
    return log_.Info("reloaded",
                     {{"detail", "nothing to read again: TLS is off"}});
  }
  if (const absl::Status status = settings_.tls->Reload(); !status.ok()) {
    return log_.Error("reload_failed",
                      {{"detail", ToStd(status.message())},
                       {"kept", "the certificate read before"}});
  }
  log_.Info("reloaded",
            {{"detail", "new connections are shown the new certificate"}});
}

void Worker::Drain() {
  draining_ = true;
  front_->Drain();
  log_.Info("draining",
            {{"deadline", absl::FormatDuration(settings_.drain_deadline)},
             {"inFlight", std::to_string(requests_.in_flight())}});
  const std::string_view end = AwaitRequests(settings_.drain_deadline);
  log_.Info("drained", {{"because", end},
                        {"inFlight", std::to_string(requests_.in_flight())}});
}

std::string_view Worker::AwaitRequests(absl::Duration patience) {
  requests_.OnNoneInFlight([this] { signals_.Wake(); });
  const absl::Duration until = clock_.Steady() + patience;
  std::string_view end = "nothing is in flight";
  while (requests_.in_flight() > 0) {
    const absl::Duration left = until - clock_.Steady();
    if (left <= absl::ZeroDuration()) {
      end = "the deadline is over";
      break;
    }
    const std::optional<int> signal = signals_.Await(left);
    if (signal == SIGTERM || signal == SIGINT) {
      end = "told to end at once";
      break;
    }
  }
  requests_.OnNoneInFlight(nullptr);
  return end;
}

void Worker::Stop() {
  operations_->EndAll(relay::OperationEnd::kWorkerShutdown);
  // What ends is told to the clients and to the control plane.
  operations_->AwaitNone(kStopPatience);
  // An operation is gone before its client has the answer.
  AwaitRequests(kStopPatience);
  server_->Drain();
  control_->Flush(kFlushPatience);
  server_->Stop();
  control_->Shutdown(kStopPatience);
  upstreams_->Shutdown();
  admin_.reset();
  reactors_.Stop();
  executor_.Stop();
  log_.Info("stopped", {});
}

// ---- The admin port.

absl::Status Worker::OpenAdmin() {
  if (settings_.admin_address.empty()) return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<admin::Port>> port =
      admin::Port::Open(settings_.admin_address,
                        {{"/healthz", [this] { return Health(); }},
                         {"/readyz", [this] { return Readiness(); }},
                         {"/metrics", [this] { return Metrics(); }}},
                        clock_);
  if (!port.ok()) return Annotate(port.status(), "--admin");
  admin_ = *std::move(port);
  return absl::OkStatus();
}

admin::Answer Worker::Health() {
  if (LoopsAnswer(reactors_, executor_, kLoopPatience)) {
    return admin::Says(200, "ok");
  }
  return admin::Says(503, "an event loop has not answered for " +
                              absl::FormatDuration(kLoopPatience));
}

admin::Answer Worker::Readiness() const {
  if (draining_)
    return admin::Says(503, "draining: this worker was told to stop");
  switch (snapshots_.trust()) {
    case relay::Snapshots::Trust::kNever:
      return admin::Says(503,
                         "not attached: the control plane has not been reached "
                         "since the start");
    case relay::Snapshots::Trust::kExpired:
      return admin::Says(503,
                         "the policy lease is over: the control plane has not "
                         "been heard from for too long");
    case relay::Snapshots::Trust::kHolds:
      break;
  }
  return admin::Says(200, "ready");
}

}  // namespace gatehouse::worker
