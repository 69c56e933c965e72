#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gatehouse/v1/policy_service.grpc.pb.h"
#include "shared/base/status.h"
#include "tools/gatehousectl/command.h"
#include "tools/gatehousectl/lists.h"
#include "tools/gatehousectl/output.h"
#include "tools/gatehousectl/paging.h"
#include "tools/gatehousectl/policy_apply.h"
#include "tools/gatehousectl/policy_files.h"

namespace gatehouse::ctl {

grpc::Status ListVirtualServers(const Connection& connection,
                                v1::ListVirtualServersResponse* all) {
  const auto stub = v1::PolicyService::NewStub(connection.channel());
  return ForEachPage<v1::ListVirtualServersResponse>(
      connection, v1::ListVirtualServersRequest(),
      [&stub](auto* context, const auto& request, auto* response) {
        return stub->ListVirtualServers(context, request, response);
      },
      [all](v1::ListVirtualServersResponse page) {
        all->mutable_virtual_servers()->MergeFrom(page.virtual_servers());
      });
}

namespace {

// What upstreams may ask of the client's side, such as `sampling, forms, URLs`.
std::string FeaturesText(const v1::VirtualServer& server) {
  std::vector<std::string> names;
  const v1::ClientFeatures& features = server.client_features();
  if (features.sampling()) names.push_back("sampling");
  if (features.elicitation()) names.push_back("forms");
  if (features.elicitation() && server.trust().elicitation().url()) {
    names.push_back("URLs");
  }
  if (features.roots()) names.push_back("roots");
  return names.empty() ? "nothing" : absl::StrJoin(names, ", ");
}

std::string UpstreamNames(const v1::VirtualServer& server) {
  return absl::StrJoin(server.upstreams(), ", ",
                       [](std::string* out, const v1::Upstream& upstream) {
                         out->append(upstream.name());
                       });
}

}  // namespace

std::string VirtualServersTable(
    const v1::ListVirtualServersResponse& response) {
  Table table(
      {"VIRTUAL SERVER", "VERSION", "APPLIED", "UPSTREAMS", "MAY ASK", "ETAG"});
  for (const v1::VirtualServer& server : response.virtual_servers()) {
    table.Add({server.name(), absl::StrCat(server.version()),
               TimeText(server.update_time()), UpstreamNames(server),
               FeaturesText(server), server.etag()});
  }
  return table.ToString();
}

namespace {

std::string TransportText(const v1::Upstream& upstream) {
  if (upstream.has_http()) return upstream.http().url();
  const auto& stdio = upstream.stdio();
  const std::string user =
      stdio.run_as().empty() ? "" : absl::StrCat(" as ", stdio.run_as());
  return absl::StrCat(absl::StrJoin(stdio.command(), " "), user);
}

Exit RunList(Session& session) {
  const Connection* connection = session.connection();
  if (connection == nullptr) return Exit::kUsage;
  v1::ListVirtualServersResponse response;
  const grpc::Status status = ListVirtualServers(*connection, &response);
  if (!status.ok()) return session.Report(status);
  if (session.json()) {
    PrintJson(response);
  } else {
    Print(VirtualServersTable(response));
  }
  return Exit::kOk;
}

Exit RunGet(Session& session, const std::string& name) {
  const Connection* connection = session.connection();
  if (connection == nullptr) return Exit::kUsage;
  const auto stub = v1::PolicyService::NewStub(connection->channel());
  grpc::ClientContext context;
  connection->Prepare(&context);
  v1::GetVirtualServerRequest request;
  request.set_name(ResourceName("virtualServers/", name));
  v1::VirtualServer server;
  const grpc::Status status =
      stub->GetVirtualServer(&context, request, &server);
  if (!status.ok()) return session.Report(status, name);
  if (session.json()) {
    PrintJson(server);
    return Exit::kOk;
  }
  v1::ListVirtualServersResponse one;
  *one.add_virtual_servers() = server;
  Table upstreams({"UPSTREAM", "REACHED BY"});
  for (const v1::Upstream& upstream : server.upstreams()) {
    upstreams.Add({upstream.name(), TransportText(upstream)});
  }
  Print(absl::StrCat(VirtualServersTable(one), "\n", upstreams.ToString(),
                     "\n--json shows the whole document\n"));
  return Exit::kOk;
}

struct ApplyOptions {
  std::string path;
  std::string etag;
};

Exit RunApply(Session& session, const ApplyOptions& options) {
  const auto files = ReadPolicyFiles(options.path);
  if (!files.ok()) return session.UsageError(ToStd(files.status().message()));
  if (files->size() > 1 && !options.etag.empty()) {
    return session.UsageError("--if-match guards one document: name one file");
  }
  return ApplyPolicies(session, *files, options.etag);
}

Exit RunCheck(Session& session, const std::string& path) {
  const auto files = ReadPolicyFiles(path);
  if (!files.ok()) return session.UsageError(ToStd(files.status().message()));
  return CheckPolicies(session, *files);
}

void AddApply(CLI::App* policy, Action* action) {
  CLI::App* apply = policy->add_subcommand(
      "apply",
      "Replaces a virtual server's whole document, or makes it.\n"
      "  gatehousectl policy apply demo.yaml\n"
      "  gatehousectl policy apply policies/        every file, if all are "
      "good\n"
      "  gatehousectl policy apply --if-match ETAG - < demo.yaml\n"
      "Every fault of every document is reported with its path; then nothing "
      "is changed.");
  auto options = std::make_shared<ApplyOptions>();
  apply->add_option("FILE", options->path, "A file, a folder, or - for stdin")
      ->required();
  apply->add_option("--if-match", options->etag,
                    "Only if this etag is still the current one");
  apply->callback([action, options] {
    *action = [options](Session& session) {
      return RunApply(session, *options);
    };
  });
}

void AddCheck(CLI::App* policy, Action* action) {
  CLI::App* check = policy->add_subcommand(
      "check",
      "Whether documents could be applied; changes nothing.\n"
      "  gatehousectl policy check policies/");
  auto path = std::make_shared<std::string>();
  check->add_option("FILE", *path, "A file, a folder, or - for stdin")
      ->required();
  check->callback([action, path] {
    *action = [path](Session& session) { return RunCheck(session, *path); };
  });
}

void AddGet(CLI::App* policy, Action* action) {
  CLI::App* get =
      policy->add_subcommand("get",
                             "One virtual server.\n"
                             "  gatehousectl policy get demo --json");
  auto name = std::make_shared<std::string>();
  get->add_option("NAME", *name, "Its name")->required();
  get->callback([action, name] {
    *action = [name](Session& session) { return RunGet(session, *name); };
  });
}

}  // namespace

void AddPolicyCommands(CLI::App& app, Action* action) {
  CLI::App* policy =
      app.add_subcommand("policy", "Virtual servers as documents");
  policy->require_subcommand(1);
  AddApply(policy, action);
  AddCheck(policy, action);
  AddGet(policy, action);
  AddPolicyImport(policy, action);
  policy
      ->add_subcommand("list",
                       "Every virtual server and what may be asked there.\n"
                       "  gatehousectl policy list")
      ->callback([action] { *action = RunList; });
}

}  // namespace gatehouse::ctl
