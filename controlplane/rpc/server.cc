#include "controlplane/rpc/server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <sys/stat.h>

#include <chrono>
#include <utility>

#include "absl/time/clock.h"
#include "controlplane/rpc/attach.h"
#include "controlplane/rpc/audit_service.h"
#include "controlplane/rpc/fleet_service.h"
#include "controlplane/rpc/policy_service.h"
#include "controlplane/rpc/session_service.h"
#include "controlplane/rpc/trust_service.h"
#include "shared/base/status.h"

namespace gatehouse::rpc {
namespace {

constexpr int kMaxMessageBytes = 8 << 20;
constexpr int kMinPingIntervalMs = 10'000;
constexpr size_t kMaxSocketPathBytes = 100;  // sun_path is 108

bool IsLoopback(const std::string& address) {
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos) return false;
  const std::string host = address.substr(0, colon);
  return host == "localhost" || host == "[::1]" || host.starts_with("127.");
}

// Local credentials take any connection from this machine, and let us look at
// each call's token before it is dispatched: reflection's too, which no service
// of ours could guard.
std::shared_ptr<grpc::ServerCredentials> Credentials(
    grpc_local_connect_type type,
    const std::shared_ptr<grpc::AuthMetadataProcessor>& processor) {
  auto credentials = grpc::experimental::LocalServerCredentials(type);
  credentials->SetAuthMetadataProcessor(processor);
  return credentials;
}

// Counts how each call ends, whatever service it is of.
class CountingInterceptor final : public grpc::experimental::Interceptor {
 public:
  CountingInterceptor(RpcStats& stats, std::string path)
      : stats_(stats), path_(std::move(path)) {}
  void Intercept(
      grpc::experimental::InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(
            grpc::experimental::InterceptionHookPoints::PRE_SEND_STATUS)) {
      stats_.Count(path_, methods->GetSendStatus().error_code());
    }
    methods->Proceed();
  }

 private:
  RpcStats& stats_;
  const std::string path_;
};

class CountingFactory final
    : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  explicit CountingFactory(RpcStats& stats) : stats_(stats) {}
  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* info) override {
    return new CountingInterceptor(stats_, info->method());
  }

 private:
  RpcStats& stats_;
};

class ServerOfServices final : public Server {
 public:
  ServerOfServices(std::shared_ptr<const Access> access, broker::Broker& broker,
                   Store& store)
      : access_(std::move(access)),
        trust_(broker),
        sessions_(broker, store),
        fleet_(broker, store, workers_),
        policies_(broker, store, *access_),
        audit_(store) {
    broker.SetMailHint([this](const sessions::MailedWorkers& mailed) {
      workers_.Wake(mailed);
    });
  }

  absl::Status Build(const ServerOptions& options) {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    const std::shared_ptr<grpc::AuthMetadataProcessor> processor =
        MakeProcessor(access_, stats_);
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort(options.listen, Credentials(LOCAL_TCP, processor),
                             &port);
    if (!options.socket.empty()) {
      builder.AddListeningPort("unix:" + options.socket,
                               Credentials(UDS, processor));
    }
    // Two control planes on one port would each get half of the calls.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddChannelArgument(
        GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
        kMinPingIntervalMs);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
    builder.SetMaxSendMessageSize(kMaxMessageBytes);
    for (grpc::Service* service : std::initializer_list<grpc::Service*>{
             &trust_, &sessions_, &fleet_, &policies_, &audit_}) {
      builder.RegisterService(service);
    }
    std::vector<
        std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>>
        interceptors;
    interceptors.push_back(std::make_unique<CountingFactory>(stats_));
    builder.experimental().SetInterceptorCreators(std::move(interceptors));
    server_ = builder.BuildAndStart();
    if (server_ == nullptr) {
      return MakeStatus(absl::StatusCode::kFailedPrecondition,
                        options.listen + " or unix:" + options.socket +
                            ": cannot be served; is it taken?");
    }
    if (!options.socket.empty()) chmod(options.socket.c_str(), 0600);
    listen_ = options.listen.substr(0, options.listen.rfind(':') + 1) +
              std::to_string(port);
    return absl::OkStatus();
  }

  std::string listen() const override { return listen_; }
  int attached_workers() const override { return workers_.count(); }
  const RpcStats& stats() const override { return stats_; }

  void Shutdown(absl::Duration grace) override {
    if (auto* health = server_->GetHealthCheckService()) health->Shutdown();
    workers_.EndAll();
    server_->Shutdown(std::chrono::system_clock::now() +
                      absl::ToChronoMilliseconds(grace));
    server_->Wait();
  }

 private:
  const std::shared_ptr<const Access> access_;
  RpcStats stats_{MethodPaths()};
  AttachedWorkers workers_;
  TrustService trust_;
  SessionService sessions_;
  FleetService fleet_;
  PolicyService policies_;
  AuditService audit_;
  std::unique_ptr<grpc::Server> server_;
  std::string listen_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(
    const ServerOptions& options, std::vector<Token> tokens,
    broker::Broker& broker, Store& store) {
  if (!IsLoopback(options.listen)) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      "--listen " + options.listen +
                          ": this version serves loopback only, as "
                          "127.0.0.1:PORT");
  }
  if (options.socket.size() > kMaxSocketPathBytes) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      "--socket " + options.socket +
                          ": a Unix socket's path has at most 100 bytes");
  }
  GATEHOUSE_ASSIGN_OR_RETURN(Access access, Access::Create(std::move(tokens)));
  auto server = std::make_unique<ServerOfServices>(
      std::make_shared<const Access>(std::move(access)), broker, store);
  GATEHOUSE_RETURN_IF_ERROR(server->Build(options));
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace gatehouse::rpc
