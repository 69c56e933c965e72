// The budget of an operation, through both planes (invariant 7): DESIGN §8.

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/integration/harness/fixture.h"

namespace gatehouse::testing {
namespace {

constexpr char kSampling[] = "sampling/createMessage";

std::string Reply(int index, const std::string& rest) {
  return absl::StrCat("/result/structuredContent/replies/", index, rest);
}

class BudgetTest : public GatehouseTest {
 protected:
  std::unique_ptr<ScriptedClient> ConnectAnswering() {
    auto client = Connect();
    client->OnAsked(kSampling,
                    [](const Message&) { return SamplingReply("ok"); });
    return client;
  }
};

TEST_F(BudgetTest, TheThirdOfThreeTimes4096TokensIsRefused) {
  Start();
  auto client = ConnectAnswering();
  const absl::StatusOr<Message> answer = client->CallTool(
      "up__ask", AskArguments(kSampling, SamplingParams(4096), 3));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(answer->Has(Reply(0, "/result/model"))) << answer->raw();
  EXPECT_TRUE(answer->Has(Reply(1, "/result/model")));
  EXPECT_EQ(answer->At(Reply(2, "/error/code")), "-31001");
  EXPECT_EQ(answer->At(Reply(2, "/error/data/reason")), "budget_exhausted");
  EXPECT_EQ(client->asked(kSampling).size(), 2u);
}

TEST_F(BudgetTest, MoreThan4096InOneRequestIsRefused) {
  Start();
  auto client = ConnectAnswering();
  const absl::StatusOr<Message> answer = client->CallTool(
      "up__ask", AskArguments(kSampling, SamplingParams(4097)));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->At(Reply(0, "/error/code")), "-31001") << answer->raw();
  EXPECT_TRUE(client->asked(kSampling).empty());
}

TEST_F(BudgetTest, TheNinthRequestOfAnOperationIsRefused) {
  Start();
  auto client = ConnectAnswering();
  const absl::StatusOr<Message> answer = client->CallTool(
      "up__ask", AskArguments(kSampling, SamplingParams(10), 9));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(answer->Has(Reply(7, "/result"))) << answer->raw();
  EXPECT_EQ(answer->At(Reply(8, "/error/code")), "-31001");
}

TEST_F(BudgetTest, ThePolicyMayLowerBothLimits) {
  Start(
      "limits: { inputRequestsPerOperation: 2, samplingTokensPerRequest: 50 "
      "}\n");
  auto client = ConnectAnswering();
  const absl::StatusOr<Message> three = client->CallTool(
      "up__ask", AskArguments(kSampling, SamplingParams(10), 3));
  ASSERT_TRUE(three.ok()) << three.status();
  EXPECT_TRUE(three->Has(Reply(1, "/result")));
  EXPECT_EQ(three->At(Reply(2, "/error/code")), "-31001");
  const absl::StatusOr<Message> big =
      client->CallTool("up__ask", AskArguments(kSampling, SamplingParams(51)));
  EXPECT_EQ(big->At(Reply(0, "/error/code")), "-31001");
}

// Twelve at once on one call: eight pass, whichever they are.
TEST_F(BudgetTest, OfTwelveAtOnceEightPass) {
  Start();
  auto client = ConnectAnswering();
  const absl::StatusOr<Message> answer = client->CallTool(
      "up__ask_all", AskArguments(kSampling, SamplingParams(10), 12));
  ASSERT_TRUE(answer.ok()) << answer.status();
  std::map<std::string, int> codes;
  for (int i = 0; i < 12; ++i) ++codes[answer->At(Reply(i, "/error/code"))];
  EXPECT_EQ(codes[""], 8) << answer->raw();
  EXPECT_EQ(codes["-31001"], 4);
  EXPECT_EQ(client->asked(kSampling).size(), 8u);
}

TEST_F(BudgetTest, EachCallHasABudgetOfItsOwn) {
  Start();
  auto client = ConnectAnswering();
  for (int i = 0; i < 3; ++i) {
    const absl::StatusOr<Message> answer = client->CallTool(
        "up__ask", AskArguments(kSampling, SamplingParams(4096), 2));
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_TRUE(answer->Has(Reply(1, "/result"))) << answer->raw();
  }
}

TEST_F(BudgetTest, TooManyOpenAtOneUpstreamIsRefused) {
  Start("limits: { openInputRequestsPerUpstream: 3 }\n");
  auto client = Connect();  // answers nothing yet
  const ClientCall call = client->StartTool(
      "up__ask_all", AskArguments(kSampling, SamplingParams(10), 5));
  ASSERT_TRUE(client->AwaitAsked(kSampling, 3).ok());
  ASSERT_EQ(Records("refused", 2).size(), 2u);
  for (const Message& asked : client->asked(kSampling)) {
    client->Reply(asked.id(), SamplingReply("ok"));
  }
  const absl::StatusOr<Message> answer = call.Await();
  ASSERT_TRUE(answer.ok()) << answer.status();
  std::map<std::string, int> reasons;
  for (int i = 0; i < 5; ++i) {
    ++reasons[answer->At(Reply(i, "/error/data/reason"))];
  }
  EXPECT_EQ(reasons["too_many_open"], 2) << answer->raw();
  EXPECT_EQ(reasons[""], 3);
}

}  // namespace
}  // namespace gatehouse::testing
