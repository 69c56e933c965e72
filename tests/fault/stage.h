#ifndef GATEHOUSE_TESTS_FAULT_STAGE_H_
#define GATEHOUSE_TESTS_FAULT_STAGE_H_

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tests/integration/harness/event_loop.h"
#include "tests/integration/harness/gatehouse.h"
#include "tests/integration/harness/oracle.h"
#include "tests/integration/harness/program.h"
#include "tests/integration/harness/scripted_client.h"

namespace gatehouse::testing {

// Everything of one run: a Gatehouse with one worker, an upstream process, and
// clients that go through whole rounds (a sampling and a form) without end.
// Whatever may be killed is started again at the same place.
//
// Thread-compatible, for the test's main thread; the clients run on threads of
// the stage, which StopClients (or the destructor) ends.
class Stage {
 public:
  enum class Part { kControl, kWorker, kUpstream };
  static const char* NameOf(Part part);

  // `options.policy` is the stage's own.
  static absl::StatusOr<std::unique_ptr<Stage>> Start(
      Gatehouse::Options options);
  ~Stage();

  void StartClients(int count);
  // Lets each finish or give up its call, and end its session.
  void StopClients();
  // One whole round on a fresh session: the call's result text, or what failed.
  std::string OneRound();
  // The same with a user who says nothing.
  std::string OneSilentRound();

  // A client that answers everything right; not yet initialized.
  std::unique_ptr<ScriptedClient> NewClient();

  void Kill(Part part);
  absl::Status Restart(Part part);

  // Freezes the control plane, if it runs, and examines what it has stored.
  OracleReport ExamineNow(bool at_rest);
  // After the clients have stopped: starts the worker anew, which settles what
  // the old one held, and examines until all is at rest, at most `patience`;
  // the last report.
  OracleReport ExamineAtRest(absl::Duration patience = absl::Seconds(40));

  Gatehouse& gatehouse() { return *gatehouse_; }
  int rounds_done() const { return rounds_done_; }

 private:
  Stage() = default;
  absl::Status StartUpstream();
  std::string RoundOf(ScriptedClient& client);
  void Drive();
  // What the peers saw so far, and what of it no oracle needs to judge.
  Effects SeenEffects(std::vector<std::string>* violations);

  const TempDir dir_;
  EventLoop loop_;
  std::unique_ptr<Gatehouse> gatehouse_;
  std::unique_ptr<Program> upstream_;
  std::string upstream_address_ = "127.0.0.1:0";
  std::atomic<bool> stopping_{false};
  std::atomic<int> rounds_done_{0};
  Signal shown_signal_;  // guards shown_
  std::vector<absl::Time> shown_;
  std::vector<std::thread> clients_;
};

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_FAULT_STAGE_H_
