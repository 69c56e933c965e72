#ifndef GATEHOUSE_TESTS_INTEGRATION_WIRE_STAGE_H_
#define GATEHOUSE_TESTS_INTEGRATION_WIRE_STAGE_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tests/integration/harness/event_loop.h"
#include "tests/integration/harness/gatehouse.h"
#include "tests/integration/harness/program.h"
#include "tests/integration/wire/upstream.h"
#include "tests/wire/replay_list.h"
#include "tests/wire/trace.h"

namespace gatehouse::testing {

// A Gatehouse with one virtual server for each trace that is played, and its
// recorded upstream behind it. Started once for all replays of a program.
// Thread-compatible.
class WireStage {
 public:
  // A trace, and how it is replayed; `tools` as Conversation has it.
  struct Play {
    wire::ReplayRow row;
    wire::Trace trace;
    wire::Trace tools;
  };
  // `token`: what its clients must show; empty: nothing.
  explicit WireStage(std::vector<Play> plays, const std::string& token = "");
  // The traces of the list's rows. An unreadable one shows in status().
  explicit WireStage(std::vector<wire::ReplayRow> rows,
                     const std::string& token = "");

  // What kept it from being made.
  const absl::Status& status() const { return status_; }

  // Plays a trace; what came out otherwise than listed. `expected`, if given,
  // is compared with in the place of the trace itself.
  std::vector<std::string> Run(const std::string& trace,
                               const wire::Trace* expected = nullptr);
  // The last lines of the worker's log, for a failure's message.
  std::string EndOfLog();
  const wire::Trace& trace(const std::string& name) const {
    return scenes_.at(name).trace;
  }

 private:
  struct Scene {
    wire::ReplayRow row;
    wire::Trace trace;
    std::string virtual_server;
    std::unique_ptr<RecordedUpstream> upstream;
  };
  absl::Status Build(std::vector<wire::ReplayRow> rows,
                     const std::string& token);
  absl::Status Build(std::vector<Play> plays, const std::string& token);
  void AddScene(Play play);

  const TempDir dir_;
  std::string bridge_;
  EventLoop loop_;
  std::map<std::string, Scene> scenes_;
  std::unique_ptr<Gatehouse> gatehouse_;
  absl::Status status_;
};

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_WIRE_STAGE_H_
