// Running the programs (DESIGN §17): the admin ports, what they count, traces
// in both logs, and the drain. Defends invariant 8 (honest errors) where calls
// end with their worker.

#include <signal.h>

#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/integration/harness/fixture.h"

namespace gatehouse::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kSampling[] = "sampling/createMessage";
constexpr char kTraceId[] = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr char kTraceparent[] =
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

class AdminTest : public GatehouseTest {
 protected:
  std::shared_ptr<Exchange> Get(const std::string& address,
                                const std::string& path) {
    HttpRequest request;
    request.method = "GET";
    request.target = path;
    return Exchange::Start(&loop_, address, request, nullptr);
  }
  int Status(const std::string& address, const std::string& path) {
    return Get(address, path)->Status().value_or(0);
  }
  std::string Body(const std::string& address, const std::string& path) {
    return Get(address, path)->Body().value_or("");
  }
  // The value of one sample; nullopt if there is none.
  std::optional<double> Sample(const std::string& address,
                               const std::string& sample) {
    std::istringstream page(Body(address, "/metrics"));
    for (std::string line; std::getline(page, line);) {
      if (line.starts_with(sample + " ")) {
        return std::stod(line.substr(sample.size()));
      }
    }
    return std::nullopt;
  }
  bool Becomes(const std::string& address, const std::string& sample,
               double value) {
    return Eventually(kPatience,
                      [&] { return Sample(address, sample) == value; });
  }
  const std::string& worker() const { return gatehouse_->worker_admin(0); }
  const std::string& control() const { return gatehouse_->control_admin(); }

  // Lines of a log that have all of these parts.
  static std::vector<Message> Lines(const std::string& log,
                                    const std::string& event) {
    std::vector<Message> found;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
      Message message(line);
      if (message.At("/event") == event) found.push_back(message);
    }
    return found;
  }
};

// ---- Health and readiness.

TEST_F(AdminTest, BothAreHealthyAndReadyAndStayReadyWithoutEachOther) {
  Start();
  for (const std::string& address : {worker(), control()}) {
    EXPECT_EQ(Status(address, "/healthz"), 200);
    EXPECT_EQ(Body(address, "/readyz"), "ready\n");
    EXPECT_EQ(Status(address, "/elsewhere"), 404);
  }
  EXPECT_EQ(Sample(worker(), "gatehouse_worker_attached"), 1);
  EXPECT_TRUE(Becomes(control(), "gatehouse_control_attached_workers", 1));
  gatehouse_->KillControl();
  // Plain calls go on under the policy lease, so it is ready for them.
  EXPECT_TRUE(Becomes(worker(), "gatehouse_worker_attached", 0));
  EXPECT_EQ(Status(worker(), "/readyz"), 200);
  EXPECT_GT(Sample(worker(), "gatehouse_worker_policy_lease_seconds"), 3000);
}

TEST_F(AdminTest, AWorkerThatNeverReachedItsControlPlaneIsHealthyButNotReady) {
  Start();
  Program::Options options;
  options.argv = {BinaryPath("gatehouse-worker"),
                  "--control",
                  absl::StrCat("unix:", gatehouse_->dir(), "/nowhere.sock"),
                  "--token-file",
                  gatehouse_->data_dir() + "/tokens/worker.token",
                  "--listen=127.0.0.1:0",
                  "--admin=127.0.0.1:0"};
  options.log_path = gatehouse_->dir() + "/alone.log";
  const auto alone = Program::Start(std::move(options));
  ASSERT_TRUE(alone.ok()) << alone.status();
  std::string address;
  ASSERT_TRUE(Eventually(kPatience, [&] {
    const auto lines = Lines((*alone)->log(), "listening");
    if (!lines.empty()) address = lines.front().At("/admin");
    return !address.empty();
  }));
  EXPECT_EQ(Status(address, "/healthz"), 200);
  EXPECT_EQ(Status(address, "/readyz"), 503);
  EXPECT_THAT(Body(address, "/readyz"), HasSubstr("not attached"));
  EXPECT_EQ(Sample(address, "gatehouse_worker_policy_lease_seconds"), 0);
  EXPECT_EQ((*alone)->Stop().value_or(-1), 0);
}

// ---- Metrics.

