// The store fails as stores do: not run, never run, or run and denied. A caller
// that asks again under the same request id gets one outcome, one charge and
// one record (invariants 5, 6 and 7; idempotency of DESIGN §4).

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "controlplane/store/faulty_store.h"
#include "tests/unit/broker/broker_fixture.h"

namespace gatehouse::broker {
namespace {

class FaultsTest : public BrokerFixture,
                   public testing::WithParamInterface<int> {
 protected:
  // The same call until somebody says how it went; only a store's fault is a
  // reason to ask again.
  template <typename T, typename Call>
  absl::StatusOr<T> UntilAnswered(Call call) {
    constexpr int kAttempts = 200;
    for (int i = 0; i < kAttempts; ++i) {
      absl::StatusOr<T> answer = Wait<T>(call);
      if (answer.ok() || (!absl::IsUnavailable(answer.status()) &&
                          !absl::IsUnknown(answer.status()))) {
        return answer;
      }
    }
    return absl::DeadlineExceededError("the store never answered");
  }

  absl::StatusOr<AdmitOutcome> AdmitUntil(const AdmitCommand& command) {
    return UntilAnswered<AdmitOutcome>(
        [&](auto done) { faulty_.Admit(command, std::move(done)); });
  }
  absl::StatusOr<SubmitOutcome> SubmitUntil(const SubmitCommand& command) {
    return UntilAnswered<SubmitOutcome>(
        [&](auto done) { faulty_.Submit(command, std::move(done)); });
  }

  FaultyStore faults_{*store_, FaultyStore::Rates{200, 200, 200},
                      static_cast<uint64_t>(GetParam())};
  Broker faulty_{faults_, random_, keys_};
};

TEST_P(FaultsTest, EachCallHasOneOutcomeHoweverOftenItIsAsked) {
  constexpr int kRounds = 8;  // an operation's slots
  for (int i = 0; i < kRounds; ++i) {
    const auto admitted = AdmitUntil(Sampling(1000));
    const std::string opaque_id = Relayed(admitted).opaque_id;
    const auto settled = SubmitUntil(Answer(opaque_id));
    ASSERT_TRUE(settled.ok()) << settled.status();
    EXPECT_EQ(settled->verdict, SubmitOutcome::Verdict::kDeliver);
    EXPECT_EQ(settled->deliver.result, kGoodResult);
  }
  const OperationRow operation = OperationOf("operation-1");
  EXPECT_EQ(operation.slots_used, kRounds);
  EXPECT_EQ(operation.tokens_charged, kRounds * 1000);
  EXPECT_EQ(operation.tokens_reserved, 0);
  EXPECT_EQ(CountInLog(audit::RecordType::kForwarded), kRounds);
  EXPECT_EQ(CountInLog(audit::RecordType::kAnswered), kRounds);
  EXPECT_EQ(CountInLog(audit::RecordType::kDeliveryClaimed), kRounds);
  EXPECT_EQ(CountInLog(audit::RecordType::kDuplicateReply), 0);
}

TEST_P(FaultsTest, WhatWasGivenUpIsCancelledByItsRequestId) {
  const AdmitCommand command = Sampling(1000);
  // Asked once; nobody knows whether it was carried out.
  (void)Wait<AdmitOutcome>(
      [&](auto done) { faulty_.Admit(command, std::move(done)); });
  CancelCommand cancel;
  cancel.request_id = NextRequestId();
  cancel.caller = command.caller;
  cancel.admit_request_id = command.request_id;
  cancel.cause = CancelCause::kAdmitTimedOut;
  const auto cancelled = UntilAnswered<CancelOutcome>(
      [&](auto done) { faulty_.Cancel(cancel, std::move(done)); });
  ASSERT_TRUE(cancelled.ok()) << cancelled.status();
  for (const CancelOutcome::Entry& entry : cancelled->entries) {
    EXPECT_EQ(entry.state, InputRequestState::kCancelled);
    EXPECT_EQ(RowOf(entry.input_request_id).state,
              InputRequestState::kCancelled);
  }
  // And it cannot come to life afterwards.
  const auto again = AdmitUntil(command);
  if (again.ok()) {
    ASSERT_EQ(again->words.size(), 1U);
    EXPECT_TRUE(std::holds_alternative<UpstreamReplyRow>(again->words[0].word));
  } else {
    EXPECT_EQ(again.status().code(), absl::StatusCode::kAborted);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, FaultsTest, testing::Range(1, 21));

}  // namespace
}  // namespace gatehouse::broker
