// Costs grow with what is in flight, never with what is stored (DESIGN §18):
// every statement that a transaction runs searches an index, and those over
// what is open search an index of what is open.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controlplane/store/sqlite/database.h"
#include "controlplane/store/sqlite/migrations.h"
#include "controlplane/store/sqlite/sqlite_transaction.h"
#include "tests/unit/store/temp_folder.h"
#include "tests/unit/store/test_rows.h"

namespace gatehouse::sqlite {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int kStored = 10'000;

class SqlitePlanTest : public testing::Test {
 protected:
  void SetUp() override {
    auto database = Database::Open(folder_.path() + "/gatehouse.db");
    ASSERT_TRUE(database.ok()) << database.status();
    database_ = *std::move(database);
    ASSERT_TRUE(Migrate(*database_).ok());
    ASSERT_TRUE(database_->ExecuteScript("BEGIN IMMEDIATE").ok());
    tx_ = std::make_unique<SqliteTransaction>(*database_, At(1));
  }

  // Ten thousand of each that have ended, and a few that have not.
  void Fill() {
    for (int i = 0; i < kStored + 5; ++i) {
      const bool open = i >= kStored;
      SessionRow session = TestSession(absl::StrCat("s", i));
      session.open = open;
      ASSERT_TRUE(tx_->InsertSession(session).ok());
      OperationRow operation = TestOperation(absl::StrCat("o", i));
      operation.open = open;
      if (!open) operation.close_time = At(i);
      ASSERT_TRUE(tx_->InsertOperation(operation).ok());
      InputRequestRow request = TestInputRequest(absl::StrCat("q", i));
      request.operation_id = operation.id;
      request.admit_request_id = absl::StrCat("a", i);
      if (!open) request.state = InputRequestState::kAnswered;
      if (!open) request.deadline.reset();
      ASSERT_TRUE(tx_->InsertInputRequest(request).ok());
      ASSERT_TRUE(
          tx_->InsertPolicy({"dev", i + 1, "{}", "etag", "a", At(i)}).ok());
      ASSERT_TRUE(tx_->InsertAuditLeaf({1, i, "hash", "body"}).ok());
    }
  }

