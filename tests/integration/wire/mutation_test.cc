// The comparison is strict: with any one field of what is expected changed,
// left out or added, a replay fails, but for the fields that this test names. A
// control of the other replays; no invariant by itself.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "shared/json/json.h"
#include "tests/integration/wire/stage.h"
#include "tests/wire/replay_list.h"
#include "tests/wire/trace.h"

namespace gatehouse::testing {
namespace {

using ::testing::IsEmpty;

// A call with progress, a question of each kind with its answer, and a cancel
// on either side.
const std::set<std::string> kTraces = {
    "2025-11-25.progress", "2025-11-25.sampling", "2025-11-25.roots",
    "2025-06-18.elicit-form-accept", "2025-11-25.sampling-never"};

// A message of a trace that passes the gateway: what its client sent in an
// exchange, or the n-th thing that its server said there.
struct Passing {
  int exchange = 0;
  int said = -1;  // -1: the client's

  std::string& TextIn(wire::Trace& trace) const {
    wire::Exchange& recorded = trace.exchanges.at(exchange);
    return said < 0 ? recorded.body
                    : recorded.said[static_cast<size_t>(said)].text;
  }
};

// What may be anything, for it is the gateway's own: request ids and progress
// tokens upstream, ids of what the client is asked, the reason of a cancel.
bool MayDiffer(const Message& message, const Passing& passing,
               const std::string& field) {
  if (message.method() == "notifications/cancelled") {
    return field == "/params/reason";
  }
  if (!message.IsRequest()) return false;
  return field == "/id" ||
         (passing.said < 0 && field == "/params/_meta/progressToken");
}

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

std::string Another(const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::kString:
      return json::Quote(absl::StrCat(std::string(*value.String()), "x"));
    case json::Kind::kNumber:
      return absl::StrCat("7", std::string(value.raw()));
    case json::Kind::kBool:
      return *value.Bool() ? "false" : "true";
    case json::Kind::kNull:
      return "0";
    case json::Kind::kArray:
    case json::Kind::kObject:
      return "{}";
  }
  return "";
}

// One change, and where it is made.
struct Mutation {
  std::string field;
  std::string text;  // the message with it
};

std::string Spliced(const std::string& text, const json::Value& value,
                    const std::string& replacement) {
  return json::Splice(text,
                      {{value.offset(), value.raw().size(), replacement}});
}

// Every scalar changed, every container emptied, every object given one member
// more.
std::vector<Mutation> MutationsOf(const std::string& text) {
  std::vector<Mutation> mutations;
  const auto read = json::Document::Parse(text);
  if (!read.ok()) return mutations;
  for (const json::Value& value : AllValues(read->root())) {
    if (!value.IsObject()) {
      mutations.push_back(
          {value.pointer(), Spliced(text, value, Another(value))});
      continue;
    }
    mutations.push_back(
        {value.pointer() + "/more",
         json::Splice(text, {json::SetMember(value, "more", "1")})});
    if (value.size() > 0 && !value.pointer().empty()) {
      mutations.push_back(
          {value.pointer(), Spliced(text, value, Another(value))});
    }
  }
  return mutations;
}

// Not the handshake, which ends at the gateway, and what only wants to be
// taken.
std::vector<Passing> MessagesOf(const wire::Trace& trace,
                                const wire::ReplayRow& row) {
  std::vector<Passing> messages;
  for (const auto& [number, exchange] : trace.exchanges) {
    const std::string method = Message(exchange.body).method();
    const bool listed = row.differs.count(absl::StrCat(number)) > 0;
    if (exchange.method != "POST" || listed || method == "initialize" ||
        method == "notifications/initialized") {
      continue;
    }
    messages.push_back({number, -1});
    for (size_t i = 0; i < exchange.said.size(); ++i) {
      if (exchange.said[i].is_message) {
        messages.push_back({number, static_cast<int>(i)});
      }
    }
  }
  return messages;
}

std::vector<wire::ReplayRow> Rows() {
  std::vector<wire::ReplayRow> rows;
  for (wire::ReplayRow& row : wire::RowsReplayedAs("upstream")) {
    if (kTraces.count(row.trace) > 0) rows.push_back(std::move(row));
  }
  return rows;
}

class WireMutationTest : public ::testing::TestWithParam<wire::ReplayRow> {
 protected:
  static void SetUpTestSuite() { stage_ = new WireStage(Rows()); }
  static void TearDownTestSuite() {
    delete stage_;
    stage_ = nullptr;
  }

  void Try(const Passing& passing, const Mutation& mutation) {
    const std::string& name = GetParam().trace;
    wire::Trace expected = stage_->trace(name);
    const Message original(passing.TextIn(expected));
    passing.TextIn(expected) = mutation.text;
    const std::vector<std::string> found = stage_->Run(name, &expected);
    EXPECT_EQ(found.empty(), MayDiffer(original, passing, mutation.field))
        << "exchange " << passing.exchange << " said " << passing.said << " "
        << mutation.field << "\n"
        << mutation.text;
    ++tried_;
  }

  static WireStage* stage_;
  int tried_ = 0;
};

WireStage* WireMutationTest::stage_ = nullptr;

TEST_P(WireMutationTest, OneChangeInWhatIsExpectedIsFound) {
  ASSERT_TRUE(stage_->status().ok()) << stage_->status();
  wire::Trace trace = stage_->trace(GetParam().trace);
  EXPECT_THAT(stage_->Run(trace.name), IsEmpty());
  for (const Passing& passing : MessagesOf(trace, GetParam())) {
    for (const Mutation& mutation : MutationsOf(passing.TextIn(trace))) {
      Try(passing, mutation);
    }
  }
  EXPECT_GE(tried_, 20);
}

INSTANTIATE_TEST_SUITE_P(Wire, WireMutationTest, ::testing::ValuesIn(Rows()),
                         [](const auto& c) {
                           return wire::TestNameOf(c.param.trace);
                         });

}  // namespace
}  // namespace gatehouse::testing
