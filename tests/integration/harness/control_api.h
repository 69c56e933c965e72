#ifndef GATEHOUSE_TESTS_INTEGRATION_HARNESS_CONTROL_API_H_
#define GATEHOUSE_TESTS_INTEGRATION_HARNESS_CONTROL_API_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gatehouse/v1/audit_service.grpc.pb.h"
#include "gatehouse/v1/fleet_service.grpc.pb.h"
#include "gatehouse/v1/policy_service.grpc.pb.h"
#include "gatehouse/v1/session_service.grpc.pb.h"
#include "gatehouse/v1/trust_service.grpc.pb.h"

namespace gatehouse::testing {

// A gRPC client of the control plane under one bearer token. Thread-safe.
// Every call has a deadline of 10 s. Errors keep gRPC's code and message.
class ControlApi {
 public:
  // `address` is `HOST:PORT` or `unix:PATH`; an empty token sends none.
  ControlApi(const std::string& address, std::string token);

  // Every record of the log, in order.
  absl::StatusOr<std::vector<v1::AuditRecord>> Records();
  absl::StatusOr<std::vector<v1::Session>> Sessions();
  absl::StatusOr<std::vector<v1::Worker>> Workers();
  absl::StatusOr<v1::ApplyVirtualServerResponse> Apply(
      const std::string& document, bool validate_only = false);
  absl::StatusOr<std::vector<v1::VirtualServer>> VirtualServers();

  // A context with the token and the deadline, for other methods.
  std::unique_ptr<grpc::ClientContext> Context() const;
  std::shared_ptr<grpc::Channel> channel() const { return channel_; }

 private:
  const std::shared_ptr<grpc::Channel> channel_;
  const std::string token_;
};

absl::Status ToAbslStatus(const grpc::Status& status);

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_HARNESS_CONTROL_API_H_