  // Runs every method, so that every statement is prepared.
  void CallEverything() {
    const Principal principal = TestSession("s").principal;
    EXPECT_EQ(tx_->GetSessionBySecret("x").status().code(),
              absl::StatusCode::kNotFound);
    EXPECT_TRUE(tx_->UpdateSession(*tx_->GetSession("s1")).ok());
    EXPECT_EQ(tx_->ListOpenSessions("", "", 10)->size(), 5u);
    EXPECT_EQ(tx_->ListOpenSessions("dev", "", 10)->size(), 5u);
    EXPECT_EQ(tx_->ListSessionsOfPrincipal(principal, 10)->size(), 5u);
    EXPECT_EQ(*tx_->CountOpenSessions(principal, ""), 5);
    EXPECT_EQ(*tx_->CountOpenSessions(principal, "w1"), 5);
    EXPECT_EQ(tx_->ListIdleSessions(At(2), 10)->size(), 5u);
    EXPECT_TRUE(tx_->DeleteEndedSessions(At(2), 2).ok());
    EXPECT_TRUE(tx_->PutRoots(RootsRow{"s1", "{}", At(1)}).ok());
    EXPECT_TRUE(tx_->GetRoots("s1").ok());
    EXPECT_TRUE(tx_->DeleteRoots("s1").ok());
    EXPECT_TRUE(tx_->InsertWorker(TestWorker("w1")).ok());
    EXPECT_TRUE(tx_->UpdateWorker(*tx_->GetWorker("w1")).ok());
    EXPECT_EQ(tx_->ListWorkers("", 10)->size(), 1u);
    EXPECT_TRUE(tx_->UpdateOperation(*tx_->GetOperation("o1")).ok());
    EXPECT_EQ(tx_->ListOpenOperationsOfSession("s1", 10)->size(), 5u);
    EXPECT_EQ(tx_->ListOpenOperationsOfWorker("w1", 3, 10)->size(), 5u);
    EXPECT_TRUE(tx_->DeleteClosedOperations(At(9), 2).ok());
    EXPECT_TRUE(tx_->DeleteInputRequestsOutsideCalls(At(9), 2).ok());
    const InputRequestRow open = *tx_->GetInputRequest("q10001");
    EXPECT_TRUE(tx_->UpdateInputRequest(open, open.state).ok());
    EXPECT_TRUE(tx_->GetInputRequestByOpaqueId(open.opaque_id_sha256).ok());
    EXPECT_EQ(tx_->ListOpenInputRequestsOfOperation("o10001")->size(), 1u);
    EXPECT_EQ(tx_->ListInputRequestsOfAdmit("a10001")->size(), 1u);
    EXPECT_EQ(tx_->ListDueInputRequests(At(99), 10)->size(), 5u);
    EXPECT_TRUE(tx_->ListUnsettledDeliveriesOfWorker("w1", 3, 10)->empty());
    EXPECT_TRUE(tx_->ListUnsettledDeliveriesOfOperation("o1")->empty());
    EXPECT_EQ(*tx_->CountOpenInputRequestsOfUpstream("dev", "weather"), 5);
    EXPECT_EQ(*tx_->CountOpenInputRequestsOfVirtualServer("dev"), 5);
    EXPECT_EQ(*tx_->CountOpenInputRequestsOfSession(
                  "dev", "weather", open.session_id, open.method),
              5);
    MailRow mail;
    mail.worker_id = "w1";
    mail.number = 1;
    EXPECT_TRUE(tx_->InsertMail(mail).ok());
    EXPECT_EQ(tx_->ListMail("w1", 0, 10)->size(), 1u);
    EXPECT_EQ(*tx_->CountMail("w1"), 1);
    EXPECT_TRUE(tx_->DeleteMail("w1", 1).ok());
    EXPECT_TRUE(tx_->CountVerdict("dev", "weather", "too_large").ok());
    EXPECT_EQ(tx_->ListVerdictCounts({}, 10)->size(), 1u);
    EXPECT_EQ(tx_->ListVerdictCountsOfUpstream("dev", "weather")->size(), 1u);
    EXPECT_TRUE(tx_->DeleteVerdictCountsOfUpstream("dev", "weather").ok());
    EXPECT_TRUE(tx_->InsertIdempotency({"r", "m", "c", "v", At(1)}).ok());
    EXPECT_TRUE(tx_->GetIdempotency("r").ok());
    EXPECT_TRUE(tx_->DeleteIdempotency(At(2), 10).ok());
    EXPECT_TRUE(tx_->GetLatestPolicy("dev").ok());
    EXPECT_EQ(tx_->ListCurrentPolicies("", 10)->size(), 1u);
    EXPECT_TRUE(tx_->InsertPolicy({"gone", 1, "", "", "a", At(1)}).ok());
    EXPECT_TRUE(tx_->UpdateAuditHead({1, 1, "x"}, 0).ok());
    EXPECT_EQ(tx_->GetAuditHead()->size, 1);
    EXPECT_EQ(tx_->ListAuditLeaves(1, 9'000, 10)->size(), 10u);
    EXPECT_EQ(tx_->ReadFigures()->open_input_requests, 5);
    EXPECT_TRUE(tx_->PutMeta("k", "v").ok());
    EXPECT_TRUE(tx_->GetMeta("k").ok());
  }

  TempFolder folder_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<SqliteTransaction> tx_;
};

TEST_F(SqlitePlanTest, EveryStatementSearchesAnIndex) {
  Fill();
  CallEverything();
  const std::vector<std::string> statements = database_->PreparedStatements();
  EXPECT_GE(statements.size(), 50u);
  for (const std::string& sql : statements) {
    if (sql.rfind("PRAGMA", 0) == 0) continue;
    const auto plan = database_->QueryPlan(sql);
    ASSERT_TRUE(plan.ok()) << sql << ": " << plan.status();
    const std::string steps = absl::StrJoin(*plan, "; ");
    EXPECT_THAT(steps, Not(HasSubstr("SCAN"))) << sql;
    EXPECT_THAT(steps, Not(HasSubstr("TEMP B-TREE"))) << sql;
  }
}

// A statement that holds the key as text must use the index beside it.
TEST_F(SqlitePlanTest, WhatIsInFlightHasIndicesOfItsOwn) {
  Fill();
  CallEverything();
  const std::map<std::string, std::string> want = {
      {"WHERE open = 1 AND id > ?", "session_open "},
      {"WHERE open = 1 AND virtual_server = ? AND id", "session_open_server"},
      {"AND subject = ? ORDER BY", "session_open_principal"},
      {"AND subject = ? AND worker_id", "session_open_worker"},
      {"WHERE open = 1 AND last_used_time_us", "session_idle"},
      {"WHERE open = 0 AND last_used_time_us", "session_ended"},
      {"WHERE open = 1 AND session_id", "operation_open_session"},
      {"WHERE open = 1 AND worker_id", "operation_open_worker"},
      {"DELETE FROM operation", "operation_closed"},
      {"WHERE operation_id = '' AND end_time_us", "input_request_outside"},
      {"WHERE open = 1 AND deadline_us", "input_request_due"},
      {"WHERE owed = 1", "input_request_owed"},
      {"min(create_time_us)", "input_request_open_upstream"},
      {"sum(tokens_charged)", "operation_open_session"},
      {"session WHERE open = 1 AND id > ''", "session_open "},
      {"AND virtual_server = ? AND upstream = ?",
       "input_request_open_upstream"},
      {"input_request WHERE open = 1 AND virtual_server = ?",
       "input_request_open_upstream"},
  };
  for (const auto& [key, index] : want) {
    int found = 0;
    for (const std::string& sql : database_->PreparedStatements()) {
      if (sql.find(key) == std::string::npos) continue;
      ++found;
      const auto plan = database_->QueryPlan(sql);
      ASSERT_TRUE(plan.ok()) << sql;
      EXPECT_THAT(absl::StrJoin(*plan, "; "), HasSubstr(index)) << sql;
    }
    EXPECT_GT(found, 0) << key;
  }
}

}  // namespace
}  // namespace gatehouse::sqlite
