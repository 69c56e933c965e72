#include "controlplane/broker/states.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "controlplane/audit/record.h"

namespace gatehouse::broker {
namespace {

using S = InputRequestState;

constexpr S kAll[] = {
    S::kRelayed,   S::kRefused,       S::kAnswered,       S::kDeclined,
    S::kDismissed, S::kDenied,        S::kInvalid,        S::kFailed,
    S::kExpired,   S::kCancelled,     S::kRevoked,        S::kLost,
    S::kNotified,  S::kPendingReview, S::kPendingRelease,
};

// The arrows of the design's diagram, written out once more: invariant 5 lives
// from there being no others.
const std::set<std::pair<S, S>>& Arrows() {
  static const auto* const arrows = new std::set<std::pair<S, S>>{
      {S::kRelayed, S::kAnswered},
      {S::kRelayed, S::kDeclined},
      {S::kRelayed, S::kDismissed},
      {S::kRelayed, S::kInvalid},
      {S::kRelayed, S::kFailed},
      {S::kRelayed, S::kPendingRelease},
      {S::kRelayed, S::kExpired},
      {S::kRelayed, S::kCancelled},
      {S::kRelayed, S::kRevoked},
      {S::kRelayed, S::kLost},
      {S::kPendingReview, S::kRelayed},
      {S::kPendingReview, S::kDenied},
      {S::kPendingReview, S::kAnswered},
      {S::kPendingReview, S::kDeclined},
      {S::kPendingReview, S::kDismissed},
      {S::kPendingReview, S::kExpired},
      {S::kPendingReview, S::kCancelled},
      {S::kPendingReview, S::kRevoked},
      {S::kPendingReview, S::kLost},
      {S::kPendingReview, S::kPendingRelease},
      {S::kPendingRelease, S::kAnswered},
      {S::kPendingRelease, S::kDenied},
      {S::kPendingRelease, S::kExpired},
      {S::kPendingRelease, S::kCancelled},
      {S::kPendingRelease, S::kRevoked},
      {S::kPendingRelease, S::kLost},
  };
  return *arrows;
}

TEST(States, HaveTheArrowsOfTheDesignAndNoOthers) {
  for (const S from : kAll) {
    for (const S to : kAll) {
      EXPECT_EQ(CanMove(from, to), Arrows().contains({from, to}))
          << audit::StateName(from) << " to " << audit::StateName(to);
    }
  }
}

TEST(States, NothingLeavesATerminalState) {
  for (const S from : kAll) {
    if (IsOpen(from)) continue;
    for (const S to : kAll) EXPECT_FALSE(CanMove(from, to));
  }
}

}  // namespace
}  // namespace gatehouse::broker
