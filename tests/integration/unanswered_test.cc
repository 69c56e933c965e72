// Show 3 of the main job: two thousand questions that nobody answers cost
// memory, not threads, and plain calls beside them do not notice (DESIGN §15).

#include <sys/resource.h>

#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/integration/harness/fixture.h"

namespace gatehouse::testing {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

constexpr char kSampling[] = "sampling/createMessage";
constexpr int kCalls = 2000;
constexpr int kAtOnce = 200;
constexpr int kSessions = 20;
constexpr int kPlainCalls = 1000;

class UnansweredTest : public GatehouseTest {
 protected:
  // Two descriptors a call, here and in the worker, which inherits the limit.
  void SetUp() override {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ASSERT_GT(limit.rlim_cur, 2 * kCalls + 500u);
  }

  // Opens all calls, `kAtOnce` at a time: each group is shown to its clients
  // before the next one starts.
  void OpenAll() {
    for (int opened = 0; opened < kCalls; opened += kAtOnce) {
      for (int i = 0; i < kAtOnce; ++i) {
        calls_.push_back(clients_[i % kSessions]->StartTool(
            "up__ask", AskArguments(kSampling, SamplingParams(10))));
      }
      for (const auto& client : clients_) {
        const size_t shown = (opened + kAtOnce) / kSessions;
        ASSERT_TRUE(
            client->AwaitAsked(kSampling, shown, absl::Seconds(60)).ok())
            << opened;
      }
    }
  }

  int PlainCallsThatSucceed() {
    int succeeded = 0;
    for (int i = 0; i < kPlainCalls; ++i) {
      const absl::StatusOr<Message> answer =
          plain_->CallTool("up__sum", R"({"a":1,"b":2})");
      succeeded += answer.ok() && answer->Has("/result");
    }
    return succeeded;
  }

  std::vector<std::unique_ptr<ScriptedClient>> clients_;
  std::unique_ptr<ScriptedClient> plain_;
  std::vector<ClientCall> calls_;
};

TEST_F(UnansweredTest, TwoThousandOfThemCostNoThread) {
  Start(
      "replyDeadline: 40s\nlimits: { openInputRequestsPerUpstream: 4000, "
      "openInputRequestsPerVirtualServer: 4000 }\n");
  for (int i = 0; i < kSessions; ++i) clients_.push_back(Connect());
  plain_ = Connect();
  for (const auto& client : clients_) {
    ASSERT_TRUE(client->CallTool("up__echo", "{}").ok());
  }
  ASSERT_TRUE(plain_->CallTool("up__echo", "{}").ok());
  const pid_t pid = gatehouse_->worker(0).pid();
  const ProcessFacts idle = FactsOf(pid);

  OpenAll();
  const ProcessFacts busy = FactsOf(pid);
  EXPECT_EQ(PlainCallsThatSucceed(), kPlainCalls);
  const ProcessFacts beside = FactsOf(pid);
  std::cout << "idle: " << idle.threads << " threads, " << idle.descriptors
            << " descriptors, " << idle.resident_kib << " KiB; with " << kCalls
            << " open: " << busy.threads << ", " << busy.descriptors << ", "
            << busy.resident_kib << std::endl;
  EXPECT_NEAR(busy.threads, idle.threads, 2);
  EXPECT_NEAR(beside.threads, idle.threads, 2);

  int expired = 0;
  for (const ClientCall& call : calls_) {
    const absl::StatusOr<Message> answer = call.Await(absl::Seconds(90));
    expired +=
        answer.ok() && answer->At(
                           "/result/structuredContent/replies/0/error/data/"
                           "reason") == "expired";
  }
  EXPECT_EQ(expired, kCalls);
  // Idle connections to the upstream are kept for reuse, a minute at most.
  EXPECT_TRUE(Eventually(absl::Seconds(80), [&] {
    return FactsOf(pid).descriptors <= idle.descriptors + 16;
  })) << FactsOf(pid).descriptors;
  const ProcessFacts after = FactsOf(pid);
  std::cout << "after: " << after.threads << " threads, " << after.descriptors
            << " descriptors, " << after.resident_kib << " KiB" << std::endl;
  if (kSanitized) {
    std::cout << "resident memory is not judged: a sanitizer's shadow and "
                 "quarantine are in it"
              << std::endl;
  } else {
    // The allocator keeps some; two thousand calls of state it must not.
    EXPECT_LT(after.resident_kib, busy.resident_kib + 8192);
    EXPECT_LT(after.resident_kib, idle.resident_kib + 64 * 1024);
  }
  EXPECT_EQ(CountRecords("expired"), static_cast<size_t>(kCalls));
}

}  // namespace
}  // namespace gatehouse::testing
