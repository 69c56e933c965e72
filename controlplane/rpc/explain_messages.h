#ifndef GATEHOUSE_CONTROLPLANE_RPC_EXPLAIN_MESSAGES_H_
#define GATEHOUSE_CONTROLPLANE_RPC_EXPLAIN_MESSAGES_H_

#include <optional>
#include <vector>

#include "controlplane/broker/explain.h"
#include "controlplane/policy/virtual_server.h"
#include "gatehouse/v1/trust_service.pb.h"

namespace gatehouse::rpc {

// Pure translations of ExplainInputRequest.

// Nothing for what is unspecified or no number of the enum.
std::optional<broker::Attribution> FromProto(v1::Attribution attribution);

// Every field that breaks its bound in the proto, and an enum's number that it
// does not have, is appended to `violations`;
// with any, what is returned is of no use.
broker::ExplainCommand FromProto(const v1::ExplainInputRequestRequest& request,
                                 std::vector<policy::Violation>& violations);

// Of an explanation without violations.
void ToProto(const broker::Explained& explained,
             v1::ExplainInputRequestResponse& out);

}  // namespace gatehouse::rpc

#endif  // GATEHOUSE_CONTROLPLANE_RPC_EXPLAIN_MESSAGES_H_
