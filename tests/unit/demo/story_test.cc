// The story's checks can fail: each row breaks one thing between the wire and
// the log, and the check must name it. Defends invariants 1 (no decision
// without a verdict), 5 (one end), 6 (audit before effect), 9 (bytes pass
// unchanged).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "shared/base/digest.h"
#include "shared/base/status.h"
#include "tools/demo/story_checks.h"

namespace gatehouse::demo {
namespace {

using testing::HasSubstr;

constexpr char kAnswer[] = R"({ "role":"assistant" })";

WireMessage Request(int64_t time_us, const char* id) {
  WireMessage message;
  message.time_us = time_us;
  message.kind = mcp::MessageKind::kRequest;
  message.id = id;
  message.method = "sampling/createMessage";
  message.params = R"({"maxTokens":1})";
  return message;
}

WireMessage Result(int64_t time_us, const char* result) {
  WireMessage message;
  message.time_us = time_us;
  message.to_server = true;
  message.kind = mcp::MessageKind::kResult;
  message.result = result;
  return message;
}

ctl::AuditEntry Record(int64_t time_us, const char* type, const char* from,
                       const char* to) {
  ctl::AuditEntry record;
  record.time_us = time_us;
  record.type = type;
  record.input_request = "inputRequests/1";
  record.kind = "sampling";
  record.tool = "summarize";
  record.from_state = from;
  record.to_state = to;
  return record;
}

// One input request, seen from its three sides, as it should be.
struct Seen {
  Life life{"inputRequests/1",
            {Record(20, "forwarded", "", "RELAYED"),
             Record(50, "answered", "RELAYED", "ANSWERED")}};
  AskedAndAnswered asked{Request(10, "0"), Result(60, kAnswer)};
  AskedAndAnswered shown{Request(30, "\"opaque\""), Result(40, kAnswer)};
  bool was_shown = true;
  ExpectedEnd expected{.state = "ANSWERED"};
};

absl::Status Check(const Seen& seen) {
  return CheckInputRequest(seen.life, seen.asked,
                           seen.was_shown ? &seen.shown : nullptr, "summarize",
                           seen.expected);
}

TEST(StoryChecksTest, WhatIsAsItShouldBePasses) {
  EXPECT_TRUE(Check(Seen()).ok()) << Check(Seen());
}

struct BrokenCase {
  const char* name;
  std::function<void(Seen&)> breaks;
  const char* named;
};
class BrokenTest : public testing::TestWithParam<BrokenCase> {};
TEST_P(BrokenTest, IsNamed) {
  Seen seen;
  GetParam().breaks(seen);
  EXPECT_THAT(std::string(Check(seen).message()), HasSubstr(GetParam().named));
}
INSTANTIATE_TEST_SUITE_P(
    Things, BrokenTest,
    testing::ValuesIn<BrokenCase>(
        {{"ForwardedRecordCameAfterTheClientWasAsked",
          [](Seen& s) { s.life.records[0].time_us = 31; },
          "1 us after the client was asked"},
         {"NoForwardedRecord",
          [](Seen& s) { s.life.records.erase(s.life.records.begin()); },
          "no `forwarded` record"},
         {"RecordOfTheEndCameAfterTheAnswer",
          [](Seen& s) { s.life.records[1].time_us = 61; },
          "1 us after the upstream was answered"},
         {"NoRecordOfTheEnd", [](Seen& s) { s.life.records.pop_back(); },
          "no end of"},
         {"AnswerAlteredByOneSpace",
          [](Seen& s) { s.asked.answer->result = R"({"role":"assistant"})"; },
          "answer was altered"},
         {"RequestAltered",
          [](Seen& s) { s.shown.request.params = R"({"maxTokens":2})"; },
          "request was altered"},
         {"ClientAskedWhatWasToBeRefused",
          [](Seen& s) { s.expected.shown = false; },
          "what the judge should have refused"},
         {"ClientNeverAsked", [](Seen& s) { s.was_shown = false; },
          "never asked"},
         {"EndedOtherwise", [](Seen& s) { s.expected.state = "DECLINED"; },
          "ended ANSWERED"},
         {"UpstreamNeverAnswered", [](Seen& s) { s.asked.answer.reset(); },
          "never answered"},
         {"ResultWhereAnErrorWasDue", [](Seen& s) { s.expected.code = -1; },
          "got a result"},
         {"UpstreamsOwnIdWasShown",
          [](Seen& s) { s.shown.request.id = s.asked.request.id; },
          "upstream's own id"},
         {"LogSpeaksOfAnotherTool",
          [](Seen& s) { s.life.records[0].tool = "other"; }, "by tool other"}}),
    [](const auto& c) { return std::string(c.param.name); });

TEST(StoryChecksTest, TheCodeOnTheWireMustBeTheLogs) {
  Seen seen;
  seen.life.records = {Record(20, "refused", "", "REFUSED")};
  seen.life.records[0].error_code = -31001;
  seen.life.records[0].reason = "budget_exhausted";
  seen.asked.answer->kind = mcp::MessageKind::kError;
  seen.asked.answer->error =
      R"({"code":-31001,"message":"m","data":{"reason":"budget_exhausted"}})";
  seen.was_shown = false;
  seen.expected = {.state = "REFUSED",
                   .shown = false,
                   .code = -31001,
                   .reason = "budget_exhausted"};
  EXPECT_TRUE(Check(seen).ok()) << Check(seen);
  seen.life.records[0].error_code = -32603;
  EXPECT_THAT(std::string(Check(seen).message()), HasSubstr("the log says"));
}

TEST(StoryChecksTest, AGapOrAnEditedBodyInTheLogIsNamed) {
  std::vector<ctl::AuditEntry> log(2);
  for (size_t i = 0; i < log.size(); ++i) {
    log[i].seq = static_cast<int64_t>(i);
    log[i].body = absl::StrCat("body ", i);
    log[i].leaf_hash = Sha256(std::string(1, '\0') + log[i].body);
  }
  EXPECT_TRUE(CheckLogIsWhole(log).ok());
  log[1].body[0] = 'B';
  EXPECT_THAT(std::string(CheckLogIsWhole(log).message()),
              HasSubstr("not what was hashed"));
  log[1].seq = 2;
  EXPECT_THAT(std::string(CheckLogIsWhole(log).message()), HasSubstr("gap"));
}

TEST(StoryFactsTest, AQuestionOutsideEveryCallIsNamed) {
  RecordedMessage stray;
  stray.message = R"({"jsonrpc":"2.0","id":"x","method":"roots/list"})";
  const auto facts = ReadFacts({stray}, {});
  EXPECT_THAT(std::string(facts.status().message()),
              HasSubstr("only 0 while a call was running"));
}

}  // namespace
}  // namespace gatehouse::demo
