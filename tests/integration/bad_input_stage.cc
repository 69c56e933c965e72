#include "tests/integration/bad_input_stage.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace gatehouse::testing {
namespace {

constexpr char kToken[] = "good-token-of-alice";
constexpr char kAllowedOrigin[] = "https://app.example";
constexpr char kSmuggled[] =
    R"({"jsonrpc":"2.0","id":66,"method":"tools/call","params":{)"
    R"("name":"up__echo","arguments":{"smuggled":true}}})";
// Any answer to it shows that the connection is of use.
constexpr char kFollowUp[] =
    "OPTIONS /mcp/dev HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

std::string HeaderText(const HttpHead& head) {
  std::string text = head.first_line;
  for (const auto& [name, value] : head.headers) {
    absl::StrAppend(&text, "\n", name, ": ", value);
  }
  return text;
}

}  // namespace

std::string Request(const std::string& first_line, const std::string& lines,
                    const std::string& body) {
  return absl::StrCat(
      first_line, "\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ", kToken,
      "\r\n", lines,
      body.empty() ? "" : absl::StrCat("Content-Length: ", body.size(), "\r\n"),
      "\r\n", body);
}

std::string Post(const std::string& body,
                 const std::map<std::string, std::string>& changed) {
  std::map<std::string, std::string> headers = {
      {"Host", "127.0.0.1"},
      {"Authorization", absl::StrCat("Bearer ", kToken)},
      {"Accept", "application/json, text/event-stream"},
      {"Content-Type", "application/json"},
      {"Mcp-Session-Id", "{session}"},
      {"MCP-Protocol-Version", "2025-11-25"},
      {"Content-Length", absl::StrCat(body.size())}};
  for (const auto& [name, value] : changed) headers[name] = value;
  std::string bytes = "POST /mcp/dev HTTP/1.1\r\n";
  for (const auto& [name, value] : headers) {
    if (!value.empty()) absl::StrAppend(&bytes, name, ": ", value, "\r\n");
  }
  return absl::StrCat(bytes, "\r\n", body);
}

std::string Ping() { return R"({"jsonrpc":"2.0","id":5,"method":"ping"})"; }

std::string Initialize(const std::string& revision) {
  return absl::StrCat(
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{)"
      R"("protocolVersion":")",
      revision,
      R"(","capabilities":{},"clientInfo":{"name":"probe","version":"1"}}})");
}

BadInputRow RowOf(const Probe& probe) {
  return {
      probe.sent,
      absl::StrCat(probe.status, *probe.shows == '\0' ? "" : " ", probe.shows,
                   probe.after == After::kOpen ? ", open" : ", closed"),
      probe.name};
}

BadInputStage::BadInputStage(const std::string& title)
    : upstream_(&loop_, {}), table_(title) {
  AddStandardTools(upstream_);
  absl::StatusOr<std::unique_ptr<Gatehouse>> started =
      Gatehouse::Start(Gatehouse::Options{
          .policy = FullPolicy("dev", upstream_.url()),
          .clients = {{"alice", kToken}},
          .worker_env = {{"GATEHOUSE_WORKER_ALLOW_ORIGIN", kAllowedOrigin},
                         {"GATEHOUSE_WORKER_ALLOW_HOST", "gateway.example"}}});
  EXPECT_TRUE(started.ok()) << started.status();
  if (!started.ok()) std::abort();  // no probe says anything then
  gatehouse_ = *std::move(started);
  good_ = std::make_unique<ScriptedClient>(
      &loop_, ScriptedClient::Options{.address = address(), .token = kToken});
  EXPECT_TRUE(good_->Initialize().ok());
}

std::string BadInputStage::NewSession() {
  RawPeer peer(address());
  peer.Send(Post(Initialize("2025-11-25"), {{"Mcp-Session-Id", ""}}));
  const std::optional<RawAnswer> answer = peer.Answer();
  EXPECT_TRUE(answer.has_value());
  return answer.has_value() ? answer->head.Header("mcp-session-id") : "";
}

void BadInputStage::Expect(const Probe& probe) {
  const std::string session = NewSession();
  const auto filled = [&session](const std::string& bytes) {
    return absl::StrReplaceAll(bytes, {{"{session}", session}});
  };
  std::vector<std::unique_ptr<RawPeer>> earlier;
  for (const std::string& request : probe.before) {
    earlier.push_back(std::make_unique<RawPeer>(address()));
    earlier.back()->Send(filled(request));
    EXPECT_TRUE(earlier.back()->Answer(/*head_only=*/true).has_value());
  }
  RawPeer peer(address());
  std::string bytes = filled(probe.bytes);
  if (probe.after == After::kClosed) {
    absl::StrAppend(&bytes, filled(Post(kSmuggled)));
  }
  peer.Send(bytes);
  const std::optional<RawAnswer> answer = peer.Answer(probe.in_events);
  EXPECT_TRUE(answer.has_value()) << "no answer";
  if (answer.has_value()) ExpectAnswer(probe, *answer);
  bool open = !probe.in_events;
  if (probe.after == After::kClosed) {
    open = !peer.AwaitClose();
    EXPECT_FALSE(open) << "the connection is still open";
    EXPECT_EQ(peer.waiting(), 0u) << "it answered what came behind, too";
  } else if (!probe.in_events) {
    peer.Send(kFollowUp);
    const std::optional<RawAnswer> next = peer.Answer();
    open = next.has_value() && next->head.Status() == 204;
    EXPECT_TRUE(open) << "the connection is of no use any more";
  } else {
    open = peer.Poll();
    EXPECT_TRUE(open);
  }
  table_.Add(probe.name, probe.sent,
             answer.has_value() ? answer->head.first_line : "none",
             open ? "open" : "closed");
  ExpectGoodCall();
}

void BadInputStage::ExpectAnswer(const Probe& probe, const RawAnswer& answer) {
  const std::string all =
      absl::StrCat(HeaderText(answer.head), "\n\n", answer.body);
  EXPECT_EQ(answer.head.Status(), probe.status) << all;
  EXPECT_TRUE(answer.whole || probe.in_events) << all;
  const bool says_close = answer.head.Header("connection") == "close";
  EXPECT_EQ(says_close, probe.after == After::kClosed) << all;
  for (const std::string& part : probe.has) {
    EXPECT_THAT(all, ::testing::HasSubstr(part));
  }
  for (const std::string& part : probe.lacks) {
    EXPECT_FALSE(HasText(all, part)) << part << "\n" << all;
  }
  // Invariant 8: nothing of the inside.
  for (const std::string& inside :
       {std::string("exception"), std::string("what()"), upstream_.address(),
        std::string(kToken)}) {
    EXPECT_FALSE(HasText(all, inside)) << all;
  }
}

void BadInputStage::ExpectGoodCall() {
  const absl::StatusOr<Message> sum =
      good_->CallTool("up__sum", R"({"a":20,"b":22})");
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ(sum->At("/result/content/0/text"), "42");
  ++good_calls_;
  size_t smuggled = 0;
  for (const Message& call : upstream_.received("tools/call")) {
    smuggled += call.Has("/params/arguments/smuggled") ? 1 : 0;
  }
  EXPECT_EQ(smuggled, 0u) << "a call behind a refusal reached the upstream";
}

}  // namespace gatehouse::testing
