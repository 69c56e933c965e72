#include <string>

#include "absl/strings/str_cat.h"
#include "gatehouse/v1/fleet_service.grpc.pb.h"
#include "tools/gatehousectl/command.h"
#include "tools/gatehousectl/lists.h"
#include "tools/gatehousectl/output.h"
#include "tools/gatehousectl/paging.h"

namespace gatehouse::ctl {

grpc::Status ListWorkers(const Connection& connection,
                         v1::ListWorkersResponse* all) {
  const auto stub = v1::FleetService::NewStub(connection.channel());
  return ForEachPage<v1::ListWorkersResponse>(
      connection, v1::ListWorkersRequest(),
      [&stub](auto* context, const auto& request, auto* response) {
        return stub->ListWorkers(context, request, response);
      },
      [all](v1::ListWorkersResponse page) {
        all->mutable_workers()->MergeFrom(page.workers());
      });
}

std::string WorkersTable(const v1::ListWorkersResponse& response) {
  Table table({"WORKER", "CLUSTER", "ADDRESS", "ATTACHED", "LEASE ENDS",
               "OPERATIONS", "MAIL", "VERSION"});
  for (const v1::Worker& worker : response.workers()) {
    table.Add({worker.name(), worker.cluster(), worker.address(),
               worker.attached() ? "yes" : "no",
               TimeText(worker.lease_expire_time()),
               absl::StrCat(worker.operations()),
               absl::StrCat(worker.unacknowledged_mail()), worker.version()});
  }
  return table.ToString();
}

namespace {

Exit RunList(Session& session) {
  const Connection* connection = session.connection();
  if (connection == nullptr) return Exit::kUsage;
  v1::ListWorkersResponse response;
  const grpc::Status status = ListWorkers(*connection, &response);
  if (!status.ok()) return session.Report(status);
  if (session.json()) {
    PrintJson(response);
  } else {
    Print(WorkersTable(response));
  }
  return Exit::kOk;
}

}  // namespace

void AddWorkersCommands(CLI::App& app, Action* action) {
  CLI::App* workers = app.add_subcommand("workers", "The data plane");
  workers->require_subcommand(1);
  workers
      ->add_subcommand("list",
                       "Workers known, their leases and what they have to do.\n"
                       "  gatehousectl workers list\n"
                       "MAIL counts what a worker has not acknowledged yet: it "
                       "falls to 0 once it is attached.")
      ->callback([action] { *action = RunList; });
}

}  // namespace gatehouse::ctl
