// Defends invariants 1 (no decision without the control plane), 2 (default
// deny), 6 (audit before effect) and 7 (budgets hold).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "shared/base/digest.h"
#include "tests/unit/broker/broker_fixture.h"

namespace gatehouse::broker {
namespace {

using testing::HasSubstr;

class AdmitTest : public BrokerFixture {};

TEST_F(AdmitTest, AnAdmittedRequestIsRelayedUnderAnOpaqueIdWithADeadline) {
  const auto outcome = Admit(Sampling());
  const RelayWord relay = Relayed(outcome);
  EXPECT_EQ(relay.opaque_id.size(), 43U);  // 256 bits in base64url
  EXPECT_EQ(relay.time_left, absl::Seconds(30));
  const InputRequestRow row = RowOf(outcome->words[0].input_request_id);
  EXPECT_EQ(row.state, InputRequestState::kRelayed);
  EXPECT_EQ(row.opaque_id_sha256, Sha256(relay.opaque_id));
  EXPECT_EQ(row.delivery, DeliveryState::kNone);
}

TEST_F(AdmitTest, TheRecordIsDurableWhenTheVerdictIsSeen) {
  const auto outcome = Admit(Sampling());
  const std::vector<audit::Record> log = Log();
  ASSERT_FALSE(log.empty());
  EXPECT_EQ(log.back().type, audit::RecordType::kForwarded);
  EXPECT_EQ(log.back().input_request_id, outcome->words[0].input_request_id);
  EXPECT_EQ(log.back().max_tokens, 100);
}

TEST_F(AdmitTest, AFeatureThatThePolicyDoesNotNameIsRefused) {
  AdmitCommand command = Sampling();
  command.requests[0].method = "roots/list";
  command.requests[0].params = "";
  const UpstreamReplyRow refusal = Refused(Admit(std::move(command)));
  EXPECT_EQ(refusal.code, -32601);
  EXPECT_EQ(refusal.reason, "not_permitted");
  EXPECT_EQ(CountInLog(audit::RecordType::kRefused), 1);
}

TEST_F(AdmitTest, TheRecordOfARefusalByTheBudgetNamesNoRule) {
  Relayed(Admit(Sampling(4096)));
  Relayed(Admit(Sampling(4096)));
  Refused(Admit(Sampling(1)));
  EXPECT_EQ(Log().back().reason, "budget_exhausted");
  EXPECT_EQ(Log().back().rule, "");
}

TEST_F(AdmitTest, TheThirdOfThreeLargeSamplesIsOverTheBudget) {
  Relayed(Admit(Sampling(4096)));
  Relayed(Admit(Sampling(4096)));
  const UpstreamReplyRow refusal = Refused(Admit(Sampling(4096)));
  EXPECT_EQ(refusal.code, -31001);
  EXPECT_THAT(refusal.data, HasSubstr(R"("reason":"budget_exhausted")"));
  EXPECT_THAT(refusal.data, HasSubstr(R"("which":"tokens")"));
  EXPECT_THAT(refusal.data, HasSubstr(R"("limit":8192)"));
  EXPECT_THAT(refusal.data, HasSubstr(R"("left":0)"));
  const OperationRow operation = OperationOf("operation-1");
  EXPECT_EQ(operation.slots_used, 2);
  EXPECT_EQ(operation.tokens_charged, 8192);
  EXPECT_EQ(operation.tokens_reserved, 0);
}

TEST_F(AdmitTest, TheNinthInputRequestOfAnOperationIsRefused) {
  for (int i = 0; i < 8; ++i) Relayed(Admit(Sampling(10)));
  const UpstreamReplyRow refusal = Refused(Admit(Sampling(10)));
  EXPECT_EQ(refusal.code, -31001);
  EXPECT_THAT(refusal.data, HasSubstr(R"("which":"slots")"));
}

TEST_F(AdmitTest, ARefusedRequestTakesNeitherSlotNorTokens) {
  AdmitCommand command = Sampling();
  command.requests[0].params = R"({"messages":[],"maxTokens":10})";
  Refused(Admit(std::move(command)));
  const OperationRow operation = OperationOf("operation-1");
  EXPECT_EQ(operation.slots_used, 0);
  EXPECT_EQ(operation.tokens_charged + operation.tokens_reserved, 0);
  EXPECT_EQ(operation.refusals, 1);
}

// DESIGN 13: a record says which rule.
TEST_F(AdmitTest, TheRecordOfARefusalNamesTheRule) {
  AdmitCommand command = Sampling();
  command.requests[0].params = R"({"messages":[],"maxTokens":10})";
  Refused(Admit(std::move(command)));
  ASSERT_EQ(CountInLog(audit::RecordType::kRefused), 1);
  for (const audit::Record& record : Log()) {
    EXPECT_EQ(record.rule, record.type == audit::RecordType::kRefused
                               ? "messages-present"
                               : "");
  }
}

TEST_F(AdmitTest, AfterSixtyFourRefusalsTheRestIsRefusedUnreadAndOnlyCounted) {
  for (int i = 0; i < 70; ++i) {
    AdmitCommand command = Sampling();
    command.requests[0].params = R"({"messages":[],"maxTokens":10})";
    Refused(Admit(std::move(command)));
  }
  const UpstreamReplyRow refusal = Refused(Admit(Sampling()));  // a good one
  EXPECT_EQ(refusal.code, -31001);
  EXPECT_THAT(refusal.data, HasSubstr(R"("which":"refusals")"));
  EXPECT_EQ(CountInLog(audit::RecordType::kRefused), 65);
  ASSERT_TRUE(CloseOperation("operation-1").ok());
  EXPECT_EQ(Log().back().count, 6);
}

TEST_F(AdmitTest, WhatBelongsToNoOperationIsRefused) {
  AdmitCommand none = Sampling();
  none.operation_id = "";
  none.attribution = Attribution::kNone;
  EXPECT_EQ(Refused(Admit(std::move(none))).reason, "no_operation");
  AdmitCommand ambiguous = Sampling();
  ambiguous.operation_id = "";
  ambiguous.attribution = Attribution::kAmbiguous;
  EXPECT_EQ(Refused(Admit(std::move(ambiguous))).reason, "unattributable");
}

TEST_F(AdmitTest, AClosedOperationAsksForNothing) {
  Relayed(Admit(Sampling()));
  ASSERT_TRUE(CloseOperation("operation-1").ok());
  EXPECT_EQ(Refused(Admit(Sampling())).reason, "operation_ended");
}

TEST_F(AdmitTest, ATombstoneRefusesAnAdmitThatComesAfterTheClose) {
  ASSERT_TRUE(CloseOperation("operation-1").ok());  // unknown until now
  EXPECT_EQ(Refused(Admit(Sampling())).reason, "operation_ended");
}

TEST_F(AdmitTest, AnotherWorkersOperationIsRefused) {
  Relayed(Admit(Sampling()));
  AdmitCommand command = Sampling();
  command.caller = Caller{"w2", epoch2_};
  EXPECT_EQ(Admit(std::move(command)).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(AdmitTest, AnUpstreamThatThePolicyNoLongerHasIsRefused) {
  ApplyPolicy(R"(
kind: VirtualServer
name: dev
upstreams:
  - name: other
    http: { url: "http://127.0.0.1:9/mcp" }
clientFeatures: { sampling: true }
)");
  EXPECT_EQ(Refused(Admit(Sampling())).reason, "not_permitted");
}

TEST_F(AdmitTest, AnotherUpstreamUnderTheSameOperationIsRefused) {
  Relayed(Admit(Sampling()));
  AdmitCommand command = Sampling();
  command.upstream = "other";
  EXPECT_EQ(Admit(std::move(command)).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(AdmitTest, AnEarlierEpochIsRefused) {
  AdmitCommand command = Sampling();
  command.caller.epoch = epoch1_ - 1;
  const auto outcome = Admit(std::move(command));
  EXPECT_EQ(outcome.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(outcome.status().message()),
              HasSubstr("stale_epoch"));
}

TEST_F(AdmitTest, TheSameRequestIdGivesTheSameAnswerAndChargesOnce) {
  AdmitCommand command = Sampling(1000);
  const RelayWord first = Relayed(Admit(command));
  const RelayWord second = Relayed(Admit(command));
  EXPECT_EQ(first.opaque_id, second.opaque_id);
  EXPECT_EQ(first.params, second.params);
  EXPECT_EQ(OperationOf("operation-1").slots_used, 1);
  EXPECT_EQ(OperationOf("operation-1").tokens_charged, 1000);
}

TEST_F(AdmitTest, TheSameRequestIdWithOtherContentIsAnError) {
  AdmitCommand command = Sampling();
  Relayed(Admit(command));
  command.content_sha256 = Sha256("other");
  const auto outcome = Admit(command);
  EXPECT_EQ(outcome.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(outcome.status().message()),
              HasSubstr("request_id_reused"));
}

TEST_F(AdmitTest, ARequestIdThatWasCancelledBeforeItCameNeverCommits) {
  AdmitCommand command = Sampling();
  CancelCommand cancel;
  cancel.request_id = NextRequestId();
  cancel.caller = command.caller;
  cancel.admit_request_id = command.request_id;
  cancel.cause = CancelCause::kAdmitTimedOut;
  const auto cancelled = Cancel(cancel);
  ASSERT_TRUE(cancelled.ok());
  EXPECT_TRUE(cancelled->entries.empty());
  EXPECT_EQ(Admit(command).status().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(CountInLog(audit::RecordType::kForwarded), 0);
}

TEST_F(AdmitTest, ARoundWithTooManyEntriesIsRefusedWhole) {
  AdmitCommand command = Sampling();
  command.requests.clear();
  command.oversized_round_count = 9;
  EXPECT_EQ(Refused(Admit(std::move(command))).code, -31001);
}

TEST_F(AdmitTest, SixtyFourOpenRequestsOfAnUpstreamAreTheMost) {
  for (int i = 0; i < 64; ++i) {
    AdmitCommand command = Sampling(1);
    command.operation_id = absl::StrCat("operation-", i);
    Relayed(Admit(std::move(command)));
  }
  AdmitCommand command = Sampling(1);
  command.operation_id = "one-more";
  const UpstreamReplyRow refusal = Refused(Admit(std::move(command)));
  EXPECT_EQ(refusal.code, -31002);
  EXPECT_THAT(refusal.data, HasSubstr("retryAfterMs"));
  EXPECT_EQ(OperationOf("one-more").slots_used, 0);
}

}  // namespace
}  // namespace gatehouse::broker
