// Invariant 8, honest errors: a typed error is the same at the end of every
// road that it takes: code, reason, path and details. The roads: in the answer
// to an Admit, in the answer to a Submit, by way of the store and the mailbox;
// and as the answer to the client's own call.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controlplane/broker/decision.h"
#include "controlplane/rpc/convert.h"
#include "dataplane/control/translate.h"
#include "dataplane/downstream/answers.h"
#include "dataplane/relay/replies.h"
#include "gatehouse/v1/trust_service.pb.h"
#include "shared/json/json.h"
#include "shared/mcp/envelope.h"
#include "shared/reasons/reasons.h"
#include "tests/unit/broker/broker_fixture.h"

namespace gatehouse {
namespace {

// A failure with something at every place.
Failure FailureOf(const ReasonRow& row, std::optional<int32_t> code) {
  Failure failure;
  failure.reason = row.reason;
  failure.message = "what \"happened\" \xc3\xa9";
  failure.path = "/messages/0/a~1b";
  failure.details = {{"limit", "9223372036854775807"}, {"which", "\"tokens\""}};
  failure.code = code;
  return failure;
}

// Over the wire and back.
template <typename Message>
Message Sent(const Message& message) {
  Message received;
  EXPECT_TRUE(received.ParseFromString(message.SerializeAsString()));
  return received;
}

relay::UpstreamReply ByAdmit(const Failure& failure) {
  v1::AdmitInputRequestsResponse response;
  v1::AdmitVerdict& verdict = *response.add_verdicts();
  verdict.set_key("k");
  rpc::ToProto(broker::ReplyOf(failure), *verdict.mutable_refuse());
  std::vector<relay::AdmitVerdict> verdicts =
      control::FromProto(Sent(response));
  EXPECT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].kind, relay::AdmitVerdict::Kind::kRefuse);
  return verdicts[0].refusal;
}

relay::UpstreamReply BySubmit(const Failure& failure) {
  v1::SubmitInputResponseResponse response;
  rpc::ToProto(broker::ReplyOf(failure), *response.mutable_deliver());
  const relay::SubmitVerdict verdict = control::FromProto(Sent(response));
  EXPECT_EQ(verdict.outcome, relay::SubmitOutcome::kDeliver);
  return verdict.deliver;
}

relay::UpstreamReply ByTheWorkerItself(const Failure& failure) {
  return relay::ReplyOf(failure);
}

// The JSON-RPC error that the upstream reads.
std::string OnTheWire(const relay::UpstreamReply& reply) {
  EXPECT_TRUE(reply.is_error);
  return mcp::ErrorMessage("7", reply.code, reply.message, reply.data);
}

void ExpectError(const std::string& message, int32_t code,
                 std::string_view reason) {
  const auto document = json::Document::Parse(message);
  ASSERT_TRUE(document.ok()) << message;
  const json::Value error = *document->root().Find("error");
  EXPECT_EQ(*error.Find("code")->Integer(), code) << message;
  EXPECT_EQ(*error.Find("message")->String(), "what \"happened\" \xc3\xa9");
  EXPECT_EQ(error.Find("data")->raw(),
            absl::StrCat("{\"reason\":\"", std::string(reason),
                         "\",\"path\":\"/messages/0/a~1b\",\"limit\":"
                         "9223372036854775807,\"which\":\"tokens\"}"));
}

struct RoadCase {
  const char* name;
  relay::UpstreamReply (*road)(const Failure&);
};

class RoadTest : public testing::TestWithParam<RoadCase> {};

TEST_P(RoadTest, EveryReasonArrivesWithItsCodePathAndDetails) {
  for (const ReasonRow& row : AllReasons()) {
    SCOPED_TRACE(row.counter);
    ExpectError(OnTheWire(GetParam().road(FailureOf(row, std::nullopt))),
                row.to_upstream, row.name);
  }
}

