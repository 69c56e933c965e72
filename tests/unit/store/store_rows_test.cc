// What each method of Transaction promises of sessions, workers, operations,
// mail, idempotency, policies and the log, for every store.

#include <utility>
#include <vector>

#include "tests/unit/store/store_contract.h"
#include "tests/unit/store/test_rows.h"

namespace gatehouse {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class StoreRowsTest : public StoreContractTest {
 protected:
  absl::StatusCode CodeOf(const Store::Work& work) { return Run(work).code(); }
};

constexpr auto kAborted = absl::StatusCode::kAborted;
constexpr auto kAlreadyExists = absl::StatusCode::kAlreadyExists;
constexpr auto kNotFound = absl::StatusCode::kNotFound;

using Sessions = std::vector<SessionRow>;
using Operations = std::vector<OperationRow>;

TEST_P(StoreRowsTest, ASessionComesBackWhole) {
  const SessionRow row = TestSession("s1");
  Do([&](Transaction& tx) { return tx.InsertSession(row); });
  GATEHOUSE_TEST_READ(by_id, SessionRow, tx.GetSession("s1"));
  EXPECT_EQ(Fields(by_id), Fields(row));
  GATEHOUSE_TEST_READ(by_secret, SessionRow,
                      tx.GetSessionBySecret(row.secret_sha256));
  EXPECT_EQ(Fields(by_secret), Fields(row));
}

TEST_P(StoreRowsTest, FiguresAreOfWhatIsOpenNow) {
  GATEHOUSE_TEST_READ(at_first, StoreFigures, tx.ReadFigures());
  EXPECT_EQ(at_first, StoreFigures{});
  Do([](Transaction& tx) -> absl::Status {
    SessionRow closed = TestSession("s2");
    closed.open = false;
    OperationRow open = TestOperation("o1");
    open.slots_used = 3;
    open.tokens_reserved = 20;
    open.tokens_charged = 100;
    OperationRow ended = open;
    ended.id = "o2";
    ended.open = false;
    ended.close_time = At(9);
    InputRequestRow late = TestInputRequest("q1");
    late.state = InputRequestState::kRelayed;
    late.create_time = At(7);
    InputRequestRow early = TestInputRequest("q2");
    early.state = InputRequestState::kRelayed;
    early.create_time = At(4);
    InputRequestRow answered = TestInputRequest("q3");
    answered.state = InputRequestState::kAnswered;
    answered.create_time = At(1);
    MailRow mail;
    mail.worker_id = "w1";
    mail.number = 1;
    for (const absl::Status& status :
         {tx.InsertSession(TestSession("s1")), tx.InsertSession(closed),
          tx.InsertOperation(open), tx.InsertOperation(ended),
          tx.InsertInputRequest(late), tx.InsertInputRequest(early),
          tx.InsertInputRequest(answered), tx.InsertMail(mail)}) {
      GATEHOUSE_RETURN_IF_ERROR(status);
    }
    return tx.UpdateAuditHead({1, 12, "x"}, 0);
  });
  GATEHOUSE_TEST_READ(figures, StoreFigures, tx.ReadFigures());
  StoreFigures want;
  want.open_input_requests = 2;
  want.oldest_open = At(4);
  want.open_operations = 1;
  want.slots_used = 3;
  want.tokens_reserved = 20;
  want.tokens_charged = 100;
  want.open_sessions = 1;
  want.mail = 1;
  want.audit_records = 12;
  EXPECT_EQ(figures, want);
}

TEST_P(StoreRowsTest, ASessionsRootsAreTheLastThatWerePut) {
  EXPECT_EQ(CodeOf([](Transaction& tx) { return tx.GetRoots("s1").status(); }),
            kNotFound);
  Do([](Transaction& tx) { return tx.PutRoots({"s1", "{\"roots\":[]}", {}}); });
  Do([](Transaction& tx) {
    return tx.PutRoots({"s1", "{\"a\":\"\u00e4\"}", At(3)});
  });
  Do([](Transaction& tx) { return tx.PutRoots({"s2", "{}", {}}); });
  GATEHOUSE_TEST_READ(roots, RootsRow, tx.GetRoots("s1"));
  EXPECT_EQ(roots.session_id, "s1");
  EXPECT_EQ(roots.result, "{\"a\":\"\u00e4\"}");
  EXPECT_EQ(roots.change_time, At(3));
  Do([](Transaction& tx) { return tx.DeleteRoots("s1"); });
  Do([](Transaction& tx) { return tx.DeleteRoots("s1"); });
  EXPECT_EQ(CodeOf([](Transaction& tx) { return tx.GetRoots("s1").status(); }),
            kNotFound);
  GATEHOUSE_TEST_READ(others, RootsRow, tx.GetRoots("s2"));
  EXPECT_EQ(others.result, "{}");
  EXPECT_EQ(others.change_time, std::nullopt);
}

TEST_P(StoreRowsTest, TheChangeOfRootsIsRememberedWithoutRoots) {
  Do([](Transaction& tx) { return tx.PutRoots({"s1", "{}", {}}); });
  Do([](Transaction& tx) { return tx.PutRoots({"s1", {}, At(3)}); });
  GATEHOUSE_TEST_READ(roots, RootsRow, tx.GetRoots("s1"));
  EXPECT_EQ(roots.result, std::nullopt);
  EXPECT_EQ(roots.change_time, At(3));
}

TEST_P(StoreRowsTest, RootsOfAWorkThatFailsAreAsBefore) {
  Do([](Transaction& tx) { return tx.PutRoots({"s1", "{}", {}}); });
  const absl::Status failed = Run([](Transaction& tx) {
    EXPECT_TRUE(tx.PutRoots({"s1", "{\"roots\":[]}", At(3)}).ok());
    EXPECT_TRUE(tx.PutRoots({"s2", "{}", {}}).ok());
    return absl::AbortedError("undone");
  });
  EXPECT_EQ(failed.code(), kAborted);
  GATEHOUSE_TEST_READ(roots, RootsRow, tx.GetRoots("s1"));
  EXPECT_EQ(roots.result, "{}");
  EXPECT_EQ(roots.change_time, std::nullopt);
  EXPECT_EQ(CodeOf([](Transaction& tx) { return tx.GetRoots("s2").status(); }),
            kNotFound);
}

TEST_P(StoreRowsTest, ASessionsIdAndSecretAreUnique) {
  Do([](Transaction& tx) { return tx.InsertSession(TestSession("s1")); });
  EXPECT_EQ(CodeOf([](Transaction& tx) {
              return tx.InsertSession(TestSession("s1"));
            }),
            kAlreadyExists);
  SessionRow same_secret = TestSession("s2");
  same_secret.secret_sha256 = TestSession("s1").secret_sha256;
  EXPECT_EQ(
      CodeOf([&](Transaction& tx) { return tx.InsertSession(same_secret); }),
      kAlreadyExists);
  EXPECT_EQ(CodeOf([](Transaction& tx) {
              return tx.GetSessionBySecret("").status();
            }),
            kNotFound);
}

TEST_P(StoreRowsTest, ASessionIsUpdatedByVersionAndKeepsWhoseItIs) {
  Do([](Transaction& tx) { return tx.InsertSession(TestSession("s1")); });
  SessionRow changed = TestSession("s1");
  changed.open = false;
  changed.end_cause = "client";
  changed.last_used_time = At(9);
  changed.revision = "2025-11-25";
  changed.client_capabilities = "{}";
  changed.client_info = "{}";
  changed.worker_id = "w2";
  changed.principal = {"other", "thief"};
  Do([&](Transaction& tx) { return tx.UpdateSession(changed); });
  EXPECT_EQ(CodeOf([&](Transaction& tx) { return tx.UpdateSession(changed); }),
            kAborted);

  SessionRow want = changed;
  want.principal = TestSession("s1").principal;
  want.version = 2;
  GATEHOUSE_TEST_READ(after, SessionRow, tx.GetSession("s1"));
  EXPECT_EQ(Fields(after), Fields(want));
}

TEST_P(StoreRowsTest, OpenSessionsAreListedByIdInPages) {
  Do([](Transaction& tx) -> absl::Status {
    for (const char* id : {"c", "a", "b", "d"}) {
      SessionRow row = TestSession(id);
      row.open = row.id != "b";
      if (row.id == "d") row.virtual_server = "other";
      GATEHOUSE_RETURN_IF_ERROR(tx.InsertSession(row));
    }
    return absl::OkStatus();
  });
  GATEHOUSE_TEST_READ(all, Sessions, tx.ListOpenSessions("", "", 10));
  EXPECT_THAT(Ids(all), ElementsAre("a", "c", "d"));
  GATEHOUSE_TEST_READ(dev, Sessions, tx.ListOpenSessions("dev", "", 10));
  EXPECT_THAT(Ids(dev), ElementsAre("a", "c"));
  GATEHOUSE_TEST_READ(page, Sessions, tx.ListOpenSessions("", "a", 1));
  EXPECT_THAT(Ids(page), ElementsAre("c"));
  GATEHOUSE_TEST_READ(none, Sessions, tx.ListOpenSessions("", "", -1));
  EXPECT_THAT(none, IsEmpty());
}

TEST_P(StoreRowsTest, APrincipalsSessionsAreListedAndCountedLongestIdleFirst) {
  Do([](Transaction& tx) -> absl::Status {
    SessionRow other = TestSession("x", 0);
    other.principal.subject = "other";
    SessionRow closed = TestSession("y", 0);
    closed.open = false;
    SessionRow elsewhere = TestSession("c", 3);
    elsewhere.worker_id = "w2";
    for (const SessionRow& row :
         {TestSession("a", 5), TestSession("b", 2), elsewhere, other, closed}) {
      GATEHOUSE_RETURN_IF_ERROR(tx.InsertSession(row));
    }
    return absl::OkStatus();
  });
  const Principal principal = TestSession("a").principal;
  GATEHOUSE_TEST_READ(rows, Sessions,
                      tx.ListSessionsOfPrincipal(principal, 10));
  EXPECT_THAT(Ids(rows), ElementsAre("b", "c", "a"));
  GATEHOUSE_TEST_READ(one, Sessions, tx.ListSessionsOfPrincipal(principal, 1));
  EXPECT_THAT(Ids(one), ElementsAre("b"));
  GATEHOUSE_TEST_READ(any, int64_t, tx.CountOpenSessions(principal, ""));
  EXPECT_EQ(any, 3);
  GATEHOUSE_TEST_READ(here, int64_t, tx.CountOpenSessions(principal, "w1"));
  EXPECT_EQ(here, 2);
}

TEST_P(StoreRowsTest, IdleSessionsAreListedAndEndedOnesDeletedOldestFirst) {
  Do([](Transaction& tx) -> absl::Status {
    for (int i = 1; i <= 6; ++i) {
      SessionRow row = TestSession(absl::StrCat("s", i), 10 - i);
      row.open = i <= 3;
      GATEHOUSE_RETURN_IF_ERROR(tx.InsertSession(row));
    }
    return absl::OkStatus();
  });
  GATEHOUSE_TEST_READ(idle, Sessions, tx.ListIdleSessions(At(9), 10));
  EXPECT_THAT(Ids(idle), ElementsAre("s3", "s2"));
  GATEHOUSE_TEST_READ(first, Sessions, tx.ListIdleSessions(At(9), 1));
  EXPECT_THAT(Ids(first), ElementsAre("s3"));

  Do([](Transaction& tx) { return tx.DeleteEndedSessions(At(6), 1); });
  EXPECT_EQ(
      CodeOf([](Transaction& tx) { return tx.GetSession("s6").status(); }),
      kNotFound);
  Do([](Transaction& tx) { return tx.DeleteEndedSessions(At(6), 10); });
  Do([](Transaction& tx) {
    EXPECT_EQ(tx.GetSession("s5").status().code(), kNotFound);
    EXPECT_TRUE(tx.GetSession("s4").ok());  // used at the very time
    EXPECT_TRUE(tx.GetSession("s3").ok());  // open
    return absl::OkStatus();
  });
}

TEST_P(StoreRowsTest, AWorkerComesBackWholeAndIsUpdatedByVersion) {
  WorkerRow row = TestWorker("w1");
  Do([&](Transaction& tx) { return tx.InsertWorker(row); });
  GATEHOUSE_TEST_READ(read, WorkerRow, tx.GetWorker("w1"));
  EXPECT_EQ(Fields(read), Fields(row));
  EXPECT_EQ(CodeOf([&](Transaction& tx) { return tx.InsertWorker(row); }),
            kAlreadyExists);

  row.epoch = 4;
  row.cluster = "eu-2";
  row.address = "127.0.0.1:2";
  row.build = "0.2.0";
  row.lease_expire_time = At(20);
  row.lost = false;
  row.last_mail_number = 8;
  row.operations = 0;
  Do([&](Transaction& tx) { return tx.UpdateWorker(row); });
  EXPECT_EQ(CodeOf([&](Transaction& tx) { return tx.UpdateWorker(row); }),
            kAborted);
  row.version = 2;
  GATEHOUSE_TEST_READ(after, WorkerRow, tx.GetWorker("w1"));
  EXPECT_EQ(Fields(after), Fields(row));
  EXPECT_EQ(
      CodeOf([](Transaction& tx) { return tx.UpdateWorker(TestWorker("w9")); }),
      kAborted);
}

TEST_P(StoreRowsTest, WorkersAreListedById) {
  Do([](Transaction& tx) -> absl::Status {
    for (const char* id : {"w2", "w3", "w1"}) {
      GATEHOUSE_RETURN_IF_ERROR(tx.InsertWorker(TestWorker(id)));
    }
    return absl::OkStatus();
  });
  GATEHOUSE_TEST_READ(all, std::vector<WorkerRow>, tx.ListWorkers("", 2));
  EXPECT_THAT(Ids(all), ElementsAre("w1", "w2"));
  GATEHOUSE_TEST_READ(rest, std::vector<WorkerRow>, tx.ListWorkers("w2", 2));
  EXPECT_THAT(Ids(rest), ElementsAre("w3"));
}

TEST_P(StoreRowsTest, AnOperationComesBackWholeAndIsUpdatedByVersion) {
  OperationRow row = TestOperation("o1");
  Do([&](Transaction& tx) { return tx.InsertOperation(row); });
  GATEHOUSE_TEST_READ(read, OperationRow, tx.GetOperation("o1"));
  EXPECT_EQ(Fields(read), Fields(row));

  row.session_id = "s2";
  row.worker_id = "w2";
  row.worker_epoch = 4;
  row.virtual_server = "other";
  row.upstream = "files";
  row.tool = "read";
  row.open = false;
  row.slots_used = 10;
  row.tokens_reserved = 20;
  row.tokens_charged = 30;
  row.refusals = 40;
  row.close_time = At(50);
  Do([&](Transaction& tx) { return tx.UpdateOperation(row); });
  EXPECT_EQ(CodeOf([&](Transaction& tx) { return tx.UpdateOperation(row); }),
            kAborted);
  row.version = 2;
  GATEHOUSE_TEST_READ(after, OperationRow, tx.GetOperation("o1"));
  EXPECT_EQ(Fields(after), Fields(row));
}

TEST_P(StoreRowsTest, OpenOperationsAreListedBySessionAndByWorkersEpoch) {
  Do([](Transaction& tx) -> absl::Status {
    for (int i = 1; i <= 5; ++i) {
      OperationRow row = TestOperation(absl::StrCat("o", i));
      row.worker_epoch = 6 - i;
      row.open = i != 2;
      if (i == 3) row.session_id = "s2";
      if (i == 4) row.worker_id = "w2";
      GATEHOUSE_RETURN_IF_ERROR(tx.InsertOperation(row));
    }
    return absl::OkStatus();
  });
  GATEHOUSE_TEST_READ(of_session, Operations,
                      tx.ListOpenOperationsOfSession("s1", 10));
  EXPECT_THAT(Ids(of_session), ElementsAre("o1", "o4", "o5"));
  GATEHOUSE_TEST_READ(two, Operations, tx.ListOpenOperationsOfSession("s1", 2));
  EXPECT_THAT(Ids(two), ElementsAre("o1", "o4"));
  GATEHOUSE_TEST_READ(of_worker, Operations,
                      tx.ListOpenOperationsOfWorker("w1", 3, 10));
  EXPECT_THAT(Ids(of_worker), ElementsAre("o5", "o3"));
}

TEST_P(StoreRowsTest, ClosedOperationsAreDeletedWithTheirInputRequests) {
  Do([](Transaction& tx) -> absl::Status {
    for (int i = 1; i <= 3; ++i) {
      OperationRow row = TestOperation(absl::StrCat("o", i));
      row.open = i == 3;
      if (!row.open) row.close_time = At(10 - i);
      GATEHOUSE_RETURN_IF_ERROR(tx.InsertOperation(row));
      InputRequestRow request = TestInputRequest(absl::StrCat("q", i));
      request.operation_id = row.id;
      GATEHOUSE_RETURN_IF_ERROR(tx.InsertInputRequest(request));
    }
    return absl::OkStatus();
  });
  const auto left = [&](const char* number) {
    return std::pair(
        CodeOf([&](Transaction& tx) {
          return tx.GetOperation(absl::StrCat("o", number)).status();
        }) != kNotFound,
        CodeOf([&](Transaction& tx) {
          return tx.GetInputRequest(absl::StrCat("q", number)).status();
        }) != kNotFound);
  };
  Do([](Transaction& tx) { return tx.DeleteClosedOperations(At(100), 1); });
  EXPECT_EQ(left("1"), std::pair(true, true));
  EXPECT_EQ(left("2"), std::pair(false, false));
  Do([](Transaction& tx) { return tx.DeleteClosedOperations(At(9), 9); });
  EXPECT_EQ(left("1"), std::pair(true, true));  // closed at the very time
  Do([](Transaction& tx) { return tx.DeleteClosedOperations(At(10), 9); });
  EXPECT_EQ(left("1"), std::pair(false, false));
  EXPECT_EQ(left("3"), std::pair(true, true));
}

TEST_P(StoreRowsTest, MailIsNumberedListedCountedAndDeletedPerWorker) {
  const auto mail = [](const char* worker, int64_t number) {
    return MailRow{worker,    number,      MailKind::kSessionEnded,
                   "subject", "operation", true,
                   "cause"};
  };
  Do([&](Transaction& tx) -> absl::Status {
    for (const int64_t number : {3, 1, 2}) {
      GATEHOUSE_RETURN_IF_ERROR(tx.InsertMail(mail("w1", number)));
    }
    return tx.InsertMail(mail("w2", 1));
  });
  EXPECT_EQ(
      CodeOf([&](Transaction& tx) { return tx.InsertMail(mail("w1", 2)); }),
      kAlreadyExists);
  GATEHOUSE_TEST_READ(after_one, std::vector<MailRow>, tx.ListMail("w1", 1, 9));
  ASSERT_EQ(after_one.size(), 2u);
  EXPECT_EQ(Fields(after_one[0]), Fields(mail("w1", 2)));
  EXPECT_EQ(after_one[1].number, 3);

  Do([](Transaction& tx) { return tx.DeleteMail("w1", 2); });
  GATEHOUSE_TEST_READ(left, int64_t, tx.CountMail("w1"));
  EXPECT_EQ(left, 1);
  GATEHOUSE_TEST_READ(others, int64_t, tx.CountMail("w2"));
  EXPECT_EQ(others, 1);
}

TEST_P(StoreRowsTest, AnIdempotencyRowIsKeptOnceAndDeletedByAge) {
  const auto row = [](const char* id, int64_t time) {
    return IdempotencyRow{id, "Admit", std::string("\x01\x00\xff", 3),
                          "verdict", At(time)};
  };
  Do([&](Transaction& tx) -> absl::Status {
    GATEHOUSE_RETURN_IF_ERROR(tx.InsertIdempotency(row("r1", 1)));
    GATEHOUSE_RETURN_IF_ERROR(tx.InsertIdempotency(row("r2", 2)));
    return tx.InsertIdempotency(row("r3", 3));
  });
  EXPECT_EQ(CodeOf([&](Transaction& tx) {
              return tx.InsertIdempotency(row("r1", 9));
            }),
            kAlreadyExists);
  GATEHOUSE_TEST_READ(read, IdempotencyRow, tx.GetIdempotency("r1"));
  EXPECT_EQ(Fields(read), Fields(row("r1", 1)));

  Do([](Transaction& tx) { return tx.DeleteIdempotency(At(3), 1); });
  Do([](Transaction& tx) {
    EXPECT_EQ(tx.GetIdempotency("r1").status().code(), kNotFound);
    EXPECT_TRUE(tx.GetIdempotency("r2").ok());
    return absl::OkStatus();
  });
  Do([](Transaction& tx) { return tx.DeleteIdempotency(At(3), 9); });
  Do([](Transaction& tx) {
    EXPECT_EQ(tx.GetIdempotency("r2").status().code(), kNotFound);
    EXPECT_TRUE(tx.GetIdempotency("r3").ok());
    return absl::OkStatus();
  });
}

TEST_P(StoreRowsTest, TheNewestPolicyIsCurrentUntilADeletionIs) {
  const auto policy = [](const char* name, int64_t version,
                         const char* document) {
    return PolicyRow{name, version, document, "etag", "alice", At(version)};
  };
  Do([&](Transaction& tx) -> absl::Status {
    GATEHOUSE_RETURN_IF_ERROR(tx.InsertPolicy(policy("b", 1, "{1}")));
    GATEHOUSE_RETURN_IF_ERROR(tx.InsertPolicy(policy("b", 2, "{2}")));
    GATEHOUSE_RETURN_IF_ERROR(tx.InsertPolicy(policy("a", 1, "{a}")));
    GATEHOUSE_RETURN_IF_ERROR(tx.InsertPolicy(policy("c", 1, "{c}")));
    return tx.InsertPolicy(policy("c", 2, ""));
  });
  for (const int64_t version : {1, 2}) {
    EXPECT_EQ(CodeOf([&](Transaction& tx) {
                return tx.InsertPolicy(policy("b", version, "{x}"));
              }),
              kAlreadyExists);
  }
  GATEHOUSE_TEST_READ(latest, PolicyRow, tx.GetLatestPolicy("b"));
  EXPECT_EQ(Fields(latest), Fields(policy("b", 2, "{2}")));
  GATEHOUSE_TEST_READ(deleted, PolicyRow, tx.GetLatestPolicy("c"));
  EXPECT_EQ(deleted.document, "");
  EXPECT_EQ(
      CodeOf([](Transaction& tx) { return tx.GetLatestPolicy("d").status(); }),
      kNotFound);

  GATEHOUSE_TEST_READ(current, std::vector<PolicyRow>,
                      tx.ListCurrentPolicies("", 9));
  ASSERT_EQ(current.size(), 2u);
  EXPECT_EQ(Fields(current[0]), Fields(policy("a", 1, "{a}")));
  EXPECT_EQ(Fields(current[1]), Fields(policy("b", 2, "{2}")));
  GATEHOUSE_TEST_READ(after_a, std::vector<PolicyRow>,
                      tx.ListCurrentPolicies("a", 1));
  ASSERT_EQ(after_a.size(), 1u);
  EXPECT_EQ(after_a[0].virtual_server, "b");

  // A name that was deleted can come back, under the next version.
  Do([&](Transaction& tx) { return tx.InsertPolicy(policy("c", 3, "{c}")); });
  GATEHOUSE_TEST_READ(back, std::vector<PolicyRow>,
                      tx.ListCurrentPolicies("b", 9));
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].version, 3);
}

