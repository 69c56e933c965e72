// Show 2 of the HTTP front: clients that drip, that stop in the middle of a
// header block, that say nothing, and one that never reads, cost the others
// nothing, and what they cost the worker it gets back. Defends DESIGN §15 (a
// slow client has a bounded queue and then loses its stream; no thread waits
// for a client) and RELIABILITY's T45.
//
// The rows are those of docs/bad_input.md, group slow_clients_test.

#include <poll.h>
#include <sys/resource.h>

#include <deque>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/integration/harness/bad_input_page.h"
#include "tests/integration/harness/fixture.h"
#include "tests/integration/harness/raw_peer.h"

namespace gatehouse::testing {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

constexpr int kDripping = 200;
constexpr int kHalfSent = 2000;
constexpr int kIdle = 1000;
constexpr int kGoodCalls = 1000;
// The worker's own, for a whole request; and how late it may be on a machine
// that is busy with other tests.
constexpr absl::Duration kRequestDeadline = absl::Seconds(30);
constexpr absl::Duration kLate = absl::Seconds(60);

constexpr char kHalfHead[] = "POST /mcp/dev HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ";

const std::vector<BadInputRow>& Rows() {
  static const auto& rows = *new std::vector<BadInputRow>{
      {"a request that drips, byte by byte, for 30 s", "408, closed",
       "Dripping"},
      {"half a header block, then silence for 30 s", "408, closed", "HalfSent"},
      {"a connection without a request", "none; closed after 5 min", "Idle"},
      {"a stream that its client does not read, past 4 MiB",
       "reset, and the call goes on without it", "NeverReads"}};
  return rows;
}

// Floods its call's stream: `count` times 64 KiB.
void AddFloodTool(ScriptedUpstream& upstream) {
  upstream.AddTool("flood", [](const std::shared_ptr<ToolCall>& call) {
    const int count = std::atoi(call->Argument("count").c_str());
    const std::string text(64 << 10, 'x');
    for (int i = 1; i <= count; ++i) call->Progress(i, count, text);
    call->FinishWithText("flooded");
  });
}

class SlowClientsTest : public GatehouseTest {
 protected:
  // A descriptor for each connection, here and in the worker, which inherits
  // the limit.
  void SetUp() override {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ASSERT_GT(limit.rlim_cur, kDripping + kHalfSent + kIdle + 500u);
    AddFloodTool(upstream_);
  }

  // So many connections, each of which has sent `bytes`.
  void OpenAll(std::deque<RawPeer>& peers, int count,
               const std::string& bytes) {
    for (int i = 0; i < count; ++i) {
      peers.emplace_back(gatehouse_->worker_address(0));
      ASSERT_TRUE(peers.back().Send(bytes)) << i;
    }
  }

  // Another byte from each that is not yet told to stop, now and then.
  void Drip() {
    if (absl::Now() < next_drip_) return;
    next_drip_ = absl::Now() + absl::Milliseconds(250);
    for (RawPeer& peer : dripping_) peer.Drip("x");
  }

  int GoodCallsThatSucceed() {
    int succeeded = 0;
    for (int i = 0; i < kGoodCalls; ++i) {
      Drip();
      const absl::StatusOr<Message> answer =
          good_->CallTool("up__sum", R"({"a":1,"b":2})");
      succeeded += answer.ok() && answer->Has("/result");
    }
    return succeeded;
  }

  // How many of them are told 408 and lose their connection, while the
  // dripping ones drip on.
  int TimedOut(std::deque<RawPeer>& peers) {
    int timed_out = 0;
    for (RawPeer& peer : peers) {
      Eventually(kRequestDeadline + kLate, [&] {
        Drip();
        return !peer.Poll();
      });
      const std::optional<RawAnswer> answer = peer.Answer();
      timed_out +=
          answer.has_value() && answer->head.Status() == 408 && peer.closed();
    }
    return timed_out;
  }

  // A call whose stream its client never reads.
  std::unique_ptr<RawPeer> StartUnread() {
    auto peer = std::make_unique<RawPeer>(gatehouse_->worker_address(0),
                                          /*receive_buffer=*/4096);
    const std::string body =
        R"({"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":)"
        R"("up__flood","arguments":{"count":400},)"
        R"("_meta":{"progressToken":"t"}}})";
    EXPECT_TRUE(peer->Send(
        absl::StrCat("POST /mcp/dev HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: "
                     "application/json, text/event-stream\r\nContent-Type: "
                     "application/json\r\nMcp-Session-Id: ",
                     good_->session_id(), "\r\nContent-Length: ", body.size(),
                     "\r\n\r\n", body)));
    return peer;
  }

