#ifndef GATEHOUSE_TESTS_INTEGRATION_WIRE_CONVERSATION_H_
#define GATEHOUSE_TESTS_INTEGRATION_WIRE_CONVERSATION_H_

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tests/integration/harness/message.h"
#include "tests/integration/harness/wait.h"
#include "tests/wire/trace.h"

namespace gatehouse::testing {

// Something that reached a recorded upstream.
struct Arrival {
  int exchange = 0;  // the recorded one that it is; 0: none is like it
  std::string http_method;
  std::map<std::string, std::string> headers;
  Message message{""};
  std::string session;  // that was open when it came
};

// What a recorded upstream has been told and which of the recorded exchanges
// that was. One replay at a time.
//
// Thread-safe. Every wait has a deadline.
class Conversation {
 public:
  // `tools` is a trace whose tools/list counts where `trace` has none.
  Conversation(wire::Trace trace, wire::Trace tools)
      : trace_(std::move(trace)), tools_(std::move(tools)) {}

  // Forgets what came, for another replay.
  void Restart();

  // Finds the recorded exchange that `arrival` is and keeps it; which one.
  Arrival Take(Arrival arrival);
  // The recorded answer to it: that of its exchange, or, to a tools/list that
  // this trace does not have, that of the other trace. Null: there is none.
  const wire::Exchange* AnswerTo(const Arrival& arrival) const;
  // A new session's id, and the one that is open.
  std::string NewSession(const std::string& recorded);
  std::string session() const;
  // Whether it has answered that it does not know its session (404).
  bool LostItsSession() const;

  // A recorded text with the ids and progress tokens of this replay.
  std::string Translate(const std::string& text) const;

  // The first arrival for which `matches` holds. Ends early, NOT_FOUND, when
  // something came that no recorded exchange is like.
  absl::StatusOr<Arrival> Await(
      const std::function<bool(const Arrival&)>& matches,
      absl::Duration timeout = kPatience) const;
  absl::StatusOr<Arrival> AwaitExchange(int exchange) const;
  std::vector<Arrival> arrivals() const;

  const wire::Trace& trace() const { return trace_; }

 private:
  int FindLocked(const Arrival& arrival) const;

  const wire::Trace trace_;
  const wire::Trace tools_;
  Signal signal_;  // guards what follows
  std::vector<Arrival> arrivals_;
  std::set<int> found_;  // exchanges that have arrived
  // Lexemes, recorded to live.
  std::map<std::string, std::string> ids_;
  std::map<std::string, std::string> tokens_;
  int sessions_ = 0;
  std::string session_;
};

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_WIRE_CONVERSATION_H_
