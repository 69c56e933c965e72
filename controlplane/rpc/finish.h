#ifndef GATEHOUSE_CONTROLPLANE_RPC_FINISH_H_
#define GATEHOUSE_CONTROLPLANE_RPC_FINISH_H_

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "controlplane/rpc/convert.h"
#include "controlplane/store/store.h"

namespace gatehouse::rpc {

// Ends a unary call at once.
inline grpc::ServerUnaryReactor* Finish(grpc::CallbackServerContext* context,
                                        const absl::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(ToGrpc(status));
  return reactor;
}

// Reads by one Work and ends the call with what it filled: `read` may run
// again, so it starts from an empty `value`; `fill` runs once, after it.
template <typename T>
grpc::ServerUnaryReactor* ReadAndFinish(
    grpc::CallbackServerContext* context, Store& store,
    std::function<absl::Status(Transaction&, T&)> read,
    std::function<absl::Status(const T&)> fill) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  auto value = std::make_shared<T>();
  store.Run(
      [value, read = std::move(read)](Transaction& tx) {
        *value = T{};
        return read(tx, *value);
      },
      [value, reactor, fill = std::move(fill)](absl::Status status) {
        if (status.ok()) status = fill(*value);
        reactor->Finish(ToGrpc(status));
      });
  return reactor;
}

}  // namespace gatehouse::rpc

#endif  // GATEHOUSE_CONTROLPLANE_RPC_FINISH_H_
