#include "controlplane/main/options.h"

#include "absl/strings/str_cat.h"
#include "admin/loopback.h"
#include "shared/base/status.h"

namespace gatehouse {

admin::OptionTable TableOf(Options& options) {
  admin::OptionTable table(
      {"gatehouse-control", GATEHOUSE_VERSION, "GATEHOUSE_CONTROL_",
       "The control plane of Gatehouse: it decides what an upstream MCP server "
       "may ask of a user, and keeps the log that proves it.",
       "Example:\n  gatehouse-control --data-dir ./data --policy dev.yaml\n"
       "Tokens for each role are in DATA-DIR/tokens. SIGTERM ends it, SIGHUP "
       "reads the policy again."});
  table.Text("data-dir", "DIR",
             "directory of the store, keys and tokens; made if missing; needed",
             &options.data_dir);
  table.Text("listen", "HOST:PORT",
             "gRPC address on loopback; port 0 takes any", &options.listen);
  table.Text("socket", "PATH",
             "gRPC Unix socket; if not given, DIR/control.sock",
             &options.socket);
  table.Text("policy", "FILE|DIR",
             "policy document, or a directory of them; applied at start and "
             "on SIGHUP if it changed",
             &options.policy);
  table.Text("admin", "HOST:PORT",
             "where /healthz, /readyz and /metrics are served, on loopback; "
             "port 0 takes any; if not given, nowhere",
             &options.admin_address);
  table.Choice("log-level", {"debug", "info", "warning", "error"},
               "least level of the lines that are logged", &options.log_level);
  return table;
}

absl::Status Check(const Options& options) {
  std::string faults;
  if (options.data_dir.empty()) {
    faults =
        "--data-dir: needed, the directory of the store, keys and tokens; it "
        "is made if it is missing";
  }
  if (!options.admin_address.empty()) {
    const absl::Status status = Annotate(
        admin::ParseLoopback(options.admin_address).status(), "--admin");
    if (!status.ok()) {
      absl::StrAppend(&faults, faults.empty() ? "" : "\n", status.message());
    }
  }
  if (faults.empty()) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kInvalidArgument, faults);
}

}  // namespace gatehouse
