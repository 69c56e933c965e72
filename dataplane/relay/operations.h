#ifndef GATEHOUSE_DATAPLANE_RELAY_OPERATIONS_H_
#define GATEHOUSE_DATAPLANE_RELAY_OPERATIONS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "dataplane/relay/client_side.h"
#include "dataplane/relay/control_client.h"
#include "dataplane/relay/mail.h"
#include "dataplane/relay/observer.h"
#include "dataplane/relay/operation.h"
#include "dataplane/relay/scheduling.h"
#include "dataplane/relay/upstream.h"
#include "shared/base/clock.h"
#include "shared/base/mutex.h"

namespace gatehouse::relay {

struct OperationLimits {
  int running = 256;
  // An operation that has once waited for somebody is counted here until its
  // end, so that a wave of expiries does not shut out plain calls.
  int waiting = 4096;
  // Replies of clients that the control plane has not settled yet.
  int unsettled_replies = 4096;
  size_t unsettled_reply_bytes = 64 << 20;
};

// A client's reply to an input request, wherever that was shown.
struct ClientReply {
  std::string session;
  std::string opaque_id;
  // Exactly one is set; raw.
  std::optional<std::string> result;
  std::optional<std::string> error;
  // Of the POST that brought it; the call's own, if that is here, goes over it.
  std::string traceparent;
};

// The operations of this worker: starts them under the limits, finds them for
// mail, replies and ends of sessions.
//
// Thread-safe; nothing blocks but AwaitNone. Ownership: borrows all that it is
// constructed with; call EndAll before any of that goes.
class Operations final : public OperationIndex {
 public:
  Operations(Upstreams& upstreams, ControlClient& control, Timers& timers,
             Clock& clock, MakeQueue make_queue, Observer& observer,
             OperationLimits limits = {});

  // RESOURCE_EXHAUSTED if too many run, or wait for somebody.
  absl::StatusOr<std::shared_ptr<Operation>> Start(
      OperationSpec spec, std::shared_ptr<ClientSide> client);

  // Once, before the first operation: where clients are reached apart from
  // their calls. Borrowed.
  void SetClientSessions(ClientSessions& sessions) { sessions_ = &sessions; }

  // What was asked outside of any call has an operation of its own, under the
  // same limits and with the same error; `asker` is how it is answered.
  absl::StatusOr<std::shared_ptr<Operation>> StartOutside(
      OperationSpec spec, std::shared_ptr<UpstreamCall> asker,
      RaisedInputRequest request, Attribution attribution,
      mcp::Revision upstream_revision);

  // Has the reply judged, and delivered if this worker owes it. One that cannot
  // be settled is kept and resent until its deadline; for an opaque id that was
  // not shown here that is `at_most` from now.
  void SubmitReply(ClientReply reply, absl::Duration at_most);

  // The client's progress on an input request shown to that session here.
  void ClientProgress(std::string_view session, std::string_view opaque_id,
                      std::string params);

  void OnDeliveryReady(const DeliveryReady& delivery);
  void EndSession(std::string_view session);
  // Ends all of them; none is started any more.
  void EndAll(OperationEnd how);
  // Waits, at most `patience`, until none is left: for the end of the worker.
  void AwaitNone(absl::Duration patience);

  struct Counts {
    int running = 0;
    int waiting = 0;
  };
  Counts counts() const;

  // OperationIndex.
  void AddOpaqueId(const std::string& opaque_id, const std::string& operation,
                   absl::Duration time_left) override;
  void RemoveOpaqueId(const std::string& opaque_id) override;
  void OnWaits(const std::string& operation) override;
  void OnEnded(const std::string& operation) override;

 private:
  struct Entry {
    std::shared_ptr<Operation> operation;
    bool waiting = false;
  };
  struct Shown {
    std::string operation;
    absl::Duration deadline;  // on the steady scale
  };
  absl::StatusOr<std::shared_ptr<Operation>> Enter(
      OperationSpec spec, std::shared_ptr<ClientSide> client);
  std::shared_ptr<Operation> FindByOpaqueId(std::string_view opaque_id,
                                            absl::Duration* time_left) const;

  Upstreams& upstreams_;
  ControlClient& control_;
  Timers& timers_;
  Clock& clock_;
  const MakeQueue make_queue_;
  Observer& observer_;
  const OperationLimits limits_;
  NoClientSessions nobody_;
  ClientSessions* sessions_ = &nobody_;

  mutable Mutex mutex_;
  CondVar none_left_;
  absl::flat_hash_map<std::string, Entry> by_id_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, Shown> by_opaque_id_ ABSL_GUARDED_BY(mutex_);
  Counts counts_ ABSL_GUARDED_BY(mutex_);
  int unsettled_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t unsettled_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace gatehouse::relay

#endif  // GATEHOUSE_DATAPLANE_RELAY_OPERATIONS_H_
