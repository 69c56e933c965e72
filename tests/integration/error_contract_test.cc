// Invariant 8, honest errors, on the wire: what a legacy upstream that waits
// gets for what it asked and for what its client answered, with the client's
// reply at the worker that has the call and at another one (by the mailbox).

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/integration/harness/fixture.h"

namespace gatehouse::testing {
namespace {

constexpr char kSampling[] = "sampling/createMessage";
constexpr char kError[] = "/result/structuredContent/replies/0/error";

struct ErrorCase {
  const char* name;
  const char* method;
  std::string params;
  std::string reply;  // of the client; empty: it is never asked
  const char* code;
  const char* reason;
  const char* path;  // empty: the error names none
};

class ErrorContractTest : public GatehouseTest,
                          public ::testing::WithParamInterface<ErrorCase> {
 protected:
  void SetUp() override {
    Start(Gatehouse::Options{
        .policy = FullPolicy("dev", upstream_.url(), "replyDeadline: 30s\n"),
        .workers = 2});
  }
  // What the tool of the upstream got as its answer.
  absl::StatusOr<Message> Ask(ScriptedClient& client, int reply_at) {
    const ErrorCase& c = GetParam();
    const ClientCall call =
        client.StartTool("up__ask", AskArguments(c.method, c.params));
    if (!c.reply.empty()) {
      const absl::StatusOr<Message> asked = client.AwaitAsked(c.method);
      if (!asked.ok()) return asked;
      client.MoveTo(gatehouse_->worker_address(reply_at));
      EXPECT_EQ(client.Reply(asked->id(), c.reply), 202);
    }
    return call.Await();
  }
  void ExpectTheContract(const absl::StatusOr<Message>& answer) {
    ASSERT_TRUE(answer.ok()) << answer.status();
    const ErrorCase& c = GetParam();
    ASSERT_TRUE(answer->Has(kError)) << answer->raw();
    EXPECT_EQ(answer->At(absl::StrCat(kError, "/code")), c.code);
    EXPECT_EQ(answer->At(absl::StrCat(kError, "/data/reason")), c.reason);
    if (*c.path != 0) {
      EXPECT_EQ(answer->At(absl::StrCat(kError, "/data/path")), c.path);
    }
  }
};

TEST_P(ErrorContractTest, ReachesTheUpstreamByTheUnaryRoad) {
  auto client = Connect({}, 0);
  ExpectTheContract(Ask(*client, 0));
}

// Only of replies: a refusal is the answer to the Admit, so it has one road.
class MailboxTest : public ErrorContractTest {};

TEST_P(MailboxTest, ReachesTheUpstreamFromAnotherWorkerToo) {
  auto client = Connect({}, 0);
  ExpectTheContract(Ask(*client, 1));
}

std::string Form() {
  return R"({"message":"m","requestedSchema":{"type":"object","properties":)"
         R"({"city":{"type":"string"}},"required":["city"]}})";
}

auto Refusals() {
  return ::testing::ValuesIn<ErrorCase>({
      {"AMalformedRequest", kSampling, R"({"messages":[],"maxTokens":1})", "",
       "-32602", "invalid_request", "/messages"},
      {"MoreTokensThanTheBudget", kSampling, SamplingParams(100'000), "",
       "-31001", "budget_exhausted", ""},
  });
}

auto Replies() {
  return ::testing::ValuesIn<ErrorCase>({
      {"ADeclinedSampling", kSampling, SamplingParams(), ErrorReply(-1, "no"),
       "-1", "declined", ""},
      {"AClientsOwnCode", kSampling, SamplingParams(),
       ErrorReply(-31100, "mine"), "-31100", "client_error", ""},
      {"AClientsReservedCode", kSampling, SamplingParams(),
       ErrorReply(-32000, "mine"), "-32603", "client_error", ""},
      {"AnAnswerOfTheWrongShape", "elicitation/create", Form(),
       FormReply("accept", R"({"city":7})"), "-32603", "invalid_response",
       "/content/city"},
  });
}

std::string CaseName(const ::testing::TestParamInfo<ErrorCase>& c) {
  return c.param.name;
}

INSTANTIATE_TEST_SUITE_P(Refusals, ErrorContractTest, Refusals(), CaseName);
INSTANTIATE_TEST_SUITE_P(Replies, ErrorContractTest, Replies(), CaseName);
INSTANTIATE_TEST_SUITE_P(Replies, MailboxTest, Replies(), CaseName);

}  // namespace
}  // namespace gatehouse::testing