TEST_P(StoreRowsTest, TheHeadMovesOnlyFromWhatWasRead) {
  GATEHOUSE_TEST_READ(fresh, AuditHeadRow, tx.GetAuditHead());
  EXPECT_EQ(fresh.epoch, 1);
  EXPECT_EQ(fresh.size, 0);
  EXPECT_EQ(fresh.compact_range, "");

  const AuditHeadRow moved{1, 1, std::string(32, '\0')};
  Do([&](Transaction& tx) { return tx.UpdateAuditHead(moved, 0); });
  EXPECT_EQ(CodeOf([&](Transaction& tx) {
              return tx.UpdateAuditHead({1, 2, ""}, 0);
            }),
            kAborted);
  EXPECT_EQ(CodeOf([&](Transaction& tx) {
              return tx.UpdateAuditHead({2, 2, ""}, 1);
            }),
            kAborted);
  GATEHOUSE_TEST_READ(after, AuditHeadRow, tx.GetAuditHead());
  EXPECT_EQ(after.size, 1);
  EXPECT_EQ(after.compact_range, moved.compact_range);
}

TEST_P(StoreRowsTest, LeavesAreListedByPlaceAndWrittenOnce) {
  Do([](Transaction& tx) -> absl::Status {
    for (const auto& [epoch, seq] :
         {std::pair(2, 0), std::pair(1, 1), std::pair(1, 0)}) {
      GATEHOUSE_RETURN_IF_ERROR(tx.InsertAuditLeaf(
          {epoch, seq, std::string("h\0h", 3), std::string("b\0\xff", 3)}));
    }
    return absl::OkStatus();
  });
  EXPECT_EQ(CodeOf([](Transaction& tx) {
              return tx.InsertAuditLeaf({1, 1, "other", "other"});
            }),
            kAlreadyExists);
  using Leaves = std::vector<AuditLeafRow>;
  GATEHOUSE_TEST_READ(all, Leaves, tx.ListAuditLeaves(0, -1, 9));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].seq, 0);
  EXPECT_EQ(all[0].body, std::string("b\0\xff", 3));
  EXPECT_EQ(all[0].leaf_hash, std::string("h\0h", 3));
  EXPECT_EQ(all[2].epoch, 2);
  GATEHOUSE_TEST_READ(page, Leaves, tx.ListAuditLeaves(1, 0, 1));
  ASSERT_EQ(page.size(), 1u);
  EXPECT_EQ(page[0].seq, 1);
  GATEHOUSE_TEST_READ(next, Leaves, tx.ListAuditLeaves(1, 1, 9));
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].epoch, 2);
}

TEST_P(StoreRowsTest, AFactIsReplaced) {
  EXPECT_EQ(CodeOf([](Transaction& tx) { return tx.GetMeta("key").status(); }),
            kNotFound);
  Do([](Transaction& tx) { return tx.PutMeta("key", "one"); });
  Do([](Transaction& tx) {
    return tx.PutMeta("key", std::string("\0\xff", 2));
  });
  GATEHOUSE_TEST_READ(value, std::string, tx.GetMeta("key"));
  EXPECT_EQ(value, std::string("\0\xff", 2));
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreRowsTest, Stores(), StoreName);

}  // namespace
}  // namespace gatehouse
