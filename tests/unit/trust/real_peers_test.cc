// What real peers ask and answer: the recorded traces of tests/data/wire.
// Defends invariant 3 of the design: one judge, whoever asks.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "shared/json/json.h"
#include "tests/unit/trust/verdicts.h"
#include "tests/wire/input_requests.h"
#include "tests/wire/replay_list.h"
#include "tests/wire/trace_files.h"

namespace gatehouse::trust {
namespace {

// An input request of a trace of tests/data/wire, and what the judge says.
class RecordedTrace : public testing::TestWithParam<wire::ReplayRow> {};

// Permits all that a client may have declared, so that a refusal is the trace's
// own doing.
policy::VirtualServer PolicyOfTheTraces() {
  policy::VirtualServer policy = OpenPolicy();
  policy.elicitation_url = true;
  return policy;
}

std::string Judged(const wire::RecordedInputRequest& recorded) {
  const auto revision = mcp::ParseRevision(recorded.revision);
  EXPECT_TRUE(revision.has_value()) << recorded.revision;
  const auto declared = json::Document::Parse(recorded.declared);
  EXPECT_TRUE(declared.ok()) << declared.status();
  RequestFacts facts =
      Asked(recorded.method, recorded.params, *revision, *revision);
  facts.declared =
      mcp::ParseClientCapabilities(declared->root(), *revision).value();
  facts.notified = recorded.notified;
  const policy::VirtualServer policy = PolicyOfTheTraces();
  const std::string request = Short(JudgeRequest(policy, facts));
  if (recorded.notified) return request + ", notified";
  if (request != "admitted") return request;
  ResponseFacts answer;
  answer.method = recorded.method;
  answer.request_params = recorded.params;
  answer.upstream_revision = answer.client_revision = *revision;
  if (!recorded.result.empty()) answer.result = recorded.result;
  if (!recorded.error.empty()) answer.error = recorded.error;
  if (!answer.result.has_value() && !answer.error.has_value()) {
    return request + ", no answer";
  }
  return request + ", " + Short(JudgeResponse(policy, answer));
}

// Each in the conversation that it was recorded in: its revision, and what its
// client had declared. The outcomes stand in the list.
TEST_P(RecordedTrace, ReachesTheListedVerdicts) {
  const auto recorded = wire::ReadInputRequests(GetParam().trace);
  ASSERT_TRUE(recorded.ok()) << recorded.status();
  std::vector<std::string> verdicts;
  for (const wire::RecordedInputRequest& one : *recorded) {
    verdicts.push_back(Judged(one));
  }
  EXPECT_EQ(verdicts, GetParam().judged);
}

INSTANTIATE_TEST_SUITE_P(Wire, RecordedTrace,
                         testing::ValuesIn(wire::RowsReplayedAs("judge")),
                         [](const auto& c) {
                           return wire::TestNameOf(c.param.trace);
                         });

// No trace in which something is asked is kept from the judge.
TEST(RecordedTracesTest, EveryOneWithAnInputRequestIsJudged) {
  const auto rows = wire::ReadReplayList();
  ASSERT_TRUE(rows.ok()) << rows.status();
  for (const wire::ReplayRow& row : *rows) {
    const auto recorded = wire::ReadInputRequests(row.trace);
    ASSERT_TRUE(recorded.ok()) << recorded.status();
    EXPECT_EQ(row.as.count("judge") > 0, !recorded->empty()) << row.trace;
  }
}

// Line 67: the reference server's form asks for a homepage of format uri, and
// its client answered with a text that is none. A fault of two real peers; that
// it is refused is meant.
TEST(RecordedTracesTest, Line67OfTheReferenceServerIsRefusedForItsHomepage) {
  const std::string trace = "2025-11-25.server-everything-v1";
  const auto lines = wire::ReadLines(trace + ".jsonl");
  ASSERT_TRUE(lines.ok()) << lines.status();
  ASSERT_GE(lines->size(), 67u);
  const auto body = (*lines)[66].root().Find("body");
  ASSERT_TRUE(body.has_value());
  const std::string result(body->Find("result")->raw());
  EXPECT_NE(result.find(R"("homepage":"kit")"), std::string::npos) << result;

  const auto recorded = wire::ReadInputRequests(trace);
  ASSERT_TRUE(recorded.ok()) << recorded.status();
  const wire::RecordedInputRequest& form = recorded->back();
  EXPECT_EQ(form.method, kElicitation);
  EXPECT_EQ(form.result, result);
  EXPECT_EQ(Judged(form),
            "admitted, invalid: invalid_response /content/homepage");
}

// Every value of a tree, the root first.
std::vector<json::Value> AllValues(const json::Value& root) {
  std::vector<json::Value> values = {root};
  for (size_t i = 0; i < values.size(); ++i) {
    const json::Value value = values[i];
    for (const json::Value& item : value.Elements()) values.push_back(item);
    for (const json::Member& member : value.Members()) {
      values.push_back(member.value);
    }
  }
  return values;
}

// What may be put in the place of `value` of `text`.
void JudgeSpoilt(const wire::RecordedInputRequest& recorded,
                 const std::string& text, const json::Value& value) {
  constexpr std::string_view kJunk[] = {"null", "1.5",      "\"x\"",
                                        "[]",   "[[null]]", R"({"type":7})"};
  for (const std::string_view junk : kJunk) {
    const std::string spoilt = json::Splice(
        text, {{value.offset(), value.raw().size(), std::string(junk)}});
    const RequestVerdict request =
        JudgeRequest(OpenPolicy(), Asked(recorded.method, spoilt));
    if (const auto* admitted = std::get_if<AdmittedRequest>(&request)) {
      EXPECT_TRUE(json::Document::Parse(admitted->params_to_relay).ok());
    }
    const ResponseVerdict answer = JudgeResponse(
        OpenPolicy(), Answered(recorded.method, recorded.params, spoilt));
    EXPECT_NE(answer.result.has_value(), answer.failure.has_value());
  }
}

// Whatever a peer writes in the place of any value, the judge answers, and what
// it would relay or deliver is JSON. (Under the sanitizers this finds a rule
// that trusts what another rule has not yet checked.)
TEST_P(RecordedTrace, WithJunkInAnyPlaceIsAnswered) {
  const auto recorded = wire::ReadInputRequests(GetParam().trace);
  ASSERT_TRUE(recorded.ok()) << recorded.status();
  for (const wire::RecordedInputRequest& one : *recorded) {
    for (const std::string& text : {one.params, one.result}) {
      const auto judged = json::Document::Parse(text);
      if (!judged.ok()) continue;  // absent
      for (const json::Value& value : AllValues(judged->root())) {
        JudgeSpoilt(one, text, value);
      }
    }
  }
}

}  // namespace
}  // namespace gatehouse::trust