TEST_F(AdminTest, CountersMoveWhenSamplingIsAdmittedAndWhenItIsRefused) {
  Start();
  auto client = Connect();
  client->OnAsked(kSampling,
                  [](const Message&) { return SamplingReply("yes"); });
  ASSERT_TRUE(client->CallTool("up__echo", "{}").ok());
  const std::string ok =
      R"(gatehouse_worker_requests_total{method="tools/call",outcome="ok"})";
  EXPECT_TRUE(Becomes(worker(), ok, 1));
  ASSERT_TRUE(
      client->CallTool("up__ask", AskArguments(kSampling, SamplingParams()))
          .ok());
  EXPECT_TRUE(Becomes(worker(), ok, 2));
  EXPECT_TRUE(Becomes(worker(), "gatehouse_worker_call_seconds_count", 2));
  const std::string by_worker = "gatehouse_worker_input_requests_total";
  const std::string by_control = "gatehouse_control_decisions_total";
  EXPECT_TRUE(Becomes(
      worker(), by_worker + R"({feature="sampling",outcome="delivered"})", 1));
  EXPECT_TRUE(Becomes(
      control(),
      by_control + R"({feature="sampling",verdict="relay",reason="none"})", 1));
  EXPECT_TRUE(Becomes(
      control(),
      by_control + R"({feature="sampling",verdict="answered",reason="none"})",
      1));
  // More tokens than one operation may ask for.
  ASSERT_TRUE(client
                  ->CallTool("up__ask",
                             AskArguments(kSampling, SamplingParams(100'000)))
                  .ok());
  EXPECT_TRUE(Becomes(
      worker(),
      by_worker + R"({feature="sampling",outcome="budget_exhausted"})", 1));
  EXPECT_TRUE(Becomes(control(),
                      by_control + R"({feature="sampling",verdict="refuse",)" +
                          R"(reason="budget_exhausted"})",
                      1));
  const std::string ended = "gatehouse_control_input_requests_ended_total";
  for (const char* state : {"ANSWERED", "REFUSED"}) {
    EXPECT_TRUE(
        Becomes(control(),
                ended + R"({feature="sampling",state=")" + state + R"("})", 1));
  }
  const std::string whose = R"({virtual_server="dev",upstream="up")";
  EXPECT_TRUE(Becomes(
      control(), "gatehouse_control_upstream_admitted_total" + whose + "}", 1));
  EXPECT_TRUE(Becomes(control(),
                      "gatehouse_control_upstream_refusals_total" + whose +
                          R"(,reason="budget_exhausted",malformed="no"})",
                      1));
}

TEST_F(AdminTest, WhatIsOpenIsSeenAndGoneWhenItHasEnded) {
  Start("replyDeadline: 60s\n");
  auto client = Connect();
  const ClientCall call =
      client->StartTool("up__ask", AskArguments(kSampling, SamplingParams()));
  const absl::StatusOr<Message> asked = client->AwaitAsked(kSampling);
  ASSERT_TRUE(asked.ok()) << asked.status();
  EXPECT_EQ(Sample(control(), "gatehouse_control_open_input_requests"), 1);
  EXPECT_EQ(Sample(control(),
                   R"(gatehouse_control_open_operation_tokens{is="charged"})"),
            100);
  EXPECT_EQ(Sample(worker(), R"(gatehouse_worker_operations{state="waiting"})"),
            1);
  EXPECT_EQ(Sample(worker(), "gatehouse_worker_requests_in_flight"), 1);
  EXPECT_EQ(client->Reply(asked->id(), SamplingReply("done")), 202);
  ASSERT_TRUE(call.Await().ok());
  EXPECT_TRUE(Becomes(control(), "gatehouse_control_open_input_requests", 0));
  EXPECT_TRUE(Becomes(worker(), "gatehouse_worker_requests_in_flight", 0));
  EXPECT_GT(Sample(control(), "gatehouse_control_audit_records"), 3);
  EXPECT_GT(Sample(control(), "gatehouse_control_commit_seconds_count"), 3);
  EXPECT_EQ(
      Sample(control(), absl::StrCat("gatehouse_control_rpcs_total{",
                                     R"(method="TrustService/)",
                                     R"(AdmitInputRequests",code="OK"})")),
      1);
}

TEST_F(AdminTest, AnUpstreamThatIsNotThereIsSeenAsDown) {
  Start(Gatehouse::Options{
      .policy = PolicyText(
          "dev", {{"up", upstream_.url()}, {"gone", "http://127.0.0.1:1/mcp"}},
          "")});
  auto client = Connect();
  ASSERT_TRUE(client->Request("tools/list", "{}").ok());
  const std::string up = "gatehouse_worker_upstream_up";
  EXPECT_TRUE(
      Becomes(worker(), up + R"({virtual_server="dev",upstream="up"})", 1));
  EXPECT_TRUE(
      Becomes(worker(), up + R"({virtual_server="dev",upstream="gone"})", 0));
  EXPECT_THAT(Body(worker(), "/metrics"),
              HasSubstr(R"(gatehouse_worker_upstream_troubles_total{)"
                        R"(virtual_server="dev",upstream="gone",)"
                        R"(reason="upstream_unavailable"})"));
}

// ---- Traces.

// What cannot be a header anywhere is ignored, wherever it came from: a request
// that is asked about, and a reply to nothing.
TEST_F(AdminTest, ATraceOfOddBytesIsIgnored) {
  Start();
  auto client = Connect();
  client->OnAsked(kSampling,
                  [](const Message&) { return SamplingReply("ok"); });
  const std::string later =
      "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-";
  for (const char* const tail : {"\\n", "\\u0000", "\\u00e9", " "}) {
    const auto answer = client->Request(
        "tools/call",
        absl::StrCat(R"({"name":"up__ask","arguments":)",
                     AskArguments(kSampling, SamplingParams()),
                     R"(,"_meta":{"traceparent":")", later, tail, "\"}}"));
    ASSERT_TRUE(answer.ok()) << tail << answer.status();
    EXPECT_TRUE(answer->Has("/result")) << answer->raw();
  }
  const auto reply =
      client->Post(absl::StrCat(R"({"jsonrpc":"2.0","id":")",
                                std::string(43, 'A'), R"(","result":{}})"),
                   {{"traceparent", absl::StrCat(later, "\xe9")}});
  EXPECT_EQ(reply->Status().value_or(0), 202);
  EXPECT_EQ(Status(worker(), "/healthz"), 200);
}

