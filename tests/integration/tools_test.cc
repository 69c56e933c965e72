// tools/list and tools/call: what the gateway does not judge passes as it came
// (invariant 9), and what fails says so honestly (invariant 8).

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/integration/harness/fixture.h"

namespace gatehouse::testing {
namespace {

// Odd on purpose: key order, a number no double holds, escapes, nested _meta.
constexpr char kOddTool[] =
    R"({"title":"Odd \u00e9","name":"odd","inputSchema":{"type":"object",)"
    R"("properties":{"n":{"type":"integer","maximum":9223372036854775807}},)"
    R"("required":["n"]},"outputSchema":{"type":"object"},"annotations":)"
    R"({"readOnlyHint":true,"x-unknown":[1.0,1e2]},"_meta":)"
    R"({"example.test/big":18446744073709551615,"a":{"z":1,"b":null}},)"
    R"("icons":[{"src":"data:,x"}],"description":"line\nbreak"})";

constexpr char kOddResult[] =
    R"({"structuredContent":{"z":1,"a":18446744073709551615,"f":1.50},)"
    R"("_meta":{"b":[],"a":{}},"content":[{"type":"text","text":"\u20ac\/"}],)"
    R"("unknownMember":{"kept":true},"isError":false})";

constexpr char kListChanged[] = "notifications/tools/list_changed";

class ToolsTest : public GatehouseTest {
 protected:
  ToolsTest() : second_(&loop_, {.name = "second", .always_stream = true}) {
    AddStandardTools(second_);
    upstream_.AddTool("odd", kOddTool,
                      [](const std::shared_ptr<ToolCall>& call) {
                        call->Finish(kOddResult);
                      });
  }
  void SetUp() override {
    Start(Gatehouse::Options{
        .policy = PolicyText(
            "dev", {{"up", upstream_.url()}, {"two", second_.url()}}, "")});
  }

  ScriptedUpstream second_;
};

// kOddTool with the shown name, and nothing else different.
std::string ShownOddTool() {
  std::string tool = kOddTool;
  const std::string name = R"("name":"odd")";
  return tool.replace(tool.find(name), name.size(), R"("name":"up__odd")");
}

// A server whose tools change while it runs says so, on the stream of a call
// or on its GET stream; the client is told on one of its own.
TEST_F(ToolsTest, AnUpstreamsChangedListIsToldToItsSessionAndCanBeUsed) {
  upstream_.AddTool("grow", [](const std::shared_ptr<ToolCall>& call) {
    call->Notify(kListChanged, "{}");
    call->FinishWithText("grown");
  });
  auto client = Connect();
  auto other = Connect();
  const auto streams = {client->OpenStream(), other->OpenStream()};
  for (const auto& stream : streams) ASSERT_EQ(*stream->Status(), 200);
  ASSERT_TRUE(client->Request("tools/list", "{}").ok());
  upstream_.AddTool("fresh", [](const std::shared_ptr<ToolCall>& call) {
    call->FinishWithText("fresh");
  });
  const absl::StatusOr<Message> grown = client->CallTool("up__grow", "{}");
  ASSERT_TRUE(grown.ok()) << grown.status();
  ASSERT_TRUE(grown->Has("/result")) << grown->raw();
  ASSERT_TRUE(client->AwaitAsked(kListChanged).ok());
  EXPECT_TRUE(client->CallTool("up__fresh", "{}")->Has("/result"));
  // Nobody told the other one's session with the upstream.
  ASSERT_TRUE(other->CallTool("up__echo", "{}").ok());
  EXPECT_TRUE(other->asked(kListChanged).empty());
}

// However often it says so, its client hears it now and then.
TEST_F(ToolsTest, AFloodOfChangedListsIsToldAFewTimes) {
  constexpr int kTimes = 1000;
  upstream_.AddTool("flood", [](const std::shared_ptr<ToolCall>& call) {
    for (int i = 0; i < kTimes; ++i) call->Notify(kListChanged, "{}");
    call->FinishWithText("flooded");
  });
  auto client = Connect();
  const auto stream = client->OpenStream();
  ASSERT_EQ(*stream->Status(), 200);
  ASSERT_TRUE(client->CallTool("up__flood", "{}")->Has("/result"));
  ASSERT_TRUE(client->AwaitAsked(kListChanged).ok());
  EXPECT_LT(client->asked(kListChanged).size(), kTimes / 4);
}

TEST_F(ToolsTest, ListsBothUpstreamsWithTheirMetadataByteForByte) {
  auto client = Connect();
  const absl::StatusOr<Message> list = client->Request("tools/list", "{}");
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(list->raw(), ::testing::HasSubstr(ShownOddTool()));
  std::vector<std::string> names;
  for (int i = 0; list->Has(absl::StrCat("/result/tools/", i)); ++i) {
    names.push_back(list->At(absl::StrCat("/result/tools/", i, "/name")));
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf(
                         {"up__echo", "up__odd", "two__echo", "two__hang"}));
  EXPECT_EQ(names.size(), 15u);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end(),
                             [](const auto& a, const auto& b) {
                               return a.substr(0, 2) == "up" &&
                                      b.substr(0, 2) == "tw";
                             }))
      << "catalogue order is the policy's order of upstreams";
}

