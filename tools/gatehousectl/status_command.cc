#include <string>

#include "absl/strings/str_cat.h"
#include "gatehouse/v1/session_service.pb.h"
#include "shared/json/json.h"
#include "tools/gatehousectl/command.h"
#include "tools/gatehousectl/lists.h"

namespace gatehouse::ctl {
namespace {

struct Overview {
  bool serving = false;
  v1::ListVirtualServersResponse virtual_servers;
  v1::ListWorkersResponse workers;
  v1::ListSessionsResponse sessions;
};

grpc::Status ReadOverview(const Connection& connection, Overview* to) {
  grpc::Status status = connection.CheckHealth(&to->serving);
  if (!status.ok()) return status;
  status = ListVirtualServers(connection, &to->virtual_servers);
  if (!status.ok()) return status;
  status = ListWorkers(connection, &to->workers);
  if (!status.ok()) return status;
  return ListSessions(connection, "", &to->sessions);
}

std::string OverviewJson(const Overview& overview) {
  json::Writer out;
  out.StartObject();
  out.Name("serving").Bool(overview.serving);
  out.Name("virtualServers").Raw(ToJson(overview.virtual_servers));
  out.Name("workers").Raw(ToJson(overview.workers));
  out.Name("openSessions").Integer(overview.sessions.sessions_size());
  return absl::StrCat(out.EndObject().Take(), "\n");
}

Exit Run(Session& session) {
  const Connection* connection = session.connection();
  if (connection == nullptr) return Exit::kUsage;
  Overview overview;
  const grpc::Status status = ReadOverview(*connection, &overview);
  if (!status.ok()) return session.Report(status);
  if (session.json()) {
    Print(OverviewJson(overview));
  } else {
    Print(absl::StrCat("control plane ", connection->options().control, ": ",
                       overview.serving ? "serving" : "not serving",
                       "\nopen sessions: ", overview.sessions.sessions_size(),
                       "\n\n", VirtualServersTable(overview.virtual_servers),
                       "\n", WorkersTable(overview.workers)));
  }
  return overview.serving ? Exit::kOk : Exit::kRefused;
}

}  // namespace

void AddStatusCommand(CLI::App& app, Action* action) {
  app.add_subcommand(
         "status",
         "Whether it serves, what, and who serves it.\n"
         "  gatehousectl status\n"
         "Exits 1 if the control plane says that it does not serve.")
      ->callback([action] { *action = Run; });
}

}  // namespace gatehouse::ctl