TEST_F(AdminTest, ATraceIsInBothLogsAndGoesOnToTheUpstream) {
  Start();
  auto client = Connect();
  const auto call = client->Post(
      absl::StrCat(
          R"({"jsonrpc":"2.0","id":71,"method":"tools/call","params":)",
          R"({"name":"up__ask","arguments":)",
          AskArguments(kSampling, SamplingParams(100'000)), "}}"),
      {{"traceparent", kTraceparent}});
  ASSERT_TRUE(call->AwaitResponse("71").ok());
  bool seen = false;
  for (const auto& received : upstream_.received()) {
    const auto header = received.headers.find("traceparent");
    const bool is_call = received.message.At("/method") == "tools/call";
    EXPECT_EQ(header != received.headers.end(), is_call);
    seen = seen || (is_call && header->second == kTraceparent);
  }
  EXPECT_TRUE(seen);
  // The lines follow what they tell of.
  std::vector<Message> at_worker;
  std::vector<Message> at_control;
  EXPECT_TRUE(Eventually(kPatience, [&] {
    at_worker = Lines(gatehouse_->worker(0).log(), "input_request_ended");
    at_control = Lines(gatehouse_->control().log(), "input_request_refused");
    return !at_worker.empty() && !at_control.empty();
  }));
  ASSERT_EQ(at_worker.size(), 1u);
  EXPECT_EQ(at_worker[0].At("/traceId"), kTraceId);
  EXPECT_EQ(at_worker[0].At("/outcome"), "budget_exhausted");
  ASSERT_EQ(at_control.size(), 1u);
  EXPECT_EQ(at_control[0].At("/traceId"), kTraceId);
  EXPECT_EQ(at_control[0].At("/inputRequest"),
            at_worker[0].At("/inputRequest"));
}

TEST_F(AdminTest, ATraceInMetaCountsAndAnInvalidOneIsIgnored) {
  Start();
  auto client = Connect();
  client->OnAsked(
      kSampling, [](const Message&) { return SamplingReply("private words"); });
  const std::string ask = AskArguments(kSampling, SamplingParams());
  ASSERT_TRUE(client
                  ->StartTool("up__ask", ask,
                              absl::StrCat(R"({"traceparent":")", kTraceparent,
                                           R"("})"))
                  .Await()
                  .ok());
  ASSERT_TRUE(client->StartTool("up__ask", ask, R"({"traceparent":"00-xyz"})")
                  .Await()
                  .ok());
  std::vector<Message> lines;
  EXPECT_TRUE(Eventually(kPatience, [&] {
    lines = Lines(gatehouse_->control().log(), "input_request_ended");
    return lines.size() == 2;
  }));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].At("/traceId"), kTraceId);
  EXPECT_FALSE(lines[1].Has("/traceId"));
  // A log says what happened, never what was said.
  for (const std::string& log :
       {gatehouse_->control().log(), gatehouse_->worker(0).log()}) {
    EXPECT_THAT(log, Not(HasSubstr("private words")));
    EXPECT_THAT(log, Not(HasSubstr("say something")));
    EXPECT_THAT(log, Not(HasSubstr(client->session_id())));
    EXPECT_THAT(log, Not(HasSubstr(gatehouse_->Token("worker"))));
  }
}

