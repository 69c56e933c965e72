#ifndef GATEHOUSE_CONTROLPLANE_RPC_POLICY_SERVICE_H_
#define GATEHOUSE_CONTROLPLANE_RPC_POLICY_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include "controlplane/broker/broker.h"
#include "controlplane/rpc/access.h"
#include "controlplane/store/store.h"
#include "gatehouse/v1/policy_service.grpc.pb.h"

namespace gatehouse::rpc {

// PolicyService over the broker (changes) and the store (reads).
// Thread-safe; borrows all three. `access` tells whose token applied what.
class PolicyService final : public v1::PolicyService::CallbackService {
 public:
  PolicyService(broker::Broker& broker, Store& store, const Access& access)
      : broker_(broker), store_(store), access_(access) {}

  grpc::ServerUnaryReactor* GetVirtualServer(
      grpc::CallbackServerContext* context,
      const v1::GetVirtualServerRequest* request,
      v1::VirtualServer* response) override;
  grpc::ServerUnaryReactor* ListVirtualServers(
      grpc::CallbackServerContext* context,
      const v1::ListVirtualServersRequest* request,
      v1::ListVirtualServersResponse* response) override;
  grpc::ServerUnaryReactor* ApplyVirtualServer(
      grpc::CallbackServerContext* context,
      const v1::ApplyVirtualServerRequest* request,
      v1::ApplyVirtualServerResponse* response) override;
  grpc::ServerUnaryReactor* DeleteVirtualServer(
      grpc::CallbackServerContext* context,
      const v1::DeleteVirtualServerRequest* request,
      v1::DeleteVirtualServerResponse* response) override;

 private:
  std::string AuthorOf(const grpc::CallbackServerContext& context) const;

  broker::Broker& broker_;
  Store& store_;
  const Access& access_;
};

}  // namespace gatehouse::rpc

#endif  // GATEHOUSE_CONTROLPLANE_RPC_POLICY_SERVICE_H_
