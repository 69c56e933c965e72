// The probes of real servers: what each answered to a hundred odd requests.
// What this gateway answers to the same stands in docs/bad_input.md; what it
// makes of their answers, when they are the upstream, is played here. Defends
// invariants 8 (honest errors) and 9 (bytes pass unchanged).

#include "tests/wire/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/integration/harness/bad_input_page.h"
#include "tests/integration/wire/stage.h"
#include "tests/wire/replay_list.h"

namespace gatehouse::testing {
namespace {

using ::testing::IsEmpty;

constexpr char kProtocolError[] = "-32603 upstream_protocol_error";
constexpr char kUnavailable[] = "-32603 upstream_unavailable";
constexpr char kModern[] = "modern";

class WireProbeTest : public ::testing::TestWithParam<wire::ReplayRow> {};

TEST_P(WireProbeTest, EveryRequestHasItsAnswerOnThePageOfBadInput) {
  const auto probes = wire::ReadProbes(GetParam().trace);
  const auto rows = wire::ReadProbeList();
  ASSERT_TRUE(probes.ok()) << probes.status();
  ASSERT_TRUE(rows.ok()) << rows.status();
  for (const wire::Probe& probe : *probes) {
    const auto row = rows->find(probe.name);
    ASSERT_NE(row, rows->end()) << probe.name << ": not in probes.jsonl";
    if (absl::StartsWith(probe.name, "m ")) {
      EXPECT_EQ(row->second.waits, kModern) << probe.name;
    } else {
      EXPECT_TRUE(IsDocumented(row->second.answer, row->second.test))
          << probe.name << ": docs/bad_input.md has no row with "
          << row->second.answer << " and " << row->second.test;
    }
  }
}

TEST(WireProbeListTest, EveryLineIsOfAProbe) {
  std::set<std::string> names;
  for (const wire::ReplayRow& row : wire::RowsReplayedAs("probe")) {
    const auto probes = wire::ReadProbes(row.trace);
    ASSERT_TRUE(probes.ok()) << probes.status();
    for (const wire::Probe& probe : *probes) names.insert(probe.name);
  }
  const auto rows = wire::ReadProbeList();
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(rows->size(), 115u);
  for (const auto& [name, row] : *rows)
    EXPECT_EQ(names.count(name), 1u) << name;
}

// Codes that never pass from an upstream to a client (PROTOCOL §10.3).
bool IsBarred(const Message& answer) {
  static const std::set<std::string> kBarred = {"-32700", "-32600", "-32020",
                                                "-32022", "-32042"};
  return kBarred.count(answer.At("/error/code")) > 0;
}

// What a client's call comes to when its upstream answers so; empty: as it was
// answered.
std::string OutcomeOf(const wire::Exchange& answer, bool has_session) {
  for (const wire::Said& said : answer.said) {
    const Message message(said.text);
    const bool ours =
        said.is_message && message.IsResponse() && message.id() != "null";
    if (!ours) continue;
    const bool error = message.Has("/error");
    if (answer.status != 200 && !error) continue;
    const std::string type = message.At("/result/resultType");
    const bool unknown = !type.empty() && type != "complete";
    return IsBarred(message) || unknown ? kProtocolError : "";
  }
  switch (answer.status) {
    case 400:  // the way of some to say that the session is not known
      return has_session ? kUnavailable : kProtocolError;
    case 401:
    case 403:
    case 404:
      return kUnavailable;
    default:
      return kProtocolError;
  }
}

// What is to come out of a trace of probes.
void ListOutcomes(const wire::Trace& trace, wire::ReplayRow& row) {
  const wire::Exchange& handshake = trace.exchanges.at(1);
  const bool has_session = handshake.answer_headers.count("mcp-session-id") > 0;
  for (const auto& [number, exchange] : trace.exchanges) {
    if (number < wire::ExchangeOfProbe(0)) continue;
    const std::string outcome = OutcomeOf(exchange, has_session);
    if (!outcome.empty()) row.differs[absl::StrCat(number)].client = outcome;
    bool answered = false;
    for (size_t i = 0; i < exchange.said.size(); ++i) {
      if (!exchange.said[i].is_message) continue;
      const Message message(exchange.said[i].text);
      // Neither notifications nor a second answer pass.
      if (!message.method().empty() || answered) {
        row.differs[absl::StrCat(number, ".", i + 1)].client = "nothing";
      }
      answered = answered || message.method().empty();
    }
  }
  row.offers = "{}";
}

std::vector<WireStage::Play> Plays() {
  std::vector<WireStage::Play> plays;
  for (wire::ReplayRow& row : wire::RowsReplayedAs("probe")) {
    const auto probes = wire::ReadProbes(row.trace);
    if (!probes.ok()) continue;  // the test above says so
    wire::Trace trace = wire::TraceOfProbes(row.trace, *probes);
    if (trace.exchanges.at(1).status == 200) {
      ListOutcomes(trace, row);
    } else {
      // It shakes hands with no legacy client, so it gets no call.
      trace = wire::TraceOfProbes(row.trace, {(*probes)[2]});
      trace.exchanges.erase(trace.exchanges.upper_bound(1),
                            trace.exchanges.end());
      trace.steps.resize(1);
      row.offers = "{}";
      row.then = kUnavailable;
    }
    plays.push_back({std::move(row), std::move(trace), {}});
  }
  return plays;
}

class WireProbeReplayTest : public WireProbeTest {
 protected:
  static void SetUpTestSuite() { stage_ = new WireStage(Plays()); }
  static void TearDownTestSuite() {
    delete stage_;
    stage_ = nullptr;
  }
  static WireStage* stage_;
};

WireStage* WireProbeReplayTest::stage_ = nullptr;

TEST_P(WireProbeReplayTest, EveryAnswerOfAnUpstreamComesOutAsItMust) {
  ASSERT_TRUE(stage_->status().ok()) << stage_->status();
  EXPECT_THAT(stage_->Run(GetParam().trace), IsEmpty()) << stage_->EndOfLog();
}

INSTANTIATE_TEST_SUITE_P(Wire, WireProbeTest,
                         ::testing::ValuesIn(wire::RowsReplayedAs("probe")),
                         [](const auto& c) {
                           return wire::TestNameOf(c.param.trace);
                         });
INSTANTIATE_TEST_SUITE_P(Wire, WireProbeReplayTest,
                         ::testing::ValuesIn(wire::RowsReplayedAs("probe")),
                         [](const auto& c) {
                           return wire::TestNameOf(c.param.trace);
                         });

}  // namespace
}  // namespace gatehouse::testing
