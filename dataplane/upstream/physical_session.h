#ifndef GATEHOUSE_DATAPLANE_UPSTREAM_PHYSICAL_SESSION_H_
#define GATEHOUSE_DATAPLANE_UPSTREAM_PHYSICAL_SESSION_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "dataplane/http/executor.h"
#include "dataplane/relay/upstream.h"
#include "dataplane/upstream/call.h"
#include "dataplane/upstream/channel.h"
#include "dataplane/upstream/environment.h"
#include "dataplane/upstream/expected_completions.h"
#include "dataplane/upstream/queue_timer.h"
#include "dataplane/upstream/trouble.h"
#include "shared/mcp/envelope.h"
#include "shared/mcp/revision.h"

namespace gatehouse::upstream {

// One legacy MCP session with one upstream on behalf of one beneficiary: the
// handshake, our request ids, which answer and which input request belongs to
// which call (DESIGN §9 "Attribution"), and what may run beside what.
//
// Runs on its keeper's serial queue. Ownership: shared with what is under way;
// owns its channel.
class PhysicalSession final
    : public ChannelEvents,
      public std::enable_shared_from_this<PhysicalSession> {
 public:
  enum class State {
    kOpening,
    kOpen,
    kRetiring,  // takes no new call; ends when what is in flight has ended
    kFailed,    // never opened; see failure()
    kClosed,
  };

  // `changed` is called when the state or MayTake may have changed.
  PhysicalSession(std::shared_ptr<Environment> environment,
                  relay::UpstreamTarget target, relay::Beneficiary beneficiary,
                  http::SerialQueue queue, std::function<void()> changed);

  // Begins the handshake. The state is then kOpening or kFailed.
  void Open();
  State state() const { return state_; }
  Reason failure() const { return failure_; }

  // True if a call for this target and features may use this session.
  bool Fits(const relay::CallSpec& spec) const;
  // True if `call` may be sent now; only in kOpen.
  bool MayTake(const Call& call) const;
  // True if nothing is in flight.
  bool idle() const { return in_flight_.empty(); }

  void Send(const std::shared_ptr<Call>& call);
  // Ends a call that was sent here, telling the upstream that nobody waits.
  void Abandon(const std::shared_ptr<Call>& call, std::string_view why,
               Reason reason);
  void Reply(Call& call, std::string_view key,
             const relay::UpstreamReply& reply, Channel::Sent written);
  void ReplyProgress(const Call& call, std::string_view key,
                     std::string params);

  // See relay::UpstreamCall.
  void ExpectCompletion(std::string elicitation_id,
                        std::function<void()> completed);
  // How long a completion may still come; zero: none is expected.
  absl::Duration completions_left() { return completions_.TimeLeft(); }

  // No new calls; closes when the last in flight has ended.
  void Retire();
  // Ends everything now; calls in flight fail with `reason`.
  void Close(Reason reason);

  void OnMessage(std::string text, int64_t stream) override;
  void OnRequestEnded(int64_t id, Trouble trouble) override;
  void OnLost(Trouble trouble) override;
  void OnPlaceWanted() override;

 private:
  // A request of ours without its answer yet. An abandoned call stays, without
  // its observer, until the upstream answers or the grace is over.
  struct InFlight {
    std::shared_ptr<Call> call;
    std::unique_ptr<QueueTimer> grace;  // set: abandoned
  };
  // To which call something belongs that an upstream asks.
  struct Owner {
    std::shared_ptr<Call> call;  // null: none
    relay::Attribution attribution = relay::Attribution::kNone;
  };

  OpenedChannel MakeChannel();
  void FailOpening(Trouble trouble);
  void HandleInitializeAnswer(const mcp::Envelope& answer);
  void BecomeOpen();

  // `text` is what `answer` was read from; it is used up.
  void HandleAnswer(const mcp::Envelope& answer, int64_t stream,
                    std::string& text);
  void HandleRequest(const mcp::Envelope& request, int64_t stream);
  void HandleNotification(const mcp::Envelope& notice, int64_t stream);
  void HandleGarbage(std::string_view text, int64_t stream,
                     const absl::Status& status);
  void HandleProgress(const mcp::Envelope& notice);
  void HandleCancelled(const mcp::Envelope& notice, int64_t stream);
  void HandleElicitationComplete(const mcp::Envelope& notice);

  Owner OwnerOf(int64_t stream) const;
  void RaiseStray(const mcp::Envelope& request, relay::Attribution attribution);
  void AnswerStray(int64_t stray, const relay::UpstreamReply& reply,
                   Channel::Sent written);
  void WriteReply(std::string_view key, const relay::UpstreamReply& reply,
                  Channel::Sent written);

  // The live call of that id, or null.
  std::shared_ptr<Call> LiveCall(int64_t id) const;
  void FailRequest(int64_t id, const Trouble& trouble);
  void HandleGraceOver(int64_t id);
  // A nuisance that belongs to no call: logged, and too many end the session.
  void HandleNoise(std::string_view what);
  void BreakOff(const Trouble& trouble);  // all fails with it
  // Before anyone hears of the call's end: who does may want its place.
  void RemoveInFlight(std::map<int64_t, InFlight>::iterator at);
  void HandleLoad();  // something in flight ended
  bool OneAtATime() const;
  void TellState(UpstreamObserver::SessionEvent event) const;
  void Log(const Trouble& trouble) const;

  const std::shared_ptr<Environment> environment_;
  relay::UpstreamTarget target_;
  const relay::Beneficiary beneficiary_;
  const http::SerialQueue queue_;
  const std::function<void()> changed_;

  State state_ = State::kOpening;
  bool was_open_ = false;
  Reason failure_ = Reason::kUpstreamUnavailable;
  std::shared_ptr<Channel> channel_;
  bool own_streams_ = false;  // the channel's
  mcp::Revision revision_ = mcp::kLatestLegacy;
  QueueTimer opening_;
  int64_t next_id_ = 1;
  std::map<int64_t, InFlight> in_flight_;
  // What was asked outside of any call, by our number.
  struct Stray {
    std::string key;  // the upstream's
    relay::StrayObserver::Cancel cancel;
  };
  std::map<int64_t, Stray> strays_;
  int64_t next_stray_ = 1;
  ExpectedCompletions completions_;
  int noise_ = 0;
};

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_DATAPLANE_UPSTREAM_PHYSICAL_SESSION_H_
