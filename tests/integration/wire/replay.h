#ifndef GATEHOUSE_TESTS_INTEGRATION_WIRE_REPLAY_H_
#define GATEHOUSE_TESTS_INTEGRATION_WIRE_REPLAY_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/harness/event_loop.h"
#include "tests/integration/harness/exchange.h"
#include "tests/integration/harness/message.h"
#include "tests/integration/wire/compare.h"
#include "tests/integration/wire/conversation.h"
#include "tests/integration/wire/upstream.h"
#include "tests/wire/replay_list.h"
#include "tests/wire/trace.h"

namespace gatehouse::testing {

// Plays one trace between its peers and a worker, step by step in the recorded
// order: each waits until what it causes has come out on the other side, and
// compares it, so that nothing depends on time. What was recorded in the same
// millisecond goes out together.
//
// Thread-compatible; for one Run. All that it is given is borrowed.
class Replay {
 public:
  struct Setting {
    EventLoop* loop;
    std::string worker;          // HOST:PORT
    std::string virtual_server;  // whose only upstream is `up`
    RecordedUpstream* upstream;
    const wire::Trace* trace;     // what both peers play
    const wire::Trace* expected;  // what is compared with: the same, but for
                                  // a test of this class
    const wire::ReplayRow* row;
  };

  explicit Replay(const Setting& setting);

  // Where what came out is not what the list says, in sentences that name
  // trace, place and field. Ends at the first.
  std::vector<std::string> Run();

 private:
  // One exchange on the client's side.
  struct Client {
    std::shared_ptr<Exchange> exchange;
    size_t taken = 0;       // messages that were expected
    bool answered = false;  // one of them was the response
    bool quiet = false;     // given up: nothing but a withdrawal is expected
  };
  // A message that the client is to get.
  struct Due {
    int exchange = 0;  // where it comes
    std::string place;
    Message said{""};      // by the upstream
    Message expected{""};  // compared with
    Outcome outcome;
  };

  // ---- What the client does.
  void SendRequest(int exchange);
  HttpRequest RequestOf(const wire::Exchange& recorded) const;
  std::string BodyOf(const wire::Exchange& recorded) const;
  void ExpectHandshake(int exchange);
  void ExpectTaken(int exchange);
  void ExpectOwnAnswer(int exchange);
  void ExpectTools(int exchange, const Message& answer);
  void ExpectStatus(int exchange, int wanted);
  void ExpectRefusal(int exchange, const Outcome& outcome);

  // ---- What the upstream gets.
  bool ReachesUpstream(const wire::Exchange& recorded) const;
  void ExpectAtUpstream(int exchange);
  std::string DiffersAtUpstream(int exchange, const Arrival& arrival);
  std::string HeadersDiffer(const wire::Exchange& recorded,
                            const Arrival& arrival) const;
  void ExpectReply(const std::string& place, const std::string& id,
                   const Outcome& outcome);

  // ---- What the upstream does.
  bool PlaysAnswer(int exchange);
  size_t Say(size_t step);  // and all of the same moment; the next step
  void ExpectAtClient(std::vector<Due> due);
  void ExpectIn(Client& client, const std::vector<Due>& wanted);
  // The answer has ended: the error that the list has for it, if it has one.
  void ExpectFailure(int exchange);
  std::string DiffersAtClient(const Due& due, const Message& came);
  // What the gateway says of who asks during the request of that exchange.
  std::string OriginOf(int exchange) const;
  std::string ClientRevision() const;
  Due DueOf(int exchange, size_t said);

  // ---- The end.
  // One that was not recorded, in the client's session.
  HttpRequest OwnRequest(const std::string& method) const;
  void AskOnceMore();
  void EndSession();
  void ExpectNothingMore();
  void ExpectHandshakeAtUpstream();

  Outcome ClientOutcome(const std::string& place) const;
  Outcome UpstreamOutcome(const std::string& place) const;
  const wire::Exchange& Recorded(int exchange) const;
  Message ExpectedBody(int exchange) const;
  int OwnerOf(const std::string& id) const;  // the request with that id
  // Keeps it as a difference, if it is one.
  void Check(const std::string& place, const std::string& difference);
  bool failed() const { return !differences_.empty(); }

  const Setting to_;
  std::vector<std::string> differences_;
  std::map<int, Client> clients_;
  std::map<std::string, std::string> opaque_ids_;  // by recorded id, lexemes
  std::map<std::string, std::string> elicitation_ids_;  // recorded to ours
  size_t compared_ = 0;  // messages at the upstream
  std::string session_;
  bool uses_upstream_ = false;
  bool ended_ = false;  // the client ended its session
};

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_WIRE_REPLAY_H_