  // It is to lose its stream by a reset, of which the kernel tells without a
  // byte being taken.
  static bool IsReset(const RawPeer& peer) {
    pollfd watched = {peer.fd(), 0, 0};
    return poll(&watched, 1,
                static_cast<int>(absl::ToInt64Milliseconds(kLate))) == 1 &&
           (watched.revents & POLLERR) != 0;
  }

  static void Print(const char* when, const ProcessFacts& facts) {
    std::cout << when << ": " << facts.threads << " threads, "
              << facts.descriptors << " descriptors, " << facts.resident_kib
              << " KiB" << std::endl;
  }

  std::unique_ptr<ScriptedClient> good_;
  std::deque<RawPeer> dripping_;
  absl::Time next_drip_ = absl::InfinitePast();
};

TEST_F(SlowClientsTest, CostTheOthersNothingAndTheWorkerGetsItBack) {
  Start();
  good_ = Connect();
  ASSERT_TRUE(good_->CallTool("up__echo", "{}").ok());
  const pid_t pid = gatehouse_->worker(0).pid();
  const ProcessFacts before = FactsOf(pid);
  Print("before", before);

  std::deque<RawPeer> half_sent;
  std::deque<RawPeer> idle;
  OpenAll(dripping_, kDripping, kHalfHead);
  OpenAll(half_sent, kHalfSent, kHalfHead);
  OpenAll(idle, kIdle, "");
  ASSERT_TRUE(Eventually(kPatience, [&] {
    return FactsOf(pid).descriptors >= kDripping + kHalfSent + kIdle;
  })) << FactsOf(pid).descriptors;
  const ProcessFacts busy = FactsOf(pid);
  Print("with all of them", busy);
  EXPECT_NEAR(busy.threads, before.threads, 2);

  const std::unique_ptr<RawPeer> unread = StartUnread();
  const int good = GoodCallsThatSucceed();
  EXPECT_EQ(good, kGoodCalls);
  const bool lost = IsReset(*unread);
  EXPECT_TRUE(lost);
  const int dripping_ended = TimedOut(dripping_);
  const int half_sent_ended = TimedOut(half_sent);
  EXPECT_EQ(dripping_ended, kDripping);
  EXPECT_EQ(half_sent_ended, kHalfSent);
  int idle_open = 0;
  for (RawPeer& peer : idle) idle_open += peer.Poll();
  EXPECT_EQ(idle_open, kIdle);  // they may stay for five minutes
  {
    ProbeTable table("slow clients");
    table.Add("Dripping", "200 dripping clients",
              absl::StrCat(dripping_ended, " times 408"), "closed");
    table.Add("HalfSent", "2,000 half-sent header blocks",
              absl::StrCat(half_sent_ended, " times 408"), "closed");
    table.Add("Idle", "1,000 idle connections", "none",
              absl::StrCat(idle_open, " open"));
    table.Add("NeverReads", "25 MiB to a client that never reads", "a stream",
              lost ? "reset" : "open");
    table.Add("Good", "1,000 good calls beside them",
              absl::StrCat(good, " results"), "");
  }
  dripping_.clear();
  half_sent.clear();
  idle.clear();

  // Idle connections to the upstream are kept for reuse, a minute at most.
  EXPECT_TRUE(Eventually(absl::Seconds(80), [&] {
    return FactsOf(pid).descriptors <= before.descriptors + 16;
  })) << FactsOf(pid).descriptors;
  const ProcessFacts after = FactsOf(pid);
  Print("after", after);
  EXPECT_NEAR(after.threads, before.threads, 2);
  if (kSanitized) {
    std::cout << "resident memory is not judged: a sanitizer's shadow and "
                 "quarantine are in it"
              << std::endl;
  } else {
    // The allocator keeps some; three thousand connections it must not.
    EXPECT_LT(after.resident_kib, before.resident_kib + 64 * 1024);
  }
  ASSERT_TRUE(good_->CallTool("up__echo", "{}").ok());
}

TEST(SlowClientsDocTest, TheRowsAreThoseOfTheDocs) {
  ExpectDocumented("slow_clients_test", Rows());
}

}  // namespace
}  // namespace gatehouse::testing
