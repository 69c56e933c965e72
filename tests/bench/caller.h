#ifndef GATEHOUSE_TESTS_BENCH_CALLER_H_
#define GATEHOUSE_TESTS_BENCH_CALLER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "shared/base/clock.h"
#include "tests/bench/answers.h"
#include "tests/bench/link.h"
#include "tests/bench/requests.h"

namespace gatehouse::bench {

// One MCP client with a connection and a session of its own, that makes one
// call at a time and checks each answer: status 200, the id, and the result
// byte by byte. What it is asked within a call it answers on a second
// connection.
//
// Runs on the thread of the Poller. Borrows poller, clock and tool.
class Caller {
 public:
  enum class Phase {
    kOpening,  // connecting, initialize, initialized
    kReady,    // Call() may be called
    kCalling,
    kEnding,
    kEnded,   // the session was ended by DELETE
    kFailed,  // status() says why; nothing more happens
  };
  // What the last finished call took.
  struct Call {
    absl::Duration latency;
    size_t bytes = 0;  // of the answer's body
  };

  // Two tags of the poller are the caller's: `tag` and `tag + 1`.
  Caller(Peer peer, const ToolRow& tool, uint64_t tag, Poller& poller,
         Clock& clock);

  void Open();
  void Call();
  void End();
  // For an event of one of its two tags.
  void OnEvent(uint64_t tag, uint32_t events);

  Phase phase() const { return phase_; }
  const struct Call& last_call() const { return last_; }
  int64_t calls() const { return calls_; }
  const absl::Status& status() const { return status_; }

 private:
  enum class Step { kInitialize, kInitialized, kCall, kEnd };
  void Fail(std::string_view what);
  std::unique_ptr<Link> Connect(uint64_t tag);
  void Send(Step step, std::string_view request);
  // Reads what came on a link; true while a message is complete in front.
  bool Take(Link& link);
  void OnAnswer();
  void OnCallAnswer();
  void OnReplyAnswer();
  void ReadEvents();
  void CheckResult(std::string_view message);
  void FinishIfDone();

  Peer peer_;
  const uint64_t tag_;
  Poller& poller_;
  Clock& clock_;
  const ToolRow& tool_;
  const std::string expected_;  // how a call's message ends
  Phase phase_ = Phase::kOpening;
  Step step_ = Step::kInitialize;
  absl::Status status_;
  std::unique_ptr<Link> link_;
  std::unique_ptr<Link> reply_link_;  // made at the first question
  CallRequest request_;
  absl::Duration sent_at_;
  size_t events_read_ = 0;      // bytes of the answer's stream
  bool result_seen_ = false;    // of the call in flight
  bool answer_ended_ = false;   // of the call in flight
  bool reply_pending_ = false;  // its 202 has not come yet
  struct Call last_;
  int64_t calls_ = 0;
};

}  // namespace gatehouse::bench

#endif  // GATEHOUSE_TESTS_BENCH_CALLER_H_
