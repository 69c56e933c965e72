// Defends invariant 7 of DESIGN §1: budgets hold.

#include "controlplane/ledger/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

namespace gatehouse::ledger {
namespace {

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

OperationRow Operation(int64_t slots, int64_t reserved, int64_t charged) {
  OperationRow operation;
  operation.slots_used = slots;
  operation.tokens_reserved = reserved;
  operation.tokens_charged = charged;
  return operation;
}

struct ReserveCase {
  const char* name;
  OperationRow before;
  int64_t tokens;
  Caps caps;
  std::optional<Exceeded> want;
};

class ReserveTest : public testing::TestWithParam<ReserveCase> {};

TEST_P(ReserveTest, TakesAllOrNothing) {
  const ReserveCase& c = GetParam();
  OperationRow operation = c.before;

  EXPECT_EQ(Reserve(operation, c.tokens, c.caps), c.want);

  const bool taken = !c.want.has_value();
  EXPECT_EQ(operation.slots_used, c.before.slots_used + (taken ? 1 : 0));
  EXPECT_EQ(operation.tokens_reserved,
            c.before.tokens_reserved + (taken ? c.tokens : 0));
  EXPECT_EQ(operation.tokens_charged, c.before.tokens_charged);
}

INSTANTIATE_TEST_SUITE_P(
    Budgets, ReserveTest,
    testing::ValuesIn<ReserveCase>({
        {"TheFirstRequestIsTaken", Operation(0, 0, 0), 4096, {8, 8192}, {}},
        {"TheLastTokenCanBeTaken", Operation(1, 96, 4000), 4096, {8, 8192}, {}},
        {"OneTokenTooManyIsRefused",
         Operation(1, 97, 4000),
         4096,
         {8, 8192},
         Exceeded{Cap::kTokens, 8192, 4095}},
        {"ReservedCountsAsMuchAsCharged",
         Operation(2, 8192, 0),
         1,
         {8, 8192},
         Exceeded{Cap::kTokens, 8192, 0}},
        {"ARequestWithoutTokensFitsAnEmptyPurse",
         Operation(2, 0, 8192),
         0,
         {8, 8192},
         {}},
        {"TheNinthSlotIsRefused",
         Operation(8, 0, 0),
         0,
         {8, 8192},
         Exceeded{Cap::kSlots, 8, 0}},
        {"SlotsAreLookedAtFirst",
         Operation(8, 0, 8192),
         1,
         {8, 8192},
         Exceeded{Cap::kSlots, 8, 0}},
        {"ACapLoweredBelowUseLeavesNothing",
         Operation(3, 1000, 3000),
         1,
         {8, 2000},
         Exceeded{Cap::kTokens, 2000, 0}},
        {"ANegativeAmountCreatesNoBudget",
         Operation(1, 10, 10),
         -5,
         {8, 8192},
         Exceeded{Cap::kTokens, 8192, 8172}},
        {"AHugeAmountDoesNotOverflow",
         Operation(1, 10, 10),
         kHuge,
         {8, 8192},
         Exceeded{Cap::kTokens, 8192, 8172}},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST(LedgerTest, ChargeMovesWhatWasReserved) {
  OperationRow operation = Operation(1, 300, 100);
  Charge(operation, 200);
  EXPECT_EQ(operation.tokens_reserved, 100);
  EXPECT_EQ(operation.tokens_charged, 300);
}

TEST(LedgerTest, ReleaseFreesTokensAndNeverTheSlot) {
  OperationRow operation = Operation(1, 300, 100);
  Release(operation, 300);
  EXPECT_EQ(operation.tokens_reserved, 0);
  EXPECT_EQ(operation.tokens_charged, 100);
  EXPECT_EQ(operation.slots_used, 1);
}

TEST(LedgerTest, AnEditReservesMoreWithoutASecondSlot) {
  OperationRow operation = Operation(8, 100, 0);
  EXPECT_EQ(ReserveMore(operation, 50, {8, 200}), std::nullopt);
  EXPECT_EQ(operation.tokens_reserved, 150);
  EXPECT_EQ(operation.slots_used, 8);
  EXPECT_EQ(ReserveMore(operation, 51, {8, 200}),
            (Exceeded{Cap::kTokens, 200, 50}));
  EXPECT_EQ(operation.tokens_reserved, 150);
}

TEST(LedgerTest, CapsHaveTheNamesOfTheErrorContract) {
  EXPECT_EQ(CapName(Cap::kSlots), "slots");
  EXPECT_EQ(CapName(Cap::kTokens), "tokens");
}

TEST(LedgerTest, SixtyFourRefusalsAreReadAndTheSixtyFifthIsToldOnce) {
  OperationRow operation;
  int told = 0;
  for (int i = 1; i <= 100; ++i) {
    EXPECT_EQ(RefusesUnread(operation), i > 64) << "refusal " << i;
    if (CountRefusal(operation)) ++told;
  }
  EXPECT_EQ(told, 65);
  EXPECT_EQ(SuppressedRefusals(operation), 35);
}

TEST(LedgerTest, AnOperationBelowTheLimitSuppressesNothing) {
  OperationRow operation;
  for (int i = 0; i < 65; ++i) CountRefusal(operation);
  EXPECT_EQ(SuppressedRefusals(operation), 0);
}

// One open request of the model, as the broker would have it.
struct OpenRequest {
  int64_t tokens;
  bool charged;
};

// Property: whatever sequence of admissions, charges, ends and even mistaken
// calls, the caps hold at every step and at rest nothing is reserved.
class LedgerPropertyTest : public testing::TestWithParam<int> {};

TEST_P(LedgerPropertyTest, CapsHoldAtEveryStepAndNothingIsReservedAtRest) {
  std::mt19937_64 random(static_cast<uint64_t>(GetParam()));
  const auto draw = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random);
  };
  const Caps caps{draw(1, 12), draw(0, 10'000)};
  OperationRow operation;
  std::vector<OpenRequest> open;
  int64_t charged = 0;

  const auto end_one = [&](size_t index) {
    if (!open[index].charged) Release(operation, open[index].tokens);
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(index));
  };
  for (int step = 0; step < 400; ++step) {
    const int64_t action = draw(0, 4);
    if (action <= 1) {
      const int64_t tokens = draw(0, 4096);
      if (!Reserve(operation, tokens, caps)) open.push_back({tokens, false});
    } else if (!open.empty()) {
      const auto index =
          static_cast<size_t>(draw(0, static_cast<int64_t>(open.size()) - 1));
      if (action == 2 && !open[index].charged) {
        Charge(operation, open[index].tokens);
        open[index].charged = true;
        charged += open[index].tokens;
      } else if (action == 3) {
        end_one(index);
      }
    }
    ASSERT_LE(operation.slots_used, caps.slots);
    ASSERT_GE(operation.tokens_reserved, 0);
    ASSERT_LE(operation.tokens_reserved + operation.tokens_charged,
              caps.tokens);
    ASSERT_EQ(operation.tokens_charged, charged);
  }
  while (!open.empty()) end_one(0);
  EXPECT_EQ(operation.tokens_reserved, 0);
}

TEST_P(LedgerPropertyTest, EvenMistakenCallsCannotBreakACap) {
  std::mt19937_64 random(static_cast<uint64_t>(GetParam()));
  const auto draw = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random);
  };
  const Caps caps{8, 8192};
  OperationRow operation;
  for (int step = 0; step < 400; ++step) {
    const int64_t tokens =
        draw(0, 9) == 0 ? draw(-kHuge, kHuge) : draw(-100, 9000);
    switch (draw(0, 3)) {
      case 0:
        Reserve(operation, tokens, caps);
        break;
      case 1:
        ReserveMore(operation, tokens, caps);
        break;
      case 2:
        Charge(operation, tokens);
        break;
      default:
        Release(operation, tokens);
    }
    ASSERT_LE(operation.slots_used, caps.slots);
    ASSERT_GE(operation.tokens_reserved, 0);
    ASSERT_GE(operation.tokens_charged, 0);
    ASSERT_LE(operation.tokens_reserved + operation.tokens_charged,
              caps.tokens);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LedgerPropertyTest, testing::Range(1, 101));

}  // namespace
}  // namespace gatehouse::ledger
