#ifndef GATEHOUSE_CONTROLPLANE_RPC_FLEET_SERVICE_H_
#define GATEHOUSE_CONTROLPLANE_RPC_FLEET_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include "controlplane/broker/broker.h"
#include "controlplane/rpc/attach.h"
#include "controlplane/store/store.h"
#include "gatehouse/v1/fleet_service.grpc.pb.h"

namespace gatehouse::rpc {

// FleetService: the streams of workers, who they are, and their upstreams.
// Thread-safe; borrows.
class FleetService final : public v1::FleetService::CallbackService {
 public:
  FleetService(broker::Broker& broker, Store& store, AttachedWorkers& workers)
      : broker_(broker), store_(store), workers_(workers) {}

  grpc::ServerBidiReactor<v1::AttachRequest, v1::AttachResponse>* Attach(
      grpc::CallbackServerContext* context) override;
  grpc::ServerUnaryReactor* ListWorkers(
      grpc::CallbackServerContext* context,
      const v1::ListWorkersRequest* request,
      v1::ListWorkersResponse* response) override;
  grpc::ServerUnaryReactor* ListUpstreams(
      grpc::CallbackServerContext* context,
      const v1::ListUpstreamsRequest* request,
      v1::ListUpstreamsResponse* response) override;

 private:
  broker::Broker& broker_;
  Store& store_;
  AttachedWorkers& workers_;
};

}  // namespace gatehouse::rpc

#endif  // GATEHOUSE_CONTROLPLANE_RPC_FLEET_SERVICE_H_
