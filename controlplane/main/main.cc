// gatehouse-control: the control plane.

#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <future>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "controlplane/broker/broker.h"
#include "controlplane/broker/sweeper.h"
#include "controlplane/main/data_dir.h"
#include "controlplane/main/log.h"
#include "controlplane/main/policy_files.h"
#include "controlplane/rpc/server.h"
#include "controlplane/store/sqlite/sqlite_store.h"
#include "shared/base/clock.h"
#include "shared/base/random.h"
#include "shared/base/status.h"
#include "shared/json/json.h"

namespace gatehouse {
namespace {

constexpr absl::Duration kShutdownGrace = absl::Seconds(3);
constexpr unsigned kShutdownLimitSeconds = 15;

struct Flags {
  std::string data_dir;
  std::string listen = "127.0.0.1:7700";
  std::string socket;
  std::string policy;
};

absl::Status Boot(broker::Broker& broker) {
  std::promise<absl::Status> promise;
  broker.Boot([&promise](const absl::StatusOr<bool>& booted) {
    promise.set_value(booted.status());
  });
  return promise.get_future().get();
}

void PrintReady(const std::string& listen, const std::string& socket) {
  json::Writer writer;
  writer.StartObject();
  writer.Name("event").String("ready");
  writer.Name("listen").String(listen);
  writer.Name("socket").String(socket);
  writer.EndObject();
  std::puts(writer.Take().c_str());
  std::fflush(stdout);
}

// Serves until SIGTERM or SIGINT; SIGHUP reads the policy files again.
void ServeUntilTold(const sigset_t& signals, const Flags& flags, Store& store,
                    broker::Broker& broker) {
  while (true) {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0) continue;
    if (signal != SIGHUP) {
      Log("info", "stopping", {{"signal", std::to_string(signal)}});
      return;
    }
    if (flags.policy.empty()) continue;
    const absl::Status applied = ApplyPolicyFiles(flags.policy, store, broker);
    Log(applied.ok() ? "info" : "error", "policy_reload",
        {{"status", applied.ToString()}});
  }
}

absl::Status Run(const Flags& flags, const sigset_t& signals) {
  SystemClock clock;
  SystemRandom random;
  GATEHOUSE_ASSIGN_OR_RETURN(const DataDir data,
                             DataDir::Open(flags.data_dir, random));
  SqliteOptions options;
  options.path = data.DatabasePath();
  options.on_fatal = [](std::string_view what) {
    // Nobody knows any more what is durable: a new process reads it back.
    Log("fatal", "store_failed", {{"what", std::string(what)}});
    abort();
  };
  GATEHOUSE_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store,
                             OpenSqliteStore(std::move(options), clock));
  broker::Broker broker(*store, random, data.keys());
  GATEHOUSE_RETURN_IF_ERROR(Annotate(Boot(broker), "the audit log"));
  if (!flags.policy.empty()) {
    GATEHOUSE_RETURN_IF_ERROR(ApplyPolicyFiles(flags.policy, *store, broker));
  }
  rpc::ServerOptions server_options;
  server_options.listen = flags.listen;
  server_options.socket =
      flags.socket.empty() ? data.SocketPath() : flags.socket;
  GATEHOUSE_ASSIGN_OR_RETURN(
      const std::unique_ptr<rpc::Server> server,
      rpc::Server::Start(server_options, data.tokens(), broker, *store));
  auto sweeper = std::make_unique<broker::Sweeper>(broker);
  Log("info", "ready",
      {{"listen", server->listen()}, {"socket", server_options.socket}});
  PrintReady(server->listen(), server_options.socket);

  ServeUntilTold(signals, flags, *store, broker);
  // What follows waits for calls and Works under way. Should the disk hang, the
  // kernel ends the process: what was acknowledged is durable already.
  alarm(kShutdownLimitSeconds);
  server->Shutdown(kShutdownGrace);
  sweeper.reset();
  return absl::OkStatus();
}

// Signals are taken by sigwait on the main thread; every thread inherits the
// mask, so this comes before the first of them.
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

}  // namespace
}  // namespace gatehouse

int main(int argc, char** argv) {
  gatehouse::Flags flags;
  CLI::App app{
      "The control plane of Gatehouse: it decides what an upstream MCP server "
      "may ask of a user, and keeps the log that proves it."};
  app.add_option("--data-dir", flags.data_dir,
                 "directory of the store, keys and tokens; made if missing")
      ->required()
      ->envname("GATEHOUSE_CONTROL_DATA_DIR");
  app.add_option("--listen", flags.listen,
                 "gRPC address on loopback; port 0 takes any free one")
      ->envname("GATEHOUSE_CONTROL_LISTEN")
      ->capture_default_str();
  app.add_option("--socket", flags.socket,
                 "gRPC Unix socket; the data directory's control.sock if not "
                 "given")
      ->envname("GATEHOUSE_CONTROL_SOCKET");
  app.add_option(
         "--policy", flags.policy,
         "policy document, or a directory of them; applied at start and "
         "on SIGHUP if it changed")
      ->envname("GATEHOUSE_CONTROL_POLICY");
  app.set_version_flag("--version",
                       std::string("gatehouse-control ") + GATEHOUSE_VERSION);
  app.footer(
      "Example:\n  gatehouse-control --data-dir ./data --policy dev.yaml\n"
      "Tokens for each role are in DATA-DIR/tokens. SIGTERM ends it.");
  CLI11_PARSE(app, argc, argv);

  const sigset_t signals = gatehouse::BlockSignals();
  const absl::Status status = gatehouse::Run(flags, signals);
  if (status.ok()) return 0;
  std::fprintf(stderr, "gatehouse-control: %s\n",
               std::string(gatehouse::ToStd(status.message())).c_str());
  return 1;
}
