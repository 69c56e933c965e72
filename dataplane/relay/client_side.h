#ifndef GATEHOUSE_DATAPLANE_RELAY_CLIENT_SIDE_H_
#define GATEHOUSE_DATAPLANE_RELAY_CLIENT_SIDE_H_

// What an operation needs of the client's side, whichever era: no SSE, no
// session, no JSON-RPC id. dataplane/downstream implements it.

#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "dataplane/relay/upstream.h"

namespace gatehouse::relay {

// An input request that the control plane lets the client see.
struct ShownInputRequest {
  std::string opaque_id;  // the only name that the client knows it by
  std::string method;
  std::string params;  // raw, as to be sent; empty: absent
  absl::Duration time_left;
};

// What became of showing one. What the client then answers does not come back
// here: it may come in at any worker and goes to the control plane first
// (Operations::SubmitInputResponse).
enum class AskOutcome { kShown, kUnreachable };

// The client of one operation. Thread-safe; nothing here blocks. Shared with
// the operation, which calls Finish or Abandon exactly once, last.
class ClientSide {
 public:
  virtual ~ClientSide() = default;

  // One outcome for each, in order.
  virtual std::vector<AskOutcome> AskClient(
      std::vector<ShownInputRequest> requests) = 0;
  // The input request is no longer open: the client need not answer it.
  virtual void Withdraw(std::string_view opaque_id,
                        std::string_view reason) = 0;
  // `notifications/progress` of the upstream, the params as they came.
  virtual void Progress(std::string_view params) = 0;
  // Another notification of the upstream on this call's own stream.
  virtual void Notify(std::string_view method, std::string_view params) = 0;

  // What the user did at an elicitation's URL is complete. False if this
  // call's stream cannot say it.
  virtual bool TellElicitationComplete(std::string_view elicitation_id) = 0;

  // The answer to the client's call.
  virtual void Finish(CallObserver::End end) = 0;
  // The client said that it wants no answer: none is sent.
  virtual void Abandon() = 0;
};

// The clients of this worker by their session, for what belongs to no call that
// is open. Thread-safe; nothing here blocks.
class ClientSessions {
 public:
  virtual ~ClientSessions() = default;

  // On the session's own stream. False if it has none here.
  virtual bool TellElicitationComplete(std::string_view session,
                                       std::string_view elicitation_id) = 0;
  virtual AskOutcome AskSession(std::string_view session,
                                const ShownInputRequest& request) = 0;
  virtual void WithdrawFromSession(std::string_view session,
                                   std::string_view opaque_id,
                                   std::string_view reason) = 0;
};

// Nobody can be reached: until there is a front.
class NoClientSessions final : public ClientSessions {
 public:
  bool TellElicitationComplete(std::string_view, std::string_view) override {
    return false;
  }
  AskOutcome AskSession(std::string_view, const ShownInputRequest&) override {
    return AskOutcome::kUnreachable;
  }
  void WithdrawFromSession(std::string_view, std::string_view,
                           std::string_view) override {}
};

}  // namespace gatehouse::relay

#endif  // GATEHOUSE_DATAPLANE_RELAY_CLIENT_SIDE_H_
