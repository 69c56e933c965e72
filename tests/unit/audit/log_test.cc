// Defends invariant 6 of DESIGN §1: the record of a decision is durable with
// it, or the decision is not taken.

#include "controlplane/audit/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "controlplane/audit/merkle.h"
#include "controlplane/audit/verify.h"
#include "controlplane/store/memory/memory_store.h"
#include "shared/base/fake_clock.h"
#include "shared/base/status.h"

namespace gatehouse::audit {
namespace {

using testing::HasSubstr;

class LogTest : public testing::Test {
 protected:
  absl::Status AppendOne(RecordType type, std::string tool = "") {
    return RunAndWait(*store_, [&](Transaction& tx) -> absl::Status {
      Record record;
      record.type = type;
      record.tool = tool;
      return Append(tx, record, random_).status();
    });
  }

  void ReadLog() {
    ASSERT_TRUE(RunAndWait(*store_, [this](Transaction& tx) -> absl::Status {
                  GATEHOUSE_ASSIGN_OR_RETURN(leaves_,
                                             tx.ListAuditLeaves(0, -1, 1000));
                  GATEHOUSE_ASSIGN_OR_RETURN(head_, tx.GetAuditHead());
                  return absl::OkStatus();
                }).ok());
  }

  absl::Status Verify() const {
    LogVerifier verifier(1);
    for (const AuditLeafRow& leaf : leaves_) {
      GATEHOUSE_RETURN_IF_ERROR(verifier.Add(leaf).status());
    }
    return verifier.CheckHead(head_);
  }

