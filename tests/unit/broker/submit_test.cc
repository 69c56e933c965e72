// Defends invariants 1 (nothing a client answered passes without a verdict) and
// 5 (exactly one end; late, duplicate, unknown and unauthorised replies change
// nothing but the audit log).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/unit/broker/broker_fixture.h"

namespace gatehouse::broker {
namespace {

using Verdict = SubmitOutcome::Verdict;

class SubmitTest : public BrokerFixture {};

TEST_F(SubmitTest, AGoodAnswerIsDeliveredToTheOwnerByteForByte) {
  const std::string id = Relayed(Admit(Sampling())).opaque_id;
  const auto outcome = Submit(Answer(id));
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->verdict, Verdict::kDeliver);
  EXPECT_EQ(outcome->state, InputRequestState::kAnswered);
  EXPECT_EQ(outcome->deliver.result, kGoodResult);
  const InputRequestRow row = RowOf(outcome->input_request_id);
  EXPECT_EQ(row.delivery, DeliveryState::kClaimed);
  EXPECT_TRUE(row.params.empty()) << "content is deleted at its end";
}

TEST_F(SubmitTest, AcknowledgedTheAnswerIsForgotten) {
  const std::string id = Relayed(Admit(Sampling())).opaque_id;
  const auto outcome = Submit(Answer(id));
  ASSERT_TRUE(Acknowledge(outcome->input_request_id).ok());
  const InputRequestRow row = RowOf(outcome->input_request_id);
  EXPECT_EQ(row.delivery, DeliveryState::kAcknowledged);
  EXPECT_FALSE(row.reply.has_value());
}

TEST_F(SubmitTest, ASecondAnswerChangesNothingButTheLog) {
  const std::string id = Relayed(Admit(Sampling())).opaque_id;
  const auto first = Submit(Answer(id));
  const int64_t version = RowOf(first->input_request_id).version;
  const auto second = Submit(Answer(id));
  EXPECT_EQ(second->verdict, Verdict::kIgnored);
  EXPECT_EQ(second->ignored_cause, "duplicate");
  EXPECT_EQ(RowOf(first->input_request_id).version, version);
  EXPECT_EQ(CountInLog(audit::RecordType::kDuplicateReply), 1);
}

TEST_F(SubmitTest, AnUnknownIdChangesNothingButTheLog) {
  const auto outcome = Submit(Answer("nobody-gave-this-id"));
  EXPECT_EQ(outcome->verdict, Verdict::kIgnored);
  EXPECT_EQ(outcome->ignored_cause, "unknown");
  EXPECT_TRUE(outcome->input_request_id.empty());
  EXPECT_EQ(CountInLog(audit::RecordType::kUnknownReply), 1);
}

TEST_F(SubmitTest, AnotherSessionsReplyChangesNothingAndLearnsNothing) {
  const auto admitted = Admit(Sampling());
  SubmitCommand command = Answer(Relayed(admitted).opaque_id);
  command.session_id = OpenSession("mallory");
  const auto outcome = Submit(std::move(command));
  EXPECT_EQ(outcome->verdict, Verdict::kIgnored);
  EXPECT_TRUE(outcome->input_request_id.empty());
  EXPECT_EQ(RowOf(admitted->words[0].input_request_id).state,
            InputRequestState::kRelayed);
  EXPECT_EQ(CountInLog(audit::RecordType::kUnauthorizedReply), 1);
}

TEST_F(SubmitTest, AnAnswerAtItsDeadlineIsLate) {
  const auto admitted = Admit(Sampling());
  AdvanceRenewed(absl::Seconds(30));
  const auto outcome = Submit(Answer(Relayed(admitted).opaque_id));
  EXPECT_EQ(outcome->verdict, Verdict::kIgnored);
  EXPECT_EQ(outcome->ignored_cause, "late");
  Sweep();
  EXPECT_EQ(RowOf(admitted->words[0].input_request_id).state,
            InputRequestState::kExpired);
}

TEST_F(SubmitTest, AnAnswerJustBeforeItsDeadlineCounts) {
  const auto admitted = Admit(Sampling());
  clock_.Advance(absl::Seconds(30) - absl::Microseconds(1));
  EXPECT_EQ(Submit(Answer(Relayed(admitted).opaque_id))->verdict,
            Verdict::kDeliver);
}

TEST_F(SubmitTest, AWrongShapeIsInvalidAndTheUpstreamGetsAnErrorOnly) {
  const std::string id = Relayed(Admit(Sampling())).opaque_id;
  const auto outcome = Submit(Answer(id, R"({"role":"assistant"})"));
  EXPECT_EQ(outcome->state, InputRequestState::kInvalid);
  EXPECT_TRUE(outcome->deliver.is_error);
  EXPECT_EQ(outcome->deliver.code, -32603);
  EXPECT_EQ(outcome->deliver.reason, "invalid_response");
}

// DESIGN 13: a record says which rule.
TEST_F(SubmitTest, TheRecordOfARefusedAnswerNamesTheRule) {
  const std::string id = Relayed(Admit(Sampling())).opaque_id;
  ASSERT_TRUE(Submit(Answer(id, R"({"role":"assistant"})")).ok());
  ASSERT_EQ(CountInLog(audit::RecordType::kInvalid), 1);
  for (const audit::Record& record : Log()) {
    EXPECT_EQ(record.rule, record.type == audit::RecordType::kInvalid
                               ? "answer-content"
                               : "");
  }
}

TEST_F(SubmitTest, ADeclinedSamplingIsTheUsersNo) {
  SubmitCommand command = Answer(Relayed(Admit(Sampling())).opaque_id);
  command.result.reset();
  command.error = R"({"code":-1,"message":"User rejected sampling request"})";
  const auto outcome = Submit(std::move(command));
  EXPECT_EQ(outcome->state, InputRequestState::kDeclined);
  EXPECT_EQ(outcome->deliver.code, -1);
  EXPECT_EQ(outcome->deliver.reason, "declined");
}

TEST_F(SubmitTest, AnotherErrorOfTheClientIsItsFailure) {
  SubmitCommand command = Answer(Relayed(Admit(Sampling())).opaque_id);
  command.result.reset();
  command.error = R"({"code":-32000,"message":"boom"})";
  const auto outcome = Submit(std::move(command));
  EXPECT_EQ(outcome->state, InputRequestState::kFailed);
  EXPECT_EQ(outcome->deliver.reason, "client_error");
}

TEST_F(SubmitTest, AReplyAtAnotherWorkerGoesToTheOwnersMailbox) {
  const auto admitted = Admit(Sampling());
  const std::string id = admitted->words[0].input_request_id;
  SubmitCommand command = Answer(Relayed(admitted).opaque_id);
  command.caller = Caller{"w2", epoch2_};
  const auto outcome = Submit(std::move(command));
  EXPECT_EQ(outcome->verdict, Verdict::kElsewhere);
  EXPECT_TRUE(outcome->deliver.result.empty()) << "not to a worker that waits "
                                                  "for nothing";
  const std::vector<MailRow> mail = MailOf("w1");
  EXPECT_TRUE(hinted_.contains("w1"));
  ASSERT_FALSE(mail.empty());
  EXPECT_EQ(mail.back().kind, MailKind::kDeliveryReady);
  EXPECT_EQ(mail.back().subject, id);

  EXPECT_FALSE(Claim(id, "w2")->has_value()) << "only the owner may";
  const auto granted = Claim(id);
  ASSERT_TRUE(granted->has_value());
  EXPECT_EQ((*granted)->result, kGoodResult);
  EXPECT_EQ(CountInLog(audit::RecordType::kDeliveryClaimed), 1);
  ASSERT_TRUE(Claim(id)->has_value()) << "a grant that was lost is given again";
  EXPECT_EQ(CountInLog(audit::RecordType::kDeliveryClaimed), 1);
  ASSERT_TRUE(Acknowledge(id).ok());
  EXPECT_FALSE(Claim(id)->has_value()) << "once written, never again";
}

TEST_F(SubmitTest, TheSameRequestIdGivesTheSameAnswerUntilItIsAcknowledged) {
  SubmitCommand command = Answer(Relayed(Admit(Sampling())).opaque_id);
  const auto first = Submit(command);
  const auto second = Submit(command);
  EXPECT_EQ(second->verdict, Verdict::kDeliver);
  EXPECT_EQ(second->deliver.result, first->deliver.result);
  EXPECT_EQ(CountInLog(audit::RecordType::kAnswered), 1);
  ASSERT_TRUE(Acknowledge(first->input_request_id).ok());
  EXPECT_EQ(Submit(command)->verdict, Verdict::kIgnored);
}

}  // namespace
}  // namespace gatehouse::broker
