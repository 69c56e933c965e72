#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_CONNECTION_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_CONNECTION_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace gatehouse::ctl {

// Where `tools/up` keeps its control plane unless told otherwise:
// $XDG_STATE_HOME/gatehouse, or ~/.local/state/gatehouse.
std::string DefaultDataDir();
// Its Unix socket, as `unix:PATH`.
std::string DefaultControl();
// The token of `role` beside the socket `control` names, or in the default data
// directory if that is no socket.
std::string DefaultTokenFile(std::string_view control, std::string_view role);

struct ConnectionOptions {
  std::string control;     // `unix:PATH` or `HOST:PORT`
  std::string token_file;  // one line
  absl::Duration call_timeout = absl::Seconds(10);
};

// A channel to the control plane and the token that every call bears.
// Thread-safe; a call's context belongs to its caller.
class Connection {
 public:
  // INVALID_ARGUMENT if the token file cannot be read or holds no token. Does
  // not connect: the first call does.
  static absl::StatusOr<Connection> Create(ConnectionOptions options);

  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  const ConnectionOptions& options() const { return options_; }
  // Sets the deadline and the token of one call.
  void Prepare(grpc::ClientContext* context) const;
  // Whether the control plane says that it serves (grpc.health.v1).
  grpc::Status CheckHealth(bool* serving) const;

 private:
  Connection(ConnectionOptions options, std::string token);

  ConnectionOptions options_;
  std::string authorization_;
  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_CONNECTION_H_