TEST_F(ToolsTest, AResultPassesByteForByteFromAJsonAnswer) {
  auto client = Connect();
  const absl::StatusOr<Message> answer = client->CallTool("up__odd", "{}");
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->RawAt("/result"), kOddResult);
}

TEST_F(ToolsTest, ArgumentsPassByteForByteToTheUpstream) {
  auto client = Connect();
  const std::string arguments =
      R"({"z":18446744073709551615,"a":[1.0,1e2,"\u00e9\/"],"b":{"y":null}})";
  ASSERT_TRUE(client->CallTool("up__echo", arguments).ok());
  const absl::StatusOr<Message> call = upstream_.AwaitReceived("tools/call");
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_EQ(call->RawAt("/params/arguments"), arguments);
  EXPECT_EQ(call->At("/params/name"), "echo");
}

TEST_F(ToolsTest, ACallIsAnsweredFromAStreamToo) {
  auto client = Connect();
  const absl::StatusOr<Message> answer =
      client->CallTool("two__sum", R"({"a":20,"b":22})");
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->At("/result/content/0/text"), "42");
}

TEST_F(ToolsTest, AStringIdComesBackAsAString) {
  auto client = Connect();
  const auto exchange =
      client->Post(R"({"jsonrpc":"2.0","id":"a\"b","method":"tools/call",)"
                   R"("params":{"name":"up__echo","arguments":{}}})");
  EXPECT_TRUE(exchange->AwaitResponse(R"("a\"b")").ok());
}

struct ProgressCase {
  const char* name;
  const char* revision;
  const char* tool;
};
class ProgressTest : public ToolsTest,
                     public ::testing::WithParamInterface<ProgressCase> {};

