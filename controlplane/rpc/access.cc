#include "controlplane/rpc/access.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <utility>

#include "gatehouse/v1/audit_service.pb.h"
#include "gatehouse/v1/fleet_service.pb.h"
#include "gatehouse/v1/policy_service.pb.h"
#include "gatehouse/v1/session_service.pb.h"
#include "gatehouse/v1/trust_service.pb.h"
#include "shared/base/digest.h"
#include "shared/base/status.h"

namespace gatehouse::rpc {
namespace {

constexpr unsigned kW = 1U << static_cast<unsigned>(Role::kWorker);
constexpr unsigned kO = 1U << static_cast<unsigned>(Role::kOperator);
constexpr unsigned kR = 1U << static_cast<unsigned>(Role::kReviewer);
constexpr unsigned kA = 1U << static_cast<unsigned>(Role::kAuditor);
constexpr unsigned kAnyRole = kW | kO | kR | kA;
constexpr unsigned kNobodyNeeded = ~0U;  // no token at all

constexpr std::string_view kOurs = "/gatehouse.";

struct MethodRow {
  std::string_view path;
  unsigned roles;
};

// THE table: which method is whose.
constexpr MethodRow kMethods[] = {
    {"/gatehouse.v1.TrustService/AdmitInputRequests", kW},
    {"/gatehouse.v1.TrustService/SubmitInputResponse", kW},
    {"/gatehouse.v1.TrustService/CancelInputRequest", kW},
    {"/gatehouse.v1.TrustService/CloseOperation", kW},
    {"/gatehouse.v1.TrustService/ExplainInputRequest", kW | kO},
    {"/gatehouse.v1.SessionService/CreateSession", kW},
    {"/gatehouse.v1.SessionService/GetSession", kW | kO},
    {"/gatehouse.v1.SessionService/CloseSession", kW | kO},
    {"/gatehouse.v1.SessionService/ListSessions", kO},
    {"/gatehouse.v1.SessionService/ReportRootsChanged", kW},
    {"/gatehouse.v1.FleetService/Attach", kW},
    {"/gatehouse.v1.FleetService/ListWorkers", kO},
    {"/gatehouse.v1.FleetService/ListUpstreams", kO},
    {"/gatehouse.v1.PolicyService/GetVirtualServer", kO},
    {"/gatehouse.v1.PolicyService/ListVirtualServers", kO},
    {"/gatehouse.v1.PolicyService/ApplyVirtualServer", kO},
    {"/gatehouse.v1.PolicyService/DeleteVirtualServer", kO},
    {"/gatehouse.v1.AuditService/ListRecords", kA},
    {"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
     kAnyRole},
    {"/grpc.health.v1.Health/Check", kNobodyNeeded},
    {"/grpc.health.v1.Health/Watch", kNobodyNeeded},
};

const MethodRow* FindMethod(std::string_view path) {
  for (const MethodRow& row : kMethods) {
    if (row.path == path) return &row;
  }
  return nullptr;
}

const std::vector<const google::protobuf::FileDescriptor*>& ServedFiles() {
  static const auto* const files =
      new std::vector<const google::protobuf::FileDescriptor*>{
          v1::AdmitInputRequestsRequest::descriptor()->file(),
          v1::Session::descriptor()->file(),
          v1::Worker::descriptor()->file(),
          v1::VirtualServer::descriptor()->file(),
          v1::AuditRecord::descriptor()->file(),
      };
  return *files;
}

class Processor final : public grpc::AuthMetadataProcessor {
 public:
  Processor(std::shared_ptr<const Access> access, RpcStats& stats)
      : access_(std::move(access)), stats_(stats) {}

  bool IsBlocking() const override { return false; }

  grpc::Status Process(const InputMetadata& metadata, grpc::AuthContext*,
                       OutputMetadata*, OutputMetadata*) override {
    const std::string_view path = One(metadata, ":path");
    const absl::Status status =
        access_->Check(path, One(metadata, "authorization"));
    if (!status.ok()) stats_.Count(path, static_cast<int>(status.code()));
    return grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                        std::string(ToStd(status.message())));
  }

 private:
  // The value if it stands there exactly once: two tokens are none.
  static std::string_view One(const InputMetadata& metadata, const char* key) {
    const auto [first, last] = metadata.equal_range(key);
    if (first == last || std::next(first) != last) return {};
    return {first->second.data(), first->second.size()};
  }

  const std::shared_ptr<const Access> access_;
  RpcStats& stats_;
};

}  // namespace

std::string_view ToString(Role role) {
  switch (role) {
    case Role::kWorker:
      return "worker";
    case Role::kOperator:
      return "operator";
    case Role::kReviewer:
      return "reviewer";
    case Role::kAuditor:
      return "auditor";
  }
  return "";
}

absl::StatusOr<Access> Access::Create(std::vector<Token> tokens) {
  for (const google::protobuf::FileDescriptor* file : ServedFiles()) {
    for (int s = 0; s < file->service_count(); ++s) {
      const google::protobuf::ServiceDescriptor* service = file->service(s);
      for (int m = 0; m < service->method_count(); ++m) {
        const std::string path =
            "/" + service->full_name() + "/" + service->method(m)->name();
        if (FindMethod(path) == nullptr) {
          return MakeStatus(absl::StatusCode::kFailedPrecondition,
                            path + ": no row says who may call it");
        }
      }
    }
  }
  return Access(std::move(tokens));
}

const Token* Access::Find(std::string_view authorization) const {
  constexpr std::string_view kScheme = "Bearer ";
  if (!authorization.starts_with(kScheme)) return nullptr;
  const std::string digest = Sha256(authorization.substr(kScheme.size()));
  const Token* found = nullptr;
  for (const Token& token : tokens_) {
    if (ConstantTimeEquals(token.sha256, digest)) found = &token;
  }
  return found;
}

absl::Status Access::Check(std::string_view path,
                           std::string_view authorization) const {
  const MethodRow* row = FindMethod(path);
  if (row != nullptr && row->roles == kNobodyNeeded) return absl::OkStatus();
  const Token* token = Find(authorization);
  if (token == nullptr) {
    return MakeStatus(
        absl::StatusCode::kUnauthenticated,
        "a token is needed: send the metadata `authorization: Bearer TOKEN` "
        "with one from the data directory's tokens folder");
  }
  if (row == nullptr && !path.starts_with(kOurs)) {
    // Nobody serves it: gRPC itself answers UNIMPLEMENTED, by which clients
    // find the version of reflection that is here.
    return absl::OkStatus();
  }
  const unsigned bit = 1U << static_cast<unsigned>(token->role);
  if (row == nullptr || (row->roles & bit) == 0) {
    return MakeStatus(absl::StatusCode::kPermissionDenied,
                      "the role " + std::string(ToString(token->role)) +
                          " may not call " + std::string(path) +
                          "; use the token of a role that may");
  }
  return absl::OkStatus();
}

std::vector<std::string_view> MethodPaths() {
  std::vector<std::string_view> paths;
  for (const MethodRow& row : kMethods) paths.push_back(row.path);
  return paths;
}

std::shared_ptr<grpc::AuthMetadataProcessor> MakeProcessor(
    std::shared_ptr<const Access> access, RpcStats& stats) {
  return std::make_shared<Processor>(std::move(access), stats);
}

}  // namespace gatehouse::rpc
