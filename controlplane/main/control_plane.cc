#include "controlplane/main/control_plane.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <future>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "controlplane/main/policy_files.h"
#include "controlplane/store/sqlite/sqlite_store.h"
#include "shared/base/status.h"
#include "shared/json/json.h"

namespace gatehouse {
namespace {

constexpr absl::Duration kShutdownGrace = absl::Seconds(3);
constexpr unsigned kShutdownLimitSeconds = 15;
// The sweeper turns and sweeps five times a second.
constexpr absl::Duration kLongestTurn = absl::Seconds(5);
constexpr absl::Duration kLongestSweep = absl::Seconds(3);

absl::Status Boot(broker::Broker& broker) {
  std::promise<absl::Status> promise;
  broker.Boot([&promise](const absl::StatusOr<bool>& booted) {
    promise.set_value(booted.status());
  });
  return promise.get_future().get();
}

}  // namespace

ControlPlane::ControlPlane(Options options, admin::LogLevel log_level)
    : options_(std::move(options)), log_(clock_, log_level), accounts_(log_) {}

absl::Status ControlPlane::Start() {
  GATEHOUSE_ASSIGN_OR_RETURN(DataDir data,
                             DataDir::Open(options_.data_dir, random_));
  data_ = std::make_unique<const DataDir>(std::move(data));
  GATEHOUSE_RETURN_IF_ERROR(OpenStore());
  broker_ = std::make_unique<broker::Broker>(*store_, random_, data_->keys());
  broker_->SetObserver(
      [this](const audit::Record& record, std::string_view trace_id) {
        accounts_.OnRecord(record, trace_id);
      });
  GATEHOUSE_RETURN_IF_ERROR(Annotate(Boot(*broker_), "the audit log"));
  if (!options_.policy.empty()) {
    GATEHOUSE_RETURN_IF_ERROR(
        ApplyPolicyFiles(options_.policy, *store_, *broker_));
  }
  rpc::ServerOptions server;
  server.listen = options_.listen;
  server.socket =
      options_.socket.empty() ? data_->SocketPath() : options_.socket;
  socket_ = server.socket;
  GATEHOUSE_ASSIGN_OR_RETURN(
      server_, rpc::Server::Start(server, data_->tokens(), *broker_, *store_));
  sweeper_ = std::make_unique<broker::Sweeper>(*broker_);
  GATEHOUSE_RETURN_IF_ERROR(OpenAdmin());
  log_.Info("ready", {{"listen", server_->listen()},
                      {"socket", socket_},
                      {"admin", admin_ == nullptr ? "off" : admin_->address()},
                      {"version", GATEHOUSE_VERSION}});
  PrintReady();
  return absl::OkStatus();
}

absl::Status ControlPlane::OpenStore() {
  SqliteOptions options;
  options.path = data_->DatabasePath();
  options.stats = &store_stats_;
  options.on_fatal = [this](std::string_view what) {
    // Nobody knows any more what is durable: a new process reads it back.
    log_.Error("store_failed", {{"what", what}});
    abort();
  };
  GATEHOUSE_ASSIGN_OR_RETURN(store_,
                             OpenSqliteStore(std::move(options), clock_));
  return absl::OkStatus();
}

void ControlPlane::PrintReady() const {
  json::Writer ready;
  ready.StartObject().Name("event").String("ready");
  ready.Name("listen").String(server_->listen());
  ready.Name("socket").String(socket_);
  if (admin_ != nullptr) ready.Name("admin").String(admin_->address());
  std::puts(ready.EndObject().Take().c_str());
  std::fflush(stdout);
}

void ControlPlane::Reload() {
  if (options_.policy.empty()) return;
  const absl::Status applied =
      ApplyPolicyFiles(options_.policy, *store_, *broker_);
  log_.Line(applied.ok() ? admin::LogLevel::kInfo : admin::LogLevel::kError,
            "policy_reload", {{"status", applied.ToString()}});
}

void ControlPlane::Stop(int signal) {
  stopping_ = true;
  log_.Info("stopping", {{"signal", std::to_string(signal)}});
  // What follows waits for calls and Works under way. Should the disk hang, the
  // kernel ends the process: what was acknowledged is durable already.
  alarm(kShutdownLimitSeconds);
  server_->Shutdown(kShutdownGrace);
  admin_.reset();
  sweeper_.reset();
}

// ---- The admin port.

absl::Status ControlPlane::OpenAdmin() {
  if (options_.admin_address.empty()) return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<admin::Port>> port =
      admin::Port::Open(options_.admin_address,
                        {{"/healthz", [this] { return Health(); }},
                         {"/readyz", [this] { return Readiness(); }},
                         {"/metrics", [this] { return Metrics(); }}},
                        clock_);
  if (!port.ok()) return Annotate(port.status(), "--admin");
  admin_ = *std::move(port);
  return absl::OkStatus();
}

admin::Answer ControlPlane::Health() {
  if (sweeper_->pulse().since_turn < kLongestTurn) {
    return admin::Says(200, "ok");
  }
  return admin::Says(503, "the thread that ends what is due stands still");
}

admin::Answer ControlPlane::Readiness() {
  if (stopping_) {
    return admin::Says(503, "stopping: this control plane was told to stop");
  }
  const absl::Duration since = sweeper_->pulse().since_sweep;
  if (since < kLongestSweep) return admin::Says(200, "ready");
  return admin::Says(503,
                     absl::StrCat("the store has not carried anything out for ",
                                  absl::FormatDuration(since)));
}

}  // namespace gatehouse
