#include "controlplane/rpc/session_service.h"

#include <utility>
#include <vector>

#include "controlplane/rpc/convert.h"
#include "controlplane/rpc/finish.h"
#include "shared/base/digest.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "shared/mcp/features.h"
#include "shared/mcp/revision.h"

namespace gatehouse::rpc {
namespace {

constexpr size_t kDigestBytes = 32;
constexpr size_t kMaxPrincipalBytes = 256;
constexpr size_t kMaxJsonBytes = 64 << 10;

absl::Status Invalid(std::string_view message) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, message);
}

absl::Status CheckObject(const std::string& text, std::string_view field) {
  json::Limits limits;
  limits.max_bytes = kMaxJsonBytes;
  const absl::StatusOr<json::Document> document =
      json::Document::Parse(text, limits);
  if (!document.ok()) return Annotate(document.status(), field);
  if (!document->root().IsObject()) {
    return Invalid(std::string(field) + ": expected a JSON object");
  }
  return absl::OkStatus();
}

absl::StatusOr<SessionRow> RowOf(const v1::CreateSessionRequest& in) {
  SessionRow row;
  if (in.session_id_sha256().size() != kDigestBytes) {
    return Invalid("session_id_sha256: expected 32 bytes");
  }
  row.secret_sha256 = in.session_id_sha256();
  GATEHOUSE_ASSIGN_OR_RETURN(
      row.virtual_server,
      IdOf(in.virtual_server(), "virtualServers/", "virtual_server"));
  row.principal = Principal{in.principal().issuer(), in.principal().subject()};
  if (row.principal.issuer.empty() || row.principal.subject.empty() ||
      row.principal.issuer.size() > kMaxPrincipalBytes ||
      row.principal.subject.size() > kMaxPrincipalBytes) {
    return Invalid("principal: expected issuer and subject of 1 to 256 bytes");
  }
  const std::optional<mcp::Revision> revision =
      mcp::ParseLegacyRevision(in.revision());
  if (!revision.has_value()) {
    return Invalid("revision: expected 2025-03-26, 2025-06-18 or 2025-11-25");
  }
  row.revision = in.revision();
  GATEHOUSE_RETURN_IF_ERROR(
      CheckObject(in.client_capabilities(), "client_capabilities"));
  GATEHOUSE_RETURN_IF_ERROR(CheckObject(in.client_info(), "client_info"));
  row.client_capabilities = in.client_capabilities();
  row.client_info = in.client_info();
  // Read once here, so that nobody finds out at the first Admit.
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Document capabilities,
                             json::Document::Parse(row.client_capabilities));
  GATEHOUSE_RETURN_IF_ERROR(Annotate(
      mcp::ParseClientCapabilities(capabilities.root(), *revision).status(),
      "client_capabilities"));
  return row;
}

void ToProto(const SessionRow& row, v1::Session& out) {
  out.set_name("sessions/" + row.id);
  out.set_virtual_server("virtualServers/" + row.virtual_server);
  out.mutable_principal()->set_issuer(row.principal.issuer);
  out.mutable_principal()->set_subject(row.principal.subject);
  out.set_revision(row.revision);
  out.set_client_capabilities(row.client_capabilities);
  out.set_client_info(row.client_info);
  *out.mutable_create_time() = rpc::ToProto(row.create_time);
  *out.mutable_last_used_time() = rpc::ToProto(row.last_used_time);
}

absl::Status NoSession() {
  return MakeStatus(absl::StatusCode::kNotFound,
                    "there is no such session, or it has ended");
}

}  // namespace

grpc::ServerUnaryReactor* SessionService::CreateSession(
    grpc::CallbackServerContext* context,
    const v1::CreateSessionRequest* request, v1::Session* response) {
  const absl::Status id_status = CheckRequestId(request->request_id());
  if (!id_status.ok()) return Finish(context, id_status);
  absl::StatusOr<std::string> worker =
      IdOf(request->worker(), "workers/", "worker");
  if (!worker.ok()) return Finish(context, worker.status());
  absl::StatusOr<SessionRow> row = RowOf(*request);
  if (!row.ok()) return Finish(context, row.status());
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  broker_.OpenSession(
      request->request_id(), Sha256(request->SerializeAsString()),
      broker::Caller{*std::move(worker), request->worker_epoch()},
      *std::move(row), [response, reactor](absl::StatusOr<SessionRow> opened) {
        if (opened.ok()) ToProto(*opened, *response);
        reactor->Finish(ToGrpc(opened.status()));
      });
  return reactor;
}

