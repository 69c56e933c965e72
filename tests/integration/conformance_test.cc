// What docs/conformance.md promises and only the running programs can show:
// no URL is fetched by the gateway, and what was asked and answered stands in
// no record and no log. Defends invariant 9 (bytes pass unchanged) and DESIGN
// 13 (the audit log holds metadata, no content).

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/integration/harness/fixture.h"

namespace gatehouse::testing {
namespace {

constexpr char kElicitation[] = "elicitation/create";
constexpr char kFirst[] = "/result/structuredContent/replies/0";

// A port of loopback that listens and never answers. Thread-compatible.
class Listener {
 public:
  Listener() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)),
              0);
    EXPECT_EQ(listen(fd_, 8), 0);
    socklen_t size = sizeof(address);
    EXPECT_EQ(getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size),
              0);
    port_ = ntohs(address.sin_port);
  }
  ~Listener() { close(fd_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int port() const { return port_; }
  // The kernel takes connections without us: one that was made waits here.
  bool WasVisited() const {
    const int visitor = accept(fd_, nullptr, nullptr);
    if (visitor < 0) {
      EXPECT_EQ(errno, EAGAIN);
      return false;
    }
    close(visitor);
    return true;
  }

 private:
  const int fd_;
  int port_ = 0;
};

class ConformanceTest : public GatehouseTest {
 protected:
  // All that an operator or an auditor can read of what went through: both
  // programs' logs and every record.
  std::string Seen() {
    ControlApi auditor = gatehouse_->Api("auditor");
    const auto records = auditor.Records();
    EXPECT_TRUE(records.ok()) << records.status();
    std::string seen =
        absl::StrCat(gatehouse_->control().log(), gatehouse_->worker(0).log());
    EXPECT_FALSE(seen.empty());
    if (!records.ok()) return seen;
    for (const v1::AuditRecord& record : *records) {
      absl::StrAppend(&seen, record.SerializeAsString());
    }
    return seen;
  }
};

TEST_F(ConformanceTest, AUrlReachesTheClientUnchangedAndIsFetchedByNobody) {
  const Listener page;
  Start(Gatehouse::Options{
      .policy = PolicyText("dev", {{"up", upstream_.url()}},
                           "clientFeatures: { elicitation: true }\n"
                           "trust: { elicitation: { route: client, "
                           "url: true } }\n")});
  auto client =
      Connect({.capabilities = R"({"elicitation":{"form":{},"url":{}}})"});
  client->OnAsked(kElicitation, [](const Message&) {
    return std::string(R"("result":{"action":"accept","content":{"a":1}})");
  });
  const std::string url = absl::StrCat("\"http://127.0.0.1:", page.port(),
                                       R"(/connect?state=%7E\u0041&e=1#top")");
  const absl::StatusOr<Message> answer = client->CallTool(
      "up__ask",
      AskArguments(kElicitation, absl::StrCat(R"({"mode":"url","message":"m",)"
                                              R"("elicitationId":"e-1","url":)",
                                              url, "}")));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->RawAt(absl::StrCat(kFirst, "/result")),
            R"({"action":"accept"})")
      << answer->raw();
  ASSERT_EQ(client->asked(kElicitation).size(), 1u);
  EXPECT_EQ(client->asked(kElicitation)[0].RawAt("/params/url"), url);
  // The end of the operation is in the log: whatever there was to do is done.
  ASSERT_EQ(Records("operation_closed", 1).size(), 1u);
  EXPECT_FALSE(page.WasVisited());
  EXPECT_EQ(Seen().find("connect?state"), std::string::npos);
}

constexpr char kPrompt[] = "canary-prompt-5d1f";
constexpr char kCompletion[] = "canary-completion-77ab";
constexpr char kFieldName[] = "canaryField9c0e";
constexpr char kFieldValue[] = "canary-value-31d8";

// One sampling and one form, both answered.
void AskAndAnswer(ScriptedClient& client) {
  client.OnAsked("sampling/createMessage",
                 [](const Message&) { return SamplingReply(kCompletion); });
  client.OnAsked(kElicitation, [](const Message&) {
    return FormReply(
        "accept", absl::StrCat("{\"", kFieldName, "\":\"", kFieldValue, "\"}"));
  });
  const absl::StatusOr<Message> sampled = client.CallTool(
      "up__ask",
      AskArguments("sampling/createMessage", SamplingParams(100, kPrompt)));
  ASSERT_TRUE(sampled.ok()) << sampled.status();
  EXPECT_NE(sampled->raw().find(kCompletion), std::string::npos);
  const absl::StatusOr<Message> filled = client.CallTool(
      "up__ask",
      AskArguments(kElicitation,
                   absl::StrCat(R"({"message":"m","requestedSchema":{)"
                                R"("type":"object","properties":{")",
                                kFieldName, R"(":{"type":"string"}}}})")));
  ASSERT_TRUE(filled.ok()) << filled.status();
  EXPECT_NE(filled->raw().find(kFieldValue), std::string::npos);
}

TEST_F(ConformanceTest, WhatWasAskedAndAnsweredIsInNoRecordAndNoLog) {
  Start();
  auto client = Connect();
  ASSERT_NO_FATAL_FAILURE(AskAndAnswer(*client));
  ASSERT_EQ(Records("operation_closed", 2).size(), 2u);
  const std::string seen = Seen();
  for (const char* canary : {kPrompt, kCompletion, kFieldName, kFieldValue}) {
    EXPECT_EQ(seen.find(canary), std::string::npos) << canary;
  }
}

}  // namespace
}  // namespace gatehouse::testing
