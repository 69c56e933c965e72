#ifndef GATEHOUSE_CONTROLPLANE_RPC_TRUST_SERVICE_H_
#define GATEHOUSE_CONTROLPLANE_RPC_TRUST_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include "controlplane/broker/broker.h"
#include "gatehouse/v1/trust_service.grpc.pb.h"

namespace gatehouse::rpc {

// TrustService over the broker. Thread-safe; borrows the broker.
class TrustService final : public v1::TrustService::CallbackService {
 public:
  explicit TrustService(broker::Broker& broker) : broker_(broker) {}

  grpc::ServerUnaryReactor* AdmitInputRequests(
      grpc::CallbackServerContext* context,
      const v1::AdmitInputRequestsRequest* request,
      v1::AdmitInputRequestsResponse* response) override;
  grpc::ServerUnaryReactor* SubmitInputResponse(
      grpc::CallbackServerContext* context,
      const v1::SubmitInputResponseRequest* request,
      v1::SubmitInputResponseResponse* response) override;
  grpc::ServerUnaryReactor* CancelInputRequest(
      grpc::CallbackServerContext* context,
      const v1::CancelInputRequestRequest* request,
      v1::CancelInputRequestResponse* response) override;
  grpc::ServerUnaryReactor* CloseOperation(
      grpc::CallbackServerContext* context,
      const v1::CloseOperationRequest* request,
      v1::CloseOperationResponse* response) override;
  grpc::ServerUnaryReactor* ExplainInputRequest(
      grpc::CallbackServerContext* context,
      const v1::ExplainInputRequestRequest* request,
      v1::ExplainInputRequestResponse* response) override;

 private:
  broker::Broker& broker_;
};

}  // namespace gatehouse::rpc

#endif  // GATEHOUSE_CONTROLPLANE_RPC_TRUST_SERVICE_H_
