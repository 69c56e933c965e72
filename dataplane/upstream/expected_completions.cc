#include "dataplane/upstream/expected_completions.h"

#include <utility>

namespace gatehouse::upstream {
namespace {

constexpr size_t kMaxExpected = 256;
constexpr absl::Duration kExpectedFor = absl::Hours(1);

}  // namespace

void ExpectedCompletions::Add(std::string elicitation_id,
                              std::function<void()> completed) {
  ForgetOld();
  if (expected_.size() >= kMaxExpected) expected_.pop_front();
  expected_.push_back({std::move(elicitation_id), std::move(completed),
                       clock_.Steady() + kExpectedFor});
}

std::vector<std::function<void()>> ExpectedCompletions::Take(
    std::string_view elicitation_id) {
  ForgetOld();
  std::vector<std::function<void()>> taken;
  for (Expected& one : expected_) {
    if (one.elicitation_id == elicitation_id) {
      taken.push_back(std::move(one.completed));
    }
  }
  std::erase_if(expected_, [elicitation_id](const Expected& one) {
    return one.elicitation_id == elicitation_id;
  });
  return taken;
}

absl::Duration ExpectedCompletions::TimeLeft() {
  ForgetOld();
  return expected_.empty() ? absl::ZeroDuration()
                           : expected_.back().until - clock_.Steady();
}

void ExpectedCompletions::ForgetOld() {
  const absl::Duration now = clock_.Steady();
  while (!expected_.empty() && expected_.front().until <= now) {
    expected_.pop_front();
  }
}

}  // namespace gatehouse::upstream
