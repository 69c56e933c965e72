#ifndef GATEHOUSE_CONTROLPLANE_RPC_AUDIT_SERVICE_H_
#define GATEHOUSE_CONTROLPLANE_RPC_AUDIT_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include "controlplane/store/store.h"
#include "gatehouse/v1/audit_service.grpc.pb.h"

namespace gatehouse::rpc {

// AuditService over the store. Thread-safe; borrows it.
class AuditService final : public v1::AuditService::CallbackService {
 public:
  explicit AuditService(Store& store) : store_(store) {}

  grpc::ServerUnaryReactor* ListRecords(
      grpc::CallbackServerContext* context,
      const v1::ListRecordsRequest* request,
      v1::ListRecordsResponse* response) override;

 private:
  Store& store_;
};

}  // namespace gatehouse::rpc

#endif  // GATEHOUSE_CONTROLPLANE_RPC_AUDIT_SERVICE_H_