TEST_P(RoadTest, AClientsOwnCodeArrivesAsItIs) {
  const ReasonRow& row = RowOf(Reason::kClientError);
  for (const int32_t code : {-1, -31001, -31999, 1, 2'147'483'647}) {
    ExpectError(OnTheWire(GetParam().road(FailureOf(row, code))), code,
                "client_error");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Roads, RoadTest,
    testing::ValuesIn<RoadCase>({{"OfAnAdmit", ByAdmit},
                                 {"OfASubmit", BySubmit},
                                 {"OfTheWorkerItself", ByTheWorkerItself}}),
    [](const auto& c) { return std::string(c.param.name); });

// The second column: what the client reads as the answer to its own call.
TEST(ClientColumnTest, EveryReasonMapsToTheClientsCodeAndName) {
  for (const ReasonRow& row : AllReasons()) {
    SCOPED_TRACE(row.counter);
    // A peer's own code is nothing to the client.
    const Failure failure = FailureOf(row, -31999);
    ExpectError(downstream::ErrorOf("7", failure), row.to_client,
                row.name_to_client);
    const http::Response refusal =
        downstream::Refusal(row.http_status, failure);
    EXPECT_EQ(refusal.status, row.http_status);
    ExpectError(refusal.body, row.to_client, row.name_to_client);
  }
}

// The road over the store: what the client sent came in at another worker, and
// the owner of the call claims the answer.
class MailboxRoadTest : public broker::BrokerFixture {
 protected:
  UpstreamReplyRow Mailed(const std::string& error) {
    broker::AdmitCommand command = Sampling();
    command.operation_id = absl::StrCat("operation-", ++operations_);
    const auto admitted = Admit(std::move(command));
    broker::SubmitCommand submit = Answer(Relayed(admitted).opaque_id);
    submit.result.reset();
    submit.error = error;
    submit.caller = broker::Caller{"w2", epoch2_};
    const auto outcome = Submit(std::move(submit));
    EXPECT_EQ(outcome->verdict, broker::SubmitOutcome::Verdict::kElsewhere);
    const auto claimed = Claim(admitted->words[0].input_request_id);
    EXPECT_TRUE(claimed.ok() && claimed->has_value());
    return claimed.ok() ? claimed->value_or(UpstreamReplyRow{})
                        : UpstreamReplyRow{};
  }
  UpstreamReplyRow Unary(const std::string& error) {
    broker::AdmitCommand command = Sampling();
    command.operation_id = absl::StrCat("operation-", ++operations_);
    broker::SubmitCommand submit =
        Answer(Relayed(Admit(std::move(command))).opaque_id);
    submit.result.reset();
    submit.error = error;
    return Submit(std::move(submit))->deliver;
  }
  int operations_ = 0;
};

struct ClientErrorCase {
  const char* name;
  const char* error;
  int32_t code;
  const char* reason;
};

TEST_F(MailboxRoadTest, BringsWhatTheUnaryRoadBrings) {
  for (const ClientErrorCase& c : std::vector<ClientErrorCase>{
           {"a decline", R"({"code":-1,"message":"no"})", -1, "declined"},
           {"a code of the client's own", R"({"code":-31100,"message":"mine"})",
            -31100, "client_error"},
           {"a code of the gateway's range",
            R"({"code":-31001,"message":"mine"})", -32603, "client_error"},
           {"a code that JSON-RPC reserves",
            R"({"code":-32601,"message":"mine"})", -32603, "client_error"},
           {"no error at all", R"({"code":"x"})", -32603, "invalid_response"},
       }) {
    SCOPED_TRACE(c.name);
    const UpstreamReplyRow mailed = Mailed(c.error);
    EXPECT_EQ(mailed.code, c.code);
    EXPECT_EQ(mailed.reason, c.reason);
    EXPECT_EQ(mailed, Unary(c.error));
    v1::UpstreamReply proto;
    rpc::ToProto(mailed, proto);
    const relay::UpstreamReply reply = control::FromProto(Sent(proto));
    EXPECT_EQ(reply.code, c.code);
    EXPECT_EQ(reply.message, mailed.message);
    EXPECT_EQ(reply.data, mailed.data);
  }
}

}  // namespace
}  // namespace gatehouse