grpc::ServerUnaryReactor* SessionService::GetSession(
    grpc::CallbackServerContext* context, const v1::GetSessionRequest* request,
    v1::Session* response) {
  std::string id;
  std::string secret;
  if (request->has_session_id_sha256()) {
    secret = request->session_id_sha256();
    if (secret.size() != kDigestBytes) {
      return Finish(context, Invalid("session_id_sha256: expected 32 bytes"));
    }
  } else {
    absl::StatusOr<std::string> parsed =
        IdOf(request->name(), "sessions/", "name");
    if (!parsed.ok()) return Finish(context, parsed.status());
    id = *std::move(parsed);
  }
  return ReadAndFinish<SessionRow>(
      context, store_,
      [id, secret](Transaction& tx, SessionRow& row) -> absl::Status {
        absl::StatusOr<SessionRow> found =
            secret.empty() ? tx.GetSession(id) : tx.GetSessionBySecret(secret);
        if (absl::IsNotFound(found.status()) || (found.ok() && !found->open)) {
          return NoSession();
        }
        GATEHOUSE_RETURN_IF_ERROR(found.status());
        row = *std::move(found);
        return absl::OkStatus();
      },
      [response](const SessionRow& row) {
        ToProto(row, *response);
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* SessionService::CloseSession(
    grpc::CallbackServerContext* context,
    const v1::CloseSessionRequest* request,
    v1::CloseSessionResponse* response) {
  absl::StatusOr<std::string> id = IdOf(request->name(), "sessions/", "name");
  if (!id.ok()) return Finish(context, id.status());
  constexpr size_t kMaxCauseBytes = 64;
  if (request->cause().size() > kMaxCauseBytes) {
    return Finish(context, Invalid("cause: at most 64 bytes"));
  }
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  broker_.CloseSession(*std::move(id),
                       request->cause().empty() ? "operator" : request->cause(),
                       [response, reactor](absl::StatusOr<int> cancelled) {
                         if (cancelled.ok())
                           response->set_cancelled_count(*cancelled);
                         reactor->Finish(ToGrpc(cancelled.status()));
                       });
  return reactor;
}

grpc::ServerUnaryReactor* SessionService::ListSessions(
    grpc::CallbackServerContext* context,
    const v1::ListSessionsRequest* request,
    v1::ListSessionsResponse* response) {
  const absl::StatusOr<int> limit = PageSize(request->page_size());
  if (!limit.ok()) return Finish(context, limit.status());
  std::string virtual_server;
  if (!request->virtual_server().empty()) {
    absl::StatusOr<std::string> parsed =
        IdOf(request->virtual_server(), "virtualServers/", "virtual_server");
    if (!parsed.ok()) return Finish(context, parsed.status());
    virtual_server = *std::move(parsed);
  }
  using Rows = std::vector<SessionRow>;
  return ReadAndFinish<Rows>(
      context, store_,
      [virtual_server, after = request->page_token(), limit = *limit](
          Transaction& tx, Rows& rows) -> absl::Status {
        GATEHOUSE_ASSIGN_OR_RETURN(
            rows, tx.ListOpenSessions(virtual_server, after, limit));
        return absl::OkStatus();
      },
      [response, limit = *limit](const Rows& rows) {
        for (const SessionRow& row : rows) {
          ToProto(row, *response->add_sessions());
        }
        if (static_cast<int>(rows.size()) == limit) {
          response->set_next_page_token(rows.back().id);
        }
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* SessionService::ReportRootsChanged(
    grpc::CallbackServerContext* context,
    const v1::ReportRootsChangedRequest* request,
    v1::ReportRootsChangedResponse*) {
  // To forget twice is to forget: the id is checked, but not remembered.
  const absl::Status id_status = CheckRequestId(request->request_id());
  if (!id_status.ok()) return Finish(context, id_status);
  absl::StatusOr<std::string> worker =
      IdOf(request->worker(), "workers/", "worker");
  if (!worker.ok()) return Finish(context, worker.status());
  absl::StatusOr<std::string> session =
      IdOf(request->session(), "sessions/", "session");
  if (!session.ok()) return Finish(context, session.status());
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  broker_.ForgetRoots(
      broker::Caller{*std::move(worker), request->worker_epoch()},
      *std::move(session), [reactor](absl::StatusOr<bool> forgotten) {
        reactor->Finish(ToGrpc(absl::IsNotFound(forgotten.status())
                                   ? NoSession()
                                   : forgotten.status()));
      });
  return reactor;
}

}  // namespace gatehouse::rpc
