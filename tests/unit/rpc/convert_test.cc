#include "controlplane/rpc/convert.h"

#include <gtest/gtest.h>

#include <string>

#include "controlplane/audit/record.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "shared/base/status.h"

namespace gatehouse::rpc {
namespace {

TEST(IdOf, TakesTheIdBehindItsPrefix) {
  EXPECT_EQ(*IdOf("sessions/a-B_9", "sessions/", "session"), "a-B_9");
}

TEST(IdOf, RefusesWhatIsNoName) {
  for (const char* name : {"", "sessions/", "a", "workers/a", "sessions/a/b",
                           "sessions/a b", "sessions/\xc3\xa4"}) {
    EXPECT_FALSE(IdOf(name, "sessions/", "session").ok()) << name;
  }
  EXPECT_FALSE(
      IdOf("sessions/" + std::string(129, 'a'), "sessions/", "session").ok());
}

TEST(UpstreamNameOf, ReadsBothParts) {
  const auto name = UpstreamNameOf("virtualServers/dev/upstreams/files");
  ASSERT_TRUE(name.ok()) << name.status();
  EXPECT_EQ(name->virtual_server, "dev");
  EXPECT_EQ(name->upstream, "files");
  EXPECT_FALSE(UpstreamNameOf("virtualServers/dev").ok());
  EXPECT_FALSE(UpstreamNameOf("virtualServers/dev/upstreams/").ok());
}

TEST(ToGrpc, GivesTheStableReasonAsADetail) {
  const grpc::Status status =
      ToGrpc(MakeStatus(absl::StatusCode::kFailedPrecondition,
                        "stale_epoch: epoch 1 is over; attach for a new one"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  google::rpc::Status details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  ASSERT_EQ(details.details_size(), 1);
  google::rpc::ErrorInfo info;
  ASSERT_TRUE(details.details(0).UnpackTo(&info));
  EXPECT_EQ(info.reason(), "stale_epoch");
  EXPECT_EQ(info.domain(), "gatehouse");
}

TEST(ToGrpc, AFieldsNameIsNoReason) {
  EXPECT_TRUE(ToGrpc(MakeStatus(absl::StatusCode::kInvalidArgument,
                                "tool: at most 256 bytes"))
                  .error_details()
                  .empty());
}

// Whether it was committed nobody knows: the caller asks again by its id.
TEST(ToGrpc, UnknownOfTheStoreIsUnavailable) {
  EXPECT_EQ(
      ToGrpc(MakeStatus(absl::StatusCode::kUnknown, "commit")).error_code(),
      grpc::StatusCode::UNAVAILABLE);
}

TEST(ToGrpc, NamesEveryViolationOfADocument) {
  const grpc::Status status =
      ToGrpc({{"upstreams[0].http.url", "expected http"}, {"", "no kind"}});
  google::rpc::Status details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  google::rpc::BadRequest bad;
  ASSERT_TRUE(details.details(0).UnpackTo(&bad));
  ASSERT_EQ(bad.field_violations_size(), 2);
  EXPECT_EQ(bad.field_violations(0).field(), "upstreams[0].http.url");
}

TEST(ToProto, EveryStateHasTheSameNameInTheContractAndInTheLog) {
  for (int number = v1::InputRequestState_MIN;
       number <= v1::InputRequestState_MAX; ++number) {
    if (number == v1::INPUT_REQUEST_STATE_UNSPECIFIED) continue;
    ASSERT_TRUE(v1::InputRequestState_IsValid(number));
    const auto state = static_cast<InputRequestState>(number);
    EXPECT_EQ(v1::InputRequestState_Name(ToProto(state)),
              audit::StateName(state));
  }
}

TEST(ToProto, TimesKeepTheirMicroseconds) {
  for (const int64_t micros : {int64_t{0}, int64_t{1'800'000'000'123'456},
                               int64_t{-1}, int64_t{-1'000'001}}) {
    const google::protobuf::Timestamp time =
        ToProto(absl::FromUnixMicros(micros));
    EXPECT_EQ(time.seconds() * 1'000'000 + time.nanos() / 1000, micros);
    EXPECT_GE(time.nanos(), 0);
  }
}

TEST(ToDocument, WhatWasReadCanBeAppliedAgain) {
  v1::VirtualServer server;
  server.set_name("dev");
  v1::Upstream& upstream = *server.add_upstreams();
  upstream.set_name("demo");
  upstream.mutable_http()->set_url("http://127.0.0.1:9/mcp");
  server.set_etag("abc");
  server.set_version(3);
  const auto document = ToDocument(server);
  ASSERT_TRUE(document.ok()) << document.status();
  const policy::ParseResult parsed = policy::ParseVirtualServer(*document);
  EXPECT_TRUE(parsed.violations.empty())
      << *document << parsed.violations.front().message;
}

// What the policy says of elicitation is there for who reads it over gRPC, and
// applying what was read changes nothing.
TEST(ToProto, ElicitationTrustComesThroughBothWays) {
  policy::VirtualServer server;
  server.name = "dev";
  server.upstreams = {{"demo", policy::HttpTransport{"http://h/mcp", {}, {}}}};
  server.elicitation_url = true;
  server.elicitation_url_hosts = {"*.a.example", "b.example"};
  server.elicitation_allow_fields = {{"demo", "pin_code"}};
  PolicyRow row;
  row.virtual_server = "dev";
  row.document = policy::CanonicalDocument(server);
  const auto resource = ToProto(row);
  ASSERT_TRUE(resource.ok()) << resource.status();
  const v1::ElicitationTrust& trust = resource->trust().elicitation();
  EXPECT_TRUE(trust.url());
  ASSERT_EQ(trust.url_hosts_size(), 2);
  EXPECT_EQ(trust.url_hosts(0), "*.a.example");
  ASSERT_EQ(trust.allow_fields_size(), 1);
  EXPECT_EQ(trust.allow_fields(0).upstream(), "demo");
  EXPECT_EQ(trust.allow_fields(0).field(), "pin_code");
  const auto document = ToDocument(*resource);
  ASSERT_TRUE(document.ok()) << document.status();
  const policy::ParseResult parsed = policy::ParseVirtualServer(*document);
  ASSERT_TRUE(parsed.violations.empty()) << *document;
  EXPECT_EQ(policy::CanonicalDocument(parsed.virtual_server), row.document);
}

TEST(PageSize, HasADefaultAndAMost) {
  EXPECT_EQ(*PageSize(0), 50);
  EXPECT_EQ(*PageSize(7), 7);
  EXPECT_EQ(*PageSize(5000), 1000);
  EXPECT_FALSE(PageSize(-1).ok());
}

}  // namespace
}  // namespace gatehouse::rpc
