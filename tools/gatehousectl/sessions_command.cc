#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gatehouse/v1/session_service.grpc.pb.h"
#include "tools/gatehousectl/command.h"
#include "tools/gatehousectl/lists.h"
#include "tools/gatehousectl/output.h"
#include "tools/gatehousectl/paging.h"

namespace gatehouse::ctl {

grpc::Status ListSessions(const Connection& connection,
                          const std::string& virtual_server,
                          v1::ListSessionsResponse* all) {
  const auto stub = v1::SessionService::NewStub(connection.channel());
  v1::ListSessionsRequest first;
  if (!virtual_server.empty()) {
    first.set_virtual_server(ResourceName("virtualServers/", virtual_server));
  }
  return ForEachPage<v1::ListSessionsResponse>(
      connection, first,
      [&stub](auto* context, const auto& request, auto* response) {
        return stub->ListSessions(context, request, response);
      },
      [all](v1::ListSessionsResponse page) {
        all->mutable_sessions()->MergeFrom(page.sessions());
      });
}

namespace {

std::string SessionsTable(const v1::ListSessionsResponse& response) {
  Table table({"SESSION", "VIRTUAL SERVER", "PRINCIPAL", "REVISION", "OPENED",
               "LAST USED", "CLIENT (AS IT SAYS)"});
  for (const v1::Session& session : response.sessions()) {
    table.Add({session.name(), session.virtual_server(),
               absl::StrCat(session.principal().issuer(), "/",
                            session.principal().subject()),
               session.revision(), TimeText(session.create_time()),
               TimeText(session.last_used_time()), session.client_info()});
  }
  return table.ToString();
}

Exit RunList(Session& session, const std::string& virtual_server) {
  const Connection* connection = session.connection();
  if (connection == nullptr) return Exit::kUsage;
  v1::ListSessionsResponse response;
  const grpc::Status status =
      ListSessions(*connection, virtual_server, &response);
  if (!status.ok()) return session.Report(status);
  if (session.json()) {
    PrintJson(response);
  } else {
    Print(SessionsTable(response));
  }
  return Exit::kOk;
}

}  // namespace

void AddSessionsCommands(CLI::App& app, Action* action) {
  CLI::App* sessions = app.add_subcommand("sessions", "Clients' sessions");
  sessions->require_subcommand(1);
  CLI::App* list = sessions->add_subcommand(
      "list",
      "Sessions that have not ended, oldest first.\n"
      "  gatehousectl sessions list --virtual-server demo\n"
      "What a client says about itself is unverified.");
  auto virtual_server = std::make_shared<std::string>();
  list->add_option("--virtual-server", *virtual_server, "Only this one's");
  list->callback([action, virtual_server] {
    *action = [virtual_server](Session& session) {
      return RunList(session, *virtual_server);
    };
  });
}

}  // namespace gatehouse::ctl
