// gatehouse-worker: joins the rooms of the data plane and runs until a signal.

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dataplane/control/grpc_control_client.h"
#include "dataplane/downstream/legacy_front.h"
#include "dataplane/http/client.h"
#include "dataplane/http/executor.h"
#include "dataplane/http/reactor.h"
#include "dataplane/http/server.h"
#include "dataplane/relay/operations.h"
#include "dataplane/relay/snapshots.h"
#include "dataplane/upstream/upstreams.h"
#include "dataplane/worker/log.h"
#include "dataplane/worker/options.h"
#include "dataplane/worker/scheduling.h"
#include "shared/base/clock.h"
#include "shared/base/fault.h"
#include "shared/base/random.h"
#include "shared/base/status.h"
#include "shared/json/json.h"

namespace gatehouse::worker {
namespace {

// Of the 5 s that a stop may take: for what the control plane is to be told,
// and for callbacks under way.
constexpr absl::Duration kFlushPatience = absl::Seconds(2);
constexpr absl::Duration kStopPatience = absl::Seconds(1);

// SIGTERM, SIGINT and SIGHUP come to the main thread only, which waits for
// them.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return signals;
}

int Cores() {
  const unsigned cores = std::thread::hardware_concurrency();
  return cores == 0 ? 2 : static_cast<int>(cores);
}

void SayRights(const Log& log) {
  if (geteuid() == 0) {
    log.Line("info", "stdio_rights",
             {{"detail",
               "this worker is root: a stdio upstream runs as the user of its "
               "runAs; one without runAs is refused"}});
  } else {
    log.Line("warning", "stdio_rights",
             {{"detail",
               "this worker is not root: stdio upstreams run as its own user "
               "and share its rights; runAs is refused"}});
  }
}

void PrintReady(const std::string& listen) {
  json::Writer ready;
  ready.StartObject().Name("event").String("ready");
  ready.Name("listen").String(listen).EndObject();
  std::printf("%s\n", ready.Take().c_str());
  std::fflush(stdout);
}

// The rooms, in the order in which each needs the earlier ones.
class Worker {
 public:
  explicit Worker(Settings settings)
      : settings_(std::move(settings)),
        log_(clock_),
        snapshots_(clock_),
        reactors_(Cores()),
        executor_(2 * Cores()),
        timers_(reactors_.first()) {}

  absl::Status Start();
  // Reads the files of TLS again; a bad pair changes nothing.
  void Reload() const;
  void Stop();

 private:
  absl::Status ConnectControl();
  absl::Status BuildServing();
  void OnControlEvent(std::string_view event, std::string_view detail);
  void LogUpstream(upstream::LogKind kind, std::string_view virtual_server,
                   std::string_view upstream, std::string_view line) const;
  std::string listen() const {
    const bool v6 = settings_.host.find(':') != std::string::npos;
    return absl::StrCat(v6 ? "[" : "", settings_.host, v6 ? "]" : "", ":",
                        server_->port());
  }

