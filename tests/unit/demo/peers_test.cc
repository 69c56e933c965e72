// The demo's peers are honest: what they say is what they got.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <utility>

#include "shared/json/json.h"
#include "tools/demo/client_answers.h"
#include "tools/demo/upstream_tools.h"

namespace gatehouse::demo {
namespace {

using testing::HasSubstr;

// Answers what a tool asks from a list, and keeps what it asked.
class ScriptedContext final : public ToolContext {
 public:
  explicit ScriptedContext(std::deque<Outcome> answers)
      : answers_(std::move(answers)) {}

  Outcome Ask(std::string_view method, std::string params) override {
    asked.emplace_back(std::string(method), std::move(params));
    if (answers_.empty()) return {};
    Outcome outcome = std::move(answers_.front());
    answers_.pop_front();
    return outcome;
  }
  void Progress(int64_t done, int64_t) override { progress = done; }
  bool Stopped() const override { return false; }

  std::vector<std::pair<std::string, std::string>> asked;
  int64_t progress = 0;

 private:
  std::deque<Outcome> answers_;
};

std::optional<json::Value> Arguments(std::string text) {
  return json::Document::Parse(std::move(text))->root();
}

TEST(UpstreamToolsTest, GreedyAsksThreeTimesWhateverItGetsAndTellsEach) {
  ScriptedContext context(
      {{Outcome::Kind::kResult, R"({"model":"m"})"},
       {Outcome::Kind::kNoAnswer, ""},
       {Outcome::Kind::kError, R"({"code":-31001,"message":"no more"})"}});
  const auto result = CallTool("greedy", std::nullopt, context);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(context.asked.size(), 3U);
  for (const auto& [method, params] : context.asked) {
    EXPECT_EQ(method, "sampling/createMessage");
    EXPECT_THAT(params, HasSubstr("\"maxTokens\":4096"));
  }
  EXPECT_THAT(*result, HasSubstr(R"({"result":{"model":"m"}})"));
  EXPECT_THAT(*result, HasSubstr("no answer came in time"));
  EXPECT_THAT(*result, HasSubstr("error -31001: no more"));
}

TEST(UpstreamToolsTest, ADeclinedSummaryIsAnErrorThatSaysSo) {
  ScriptedContext context(
      {{Outcome::Kind::kError, R"({"code":-1,"message":"declined"})"}});
  const auto result =
      CallTool("summarize", Arguments(R"({"text":"x"})"), context);
  ASSERT_TRUE(result.ok());
  EXPECT_THAT(*result, HasSubstr("\"isError\":true"));
  EXPECT_THAT(*result, HasSubstr("error -1: declined"));
}

TEST(UpstreamToolsTest, CountReportsItsProgress) {
  ScriptedContext context({});
  ASSERT_TRUE(CallTool("count", Arguments(R"({"to":5})"), context).ok());
  EXPECT_EQ(context.progress, 5);
}

TEST(UpstreamToolsTest, MissingArgumentsAndUnknownToolsAreErrors) {
  ScriptedContext context({});
  EXPECT_FALSE(CallTool("summarize", std::nullopt, context).ok());
  EXPECT_FALSE(CallTool("count", Arguments(R"({"to":"x"})"), context).ok());
  EXPECT_FALSE(CallTool("nothing", std::nullopt, context).ok());
  EXPECT_TRUE(context.asked.empty());
}

TEST(UpstreamToolsTest, TheToolListIsOneLineOfJson) {
  const std::string list = ToolListJson();
  EXPECT_EQ(list.find('\n'), std::string::npos);
  const auto document = json::Document::Parse(list);
  ASSERT_TRUE(document.ok()) << document.status();
  EXPECT_EQ(document->root().Find("tools")->size(), 5U);
}

mcp::Envelope Asking(const char* method, const char* params) {
  mcp::Envelope request;
  request.kind = mcp::MessageKind::kRequest;
  request.id = "\"opaque\"";
  request.method = method;
  request.params = params;
  return request;
}

constexpr char kForm[] =
    R"({"message":"m","requestedSchema":{"type":"object","properties":{
    "name":{"type":"string"},"guests":{"type":"integer","minimum":1}}}})";

struct AnswerCase {
  const char* name;
  const char* method;
  Answer answer;
  const char* expected;  // within the response; null: silence
};
class AnswerTest : public testing::TestWithParam<AnswerCase> {};
TEST_P(AnswerTest, IsWhatThePlanSays) {
  const AnswerCase& row = GetParam();
  const auto answer = AnswerTo(Asking(row.method, kForm),
                               {.sampling = row.answer, .form = row.answer});
  if (row.expected == nullptr) {
    EXPECT_FALSE(answer.has_value());
    return;
  }
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(json::Document::Parse(*answer).ok()) << *answer;
  EXPECT_THAT(*answer, HasSubstr("\"id\":\"opaque\""));
  EXPECT_THAT(*answer, HasSubstr(row.expected));
}
INSTANTIATE_TEST_SUITE_P(
    Plans, AnswerTest,
    testing::ValuesIn<AnswerCase>(
        {{"ModelAccepts", "sampling/createMessage", Answer::kAccept,
          "9007199254740993"},
         {"UserDeclinesSampling", "sampling/createMessage", Answer::kDecline,
          "\"code\":-1"},
         {"ModelAnswersWithoutARole", "sampling/createMessage",
          Answer::kWrongType, R"("text":17)"},
         {"ModelIsSilent", "sampling/createMessage", Answer::kSilent, nullptr},
         {"UserFillsTheForm", "elicitation/create", Answer::kAccept,
          R"("guests":2)"},
         {"UserWritesAWordForANumber", "elicitation/create", Answer::kWrongType,
          R"("guests":"two")"},
         {"UserDeclinesTheForm", "elicitation/create", Answer::kDecline,
          R"("action":"decline")"},
         {"UserDismissesTheForm", "elicitation/create", Answer::kCancel,
          R"("action":"cancel")"},
         {"RootsAreListed", "roots/list", Answer::kSilent, "file:///"},
         {"AnUnknownMethodIsRefused", "tasks/list", Answer::kAccept,
          "\"code\":-32601"}}),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace gatehouse::demo
