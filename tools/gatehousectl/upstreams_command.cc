#include <algorithm>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gatehouse/v1/fleet_service.grpc.pb.h"
#include "tools/gatehousectl/command.h"
#include "tools/gatehousectl/output.h"
#include "tools/gatehousectl/paging.h"

namespace gatehouse::ctl {
namespace {

grpc::Status ListUpstreams(const Connection& connection,
                           const std::string& server,
                           v1::ListUpstreamsResponse* all) {
  const auto stub = v1::FleetService::NewStub(connection.channel());
  v1::ListUpstreamsRequest first;
  first.set_parent(ResourceName("virtualServers/", server));
  return ForEachPage<v1::ListUpstreamsResponse>(
      connection, first,
      [&stub](auto* context, const auto& request, auto* response) {
        return stub->ListUpstreams(context, request, response);
      },
      [all](v1::ListUpstreamsResponse page) {
        all->mutable_upstreams()->MergeFrom(page.upstreams());
      });
}

// `too_large 3, not_permitted 1`.
std::string RefusalsText(const v1::UpstreamStatus& upstream) {
  return absl::StrJoin(upstream.refusals(), ", ",
                       [](std::string* out, const v1::RefusalCount& refusal) {
                         absl::StrAppend(out, refusal.reason(), " ",
                                         refusal.count());
                       });
}

std::string LastRefusal(const v1::UpstreamStatus& upstream) {
  std::string last;
  for (const v1::RefusalCount& refusal : upstream.refusals()) {
    last = std::max(last, TimeText(refusal.last_time()));
  }
  return last;
}

std::string UpstreamsTable(const v1::ListUpstreamsResponse& response) {
  Table table({"UPSTREAM", "TRANSPORT", "CLUSTERS", "ADMITTED", "MALFORMED",
               "REFUSED", "LAST REFUSED"});
  for (const v1::UpstreamStatus& upstream : response.upstreams()) {
    table.Add({upstream.name(), upstream.transport(),
               absl::StrJoin(upstream.clusters(), ","),
               absl::StrCat(upstream.admitted()),
               absl::StrCat(upstream.malformed()), RefusalsText(upstream),
               LastRefusal(upstream)});
  }
  return table.ToString();
}

Exit RunList(Session& session, const std::string& server) {
  const Connection* connection = session.connection();
  if (connection == nullptr) return Exit::kUsage;
  v1::ListUpstreamsResponse response;
  const grpc::Status status = ListUpstreams(*connection, server, &response);
  if (!status.ok()) return session.Report(status);
  if (session.json()) {
    PrintJson(response);
  } else {
    Print(UpstreamsTable(response));
  }
  return Exit::kOk;
}

}  // namespace

void AddUpstreamsCommands(CLI::App& app, Action* action) {
  CLI::App* upstreams =
      app.add_subcommand("upstreams", "The MCP servers of the policies");
  upstreams->require_subcommand(1);
  CLI::App* list = upstreams->add_subcommand(
      "list",
      "Upstreams of the current policies, what they asked of clients, and how "
      "often they\nwere refused for what, the most frequent first.\n"
      "  gatehousectl upstreams list --server demo\n"
      "MALFORMED counts requests that were themselves bad: one that rises is "
      "an "
      "upstream\nto mend.");
  auto server = std::make_shared<std::string>("-");
  list->add_option("--server", *server, "Only this virtual server's");
  list->callback([action, server] {
    *action = [server](Session& session) { return RunList(session, *server); };
  });
}

}  // namespace gatehouse::ctl
