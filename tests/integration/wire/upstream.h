#ifndef GATEHOUSE_TESTS_INTEGRATION_WIRE_UPSTREAM_H_
#define GATEHOUSE_TESTS_INTEGRATION_WIRE_UPSTREAM_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "tests/integration/harness/connection.h"
#include "tests/integration/harness/event_loop.h"
#include "tests/integration/harness/http_reader.h"
#include "tests/integration/wire/conversation.h"
#include "tests/wire/trace.h"

namespace gatehouse::testing {

// A server that answers as the recorded one did. What belongs to the handshake
// (`initialize`, `initialized`, tools/list, GET, DELETE) and what only wants to
// be taken it answers at once; a call, as it is told to.
//
// Thread-safe.
class RecordedUpstream {
 public:
  RecordedUpstream(wire::Trace trace, wire::Trace tools)
      : conversation_(std::move(trace), std::move(tools)) {}
  virtual ~RecordedUpstream() = default;

  // Its `http` or `stdio` member in a policy document.
  virtual std::string PolicyMember() const = 0;
  virtual bool IsPipe() const { return false; }
  // The head of an exchange's answer, the n-th thing said in it, its end.
  virtual void Head(int exchange) = 0;
  virtual void Say(int exchange, size_t said) = 0;
  virtual void End(int exchange) = 0;

  // Whether the gateway has ended its session, behind which nothing can come.
  virtual bool AwaitSessionEnd() = 0;

  Conversation& conversation() { return conversation_; }
  const Conversation& conversation() const { return conversation_; }

 protected:
  Conversation conversation_;
};

// The same over HTTP, with the recorded statuses and headers, and with streams
// and bodies where they were. The loop is borrowed and outlives it.
class RecordedHttpUpstream final : public RecordedUpstream {
 public:
  RecordedHttpUpstream(EventLoop* loop, wire::Trace trace, wire::Trace tools);
  ~RecordedHttpUpstream() override;

  std::string PolicyMember() const override;
  void Head(int exchange) override;
  void Say(int exchange, size_t said) override;
  void End(int exchange) override;
  bool AwaitSessionEnd() override;

 private:
  struct Peer {
    std::shared_ptr<Connection> connection;
    std::unique_ptr<HttpReader> reader;
    HttpHead head;
    std::string body;
  };
  // An answer that is being given.
  struct Answer {
    std::weak_ptr<Peer> peer;
    const wire::Exchange* recorded = nullptr;
    bool whole = false;  // one body with its length, sent when it is complete
    bool begun = false;
    size_t said = 0;
    std::string body;
  };

  void Accept();
  void Serve(const std::shared_ptr<Peer>& peer);
  void Play(Answer answer, const Arrival& arrival);
  // On the loop's thread.
  void Begin(Answer& answer);
  void Add(Answer& answer, const wire::Said& said);
  void Finish(Answer& answer);
  std::string HeadOf(const Answer& answer);

  EventLoop* const loop_;
  int listen_fd_ = -1;
  std::string address_;
  std::set<std::shared_ptr<Peer>> peers_;  // the loop's thread only
  std::map<int, Answer> answers_;          // the loop's thread only
};

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_WIRE_UPSTREAM_H_
