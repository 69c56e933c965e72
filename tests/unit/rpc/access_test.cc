// Every RPC but health needs a token, and a role sees only what is its own.

#include "controlplane/rpc/access.h"

#include <gtest/gtest.h>

#include <string>

#include "shared/base/digest.h"

namespace gatehouse::rpc {
namespace {

Access TestAccess() {
  std::vector<Token> tokens;
  for (const Role role :
       {Role::kWorker, Role::kOperator, Role::kReviewer, Role::kAuditor}) {
    const std::string name(ToString(role));
    tokens.push_back(Token{role, name, Sha256(name + "-secret")});
  }
  auto access = Access::Create(std::move(tokens));
  EXPECT_TRUE(access.ok()) << access.status();
  return *std::move(access);
}

struct AccessCase {
  const char* name;
  const char* path;
  const char* authorization;
  absl::StatusCode want;
};

class AccessTest : public testing::TestWithParam<AccessCase> {};

TEST_P(AccessTest, GivesTheListedAnswer) {
  EXPECT_EQ(
      TestAccess().Check(GetParam().path, GetParam().authorization).code(),
      GetParam().want);
}

constexpr char kAdmit[] = "/gatehouse.v1.TrustService/AdmitInputRequests";
constexpr char kApply[] = "/gatehouse.v1.PolicyService/ApplyVirtualServer";
constexpr char kRecords[] = "/gatehouse.v1.AuditService/ListRecords";
constexpr char kHealth[] = "/grpc.health.v1.Health/Check";
constexpr char kReflection[] =
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

INSTANTIATE_TEST_SUITE_P(
    Rules, AccessTest,
    testing::ValuesIn<AccessCase>({
        {"HealthNeedsNoToken", kHealth, "", absl::StatusCode::kOk},
        {"ReflectionNeedsOne", kReflection, "",
         absl::StatusCode::kUnauthenticated},
        {"ReflectionTakesAnyRole", kReflection, "Bearer reviewer-secret",
         absl::StatusCode::kOk},
        {"AWorkerAdmits", kAdmit, "Bearer worker-secret",
         absl::StatusCode::kOk},
        {"AnOperatorDoesNotAdmit", kAdmit, "Bearer operator-secret",
         absl::StatusCode::kPermissionDenied},
        {"AWorkerAppliesNoPolicy", kApply, "Bearer worker-secret",
         absl::StatusCode::kPermissionDenied},
        {"AnOperatorAppliesPolicies", kApply, "Bearer operator-secret",
         absl::StatusCode::kOk},
        {"AnAuditorReadsTheLog", kRecords, "Bearer auditor-secret",
         absl::StatusCode::kOk},
        {"AnOperatorDoesNot", kRecords, "Bearer operator-secret",
         absl::StatusCode::kPermissionDenied},
        {"AReviewerDoesNot", kRecords, "Bearer reviewer-secret",
         absl::StatusCode::kPermissionDenied},
        {"NoTokenIsUnauthenticated", kRecords, "",
         absl::StatusCode::kUnauthenticated},
        {"AWrongTokenIsUnauthenticated", kRecords, "Bearer auditor-secre",
         absl::StatusCode::kUnauthenticated},
        {"AnotherSchemeIsUnauthenticated", kRecords, "Basic auditor-secret",
         absl::StatusCode::kUnauthenticated},
        {"AMethodOfOursWithoutARowIsDenied",
         "/gatehouse.v1.AuditService/Forget", "Bearer auditor-secret",
         absl::StatusCode::kPermissionDenied},
        {"AServiceThatIsNotThereIsForGrpcToRefuse",
         "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
         "Bearer auditor-secret", absl::StatusCode::kOk},
        {"AServiceThatIsNotThereNeedsATokenToo", "/x.Y/Z", "",
         absl::StatusCode::kUnauthenticated},
    }),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace gatehouse::rpc
