#ifndef GATEHOUSE_CONTROLPLANE_RPC_ACCESS_H_
#define GATEHOUSE_CONTROLPLANE_RPC_ACCESS_H_

#include <grpcpp/security/auth_metadata_processor.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "controlplane/rpc/rpc_stats.h"

namespace gatehouse::rpc {

// Who may call what (DESIGN §16).
enum class Role { kWorker, kOperator, kReviewer, kAuditor };

std::string_view ToString(Role role);

// A bearer token that this control plane knows, by its SHA-256.
struct Token {
  Role role = Role::kWorker;
  std::string name;    // for the audit, such as `operator`
  std::string sha256;  // raw
};

// Tokens and the table. Immutable, so thread-safe.
class Access {
 public:
  // FAILED_PRECONDITION, naming it, if a method of a service of ours has no row
  // in the table: such a build does not start.
  static absl::StatusOr<Access> Create(std::vector<Token> tokens);

  // Whether the bearer of `authorization` (the metadata's value) may call
  // `path` (`/package.Service/Method`): OK, UNAUTHENTICATED without a token
  // that is known, PERMISSION_DENIED where its role has no such right. A path
  // that is in no service of ours passes with a known token: gRPC says
  // UNIMPLEMENTED.
  absl::Status Check(std::string_view path,
                     std::string_view authorization) const;

  // The token that `authorization` bears, or null.
  const Token* Find(std::string_view authorization) const;

 private:
  explicit Access(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}
  std::vector<Token> tokens_;
};

// The paths of the table's rows.
std::vector<std::string_view> MethodPaths();

// Asks `access` at each call of a server, reflection's included; what it
// refuses is counted in `stats`, which outlives it.
std::shared_ptr<grpc::AuthMetadataProcessor> MakeProcessor(
    std::shared_ptr<const Access> access, RpcStats& stats);

}  // namespace gatehouse::rpc

#endif  // GATEHOUSE_CONTROLPLANE_RPC_ACCESS_H_
