#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_LISTS_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_LISTS_H_

// Whole lists, all pages together, for the commands that share them. Each gives
// gRPC's own status, for Session::Report.

#include <grpcpp/support/status.h>

#include <string>

#include "gatehouse/v1/fleet_service.pb.h"
#include "gatehouse/v1/policy_service.pb.h"
#include "gatehouse/v1/session_service.pb.h"
#include "tools/gatehousectl/connection.h"

namespace gatehouse::ctl {

grpc::Status ListWorkers(const Connection& connection,
                         v1::ListWorkersResponse* all);
grpc::Status ListVirtualServers(const Connection& connection,
                                v1::ListVirtualServersResponse* all);
// Of one virtual server; empty: of all.
grpc::Status ListSessions(const Connection& connection,
                          const std::string& virtual_server,
                          v1::ListSessionsResponse* all);

std::string WorkersTable(const v1::ListWorkersResponse& response);
std::string VirtualServersTable(const v1::ListVirtualServersResponse& response);

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_LISTS_H_
