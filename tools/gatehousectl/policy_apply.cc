#include "tools/gatehousectl/policy_apply.h"

#include "absl/strings/str_cat.h"
#include "gatehouse/v1/policy_service.grpc.pb.h"
#include "tools/gatehousectl/output.h"

namespace gatehouse::ctl {
namespace {

grpc::Status Apply(const Connection& connection, const PolicyFile& file,
                   const std::string& etag, bool validate_only,
                   v1::ApplyVirtualServerResponse* response) {
  const auto stub = v1::PolicyService::NewStub(connection.channel());
  grpc::ClientContext context;
  connection.Prepare(&context);
  v1::ApplyVirtualServerRequest request;
  request.set_document(file.text);
  request.set_etag(etag);
  request.set_validate_only(validate_only);
  return stub->ApplyVirtualServer(&context, request, response);
}

Exit CheckAll(Session& session, const Connection& connection,
              const std::vector<PolicyFile>& files, const std::string& etag,
              v1::ApplyVirtualServerResponse* last) {
  Exit worst = Exit::kOk;
  for (const PolicyFile& file : files) {
    const grpc::Status status =
        Apply(connection, file, etag, /*validate_only=*/true, last);
    if (status.ok()) continue;
    worst = session.Report(status, file.name);
    if (worst != Exit::kRefused) return worst;  // the next would fail alike
  }
  return worst;
}

void PrintApplied(const Session& session, const PolicyFile& file,
                  const v1::ApplyVirtualServerResponse& response) {
  const v1::VirtualServer& server = response.virtual_server();
  if (session.json()) {
    PrintJson(response);
    return;
  }
  Print(Visible(absl::StrCat(
            file.name, ": virtualServers/", server.name(), " ",
            response.changed() ? "is now version " : "unchanged, version ",
            server.version(), ", etag ", server.etag())) +
        "\n");
}

}  // namespace

Exit CheckPolicies(Session& session, const std::vector<PolicyFile>& files) {
  const Connection* connection = session.connection();
  if (connection == nullptr) return Exit::kUsage;
  v1::ApplyVirtualServerResponse response;
  const Exit exit = CheckAll(session, *connection, files, "", &response);
  if (exit != Exit::kOk) return exit;
  if (session.json()) {
    PrintJson(response);
  } else {
    Print(absl::StrCat(files.size(), " of ", files.size(),
                       " documents can be applied\n"));
  }
  return Exit::kOk;
}

Exit ApplyPolicies(Session& session, const std::vector<PolicyFile>& files,
                   const std::string& etag) {
  const Connection* connection = session.connection();
  if (connection == nullptr) return Exit::kUsage;
  v1::ApplyVirtualServerResponse response;
  // All are checked before one is applied: a set goes in whole, or not at all
  // for a fault of its own.
  const Exit exit = CheckAll(session, *connection, files, etag, &response);
  if (exit != Exit::kOk) return exit;
  for (const PolicyFile& file : files) {
    const grpc::Status status =
        Apply(*connection, file, etag, /*validate_only=*/false, &response);
    if (!status.ok()) return session.Report(status, file.name);
    PrintApplied(session, file, response);
  }
  return Exit::kOk;
}

}  // namespace gatehouse::ctl
