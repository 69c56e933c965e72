#ifndef GATEHOUSE_CONTROLPLANE_RPC_SESSION_SERVICE_H_
#define GATEHOUSE_CONTROLPLANE_RPC_SESSION_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include "controlplane/broker/broker.h"
#include "controlplane/store/store.h"
#include "gatehouse/v1/session_service.grpc.pb.h"

namespace gatehouse::rpc {

// SessionService over the broker (changes) and the store (reads).
// Thread-safe; borrows both.
class SessionService final : public v1::SessionService::CallbackService {
 public:
  SessionService(broker::Broker& broker, Store& store)
      : broker_(broker), store_(store) {}

  grpc::ServerUnaryReactor* CreateSession(
      grpc::CallbackServerContext* context,
      const v1::CreateSessionRequest* request, v1::Session* response) override;
  grpc::ServerUnaryReactor* GetSession(grpc::CallbackServerContext* context,
                                       const v1::GetSessionRequest* request,
                                       v1::Session* response) override;
  grpc::ServerUnaryReactor* CloseSession(
      grpc::CallbackServerContext* context,
      const v1::CloseSessionRequest* request,
      v1::CloseSessionResponse* response) override;
  grpc::ServerUnaryReactor* ListSessions(
      grpc::CallbackServerContext* context,
      const v1::ListSessionsRequest* request,
      v1::ListSessionsResponse* response) override;

  grpc::ServerUnaryReactor* ReportRootsChanged(
      grpc::CallbackServerContext* context,
      const v1::ReportRootsChangedRequest* request,
      v1::ReportRootsChangedResponse* response) override;

 private:
  broker::Broker& broker_;
  Store& store_;
};

}  // namespace gatehouse::rpc

#endif  // GATEHOUSE_CONTROLPLANE_RPC_SESSION_SERVICE_H_
