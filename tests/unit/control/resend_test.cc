#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "dataplane/control/calls.h"
#include "tests/unit/relay/fakes.h"

namespace gatehouse::control {
namespace {

using grpc::Status;
using grpc::StatusCode;

struct ResendCase {
  const char* name;
  StatusCode code;
  bool resent;
};
class ResendTest : public testing::TestWithParam<ResendCase> {};

TEST_P(ResendTest, GoesOnOnlyAfterWhatMayGetBetter) {
  FakeClock clock;
  relay::ManualTimers timers(clock);
  int attempts = 0;
  std::optional<StatusCode> finished;
  Resend(
      timers, clock, ResendPolicy{},
      [&](absl::Duration, std::function<void(const Status&)> ended) {
        ended(++attempts == 1 ? Status(GetParam().code, "") : Status::OK);
      },
      [&](const Status& status) { finished = status.error_code(); });
  timers.Advance(absl::Milliseconds(50));
  EXPECT_EQ(attempts, GetParam().resent ? 2 : 1);
  EXPECT_EQ(finished, GetParam().resent ? StatusCode::OK : GetParam().code);
}

INSTANTIATE_TEST_SUITE_P(
    Codes, ResendTest,
    testing::ValuesIn<ResendCase>(
        {{"Unavailable", StatusCode::UNAVAILABLE, true},
         {"Unknown", StatusCode::UNKNOWN, true},
         {"Deadline", StatusCode::DEADLINE_EXCEEDED, true},
         {"Exhausted", StatusCode::RESOURCE_EXHAUSTED, true},
         {"Invalid", StatusCode::INVALID_ARGUMENT, false},
         {"Unauthenticated", StatusCode::UNAUTHENTICATED, false},
         {"NotFound", StatusCode::NOT_FOUND, false},
         {"Cancelled", StatusCode::CANCELLED, false}}),
    [](const auto& c) { return std::string(c.param.name); });

TEST(ResendTimeTest, GivesUpWhenTheTimeIsOver) {
  FakeClock clock;
  relay::ManualTimers timers(clock);
  ResendPolicy policy;
  policy.give_up_after = absl::Seconds(1);
  int attempts = 0;
  int finished = 0;
  std::vector<absl::Duration> timeouts;
  Resend(
      timers, clock, policy,
      [&](absl::Duration timeout, std::function<void(const Status&)> ended) {
        ++attempts;
        timeouts.push_back(timeout);
        ended(Status(StatusCode::UNAVAILABLE, ""));
      },
      [&](const Status&) { ++finished; });
  for (int i = 0; i < 100; ++i) timers.Advance(absl::Milliseconds(50));
  EXPECT_EQ(finished, 1);
  EXPECT_EQ(attempts, 5);  // at 0, 50, 150, 350 and 750 ms
  EXPECT_EQ(timeouts.front(), absl::Seconds(1));
  EXPECT_EQ(timeouts.back(), absl::Milliseconds(250));
}

}  // namespace
}  // namespace gatehouse::control