TEST_P(ProgressTest, ReachesTheClientUnderItsOwnToken) {
  auto client = Connect({.revision = GetParam().revision});
  const ClientCall call = client->StartTool(GetParam().tool, R"({"steps":3})",
                                            R"({"progressToken":"mine"})");
  ASSERT_TRUE(call.Await().ok());
  const std::vector<Message> beats = client->asked("notifications/progress");
  ASSERT_EQ(beats.size(), 3u);
  for (size_t i = 0; i < beats.size(); ++i) {
    EXPECT_EQ(beats[i].RawAt("/params/progressToken"), R"("mine")");
    EXPECT_EQ(beats[i].At("/params/progress"), absl::StrCat(i + 1));
    EXPECT_EQ(beats[i].At("/params/message"), absl::StrCat("step ", i + 1));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Revisions, ProgressTest,
    ::testing::ValuesIn<ProgressCase>(
        {{"In2025June", "2025-06-18", "up__progress"},
         {"In2025November", "2025-11-25", "two__progress"}}),
    [](const auto& c) { return std::string(c.param.name); });

TEST_F(ToolsTest, WithoutATokenNoProgressIsShown) {
  auto client = Connect();
  ASSERT_TRUE(client->CallTool("up__progress", R"({"steps":2})").ok());
  EXPECT_TRUE(client->asked("notifications/progress").empty());
}

TEST_F(ToolsTest, TheClientsCancelReachesTheUpstreamUnderItsOwnId) {
  auto client = Connect();
  const ClientCall call = client->StartTool("up__hang", "{}");
  const absl::StatusOr<Message> received =
      upstream_.AwaitReceived("tools/call");
  ASSERT_TRUE(received.ok());
  EXPECT_EQ(client->Notify("notifications/cancelled",
                           absl::StrCat("{\"requestId\":", call.id,
                                        ",\"reason\":\"enough \\u00e9\"}")),
            202);
  const absl::StatusOr<Message> cancelled =
      upstream_.AwaitReceived("notifications/cancelled");
  ASSERT_TRUE(cancelled.ok()) << cancelled.status();
  EXPECT_EQ(cancelled->RawAt("/params/requestId"), received->id());
  EXPECT_EQ(cancelled->At("/params/reason"), "enough \u00e9");  // as told
}

TEST_F(ToolsTest, AnotherSessionsCancelDoesNothing) {
  auto client = Connect();
  auto other = Connect();
  const ClientCall call = client->StartTool("up__hang", "{}");
  ASSERT_TRUE(upstream_.AwaitReceived("tools/call").ok());
  EXPECT_EQ(other->Notify("notifications/cancelled",
                          absl::StrCat("{\"requestId\":", call.id, "}")),
            202);
  // A whole call of the other's afterwards, so that its cancel was taken in.
  ASSERT_TRUE(other->CallTool("up__echo", "{}").ok());
  EXPECT_TRUE(upstream_.received("notifications/cancelled").empty());
  EXPECT_FALSE(call.exchange->ended());
}

TEST_F(ToolsTest, AnUnknownToolIsInvalidParamsAndReachesNoUpstream) {
  auto client = Connect();
  for (const char* tool : {"up__nothing", "nowhere__echo", "echo"}) {
    const absl::StatusOr<Message> answer = client->CallTool(tool, "{}");
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->At("/error/code"), "-32602") << tool;
  }
  EXPECT_TRUE(upstream_.received("tools/call").empty());
}

TEST_F(ToolsTest, AnUpstreamsOwnErrorPasses) {
  upstream_.AddTool("fails", [](const std::shared_ptr<ToolCall>& call) {
    call->FinishWithError(-32001, "the tool's own words");
  });
  auto client = Connect();
  const absl::StatusOr<Message> answer = client->CallTool("up__fails", "{}");
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->At("/error/message"), "the tool's own words");
  EXPECT_EQ(answer->At("/error/code"), "-32001");
}

TEST_F(ToolsTest, AnUpstreamThatDropsTheCallIsUnavailableAndUnnamed) {
  upstream_.AddTool(
      "drops", [](const std::shared_ptr<ToolCall>& call) { call->Abandon(); });
  auto client = Connect();
  const absl::StatusOr<Message> answer = client->CallTool("up__drops", "{}");
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->At("/error/code"), "-32603");
  EXPECT_EQ(answer->At("/error/data/reason"), "upstream_unavailable");
  EXPECT_THAT(answer->raw(), ::testing::Not(::testing::HasSubstr("127.0.0.1")));
  // The other upstream, and this one's next call, do not notice.
  EXPECT_TRUE(client->CallTool("two__echo", "{}")->Has("/result"));
  EXPECT_TRUE(client->CallTool("up__echo", "{}")->Has("/result"));
}

TEST_F(ToolsTest, AnUpstreamThatLostItsSessionsIsMetAnew) {
  auto client = Connect();
  ASSERT_TRUE(client->CallTool("up__echo", "{}")->Has("/result"));
  upstream_.Crash();
  EXPECT_TRUE(Eventually(kPatience, [&] {
    const absl::StatusOr<Message> answer = client->CallTool("up__echo", "{}");
    return answer.ok() && answer->Has("/result");
  }));
}

TEST_F(ToolsTest, NothingOfTheClientsCredentialsReachesTheUpstream) {
  auto client = NewClient({.token = "a-clients-own-token"});
  ASSERT_TRUE(client->Initialize().ok());
  ASSERT_TRUE(client->CallTool("up__echo", "{}").ok());
  for (const auto& received : upstream_.received()) {
    EXPECT_EQ(received.headers.count("authorization"), 0u);
    for (const auto& [name, value] : received.headers) {
      EXPECT_NE(value, client->session_id()) << name;
    }
  }
}

}  // namespace
}  // namespace gatehouse::testing
