// Seeded interleavings of everything that can happen to input requests, against
// the invariants 5 and 7: one terminal state each that never changes,
// deliveries at most one, budgets within their caps at every commit, and
// nothing reserved at rest.

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controlplane/broker/states.h"
#include "tests/unit/broker/broker_fixture.h"

namespace gatehouse::broker {
namespace {

class InterleavingTest : public BrokerFixture,
                         public testing::WithParamInterface<int> {
 protected:
  struct Known {
    std::string opaque_id;
    std::string operation;
    std::optional<InputRequestState> terminal;
    int delivered = 0;  // answers handed to the owner for writing
  };

  int Pick(int below) {
    return std::uniform_int_distribution<int>(0, below - 1)(random_steps_);
  }
  std::string AnyId() {
    auto it = known_.begin();
    std::advance(it, Pick(static_cast<int>(known_.size())));
    return it->first;
  }
  void Step();
  void CheckInvariants();

  std::mt19937 random_steps_{static_cast<unsigned>(GetParam())};
  std::map<std::string, Known> known_;
};

void InterleavingTest::Step() {
  const int what = Pick(12);
  if (what < 4 || known_.empty()) {
    AdmitCommand command = Sampling(1 + Pick(4096));
    command.operation_id = absl::StrCat("operation-", Pick(4));
    const std::string operation = command.operation_id;
    const auto admitted = Admit(std::move(command));
    if (!admitted.ok()) return;  // its worker's epoch is over
    const AdmitWord& word = admitted->words[0];
    const auto* relay = std::get_if<RelayWord>(&word.word);
    if (relay != nullptr) {
      known_[word.input_request_id] = {relay->opaque_id, operation, {}, 0};
    }
    return;
  }
  const std::string id = AnyId();
  Known& known = known_[id];
  if (what < 7) {
    SubmitCommand command =
        Answer(known.opaque_id, Pick(3) == 0 ? "{}" : std::string(kGoodResult));
    if (Pick(2) == 0) command.caller = Caller{"w2", epoch2_};
    const auto outcome = Submit(std::move(command));
    if (outcome.ok() && outcome->verdict == SubmitOutcome::Verdict::kDeliver) {
      ++known.delivered;
    }
  } else if (what == 7) {
    CancelCommand command;
    command.request_id = NextRequestId();
    command.caller = Caller{"w1", epoch1_};
    command.input_request_id = id;
    command.cause = CancelCause::kUpstream;
    (void)Cancel(std::move(command));
  } else if (what == 8) {
    (void)CloseOperation(known.operation);
  } else if (what == 9) {
    const bool before = RowOf(id).delivery == DeliveryState::kUnclaimed;
    const auto granted = Claim(id);
    if (before && granted.ok() && granted->has_value()) ++known.delivered;
  } else if (what == 10) {
    (void)Acknowledge(id);
  } else {
    clock_.Advance(absl::Seconds(Pick(8)));
    Sweep();
  }
}

void InterleavingTest::CheckInvariants() {
  for (auto& [id, known] : known_) {
    const InputRequestRow row = RowOf(id);
    EXPECT_LE(known.delivered, 1) << id;
    if (IsOpen(row.state)) {
      EXPECT_FALSE(known.terminal.has_value()) << id;
      continue;
    }
    if (known.terminal.has_value()) {
      EXPECT_EQ(*known.terminal, row.state) << id << ": a second end";
    }
    known.terminal = row.state;
    EXPECT_TRUE(row.params.empty()) << id << ": content outlives its end";
  }
  for (int i = 0; i < 4; ++i) {
    OperationRow row;
    const absl::Status found = RunAndWait(*store_, [&](Transaction& tx) {
      const auto read = tx.GetOperation(absl::StrCat("operation-", i));
      if (read.ok()) row = *read;
      return absl::OkStatus();
    });
    ASSERT_TRUE(found.ok());
    EXPECT_LE(row.slots_used, 8);
    EXPECT_LE(row.tokens_reserved + row.tokens_charged, 8192);
    EXPECT_EQ(row.tokens_reserved, 0);
  }
}

TEST_P(InterleavingTest, KeepsTheInvariantsAtEveryStep) {
  for (int step = 0; step < 120; ++step) {
    Step();
    CheckInvariants();
    if (HasFailure()) FAIL() << "seed " << GetParam() << ", step " << step;
  }
  clock_.Advance(absl::Minutes(1));
  Sweep();
  for (const auto& [id, known] : known_) {
    EXPECT_FALSE(IsOpen(RowOf(id).state)) << "at rest everything has ended";
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, InterleavingTest, testing::Range(1, 13));

}  // namespace
}  // namespace gatehouse::broker