// ---- The drain.

TEST_F(AdminTest, ACallInFlightEndsItsWayDuringTheDrain) {
  Start(Gatehouse::Options{
      .policy = FullPolicy("dev", upstream_.url(), "replyDeadline: 60s\n"),
      .worker_flags = {"--drain-deadline=60s"}});
  auto client = Connect();
  const auto events = client->OpenStream();
  const ClientCall call =
      client->StartTool("up__ask", AskArguments(kSampling, SamplingParams()));
  const absl::StatusOr<Message> asked = client->AwaitAsked(kSampling);
  ASSERT_TRUE(asked.ok()) << asked.status();
  gatehouse_->worker(0).Signal(SIGTERM);
  ASSERT_TRUE(Eventually(kPatience,
                         [&] { return Status(worker(), "/readyz") == 503; }));
  EXPECT_THAT(Body(worker(), "/readyz"), HasSubstr("draining"));
  EXPECT_TRUE(events->AwaitEnd());
  const ClientCall late = client->StartTool("up__echo", "{}");
  EXPECT_EQ(late.exchange->Status().value_or(0), 503);
  EXPECT_NE(late.exchange->Header("retry-after"), "");
  auto newcomer = NewClient();
  EXPECT_FALSE(newcomer->Initialize().ok());
  EXPECT_TRUE(gatehouse_->worker(0).running());
  // The one in flight is served to its end: its answer is still taken.
  EXPECT_EQ(client->Reply(asked->id(), SamplingReply("in time")), 202);
  const absl::StatusOr<Message> answer = call.Await();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_THAT(answer->raw(), HasSubstr("in time"));
  EXPECT_EQ(gatehouse_->worker(0).AwaitExit().value_or(-1), 0);
}

TEST_F(AdminTest, ACallThatDoesNotEndIsEndedHonestlyAtTheDeadline) {
  Start(Gatehouse::Options{.policy = FullPolicy("dev", upstream_.url()),
                           .worker_flags = {"--drain-deadline=1s"}});
  auto client = Connect();
  const ClientCall call = client->StartTool("up__hang", "{}");
  ASSERT_TRUE(upstream_.AwaitReceived("tools/call").ok());
  gatehouse_->worker(0).Signal(SIGTERM);
  const absl::StatusOr<Message> answer = call.Await();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->At("/error/data/reason"), "operation_ended");
  EXPECT_EQ(gatehouse_->worker(0).AwaitExit().value_or(-1), 0);
  EXPECT_THAT(gatehouse_->worker(0).log(), HasSubstr("the deadline is over"));
}

TEST_F(AdminTest, ASecondSignalEndsTheDrainAtOnce) {
  Start(Gatehouse::Options{.policy = FullPolicy("dev", upstream_.url()),
                           .worker_flags = {"--drain-deadline=10m"}});
  auto client = Connect();
  const ClientCall call = client->StartTool("up__hang", "{}");
  ASSERT_TRUE(upstream_.AwaitReceived("tools/call").ok());
  gatehouse_->worker(0).Signal(SIGTERM);
  ASSERT_TRUE(Eventually(kPatience, [&] {
    return !Lines(gatehouse_->worker(0).log(), "draining").empty();
  }));
  gatehouse_->worker(0).Signal(SIGTERM);
  EXPECT_EQ(gatehouse_->worker(0).AwaitExit().value_or(-1), 0);
  EXPECT_EQ(call.Await()->At("/error/data/reason"), "operation_ended");
}

}  // namespace
}  // namespace gatehouse::testing
