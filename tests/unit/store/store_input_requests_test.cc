// What Transaction promises of input requests, for every store. Defends
// invariant 5 of DESIGN §1: exactly one end.

#include <atomic>
#include <thread>
#include <vector>

#include "tests/unit/store/store_contract.h"
#include "tests/unit/store/test_rows.h"

namespace gatehouse {
namespace {

using testing::ElementsAre;

using Requests = std::vector<InputRequestRow>;

class StoreInputRequestsTest : public StoreContractTest {
 protected:
  void Insert(const InputRequestRow& row) {
    Do([&](Transaction& tx) { return tx.InsertInputRequest(row); });
  }
  absl::StatusCode Update(const InputRequestRow& row,
                          InputRequestState expected) {
    return Run([&](Transaction& tx) {
             return tx.UpdateInputRequest(row, expected);
           })
        .code();
  }
};

TEST_P(StoreInputRequestsTest, AnInputRequestComesBackWhole) {
  InputRequestRow row = TestInputRequest("q1");
  Insert(row);
  GATEHOUSE_TEST_READ(read, InputRequestRow, tx.GetInputRequest("q1"));
  EXPECT_EQ(Fields(read), Fields(row));

  row.state = InputRequestState::kFailed;
  row.cause = "client";
  row.reason = "client_error";
  row.deadline.reset();
  row.end_time = At(20);
  row.params.clear();
  row.delivery = DeliveryState::kUnclaimed;
  row.reply = UpstreamReplyRow{true, "", -32603, "text", "{}", "client_error"};
  row.submit_request_id = "u1";
  row.policy_version = 6;
  row.last_audit_seq = 13;
  row.tokens = 0;
  row.worker_epoch = 4;
  ASSERT_EQ(Update(row, InputRequestState::kRelayed), absl::StatusCode::kOk);
  row.version = 2;
  GATEHOUSE_TEST_READ(after, InputRequestRow,
                      tx.GetInputRequestByOpaqueId(row.opaque_id_sha256));
  EXPECT_EQ(Fields(after), Fields(row));

  row.reply.reset();
  row.delivery = DeliveryState::kAcknowledged;
  ASSERT_EQ(Update(row, InputRequestState::kFailed), absl::StatusCode::kOk);
  GATEHOUSE_TEST_READ(settled, InputRequestRow, tx.GetInputRequest("q1"));
  EXPECT_FALSE(settled.reply.has_value());
}

TEST_P(StoreInputRequestsTest, AReplyWithAResultIsNotAnError) {
  InputRequestRow row = TestInputRequest("q1");
  row.reply = UpstreamReplyRow{false, "{\"a\":1}", 0, "", "", ""};
  Insert(row);
  GATEHOUSE_TEST_READ(read, InputRequestRow, tx.GetInputRequest("q1"));
  EXPECT_EQ(read.reply, row.reply);
}

TEST_P(StoreInputRequestsTest, IdAndOpaqueIdAreUniqueButManyHaveNone) {
  Insert(TestInputRequest("q1"));
  InputRequestRow same_opaque = TestInputRequest("q2");
  same_opaque.opaque_id_sha256 = TestInputRequest("q1").opaque_id_sha256;
  for (const InputRequestRow& row : {TestInputRequest("q1"), same_opaque}) {
    EXPECT_EQ(
        Run([&](Transaction& tx) { return tx.InsertInputRequest(row); }).code(),
        absl::StatusCode::kAlreadyExists);
  }
  for (const char* id : {"q3", "q4"}) {
    InputRequestRow refused = TestInputRequest(id);
    refused.opaque_id_sha256.clear();
    refused.state = InputRequestState::kRefused;
    Insert(refused);
  }
  EXPECT_EQ(Run([](Transaction& tx) {
              return tx.GetInputRequestByOpaqueId("").status();
            }).code(),
            absl::StatusCode::kNotFound);
}

TEST_P(StoreInputRequestsTest, AnUpdateComparesStateAndVersion) {
  InputRequestRow row = TestInputRequest("q1");
  Insert(row);
  InputRequestRow answered = row;
  answered.state = InputRequestState::kAnswered;
  EXPECT_EQ(Update(answered, InputRequestState::kPendingReview),
            absl::StatusCode::kAborted);
  InputRequestRow stale = answered;
  stale.version = 2;
  EXPECT_EQ(Update(stale, InputRequestState::kRelayed),
            absl::StatusCode::kAborted);
  EXPECT_EQ(Update(TestInputRequest("q9"), InputRequestState::kRelayed),
            absl::StatusCode::kAborted);
  EXPECT_EQ(Update(answered, InputRequestState::kRelayed),
            absl::StatusCode::kOk);
  EXPECT_EQ(Update(answered, InputRequestState::kRelayed),
            absl::StatusCode::kAborted);
}

TEST_P(StoreInputRequestsTest, AnUpdateKeepsWhoseItIsAndWhatWasAsked) {
  const InputRequestRow row = TestInputRequest("q1");
  Insert(row);
  InputRequestRow changed = row;
  changed.operation_id = "o9";
  changed.session_id = "s9";
  changed.virtual_server = "other";
  changed.upstream = "other";
  changed.upstream_revision = "other";
  changed.tool = "other";
  changed.method = "other";
  changed.key = "other";
  changed.admit_request_id = "a9";
  changed.create_time = At(99);
  ASSERT_EQ(Update(changed, InputRequestState::kRelayed),
            absl::StatusCode::kOk);
  InputRequestRow want = row;
  want.version = 2;
  GATEHOUSE_TEST_READ(read, InputRequestRow, tx.GetInputRequest("q1"));
  EXPECT_EQ(Fields(read), Fields(want));
}

// One answer, one cancel and one expiry race for the same row.
TEST_P(StoreInputRequestsTest, OfSeveralEndsOneIsReached) {
  for (int round = 0; round < 20; ++round) {
    const std::string id = absl::StrCat("q", round);
    Insert(TestInputRequest(id));
    std::atomic<int> won{0};
    std::vector<std::thread> threads;
    for (const auto end :
         {InputRequestState::kAnswered, InputRequestState::kCancelled,
          InputRequestState::kExpired}) {
      threads.emplace_back([&, end] {
        const absl::Status status =
            RunAndWait(*store_, [&](Transaction& tx) -> absl::Status {
              GATEHOUSE_ASSIGN_OR_RETURN(InputRequestRow row,
                                         tx.GetInputRequest(id));
              if (row.state != InputRequestState::kRelayed) {
                return absl::FailedPreconditionError("it has ended");
              }
              row.state = end;
              row.deadline.reset();
              return tx.UpdateInputRequest(row, InputRequestState::kRelayed);
            });
        if (status.ok()) ++won;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(won, 1);
    GATEHOUSE_TEST_READ(row, InputRequestRow, tx.GetInputRequest(id));
    EXPECT_EQ(row.version, 2);
  }
}

TEST_P(StoreInputRequestsTest, AnAdmitsRequestsKeepItsOrder) {
  for (const char* id : {"z", "m", "a"}) Insert(TestInputRequest(id));
  InputRequestRow other = TestInputRequest("b");
  other.admit_request_id = "a2";
  Insert(other);
  GATEHOUSE_TEST_READ(rows, Requests, tx.ListInputRequestsOfAdmit("a1"));
  EXPECT_THAT(Ids(rows), ElementsAre("z", "m", "a"));
}

TEST_P(StoreInputRequestsTest, OnlyOpenOnesOfAnOperationAreListed) {
  for (int state = 1; state <= 15; ++state) {
    InputRequestRow row = TestInputRequest(absl::StrCat("q", state));
    row.state = static_cast<InputRequestState>(state);
    Insert(row);
  }
  InputRequestRow other = TestInputRequest("other");
  other.operation_id = "o2";
  Insert(other);
  GATEHOUSE_TEST_READ(rows, Requests,
                      tx.ListOpenInputRequestsOfOperation("o1"));
  EXPECT_THAT(Ids(rows), ElementsAre("q1", "q14", "q15"));
  GATEHOUSE_TEST_READ(of_upstream, int64_t,
                      tx.CountOpenInputRequestsOfUpstream("dev", "weather"));
  EXPECT_EQ(of_upstream, 4);
}

TEST_P(StoreInputRequestsTest, DueOnesAreListedEarliestFirst) {
  for (int i = 1; i <= 5; ++i) {
    InputRequestRow row = TestInputRequest(absl::StrCat("q", i));
    row.deadline = At(60 - 10 * i);
    if (i == 4) row.state = InputRequestState::kAnswered;
    if (i == 5) row.deadline.reset();
    Insert(row);
  }
  GATEHOUSE_TEST_READ(
      none, Requests,
      tx.ListDueInputRequests(At(30) - absl::Microseconds(1), 9));
  EXPECT_TRUE(none.empty());
  GATEHOUSE_TEST_READ(due, Requests, tx.ListDueInputRequests(At(40), 9));
  EXPECT_THAT(Ids(due), ElementsAre("q3", "q2"));
  GATEHOUSE_TEST_READ(first, Requests, tx.ListDueInputRequests(At(99), 1));
  EXPECT_THAT(Ids(first), ElementsAre("q3"));
}

TEST_P(StoreInputRequestsTest, AnEndTakesItOutOfWhatIsOpen) {
  InputRequestRow row = TestInputRequest("q1");
  Insert(row);
  row.state = InputRequestState::kExpired;
  ASSERT_EQ(Update(row, InputRequestState::kRelayed), absl::StatusCode::kOk);
  GATEHOUSE_TEST_READ(due, Requests, tx.ListDueInputRequests(At(99), 9));
  EXPECT_TRUE(due.empty());
  GATEHOUSE_TEST_READ(open, int64_t,
                      tx.CountOpenInputRequestsOfVirtualServer("dev"));
  EXPECT_EQ(open, 0);
}

TEST_P(StoreInputRequestsTest, UnsettledDeliveriesAreListedUpToAnEpoch) {
  for (int delivery = 0; delivery <= 4; ++delivery) {
    InputRequestRow row = TestInputRequest(absl::StrCat("q", delivery));
    row.state = InputRequestState::kAnswered;
    row.delivery = static_cast<DeliveryState>(delivery);
    Insert(row);
  }
  InputRequestRow later = TestInputRequest("later");
  later.delivery = DeliveryState::kClaimed;
  later.worker_epoch = 4;
  Insert(later);
  InputRequestRow elsewhere = TestInputRequest("elsewhere");
  elsewhere.delivery = DeliveryState::kClaimed;
  elsewhere.worker_id = "w2";
  Insert(elsewhere);

  GATEHOUSE_TEST_READ(rows, Requests,
                      tx.ListUnsettledDeliveriesOfWorker("w1", 3, 9));
  EXPECT_THAT(Ids(rows), ElementsAre("q1", "q2"));
  GATEHOUSE_TEST_READ(all, Requests,
                      tx.ListUnsettledDeliveriesOfWorker("w1", 4, 9));
  EXPECT_THAT(Ids(all), ElementsAre("q1", "q2", "later"));
}

TEST_P(StoreInputRequestsTest, UnsettledDeliveriesOfAnOperationAreListed) {
  for (int delivery = 0; delivery <= 4; ++delivery) {
    InputRequestRow row = TestInputRequest(absl::StrCat("q", delivery));
    row.state = InputRequestState::kAnswered;
    row.delivery = static_cast<DeliveryState>(delivery);
    row.operation_id = "mine";
    Insert(row);
  }
  InputRequestRow other = TestInputRequest("other");
  other.delivery = DeliveryState::kClaimed;
  other.operation_id = "another";
  Insert(other);
  GATEHOUSE_TEST_READ(rows, Requests,
                      tx.ListUnsettledDeliveriesOfOperation("mine"));
  EXPECT_THAT(Ids(rows), ElementsAre("q1", "q2"));
}

TEST_P(StoreInputRequestsTest, OpenOnesOfOneSessionAreCountedByWhatTheyAsk) {
  const InputRequestRow counted = TestInputRequest("q1");
  Insert(counted);
  InputRequestRow of_other_session = TestInputRequest("q2");
  of_other_session.session_id = "s9";
  Insert(of_other_session);
  InputRequestRow of_other_method = TestInputRequest("q3");
  of_other_method.method = "roots/list";
  Insert(of_other_method);
  InputRequestRow of_other_upstream = TestInputRequest("q4");
  of_other_upstream.upstream = "files";
  Insert(of_other_upstream);
  InputRequestRow ended = TestInputRequest("q5");
  ended.state = InputRequestState::kAnswered;
  Insert(ended);
  GATEHOUSE_TEST_READ(count, int64_t,
                      tx.CountOpenInputRequestsOfSession(
                          counted.virtual_server, counted.upstream,
                          counted.session_id, counted.method));
  EXPECT_EQ(count, 1);
}

TEST_P(StoreInputRequestsTest, OnesOfNoOperationAreDeletedWhenTheyAreOld) {
  for (int i = 1; i <= 4; ++i) {
    InputRequestRow row = TestInputRequest(absl::StrCat("q", i));
    if (i != 4) row.operation_id.clear();
    if (i != 3) row.state = InputRequestState::kRefused;
    if (i != 3) row.end_time = At(i);
    Insert(row);
  }
  Do([](Transaction& tx) {
    return tx.DeleteInputRequestsOutsideCalls(At(2), 10);
  });
  for (const auto& [id, code] : {std::pair{"q1", absl::StatusCode::kNotFound},
                                 {"q2", absl::StatusCode::kOk},
                                 {"q3", absl::StatusCode::kOk},
                                 {"q4", absl::StatusCode::kOk}}) {
    EXPECT_EQ(Run([id = id](Transaction& tx) {
                return tx.GetInputRequest(id).status();
              }).code(),
              code)
        << id;
  }
}

TEST_P(StoreInputRequestsTest, OpenOnesAreCountedByUpstreamAndVirtualServer) {
  Insert(TestInputRequest("q1"));
  InputRequestRow files = TestInputRequest("q2");
  files.upstream = "files";
  Insert(files);
  InputRequestRow other = TestInputRequest("q3");
  other.virtual_server = "other";
  Insert(other);
  GATEHOUSE_TEST_READ(weather, int64_t,
                      tx.CountOpenInputRequestsOfUpstream("dev", "weather"));
  EXPECT_EQ(weather, 1);
  GATEHOUSE_TEST_READ(dev, int64_t,
                      tx.CountOpenInputRequestsOfVirtualServer("dev"));
  EXPECT_EQ(dev, 2);
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreInputRequestsTest, Stores(), StoreName);

}  // namespace
}  // namespace gatehouse
