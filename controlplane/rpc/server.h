#ifndef GATEHOUSE_CONTROLPLANE_RPC_SERVER_H_
#define GATEHOUSE_CONTROLPLANE_RPC_SERVER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "controlplane/broker/broker.h"
#include "controlplane/rpc/access.h"
#include "controlplane/rpc/rpc_stats.h"
#include "controlplane/store/store.h"

namespace gatehouse::rpc {

struct ServerOptions {
  std::string listen = "127.0.0.1:7700";  // loopback only; port 0: any
  std::string socket;                     // path of the Unix socket
};

// The gRPC server with every service of the control plane, reflection and
// health. Thread-safe. Borrows broker and store, which outlive it.
class Server {
 public:
  // INVALID_ARGUMENT for an address off loopback; FAILED_PRECONDITION if an
  // address is taken or a method has no row in the access table.
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      const ServerOptions& options, std::vector<Token> tokens,
      broker::Broker& broker, Store& store);
  virtual ~Server() = default;

  // `127.0.0.1:PORT` as it is served.
  virtual std::string listen() const = 0;
  // Workers whose stream is open here.
  virtual int attached_workers() const = 0;
  virtual const RpcStats& stats() const = 0;
  // Health says NOT_SERVING, streams end, calls under way get `grace`.
  virtual void Shutdown(absl::Duration grace) = 0;
};

}  // namespace gatehouse::rpc

#endif  // GATEHOUSE_CONTROLPLANE_RPC_SERVER_H_
