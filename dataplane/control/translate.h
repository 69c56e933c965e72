#ifndef GATEHOUSE_DATAPLANE_CONTROL_TRANSLATE_H_
#define GATEHOUSE_DATAPLANE_CONTROL_TRANSLATE_H_

#include <optional>
#include <string>
#include <string_view>

#include "dataplane/relay/control_client.h"
#include "dataplane/relay/mail.h"
#include "dataplane/relay/snapshots.h"
#include "gatehouse/v1/fleet_service.pb.h"
#include "gatehouse/v1/session_service.pb.h"
#include "gatehouse/v1/trust_service.pb.h"

namespace gatehouse::control {

// Between the data plane's values and the proto's messages. Pure. Ids lose and
// gain their collection's prefix here.

// Larger payloads travel as their size and digest (DESIGN §8).
inline constexpr size_t kMaxInputRequestBytes = 64 << 10;
inline constexpr size_t kMaxInputResponseBytes = 1 << 20;
inline constexpr size_t kMaxRoundEntries = 8;

// `inputRequests/x` -> `x`; what has no slash stays.
std::string BareId(std::string_view name);

v1::AdmitInputRequestsRequest ToProto(const relay::AdmitRequest& request);
std::vector<relay::AdmitVerdict> FromProto(
    const v1::AdmitInputRequestsResponse& response);

void SetPayload(std::optional<std::string> result,
                std::optional<std::string> error,
                v1::SubmitInputResponseRequest& request);
relay::SubmitVerdict FromProto(const v1::SubmitInputResponseResponse& response);
relay::UpstreamReply FromProto(const v1::UpstreamReply& reply);
relay::SessionInfo FromProto(const v1::Session& session);
relay::DeliveryReady FromProto(const v1::DeliveryReady& delivery);
relay::VirtualServerSnapshot FromProto(const v1::PolicySnapshot& snapshot);
v1::OperationEnd ToProto(relay::OperationEnd end);
v1::CancelCause ToProto(relay::CancelCause cause);

}  // namespace gatehouse::control

#endif  // GATEHOUSE_DATAPLANE_CONTROL_TRANSLATE_H_
