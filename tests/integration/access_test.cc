// Who may call which method of the control plane: DESIGN §16. The methods come
// from the contract's own descriptors, so that a new one without a row here
// fails this test.

#include <google/protobuf/descriptor.h>
#include <grpcpp/generic/generic_stub.h>
#include <sys/stat.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/integration/harness/fixture.h"

namespace gatehouse::testing {
namespace {

using ::testing::Each;
using ::testing::Not;

// The roles that may call each method.
const std::map<std::string, std::set<std::string>>& Expected() {
  static const auto* const table =
      new std::map<std::string, std::set<std::string>>{
          {"gatehouse.v1.TrustService.AdmitInputRequests", {"worker"}},
          {"gatehouse.v1.TrustService.SubmitInputResponse", {"worker"}},
          {"gatehouse.v1.TrustService.CancelInputRequest", {"worker"}},
          {"gatehouse.v1.TrustService.CloseOperation", {"worker"}},
          {"gatehouse.v1.TrustService.ExplainInputRequest",
           {"worker", "operator"}},
          {"gatehouse.v1.SessionService.CreateSession", {"worker"}},
          {"gatehouse.v1.SessionService.GetSession", {"worker", "operator"}},
          {"gatehouse.v1.SessionService.CloseSession", {"worker", "operator"}},
          {"gatehouse.v1.SessionService.ListSessions", {"operator"}},
          {"gatehouse.v1.SessionService.ReportRootsChanged", {"worker"}},
          {"gatehouse.v1.FleetService.Attach", {"worker"}},
          {"gatehouse.v1.FleetService.ListWorkers", {"operator"}},
          {"gatehouse.v1.FleetService.ListUpstreams", {"operator"}},
          {"gatehouse.v1.PolicyService.GetVirtualServer", {"operator"}},
          {"gatehouse.v1.PolicyService.ListVirtualServers", {"operator"}},
          {"gatehouse.v1.PolicyService.ApplyVirtualServer", {"operator"}},
          {"gatehouse.v1.PolicyService.DeleteVirtualServer", {"operator"}},
          {"gatehouse.v1.AuditService.ListRecords", {"auditor"}},
      };
  return *table;
}

std::vector<const google::protobuf::MethodDescriptor*> Methods() {
  std::vector<const google::protobuf::MethodDescriptor*> methods;
  for (const auto* file : {v1::AdmitInputRequestsRequest::descriptor()->file(),
                           v1::CreateSessionRequest::descriptor()->file(),
                           v1::AttachRequest::descriptor()->file(),
                           v1::ListVirtualServersRequest::descriptor()->file(),
                           v1::ListRecordsRequest::descriptor()->file()}) {
    for (int s = 0; s < file->service_count(); ++s) {
      for (int m = 0; m < file->service(s)->method_count(); ++m) {
        methods.push_back(file->service(s)->method(m));
      }
    }
  }
  return methods;
}

// Calls a method with an empty message and tells the status. A streaming one
// is asked the same way: authorisation comes before its first message.
grpc::StatusCode CallEmpty(const ControlApi& api,
                           const google::protobuf::MethodDescriptor& method) {
  grpc::GenericStub stub(api.channel());
  const auto context = api.Context();
  const std::string path =
      absl::StrCat("/", method.service()->full_name(), "/", method.name());
  grpc::CompletionQueue queue;
  grpc::ByteBuffer request, response;
  const grpc::Slice empty("", 0);
  request = grpc::ByteBuffer(&empty, 1);
  grpc::Status status;
  const auto call = stub.PrepareUnaryCall(context.get(), path, request, &queue);
  call->StartCall();
  call->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);  // ends by the context's deadline
  queue.Shutdown();
  return status.error_code();
}

class AccessTest : public GatehouseTest {
 protected:
  void SetUp() override { Start(); }
};

TEST_F(AccessTest, TheTableNamesEveryMethodOfTheContract) {
  std::set<std::string> methods;
  for (const auto* method : Methods()) methods.insert(method->full_name());
  std::set<std::string> rows;
  for (const auto& [name, roles] : Expected()) rows.insert(name);
  EXPECT_EQ(methods, rows);
}

TEST_F(AccessTest, WithoutATokenOrWithAWrongOneNothingIsServed) {
  const std::string unix_address = absl::StrCat("unix:", gatehouse_->socket());
  for (const std::string& address :
       {gatehouse_->control_address(), unix_address}) {
    for (const char* token : {"", "a-guess"}) {
      const ControlApi api(address, token);
      for (const auto* method : Methods()) {
        EXPECT_EQ(CallEmpty(api, *method), grpc::StatusCode::UNAUTHENTICATED)
            << method->full_name() << " with '" << token << "' at " << address;
      }
    }
  }
}

TEST_F(AccessTest, EachRoleMayCallJustItsOwnMethods) {
  for (const char* role : {"worker", "operator", "reviewer", "auditor"}) {
    const ControlApi api = gatehouse_->Api(role);
    for (const auto* method : Methods()) {
      const bool may = Expected().at(method->full_name()).count(role) > 0;
      if (may && method->client_streaming()) continue;  // would stay open
      const grpc::StatusCode code = CallEmpty(api, *method);
      if (may) {
        EXPECT_NE(code, grpc::StatusCode::PERMISSION_DENIED)
            << role << " " << method->full_name();
        EXPECT_NE(code, grpc::StatusCode::UNAUTHENTICATED)
            << role << " " << method->full_name();
      } else {
        EXPECT_EQ(code, grpc::StatusCode::PERMISSION_DENIED)
            << role << " " << method->full_name();
      }
    }
  }
}

// ---- Enums are open in proto3: any number may come, and one that the enum
// does not have is refused, never taken for another. Each request is well
// formed but for it, which the same one with a number that is known shows.

v1::AdmitInputRequestsRequest Admitting(int attribution) {
  v1::AdmitInputRequestsRequest request;
  request.set_request_id("r1");
  request.set_worker("workers/none");
  request.set_worker_epoch(1);
  request.set_operation("operations/o1");
  request.set_session("sessions/s1");
  request.set_upstream("virtualServers/dev/upstreams/up");
  request.set_upstream_revision("2025-11-25");
  request.set_attribution(static_cast<v1::Attribution>(attribution));
  v1::InputRequest& asked = *request.add_input_requests();
  asked.set_key("1");
  asked.set_method("roots/list");
  return request;
}
v1::CancelInputRequestRequest Cancelling(int cause) {
  v1::CancelInputRequestRequest request;
  request.set_request_id("r2");
  request.set_worker("workers/none");
  request.set_worker_epoch(1);
  request.set_input_request("inputRequests/q1");
  request.set_cause(static_cast<v1::CancelCause>(cause));
  return request;
}
v1::CloseOperationRequest Closing(int end) {
  v1::CloseOperationRequest request;
  request.set_request_id("r3");
  request.set_worker("workers/none");
  request.set_worker_epoch(1);
  request.set_operation("operations/o1");
  request.set_session("sessions/s1");
  request.set_end(static_cast<v1::OperationEnd>(end));
  return request;
}
v1::ExplainInputRequestRequest Explaining(int attribution) {
  v1::ExplainInputRequestRequest request;
  request.set_virtual_server("virtualServers/nobodys");
  request.set_method("roots/list");
  request.set_attribution(static_cast<v1::Attribution>(attribution));
  return request;
}

TEST_F(AccessTest, ANumberThatAnEnumDoesNotHaveIsRefused) {
  const ControlApi api = gatehouse_->Api("worker");
  const auto stub = v1::TrustService::NewStub(api.channel());
  const auto codes = [&](int number) {
    v1::AdmitInputRequestsResponse admitted;
    v1::CancelInputRequestResponse cancelled;
    v1::CloseOperationResponse closed;
    v1::ExplainInputRequestResponse explained;
    return std::vector<grpc::StatusCode>{
        stub->AdmitInputRequests(api.Context().get(), Admitting(number),
                                 &admitted)
            .error_code(),
        stub->CancelInputRequest(api.Context().get(), Cancelling(number),
                                 &cancelled)
            .error_code(),
        stub->CloseOperation(api.Context().get(), Closing(number), &closed)
            .error_code(),
        stub->ExplainInputRequest(api.Context().get(), Explaining(number),
                                  &explained)
            .error_code()};
  };
  for (const int unknown : {99, -1}) {
    EXPECT_THAT(codes(unknown), Each(grpc::StatusCode::INVALID_ARGUMENT))
        << unknown;
  }
  EXPECT_THAT(codes(1), Each(Not(grpc::StatusCode::INVALID_ARGUMENT)));
}

TEST_F(AccessTest, HealthNeedsNoToken) {
  const ControlApi api(gatehouse_->control_address(), "");
  grpc::GenericStub stub(api.channel());
  const auto context = api.Context();
  grpc::CompletionQueue queue;
  const grpc::Slice empty("", 0);
  const grpc::ByteBuffer request(&empty, 1);
  grpc::ByteBuffer response;
  grpc::Status status;
  const auto call = stub.PrepareUnaryCall(
      context.get(), "/grpc.health.v1.Health/Check", request, &queue);
  call->StartCall();
  call->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  queue.Shutdown();
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(AccessTest, TokensSocketAndDataAreTheOwnersAlone) {
  const std::string data = gatehouse_->data_dir();
  for (const std::string& path :
       {data, data + "/tokens/worker.token", data + "/tokens/operator.token",
        data + "/tokens/reviewer.token", data + "/tokens/auditor.token"}) {
    struct stat facts {};
    ASSERT_EQ(stat(path.c_str(), &facts), 0) << path;
    EXPECT_EQ(facts.st_mode & 077, 0u) << path;
  }
}

TEST_F(AccessTest, TokensStayTheSameOverARestart) {
  const std::string before = gatehouse_->Token("operator");
  ASSERT_FALSE(before.empty());
  ASSERT_TRUE(gatehouse_->control().Stop().ok());
  ASSERT_TRUE(gatehouse_->StartControl().ok());
  EXPECT_EQ(gatehouse_->Token("operator"), before);
  EXPECT_TRUE(gatehouse_->Api("operator").VirtualServers().ok());
}

}  // namespace
}  // namespace gatehouse::testing
