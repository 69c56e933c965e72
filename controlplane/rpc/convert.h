#ifndef GATEHOUSE_CONTROLPLANE_RPC_CONVERT_H_
#define GATEHOUSE_CONTROLPLANE_RPC_CONVERT_H_

#include <grpcpp/support/status.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "controlplane/policy/virtual_server.h"
#include "controlplane/store/rows.h"
#include "gatehouse/v1/policy_service.pb.h"
#include "gatehouse/v1/trust_service.pb.h"
#include "google/protobuf/timestamp.pb.h"

namespace gatehouse::rpc {

namespace pb = ::gatehouse::v1;

// Our status as gRPC's, with google.rpc.Status details. A message that starts
// with a stable reason (`stale_epoch: ...`) carries it as ErrorInfo. UNKNOWN of
// the store (committed or not, nobody knows) goes out as UNAVAILABLE: the
// caller asks again under the same request id.
grpc::Status ToGrpc(const absl::Status& status);

// INVALID_ARGUMENT with a field violation for each fault of `what`.
grpc::Status ToGrpc(const std::vector<policy::Violation>& violations,
                    std::string_view what = "the document");

// `prefix/id` to `id`: 1 to 128 characters of [A-Za-z0-9_-]. INVALID_ARGUMENT,
// naming the field, for anything else.
absl::StatusOr<std::string> IdOf(std::string_view name, std::string_view prefix,
                                 std::string_view field);

// `virtualServers/{v}/upstreams/{u}`.
struct UpstreamName {
  std::string virtual_server;
  std::string upstream;
};
absl::StatusOr<UpstreamName> UpstreamNameOf(std::string_view name);

// 1 to 64 characters of [A-Za-z0-9_-].
absl::Status CheckRequestId(std::string_view request_id);

google::protobuf::Timestamp ToProto(absl::Time time);
pb::InputRequestState ToProto(InputRequestState state);
void ToProto(const UpstreamReplyRow& reply, pb::RefuseVerdict& out);
void ToProto(const UpstreamReplyRow& reply, pb::UpstreamReply& out);

// A stored policy as the resource. INTERNAL if it is no document.
absl::StatusOr<pb::VirtualServer> ToProto(const PolicyRow& row);
// The resource as a document; its output-only fields are left out.
absl::StatusOr<std::string> ToDocument(pb::VirtualServer virtual_server);

// A page size as AIP-158 has it: 0 is 50, at most 1,000, negative is an error.
absl::StatusOr<int> PageSize(int32_t asked);

}  // namespace gatehouse::rpc

#endif  // GATEHOUSE_CONTROLPLANE_RPC_CONVERT_H_