  Settings settings_;
  SystemClock clock_;
  SystemRandom random_;
  const Log log_;
  relay::Snapshots snapshots_;
  http::ReactorPool reactors_;
  http::Executor executor_;
  ReactorTimers timers_;
  std::unique_ptr<http::Client> client_;
  std::unique_ptr<control::GrpcControlClient> control_;
  std::unique_ptr<relay::StrayRefuser> strays_;
  std::unique_ptr<relay::Upstreams> upstreams_;
  std::unique_ptr<relay::Operations> operations_;
  std::unique_ptr<downstream::LegacyFront> front_;
  std::unique_ptr<http::Server> server_;
  std::atomic<bool> ready_{false};
};

absl::Status Worker::Start() {
  SayRights(log_);
  GATEHOUSE_RETURN_IF_ERROR(reactors_.Start());
  client_ = http::Client::Create(reactors_);
  GATEHOUSE_RETURN_IF_ERROR(ConnectControl());
  GATEHOUSE_RETURN_IF_ERROR(BuildServing());
  GATEHOUSE_RETURN_IF_ERROR(server_->Start());
  front_->Start();
  log_.Line("info", "listening",
            {{"listen", listen()},
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
  strays_ = std::make_unique<relay::StrayRefuser>(*control_, timers_);
  upstream::UpstreamsOptions options;
  options.version = GATEHOUSE_VERSION;
  options.log = [this](upstream::LogKind kind, std::string_view virtual_server,
                       std::string_view upstream, std::string_view line) {
    LogUpstream(kind, virtual_server, upstream, line);
  };
  options.tools_changed = [this](const std::string& session) {
    front_->OnToolsChanged(session);
  };
  upstreams_ = upstream::MakeUpstreams(std::move(options), reactors_.first(),
                                       executor_, *client_, *strays_, clock_);
  operations_ = std::make_unique<relay::Operations>(
      *upstreams_, *control_, timers_, clock_,
      [this] { return std::make_shared<PooledQueue>(executor_); });
  front_ = std::make_unique<downstream::LegacyFront>(
      GATEHOUSE_VERSION,
      downstream::OriginCheck(settings_.host, settings_.allow_hosts,
                              settings_.allow_origins),
      settings_.identities,
      downstream::LegacyFront::Neighbours{snapshots_, *control_, *operations_,
                                          *upstreams_, timers_, random_},
      settings_.tls != nullptr);
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
  log_.Line(event == "attached" ? "info" : "warning", event,
            {{"detail", detail}});
  // Attached means that the snapshots are here; it listens since before that.
  if (event == "attached" && !ready_.exchange(true)) PrintReady(listen());
}

void Worker::LogUpstream(upstream::LogKind kind,
                         std::string_view virtual_server,
                         std::string_view upstream,
                         std::string_view line) const {
  log_.Line(kind == upstream::LogKind::kStderr ? "info" : "warning",
            kind == upstream::LogKind::kStderr ? "upstream_stderr" : "upstream",
            {{"virtualServer", virtual_server},
             {"upstream", upstream},
             {"line", line}});
}

void Worker::Reload() const {
  if (settings_.tls == nullptr) {
    return log_.Line("info", "reloaded",
                     {{"detail", "nothing to read again: TLS is off"}});
  }
  if (const absl::Status status = settings_.tls->Reload(); !status.ok()) {
    return log_.Line("error", "reload_failed",
                     {{"detail", ToStd(status.message())},
                      {"kept", "the certificate read before"}});
  }
  log_.Line("info", "reloaded",
            {{"detail", "new connections are shown the new certificate"}});
}

void Worker::Stop() {
  log_.Line("info", "draining", {});
  front_->Drain();
  operations_->EndAll(relay::OperationEnd::kWorkerShutdown);
  // What ends is told to the clients and to the control plane.
  operations_->AwaitNone(kStopPatience);
  server_->Drain();
  control_->Flush(kFlushPatience);
  server_->Stop();
  control_->Shutdown(kStopPatience);
  upstreams_->Shutdown();
  reactors_.Stop();
  executor_.Stop();
  log_.Line("info", "stopped", {});
}

int Run(int argc, char** argv) {
  const CommandLine line = ParseCommandLine(argc, argv);
  if (line.exit_code.has_value()) return *line.exit_code;
  const sigset_t signals = BlockSignals();
  SystemRandom random;
  absl::StatusOr<Settings> settings = Resolve(line.options, random);
  absl::Status status = settings.status();
  std::unique_ptr<Worker> worker;
  if (status.ok()) {
    worker = std::make_unique<Worker>(*std::move(settings));
    status = worker->Start();
  }
  if (!status.ok()) {
    std::fprintf(stderr, "gatehouse-worker: %s\n",
                 std::string(status.message()).c_str());
    return 2;
  }
  FaultPoint("worker_started");
  int signal_number = 0;
  while (sigwait(&signals, &signal_number) == 0 && signal_number == SIGHUP) {
    worker->Reload();
  }
  worker->Stop();
  return 0;
}

}  // namespace
}  // namespace gatehouse::worker

int main(int argc, char** argv) { return gatehouse::worker::Run(argc, argv); }
