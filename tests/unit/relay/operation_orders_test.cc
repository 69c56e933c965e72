// Every order of what can happen to one input request. Defends invariant 5
// (exactly one end: one answer to the upstream at most, and one if it still
// waits) and invariant 1 (nothing is shown without a verdict, and of itself the
// worker says only `trust_unavailable` and `expired`).

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/relay/bench.h"

namespace gatehouse::relay {
namespace {

enum class Event {
  kVerdict,         // of the Admit
  kReply,           // the client's reply came in here and was judged
  kMail,            // delivery_ready, and the claim is granted
  kUpstreamCancel,  // the upstream no longer asks
  kExpiry,          // the deadline and its grace pass without a word
  kResult,          // the call ends
};
enum class VerdictKind { kRelay, kRefuse, kNone };

struct OrderCase {
  const char* name;
  VerdictKind verdict;
};

class OperationOrdersTest : public testing::TestWithParam<OrderCase> {
 protected:
  static void GiveVerdict(Bench& bench, VerdictKind kind) {
    if (kind == VerdictKind::kRelay) return bench.Verdict(Relayed("7"));
    if (kind == VerdictKind::kRefuse) return bench.Verdict(Refused("7"));
    bench.control.admit_dones.back()(absl::UnavailableError("no verdict"));
    bench.queue->RunAll();
  }

  void Apply(Bench& bench, Event event, Operation& operation) const {
    switch (event) {
      case Event::kVerdict:
        return GiveVerdict(bench, GetParam().verdict);
      case Event::kReply:
        operation.Deliver("ir1", Judged());
        break;
      case Event::kMail:
        bench.operations.OnDeliveryReady({"ir1", "op1", /*withdraw=*/true});
        break;
      case Event::kUpstreamCancel:
        bench.upstreams.observer->OnInputRequestCancelled("7");
        break;
      case Event::kExpiry:
        bench.Pass(absl::Seconds(36));
        break;
      case Event::kResult:
        bench.Result();
        break;
    }
    bench.queue->RunAll();
    GrantClaims(bench);
  }

  static void GrantClaims(Bench& bench) {
    for (auto& done : std::exchange(bench.control.claim_dones, {})) {
      done(Judged());
    }
    bench.queue->RunAll();
  }

  static bool MayWorkerSay(const UpstreamReply& reply) {
    return reply.result == Judged().result ||
           reply.data == Refused("").refusal.data ||
           reply.data.find("trust_unavailable") != std::string::npos ||
           reply.data.find("expired") != std::string::npos;
  }

  void RunOrder(const std::vector<Event>& order) const {
    std::string trail;
    for (const Event event : order) {
      trail += std::to_string(static_cast<int>(event));
    }
    SCOPED_TRACE("events in the order " + trail);
    Bench bench;
    const auto operation = *bench.Start();
    bench.Raise();
    bool verdict_given = false;
    for (const Event event : order) {
      verdict_given |= event == Event::kVerdict;
      Apply(bench, event, *operation);
      if (!verdict_given || GetParam().verdict != VerdictKind::kRelay) {
        ASSERT_TRUE(bench.client->shown.empty());
      }
    }
    // An Admit ends by its own deadline; then all timers run out.
    if (!verdict_given) GiveVerdict(bench, VerdictKind::kNone);
    GrantClaims(bench);
    bench.Pass(absl::Minutes(11));

    const auto has = [&](Event event) {
      return std::find(order.begin(), order.end(), event) != order.end();
    };
    ASSERT_LE(bench.replies().size(), 1u);
    if (!has(Event::kUpstreamCancel) && !has(Event::kResult)) {
      ASSERT_EQ(bench.replies().size(), 1u);
    }
    for (const auto& [key, reply] : bench.replies()) {
      ASSERT_EQ(key, "7");
      ASSERT_TRUE(MayWorkerSay(reply)) << reply.data;
    }
    ASSERT_LE(bench.client->shown.size(), 1u);
    ASSERT_EQ(bench.client->finished.size(), has(Event::kResult) ? 1u : 0u);
    ASSERT_EQ(bench.control.closed.size(), has(Event::kResult) ? 1u : 0u);
    ASSERT_EQ(bench.timers.armed(), 0u);
  }
};

TEST_P(OperationOrdersTest, LeavesOneAnswerAtMostAndShowsNothingUnjudged) {
  const std::vector<Event> all = {Event::kVerdict, Event::kReply,
                                  Event::kMail,    Event::kUpstreamCancel,
                                  Event::kExpiry,  Event::kResult};
  int orders = 0;
  for (unsigned subset = 0; subset < (1u << all.size()); ++subset) {
    std::vector<Event> order;
    for (size_t i = 0; i < all.size(); ++i) {
      if ((subset >> i & 1) != 0) order.push_back(all[i]);
    }
    do {
      RunOrder(order);
      if (HasFatalFailure()) return;
      ++orders;
    } while (std::next_permutation(order.begin(), order.end()));
  }
  EXPECT_EQ(orders, 1957);  // of all subsets of six
}

INSTANTIATE_TEST_SUITE_P(
    Verdicts, OperationOrdersTest,
    testing::ValuesIn<OrderCase>({{"Relayed", VerdictKind::kRelay},
                                  {"Refused", VerdictKind::kRefuse},
                                  {"NoVerdict", VerdictKind::kNone}}),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace gatehouse::relay
