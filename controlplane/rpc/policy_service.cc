#include "controlplane/rpc/policy_service.h"

#include <utility>
#include <vector>

#include "controlplane/policy/virtual_server.h"
#include "controlplane/rpc/convert.h"
#include "controlplane/rpc/finish.h"
#include "shared/base/status.h"

namespace gatehouse::rpc {
namespace {

absl::StatusOr<std::string> DocumentOf(
    const v1::ApplyVirtualServerRequest& request) {
  switch (request.source_case()) {
    case v1::ApplyVirtualServerRequest::kVirtualServer:
      return ToDocument(request.virtual_server());
    case v1::ApplyVirtualServerRequest::kDocument:
      return request.document();
    case v1::ApplyVirtualServerRequest::SOURCE_NOT_SET:
      break;
  }
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    "source: expected virtual_server or document");
}

}  // namespace

std::string PolicyService::AuthorOf(
    const grpc::CallbackServerContext& context) const {
  const auto found = context.client_metadata().find("authorization");
  if (found == context.client_metadata().end()) return "";
  const Token* token =
      access_.Find({found->second.data(), found->second.size()});
  return token == nullptr ? "" : token->name;
}

grpc::ServerUnaryReactor* PolicyService::GetVirtualServer(
    grpc::CallbackServerContext* context,
    const v1::GetVirtualServerRequest* request, v1::VirtualServer* response) {
  absl::StatusOr<std::string> id =
      IdOf(request->name(), "virtualServers/", "name");
  if (!id.ok()) return Finish(context, id.status());
  return ReadAndFinish<PolicyRow>(
      context, store_,
      [id = *id](Transaction& tx, PolicyRow& row) -> absl::Status {
        absl::StatusOr<PolicyRow> found = tx.GetLatestPolicy(id);
        if (absl::IsNotFound(found.status()) ||
            (found.ok() && found->document.empty())) {
          return MakeStatus(
              absl::StatusCode::kNotFound,
              "virtualServers/" + id + ": there is no such virtual server");
        }
        GATEHOUSE_RETURN_IF_ERROR(found.status());
        row = *std::move(found);
        return absl::OkStatus();
      },
      [response](const PolicyRow& row) -> absl::Status {
        GATEHOUSE_ASSIGN_OR_RETURN(*response, ToProto(row));
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* PolicyService::ListVirtualServers(
    grpc::CallbackServerContext* context,
    const v1::ListVirtualServersRequest* request,
    v1::ListVirtualServersResponse* response) {
  const absl::StatusOr<int> limit = PageSize(request->page_size());
  if (!limit.ok()) return Finish(context, limit.status());
  using Rows = std::vector<PolicyRow>;
  return ReadAndFinish<Rows>(
      context, store_,
      [after = request->page_token(), limit = *limit](
          Transaction& tx, Rows& rows) -> absl::Status {
        GATEHOUSE_ASSIGN_OR_RETURN(rows, tx.ListCurrentPolicies(after, limit));
        return absl::OkStatus();
      },
      [response, limit = *limit](const Rows& rows) -> absl::Status {
        for (const PolicyRow& row : rows) {
          GATEHOUSE_ASSIGN_OR_RETURN(*response->add_virtual_servers(),
                                     ToProto(row));
        }
        if (static_cast<int>(rows.size()) == limit) {
          response->set_next_page_token(rows.back().virtual_server);
        }
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* PolicyService::ApplyVirtualServer(
    grpc::CallbackServerContext* context,
    const v1::ApplyVirtualServerRequest* request,
    v1::ApplyVirtualServerResponse* response) {
  const absl::StatusOr<std::string> document = DocumentOf(*request);
  if (!document.ok()) return Finish(context, document.status());
  policy::ParseResult parsed = policy::ParseVirtualServer(*document);
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  if (!parsed.violations.empty()) {
    reactor->Finish(ToGrpc(parsed.violations));
    return reactor;
  }
  broker_.ApplyPolicy(
      parsed.virtual_server, request->etag(), request->validate_only(),
      AuthorOf(*context),
      [response, reactor](absl::StatusOr<broker::Broker::Applied> applied) {
        absl::Status status = applied.status();
        if (status.ok()) {
          absl::StatusOr<v1::VirtualServer> out = ToProto(applied->row);
          status = out.status();
          if (status.ok()) {
            *response->mutable_virtual_server() = *std::move(out);
            response->set_changed(applied->changed);
          }
        }
        reactor->Finish(ToGrpc(status));
      });
  return reactor;
}

grpc::ServerUnaryReactor* PolicyService::DeleteVirtualServer(
    grpc::CallbackServerContext* context,
    const v1::DeleteVirtualServerRequest* request,
    v1::DeleteVirtualServerResponse*) {
  absl::StatusOr<std::string> id =
      IdOf(request->name(), "virtualServers/", "name");
  if (!id.ok()) return Finish(context, id.status());
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  broker_.DeletePolicy(*std::move(id), request->etag(), AuthorOf(*context),
                       [reactor](const absl::StatusOr<bool>& deleted) {
                         reactor->Finish(ToGrpc(deleted.status()));
                       });
  return reactor;
}

}  // namespace gatehouse::rpc
