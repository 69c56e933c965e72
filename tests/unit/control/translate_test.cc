#include "dataplane/control/translate.h"

#include <gtest/gtest.h>

#include <string>

namespace gatehouse::control {
namespace {

TEST(TranslateTest, AnOversizedInputRequestTravelsAsSizeAndDigest) {
  relay::AdmitRequest request;
  request.operation = "op";
  request.requests.push_back(
      {"1", "sampling/createMessage", std::string((64 << 10) + 1, 'x')});
  request.requests.push_back(
      {"2", "sampling/createMessage", std::string(64 << 10, 'x')});
  const auto message = ToProto(request);
  EXPECT_EQ(message.input_requests(0).oversized().size_bytes(), 65'537);
  EXPECT_EQ(message.input_requests(0).oversized().sha256().size(), 32u);
  EXPECT_EQ(message.input_requests(1).params().size(), 65'536u);
}

TEST(TranslateTest, ARoundOfMoreThanEightTravelsAsItsCount) {
  relay::AdmitRequest request;
  request.requests.resize(9);
  const auto message = ToProto(request);
  EXPECT_EQ(message.input_requests_size(), 0);
  EXPECT_EQ(message.oversized_round_count(), 9);
}

TEST(TranslateTest, AnOversizedReplyTravelsAsSizeAndDigest) {
  v1::SubmitInputResponseRequest small;
  SetPayload(std::string(1 << 20, 'x'), std::nullopt, small);
  EXPECT_EQ(small.result().size(), size_t{1} << 20);
  v1::SubmitInputResponseRequest large;
  SetPayload(std::nullopt, std::string((1 << 20) + 1, 'x'), large);
  EXPECT_EQ(large.oversized().size_bytes(), (1 << 20) + 1);
}

TEST(TranslateTest, NamesTakeAndLoseTheirCollections) {
  relay::AdmitRequest request;
  request.operation = "o";
  request.session = "s";
  request.virtual_server = "v";
  request.upstream = "u";
  const auto message = ToProto(request);
  EXPECT_EQ(message.operation(), "operations/o");
  EXPECT_EQ(message.session(), "sessions/s");
  EXPECT_EQ(message.upstream(), "virtualServers/v/upstreams/u");
  EXPECT_EQ(BareId(message.upstream()), "u");
  EXPECT_EQ(BareId("bare"), "bare");
}

// Defends invariant 1: a verdict that is missing is none.
TEST(TranslateTest, AnEntryWithoutAVerdictIsLeftOut) {
  v1::AdmitInputRequestsResponse response;
  response.add_verdicts()->set_key("1");
  v1::AdmitVerdict& relay = *response.add_verdicts();
  relay.set_key("2");
  relay.mutable_relay()->set_opaque_id("o");
  relay.mutable_relay()->set_deadline_in_ms(5000);
  const auto verdicts = FromProto(response);
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].key, "2");
  EXPECT_FALSE(verdicts[0].params.has_value());
  EXPECT_EQ(verdicts[0].time_left, absl::Seconds(5));
}

TEST(TranslateTest, ANotifiedAdmissionSaysSo) {
  relay::AdmitRequest request;
  EXPECT_FALSE(ToProto(request).notified());
  request.notified = true;
  EXPECT_TRUE(ToProto(request).notified());
}

TEST(TranslateTest, TheIdOfAVisitComesWithItsVerdict) {
  v1::AdmitInputRequestsResponse response;
  response.add_verdicts()->mutable_relay()->set_elicitation_id("ours");
  v1::AdmitVerdict& notify = *response.add_verdicts();
  notify.set_key("1");
  notify.mutable_notify()->set_params("{\"judged\":1}");
  notify.mutable_notify()->set_elicitation_id("ours-too");
  const auto verdicts = FromProto(response);
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[0].elicitation_id, "ours");
  EXPECT_EQ(verdicts[1].kind, relay::AdmitVerdict::Kind::kNotify);
  EXPECT_EQ(verdicts[1].key, "1");
  EXPECT_EQ(verdicts[1].params, "{\"judged\":1}");
  EXPECT_EQ(verdicts[1].elicitation_id, "ours-too");
}

TEST(TranslateTest, AnAnswerFromWhatWasKeptIsAVerdict) {
  v1::AdmitInputRequestsResponse response;
  response.add_verdicts()->mutable_answer()->set_result("{\"roots\":[]}");
  const auto verdicts = FromProto(response);
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].kind, relay::AdmitVerdict::Kind::kAnswer);
  EXPECT_EQ(verdicts[0].result, "{\"roots\":[]}");
}

// Defends invariant 2: what a policy does not name is off.
TEST(TranslateTest, AnEmptyPolicyOffersNothing) {
  v1::PolicySnapshot snapshot;
  EXPECT_EQ(FromProto(snapshot).permitted, mcp::ClientFeatures{});
  snapshot.mutable_virtual_server()
      ->mutable_trust()
      ->mutable_sampling()
      ->set_allow_tools(true);
  EXPECT_EQ(FromProto(snapshot).permitted, mcp::ClientFeatures{});
  snapshot.mutable_virtual_server()->mutable_client_features()->set_sampling(
      true);
  EXPECT_TRUE(FromProto(snapshot).permitted.sampling);
  EXPECT_TRUE(FromProto(snapshot).permitted.sampling_tools);
}

// Defends invariant 2: URL mode needs the feature and the policy's word for it.
TEST(TranslateTest, UrlModeIsOfferedOnlyWhereElicitationAndUrlAreOn) {
  v1::PolicySnapshot snapshot;
  v1::VirtualServer& server = *snapshot.mutable_virtual_server();
  server.mutable_trust()->mutable_elicitation()->set_url(true);
  EXPECT_EQ(FromProto(snapshot).permitted, mcp::ClientFeatures{});
  server.mutable_client_features()->set_elicitation(true);
  EXPECT_TRUE(FromProto(snapshot).permitted.elicitation_form);
  EXPECT_TRUE(FromProto(snapshot).permitted.elicitation_url);
  server.mutable_trust()->mutable_elicitation()->set_url(false);
  EXPECT_TRUE(FromProto(snapshot).permitted.elicitation_form);
  EXPECT_FALSE(FromProto(snapshot).permitted.elicitation_url);
}

TEST(SnapshotTest, NamesTheUpstreamsOfOtherClusters) {
  v1::PolicySnapshot snapshot;
  snapshot.add_upstreams_elsewhere("there");
  EXPECT_TRUE(FromProto(snapshot).upstreams.empty());
  EXPECT_EQ(FromProto(snapshot).elsewhere, std::vector<std::string>{"there"});
}

}  // namespace
}  // namespace gatehouse::control
