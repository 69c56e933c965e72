#ifndef GATEHOUSE_DATAPLANE_RELAY_OBSERVER_H_
#define GATEHOUSE_DATAPLANE_RELAY_OBSERVER_H_

#include <string_view>

#include "absl/time/time.h"
#include "dataplane/relay/control_client.h"
#include "dataplane/relay/upstream.h"
#include "shared/reasons/reasons.h"

namespace gatehouse::relay {

// Which call something belongs to, in words that may be logged. Views, valid
// during the callback; empty: not known yet.
struct CallName {
  std::string_view virtual_server;
  std::string_view upstream;
  std::string_view tool;
  std::string_view operation;    // bare id
  std::string_view traceparent;  // valid, or empty
};

// Told how calls and what was asked during them end, for whoever counts and
// logs. Called on any thread, also under locks: quick, and calls nothing of
// ours back. Thread-safe. Ownership: borrowed; outlives whom it observes.
class Observer {
 public:
  virtual ~Observer() = default;

  // Once for each operation. `failure` is what its client was told, null if the
  // upstream answered (with a result or an error of its own), or the client
  // wanted no answer.
  virtual void OnOperationEnded(const CallName& call, OperationEnd end,
                                const Failure* failure) = 0;
  // A call that failed before an operation could serve it.
  virtual void OnCallRefused(const CallName& call, Reason reason) = 0;
  // Once for each input request that was raised: the reply that its upstream is
  // given, null if it wants none any more, and the time since it was raised.
  virtual void OnInputRequestEnded(const CallName& call,
                                   std::string_view method,
                                   std::string_view input_request,
                                   const UpstreamReply* reply,
                                   absl::Duration took) = 0;
  virtual void OnSessionOpened(std::string_view virtual_server,
                               std::string_view revision) = 0;
  virtual void OnSessionEnded(std::string_view virtual_server) = 0;
};

// Sees nothing: what a test has that does not look.
class NoObserver final : public Observer {
 public:
  void OnOperationEnded(const CallName&, OperationEnd,
                        const Failure*) override {}
  void OnCallRefused(const CallName&, Reason) override {}
  void OnInputRequestEnded(const CallName&, std::string_view, std::string_view,
                           const UpstreamReply*, absl::Duration) override {}
  void OnSessionOpened(std::string_view, std::string_view) override {}
  void OnSessionEnded(std::string_view) override {}
};

}  // namespace gatehouse::relay

#endif  // GATEHOUSE_DATAPLANE_RELAY_OBSERVER_H_
