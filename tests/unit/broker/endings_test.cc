// Defends invariant 5: exactly one end, whoever brings it, and a delivery that
// is made at most once; and 7: at rest nothing is reserved.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/unit/broker/broker_fixture.h"

namespace gatehouse::broker {
namespace {

class EndingsTest : public BrokerFixture {
 protected:
  // One relayed request: its id in the store and towards the client.
  struct Open {
    std::string id;
    std::string opaque_id;
  };
  Open OpenOne(const std::string& operation = "operation-1") {
    AdmitCommand command = Sampling();
    command.operation_id = operation;
    const auto admitted = Admit(std::move(command));
    return {admitted->words[0].input_request_id, Relayed(admitted).opaque_id};
  }
  CancelCommand CancelOf(const std::string& id, CancelCause cause) {
    CancelCommand command;
    command.request_id = NextRequestId();
    command.caller = Caller{"w1", epoch1_};
    command.input_request_id = id;
    command.cause = cause;
    return command;
  }
};

TEST_F(EndingsTest, WhatNobodyAnswersExpiresAndTheOwnerIsToldByMail) {
  const Open open = OpenOne();
  AdvanceRenewed(absl::Seconds(30) - absl::Microseconds(1));
  EXPECT_EQ(Sweep().expired, 0);
  AdvanceRenewed(absl::Microseconds(1));
  EXPECT_EQ(Sweep().expired, 1);
  const InputRequestRow row = RowOf(open.id);
  EXPECT_EQ(row.state, InputRequestState::kExpired);
  EXPECT_EQ(row.cause, "no_reply");
  EXPECT_EQ(row.delivery, DeliveryState::kUnclaimed);
  ASSERT_EQ(MailOf("w1").size(), 1U);
  EXPECT_TRUE(MailOf("w1")[0].withdraw);
  const auto reply = Claim(open.id);
  ASSERT_TRUE(reply->has_value());
  EXPECT_EQ((*reply)->code, -32603);
  EXPECT_EQ((*reply)->reason, "expired");
  EXPECT_THAT((*reply)->message, testing::HasSubstr("30s"));
  EXPECT_EQ(Submit(Answer(open.opaque_id))->ignored_cause, "late");
}

TEST_F(EndingsTest, TheUpstreamsCancelOwesNobodyAnything) {
  const Open open = OpenOne();
  ASSERT_TRUE(Cancel(CancelOf(open.id, CancelCause::kUpstream)).ok());
  const InputRequestRow row = RowOf(open.id);
  EXPECT_EQ(row.state, InputRequestState::kCancelled);
  EXPECT_EQ(row.delivery, DeliveryState::kNone);
  EXPECT_TRUE(MailOf("w1").empty());
  EXPECT_EQ(Submit(Answer(open.opaque_id))->ignored_cause, "late");
}

TEST_F(EndingsTest, ACancelAfterTheAnswerLeavesTheAnswer) {
  const Open open = OpenOne();
  ASSERT_EQ(Submit(Answer(open.opaque_id))->state,
            InputRequestState::kAnswered);
  const auto cancelled = Cancel(CancelOf(open.id, CancelCause::kUpstream));
  ASSERT_TRUE(cancelled.ok());
  EXPECT_EQ(cancelled->entries[0].state, InputRequestState::kAnswered);
}

TEST_F(EndingsTest, AClientThatCannotBeShownItMeansAnErrorForTheUpstream) {
  const Open open = OpenOne();
  ASSERT_TRUE(Cancel(CancelOf(open.id, CancelCause::kClientUnreachable)).ok());
  const auto reply = Claim(open.id);
  ASSERT_TRUE(reply->has_value());
  EXPECT_EQ((*reply)->reason, "operation_ended");
}

TEST_F(EndingsTest, AnAdmitThatTimedOutIsCancelledByItsRequestId) {
  AdmitCommand admit = Sampling();
  const auto admitted = Admit(admit);
  CancelCommand command = CancelOf("", CancelCause::kAdmitTimedOut);
  command.admit_request_id = admit.request_id;
  const auto cancelled = Cancel(command);
  ASSERT_EQ(cancelled->entries.size(), 1U);
  EXPECT_EQ(RowOf(admitted->words[0].input_request_id).state,
            InputRequestState::kCancelled);
}

TEST_F(EndingsTest, AnotherWorkerCannotCancel) {
  const Open open = OpenOne();
  CancelCommand command = CancelOf(open.id, CancelCause::kUpstream);
  command.caller = Caller{"w2", epoch2_};
  EXPECT_EQ(Cancel(command).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(RowOf(open.id).state, InputRequestState::kRelayed);
}

TEST_F(EndingsTest, TheEndOfTheOperationCancelsWhatIsOpen) {
  const Open open = OpenOne();
  const auto closed = CloseOperation("operation-1");
  EXPECT_EQ(*closed, 1);
  EXPECT_EQ(RowOf(open.id).state, InputRequestState::kCancelled);
  EXPECT_EQ(OperationOf("operation-1").tokens_reserved, 0);
  EXPECT_EQ(*CloseOperation("operation-1"), 0) << "closing twice is OK";
}

TEST_F(EndingsTest, TheEndOfTheOperationDropsAnAnswerThatWasNotClaimed) {
  const Open open = OpenOne();
  SubmitCommand command = Answer(open.opaque_id);
  command.caller = Caller{"w2", epoch2_};
  ASSERT_EQ(Submit(std::move(command))->verdict,
            SubmitOutcome::Verdict::kElsewhere);
  ASSERT_TRUE(CloseOperation("operation-1").ok());
  const InputRequestRow row = RowOf(open.id);
  EXPECT_EQ(row.state, InputRequestState::kAnswered) << "its end stands";
  EXPECT_EQ(row.delivery, DeliveryState::kNone);
  EXPECT_FALSE(row.reply.has_value()) << "content is deleted at its end";
  EXPECT_FALSE(Claim(open.id)->has_value());
}

TEST_F(EndingsTest, TheEndOfTheSessionEndsItsOperationsOnEveryWorker) {
  const Open open = OpenOne();
  ASSERT_EQ(*CloseSession(session_), 1);
  EXPECT_EQ(RowOf(open.id).state, InputRequestState::kCancelled);
  EXPECT_FALSE(OperationOf("operation-1").open);
  for (const char* worker : {"w1", "w2"}) {
    ASSERT_FALSE(MailOf(worker).empty());
    EXPECT_EQ(MailOf(worker).back().kind, MailKind::kSessionEnded);
    EXPECT_EQ(MailOf(worker).back().subject, session_);
  }
  EXPECT_EQ(*CloseSession(session_), 0);
}

TEST_F(EndingsTest, AnEndedSessionAsksForNothing) {
  ASSERT_TRUE(CloseSession(session_).ok());
  EXPECT_EQ(Refused(Admit(Sampling())).reason, "operation_ended");
}

TEST_F(EndingsTest, AWorkerWhoseLeaseRanOutLosesWhatItHad) {
  const Open open = OpenOne();
  const Open claimed = OpenOne("operation-2");
  const Open unclaimed = OpenOne("operation-3");
  ASSERT_EQ(Submit(Answer(claimed.opaque_id))->verdict,
            SubmitOutcome::Verdict::kDeliver);
  SubmitCommand elsewhere = Answer(unclaimed.opaque_id);
  elsewhere.caller = Caller{"w2", epoch2_};
  ASSERT_TRUE(Submit(std::move(elsewhere)).ok());

  clock_.Advance(sessions::kWorkerLease);
  EXPECT_EQ(Sweep().lost_workers, 2);
  EXPECT_EQ(RowOf(open.id).state, InputRequestState::kLost);
  EXPECT_EQ(RowOf(claimed.id).state, InputRequestState::kAnswered);
  EXPECT_EQ(RowOf(claimed.id).delivery, DeliveryState::kUnknown);
  EXPECT_EQ(RowOf(unclaimed.id).delivery, DeliveryState::kNone);
  EXPECT_FALSE(RowOf(claimed.id).reply.has_value());
  EXPECT_EQ(CountInLog(audit::RecordType::kDeliveryUnknown), 1);
  EXPECT_EQ(Admit(Sampling()).status().code(),
            absl::StatusCode::kFailedPrecondition)
      << "its epoch is over";
}

TEST_F(EndingsTest, AWorkerThatStartsAnewLosesWhatTheEarlierProcessHad) {
  const Open open = OpenOne();
  const int64_t epoch = Attach("w1");
  EXPECT_EQ(epoch, epoch1_ + 1);
  EXPECT_EQ(RowOf(open.id).state, InputRequestState::kLost);
}

TEST_F(EndingsTest, AWorkerThatReconnectsKeepsItsEpochAndItsRequests) {
  const Open open = OpenOne();
  EXPECT_EQ(Attach("w1", epoch1_), epoch1_);
  EXPECT_EQ(RowOf(open.id).state, InputRequestState::kRelayed);
}

TEST_F(EndingsTest, AnIdleSessionEndsAfterAnHour) {
  clock_.Advance(absl::Hours(1) + absl::Seconds(1));
  EXPECT_EQ(Sweep().idle_sessions, 1);
  EXPECT_EQ(*CloseSession(session_), 0);
}

TEST_F(EndingsTest, APrincipalsHundredAndFirstSessionEvictsTheLongestIdle) {
  const std::string first = OpenSession("ada");
  for (int i = 0; i < 99; ++i) {
    clock_.Advance(absl::Milliseconds(1));
    OpenSession("ada");
  }
  OpenSession("ada");
  int ended = 0;
  for (const audit::Record& record : Log()) {
    if (record.type != audit::RecordType::kSessionEnded) continue;
    ++ended;
    EXPECT_EQ(record.session_id, first);
    EXPECT_EQ(record.cause, "evicted");
  }
  EXPECT_EQ(ended, 1);
}

}  // namespace
}  // namespace gatehouse::broker