  FakeClock clock_;
  SeededRandom random_{1};
  std::unique_ptr<Store> store_ = MakeMemoryStore(clock_);
  std::vector<AuditLeafRow> leaves_;
  AuditHeadRow head_;
};

TEST_F(LogTest, EachRecordTakesTheNextPlaceAndTheStoresTime) {
  ASSERT_TRUE(AppendOne(RecordType::kBoot).ok());
  clock_.Advance(absl::Seconds(3));
  ASSERT_TRUE(AppendOne(RecordType::kAsked).ok());
  ReadLog();

  ASSERT_EQ(leaves_.size(), 2u);
  const auto second = Decode(leaves_[1].body);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->epoch, 1);
  EXPECT_EQ(second->seq, 1);
  EXPECT_EQ(second->time, clock_.Wall());
  EXPECT_EQ(second->nonce.size(), 16u);
  EXPECT_NE(second->nonce, Decode(leaves_[0].body)->nonce);
}

TEST_F(LogTest, TheHeadIsThatOfTheLeaves) {
  for (int i = 0; i < 37; ++i) {
    ASSERT_TRUE(AppendOne(RecordType::kAsked).ok());
  }
  ReadLog();
  EXPECT_EQ(head_.size, 37);
  EXPECT_TRUE(Verify().ok()) << Verify();
  std::vector<std::string> hashes;
  for (const auto& leaf : leaves_) hashes.push_back(leaf.leaf_hash);
  EXPECT_EQ(*RootOfRange(head_.compact_range, head_.size),
            RootOfLeaves(hashes));
}

TEST_F(LogTest, ADecisionWhoseRecordCannotBeWrittenIsNotTaken) {
  const absl::Status status =
      RunAndWait(*store_, [this](Transaction& tx) -> absl::Status {
        GATEHOUSE_RETURN_IF_ERROR(tx.PutMeta("decision", "taken"));
        Record record;
        record.tool = "\xff";
        return Append(tx, record, random_).status();
      });
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(RunAndWait(
                *store_,
                [](Transaction& tx) { return tx.GetMeta("decision").status(); })
                .code(),
            absl::StatusCode::kNotFound);
  ReadLog();
  EXPECT_EQ(head_.size, 0);
  EXPECT_TRUE(leaves_.empty());
}

TEST_F(LogTest, AnUndoneDecisionLeavesNoGap) {
  ASSERT_TRUE(AppendOne(RecordType::kAsked).ok());
  ASSERT_FALSE(RunAndWait(*store_, [this](Transaction& tx) -> absl::Status {
                 Record record;
                 GATEHOUSE_RETURN_IF_ERROR(
                     Append(tx, record, random_).status());
                 return absl::AbortedError("lost the race");
               }).ok());
  ASSERT_TRUE(AppendOne(RecordType::kAsked).ok());
  ReadLog();
  EXPECT_EQ(leaves_.size(), 2u);
  EXPECT_TRUE(Verify().ok()) << Verify();
}

TEST_F(LogTest, SeveralRecordsOfOneDecisionFollowEachOther) {
  ASSERT_TRUE(RunAndWait(*store_, [this](Transaction& tx) -> absl::Status {
                for (int64_t want = 0; want < 3; ++want) {
                  Record record;
                  GATEHOUSE_ASSIGN_OR_RETURN(const int64_t seq,
                                             Append(tx, record, random_));
                  EXPECT_EQ(seq, want);
                }
                return absl::OkStatus();
              }).ok());
  ReadLog();
  EXPECT_TRUE(Verify().ok()) << Verify();
}

// What an editor of the stored log might do, and where it must show.
struct TamperCase {
  const char* name;
  void (*tamper)(std::vector<AuditLeafRow>&, AuditHeadRow&);
  const char* error;
};

class TamperTest : public LogTest,
                   public testing::WithParamInterface<TamperCase> {};

TEST_P(TamperTest, IsFound) {
  for (int i = 0; i < 9; ++i) {
    ASSERT_TRUE(AppendOne(RecordType::kAsked, "tool").ok());
  }
  ReadLog();
  ASSERT_TRUE(Verify().ok()) << Verify();

  GetParam().tamper(leaves_, head_);

  EXPECT_EQ(Verify().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(Verify().message()), HasSubstr(GetParam().error));
}

void Rehash(AuditLeafRow& leaf) { leaf.leaf_hash = LeafHash(leaf.body); }

INSTANTIATE_TEST_SUITE_P(
    Edits, TamperTest,
    testing::ValuesIn<TamperCase>({
        {"AnEditedBody",
         [](auto& leaves, auto&) { leaves[4].body.back() ^= 1; },
         "leaf 1-4: its body does not have"},
        {"AnEditedBodyWithItsHashMadeNew",
         [](auto& leaves, auto&) {
           Record record = *Decode(leaves[4].body);
           record.tool = "other";
           leaves[4].body = Encode(record);
           Rehash(leaves[4]);
         },
         "head: its compact range"},
        {"ALeafCutOut",
         [](auto& leaves, auto&) { leaves.erase(leaves.begin() + 4); },
         "leaf 1-4: expected here, found 1-5"},
        {"TheLastLeafCutOff", [](auto& leaves, auto&) { leaves.pop_back(); },
         "head: speaks of 9 leaves"},
        {"TwoLeavesSwapped",
         [](auto& leaves, auto&) { std::swap(leaves[2], leaves[3]); },
         "leaf 1-2: expected here, found 1-3"},
        {"TwoBodiesSwapped",
         [](auto& leaves, auto&) {
           std::swap(leaves[2].body, leaves[3].body);
           std::swap(leaves[2].leaf_hash, leaves[3].leaf_hash);
         },
         "leaf 1-2: its body names another place"},
        {"ALeafTwice",
         [](auto& leaves, auto&) {
           leaves.insert(leaves.begin() + 4, leaves[4]);
         },
         "leaf 1-5: expected here, found 1-4"},
        {"BytesThatAreNoRecord",
         [](auto& leaves, auto&) {
           leaves[4].body = "x";
           Rehash(leaves[4]);
         },
         "leaf 1-4: audit record"},
        {"AHeadSetBack", [](auto&, auto& head) { head.size = 8; },
         "head: speaks of 8 leaves"},
    }),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace gatehouse::audit
