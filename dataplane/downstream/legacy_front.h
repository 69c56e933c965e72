#ifndef GATEHOUSE_DATAPLANE_DOWNSTREAM_LEGACY_FRONT_H_
#define GATEHOUSE_DATAPLANE_DOWNSTREAM_LEGACY_FRONT_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/downstream/classify.h"
#include "dataplane/downstream/identity.h"
#include "dataplane/downstream/origin_check.h"
#include "dataplane/downstream/request_stats.h"
#include "dataplane/downstream/session.h"
#include "dataplane/downstream/tool_call.h"
#include "dataplane/downstream/tool_lists.h"
#include "dataplane/http/server.h"
#include "dataplane/relay/control_client.h"
#include "dataplane/relay/mail.h"
#include "dataplane/relay/observer.h"
#include "dataplane/relay/operations.h"
#include "dataplane/relay/scheduling.h"
#include "dataplane/relay/snapshots.h"
#include "shared/base/random.h"

namespace gatehouse::downstream {

// Who answers at `/mcp/{virtual server}` towards clients of the legacy
// revisions: handshake, sessions, lists, calls, streams, replies.
//
// Thread-safe; nothing blocks. Ownership: borrows all of Neighbours, which
// outlives it; it outlives every callback that those still hold.
class LegacyFront final : public relay::MailObserver,
                          public relay::ClientSessions {
 public:
  struct Neighbours {
    relay::Snapshots& snapshots;
    relay::ControlClient& control;
    relay::Operations& operations;
    relay::Upstreams& upstreams;
    relay::Timers& timers;
    Random& random;
    RequestStats& stats;
    relay::Observer& observer;
  };

  // `tls`: whether clients reach it by https, for what GET / says.
  LegacyFront(std::string version, OriginCheck origins, Identities identities,
              Neighbours neighbours, bool tls);

  // Sessions that this worker has served lately and still knows.
  size_t sessions() const { return sessions_.size(); }

  // Reports sessions in use to the control plane, from time to time. Once.
  void Start();
  // Takes no new request (503) and ends the GET streams. Replies and cancels
  // are still taken.
  void Drain();

  // The HTTP server's handler.
  void Handle(std::shared_ptr<http::Exchange> exchange);

  // relay::MailObserver.
  void OnDeliveryReady(const relay::DeliveryReady& delivery) override;
  void OnSessionEnded(const std::string& session) override;

  // relay::ClientSessions: on the GET streams of sessions that are known here.
  bool TellElicitationComplete(std::string_view session,
                               std::string_view elicitation_id) override;
  relay::AskOutcome AskSession(
      std::string_view session,
      const relay::ShownInputRequest& request) override;
  void WithdrawFromSession(std::string_view session, std::string_view opaque_id,
                           std::string_view reason) override;

  // Snapshots' observer: tells the sessions of that virtual server, on their
  // GET streams, that its tools may be others now.
  void OnPolicyChanged(const std::string& virtual_server);
  // The upstream side: tells that session likewise.
  void OnToolsChanged(const std::string& session);

 private:
  using Snapshot = std::shared_ptr<const relay::VirtualServerSnapshot>;
  // A request of a known session, with what its handling needs.
  struct InSession {
    std::shared_ptr<http::Exchange> exchange;
    Classified what;  // views into the exchange's request
    Snapshot snapshot;
    std::shared_ptr<Session> session;
  };

  // GET /, for a person who looks.
  http::Response Land(const http::Request& request) const;
  // What is refused before it was read.
  void RefuseUnread(http::Exchange& exchange, http::Response response);
  void Dispatch(std::shared_ptr<http::Exchange> exchange, Snapshot snapshot,
                Principal principal);
  void Initialize(std::shared_ptr<http::Exchange> exchange, Snapshot snapshot,
                  const Principal& principal, const mcp::Envelope& message);
  void WithSession(InSession request, const Principal& principal);
  void Enter(InSession request, const Principal& principal);

  void OnRequest(const InSession& request);
  void OnNotification(const InSession& request);
  void OnResponse(const InSession& request);
  void ReportRootsChanged(const std::shared_ptr<Session>& session);
  void OpenStream(const InSession& request);
  void EndSession(const InSession& request);

  void ListTools(const InSession& request);
  void CallTool(const InSession& request);
  void StartCall(std::shared_ptr<CallStream> stream, const ToolCall& call,
                 const InSession& request,
                 const absl::StatusOr<catalogue::Destination>& destination);
  // Makes the request's stream and enters it; null if that was refused, which
  // is then answered.
  std::shared_ptr<CallStream> Begin(const InSession& request,
                                    std::string progress_token);
  // False, and answered, if the policy lease is over.
  bool CheckPolicyLease(const InSession& request);
  bool WriteToSession(std::string_view session, std::string_view message);
  void ReportSessionsInUse();
  void AnnounceTools(std::vector<std::shared_ptr<Session>> sessions,
                     size_t from);

  const std::string version_;
  const OriginCheck origins_;
  const Identities identities_;
  const Neighbours to_;
  const bool tls_;
  ToolLists tool_lists_;
  SessionTable sessions_;
  std::atomic<bool> draining_{false};
  std::atomic<int> lookups_{0};
};

}  // namespace gatehouse::downstream

#endif  // GATEHOUSE_DATAPLANE_DOWNSTREAM_LEGACY_FRONT_H_
