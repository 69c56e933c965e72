#include "dataplane/upstream/physical_session.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "dataplane/upstream/messages.h"
#include "shared/base/fault.h"
#include "shared/base/status.h"

namespace gatehouse::upstream {
namespace {

constexpr int64_t kInitializeId = 1;
constexpr absl::Duration kLinger = absl::Seconds(5);  // of an answered request
constexpr int kMaxNoise = 100;

bool AnyFeature(const mcp::ClientFeatures& features) {
  return features != mcp::ClientFeatures{};
}

}  // namespace

PhysicalSession::PhysicalSession(std::shared_ptr<Environment> environment,
                                 relay::UpstreamTarget target,
                                 relay::Beneficiary beneficiary,
                                 http::SerialQueue queue,
                                 std::function<void()> changed)
    : environment_(std::move(environment)),
      target_(std::move(target)),
      beneficiary_(std::move(beneficiary)),
      queue_(queue),
      changed_(std::move(changed)),
      opening_(environment_->reactor, queue),
      completions_(environment_->clock) {}

// ---- the handshake

OpenedChannel PhysicalSession::MakeChannel() {
  return target_.http_url.empty()
             ? OpenStdioChannel(environment_, target_, queue_, weak_from_this())
             : OpenHttpChannel(environment_, target_, queue_, weak_from_this());
}

void PhysicalSession::Open() {
  if (state_ != State::kOpening) return;  // ended before it began
  OpenedChannel opened = MakeChannel();
  if (Trouble* const trouble = std::get_if<Trouble>(&opened)) {
    return FailOpening(std::move(*trouble));
  }
  channel_ = std::get<std::shared_ptr<Channel>>(std::move(opened));
  own_streams_ = channel_->has_own_streams();
  const UpstreamsOptions& options = environment_->options;
  const absl::Duration time =
      own_streams_ ? options.open_timeout : options.process_open_timeout;
  opening_.Start(time, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr || self->state_ != State::kOpening) return;
    self->FailOpening(
        {Reason::kUpstreamTimeout, "its handshake was not complete in time"});
  });
  next_id_ = kInitializeId + 1;
  channel_->SendRequest(
      kInitializeId,
      mcp::RequestMessage(absl::StrCat(kInitializeId), "initialize",
                          InitializeParams(beneficiary_.offered,
                                           environment_->options.version)),
      /*traceparent=*/"");
}

void PhysicalSession::FailOpening(Trouble trouble) {
  if (state_ != State::kOpening) return;
  Log(trouble);
  opening_.Stop();
  state_ = State::kFailed;
  TellState(UpstreamObserver::SessionEvent::kFailed);
  failure_ = trouble.reason;
  if (channel_ != nullptr) channel_->Close(/*at_once=*/false);
  // A process that starts but cannot shake hands is as good as one that
  // crashes: it must not be started for each call anew. (An exit is counted
  // where it is seen.)
  if (channel_ != nullptr && !own_streams_ &&
      trouble.reason != Reason::kUpstreamUnavailable) {
    environment_->processes.RecordCrash(ProcessKey(target_));
  }
  changed_();
}

void PhysicalSession::HandleInitializeAnswer(const mcp::Envelope& answer) {
  if (answer.kind == mcp::MessageKind::kError) {
    return FailOpening({Reason::kUpstreamProtocolError,
                        "it answered `initialize` with an error"});
  }
  const absl::StatusOr<mcp::Revision> revision = RevisionOf(answer.result);
  if (!revision.ok()) {
    return FailOpening({Reason::kUpstreamProtocolError,
                        absl::StrCat("its answer to `initialize` is unusable: ",
                                     revision.status().message())});
  }
  revision_ = *revision;
  channel_->StopReading(kInitializeId, kLinger);
  channel_->Settle(revision_);
  // Calls wait for the upstream to take this, since another connection could
  // carry them past it.
  channel_->SendAside(
      mcp::NotificationMessage("notifications/initialized", ""),
      [weak = weak_from_this()](const absl::Status& status) {
        const auto self = weak.lock();
        if (self == nullptr || self->state_ != State::kOpening) return;
        if (status.ok()) return self->BecomeOpen();
        self->FailOpening({Reason::kUpstreamUnavailable,
                           "it did not take `notifications/initialized`"});
      });
}

void PhysicalSession::BecomeOpen() {
  opening_.Stop();
  state_ = State::kOpen;
  was_open_ = true;
  TellState(UpstreamObserver::SessionEvent::kOpened);
  channel_->Listen();
  changed_();
}

// ---- calls

bool PhysicalSession::Fits(const relay::CallSpec& spec) const {
  return SameTarget(target_, *spec.target) &&
         beneficiary_.offered == spec.beneficiary.offered;
}

bool PhysicalSession::OneAtATime() const {
  return !own_streams_ && AnyFeature(beneficiary_.offered);
}

bool PhysicalSession::MayTake(const Call& call) const {
  if (state_ != State::kOpen) return false;
  if (!OneAtATime() || !call.eligible()) return true;
  for (const auto& [id, in_flight] : in_flight_) {
    if (in_flight.call->eligible()) return false;
  }
  return true;
}

void PhysicalSession::Send(const std::shared_ptr<Call>& call) {
  const int64_t id = next_id_++;
  const relay::CallSpec& spec = call->spec();
  target_.policy_version = spec.target->policy_version;
  in_flight_[id].call = call;
  channel_->MarkInUse(true);
  call->StartRunning(
      shared_from_this(), id,
      [weak = weak_from_this(), weak_call = std::weak_ptr<Call>(call)] {
        const auto self = weak.lock();
        const auto late = weak_call.lock();
        if (self == nullptr || late == nullptr) return;
        self->Abandon(late, "timed out", Reason::kUpstreamTimeout);
      });
  channel_->SendRequest(
      id,
      mcp::RequestMessage(absl::StrCat(id), spec.method,
                          spec.wants_progress
                              ? WithProgressToken(spec.params, id)
                              : spec.params),
      spec.traceparent);
}

void PhysicalSession::Abandon(const std::shared_ptr<Call>& call,
                              std::string_view why, Reason reason) {
  const auto it = in_flight_.find(call->id());
  if (call->ended() || it == in_flight_.end() || state_ == State::kClosed) {
    return;
  }
  const int64_t id = it->first;
  it->second.grace =
      std::make_unique<QueueTimer>(environment_->reactor, queue_);
  it->second.grace->Start(environment_->options.cancel_grace,
                          [weak = weak_from_this(), id] {
                            if (const auto self = weak.lock()) {
                              self->HandleGraceOver(id);
                            }
                          });
  channel_->SendAside(mcp::NotificationMessage("notifications/cancelled",
                                               CancelledParams(id, why)),
                      nullptr);
  call->Fail(reason);
}

void PhysicalSession::HandleGraceOver(int64_t id) {
  const auto it = in_flight_.find(id);
  if (it == in_flight_.end()) return;
  const bool held_the_turn = OneAtATime() && it->second.call->eligible();
  RemoveInFlight(it);
  if (channel_ != nullptr) channel_->StopReading(id, absl::ZeroDuration());
  if (held_the_turn) {
    // It may still ask for something in that call's name, which would be taken
    // for the next call's.
    return BreakOff({Reason::kUpstreamUnavailable,
                     "it did not answer a cancelled call: its process is "
                     "retired"});
  }
  HandleLoad();
}

std::shared_ptr<Call> PhysicalSession::LiveCall(int64_t id) const {
  const auto it = in_flight_.find(id);
  if (it == in_flight_.end() || it->second.call->ended()) return nullptr;
  return it->second.call;
}

void PhysicalSession::FailRequest(int64_t id, const Trouble& trouble) {
  if (id == kInitializeId) return FailOpening(trouble);
  const auto it = in_flight_.find(id);
  if (it == in_flight_.end()) return;
  const std::shared_ptr<Call> call = it->second.call;
  if (!call->ended()) Log(trouble);
  RemoveInFlight(it);
  if (channel_ != nullptr) channel_->StopReading(id, absl::ZeroDuration());
  call->Fail(trouble.reason);
  HandleLoad();
}

void PhysicalSession::RemoveInFlight(std::map<int64_t, InFlight>::iterator at) {
  in_flight_.erase(at);
  if (state_ == State::kOpen && idle()) channel_->MarkInUse(false);
}

void PhysicalSession::HandleLoad() {
  if (state_ == State::kRetiring && idle()) {
    Close(Reason::kOperationEnded);
    return;
  }
  changed_();
}

// ---- replies

void PhysicalSession::WriteReply(std::string_view key,
                                 const relay::UpstreamReply& reply,
                                 Channel::Sent written) {
  FaultPoint("before_reply_written");
  channel_->SendAside(ReplyMessage(key, reply),
                      [written = std::move(written)](absl::Status status) {
                        if (status.ok()) FaultPoint("after_reply_written");
                        if (written) written(std::move(status));
                      });
}

void PhysicalSession::Reply(Call& call, std::string_view key,
                            const relay::UpstreamReply& reply,
                            Channel::Sent written) {
  if (state_ != State::kClosed && call.CloseRequest(key)) {
    return WriteReply(key, reply, std::move(written));
  }
  if (written) {
    written(absl::NotFoundError(
        "the input request has its answer, was withdrawn, or its call has "
        "ended"));
  }
}

void PhysicalSession::ReplyProgress(const Call& call, std::string_view key,
                                    std::string params) {
  const auto it = call.open_requests().find(key);
  if (state_ == State::kClosed || it == call.open_requests().end() ||
      it->second.empty()) {
    return;
  }
  const std::string with_token = WithReplyToken(std::move(params), it->second);
  if (with_token.empty()) return;
  channel_->SendAside(
      mcp::NotificationMessage("notifications/progress", with_token), nullptr);
}

void PhysicalSession::ExpectCompletion(std::string elicitation_id,
                                       std::function<void()> completed) {
  if (state_ == State::kClosed) return;
  completions_.Add(std::move(elicitation_id), std::move(completed));
}

// ---- the end

void PhysicalSession::Retire() {
  if (state_ == State::kOpening || (state_ == State::kOpen && idle())) {
    Close(Reason::kOperationEnded);
  } else if (state_ == State::kOpen) {
    state_ = State::kRetiring;
  }
}

void PhysicalSession::Close(Reason reason) {
  if (state_ == State::kClosed || state_ == State::kFailed) return;
  state_ = State::kClosed;
  if (was_open_) TellState(UpstreamObserver::SessionEvent::kClosed);
  opening_.Stop();
  for (const auto& [number, stray] : std::exchange(strays_, {})) {
    if (stray.cancel) stray.cancel();
  }
  const std::map<int64_t, InFlight> in_flight = std::exchange(in_flight_, {});
  for (const auto& [id, one] : in_flight) {
    // Without a session of the upstream's own, only this ends them there.
    if (!own_streams_ || one.call->ended()) continue;
    channel_->SendAside(
        mcp::NotificationMessage("notifications/cancelled",
                                 CancelledParams(id, "the session ended")),
        nullptr);
  }
  if (channel_ != nullptr) channel_->Close(/*at_once=*/false);
  for (const auto& [id, one] : in_flight) one.call->Fail(reason);
  changed_();
}

void PhysicalSession::BreakOff(const Trouble& trouble) {
  if (state_ == State::kOpening) return FailOpening(trouble);
  if (state_ == State::kClosed || state_ == State::kFailed) return;
  Log(trouble);
  if (channel_ != nullptr) channel_->Close(/*at_once=*/!own_streams_);
  Close(trouble.reason);
}

void PhysicalSession::OnLost(Trouble trouble) {
  if (state_ == State::kOpening) return FailOpening(std::move(trouble));
  if (!own_streams_) return BreakOff(trouble);
  // What is in flight has streams of its own and may yet be answered.
  Log(trouble);
  Retire();
  changed_();
}

// What has begun meanwhile is finished.
void PhysicalSession::OnPlaceWanted() {
  Retire();
  changed_();
}

void PhysicalSession::OnRequestEnded(int64_t id, Trouble trouble) {
  FailRequest(id, trouble);
}

void PhysicalSession::HandleNoise(std::string_view what) {
  Log({Reason::kUpstreamProtocolError, std::string(what)});
  if (++noise_ <= kMaxNoise) return;
  BreakOff({Reason::kUpstreamProtocolError,
            "it said too much that is no part of the protocol"});
}

void PhysicalSession::TellState(UpstreamObserver::SessionEvent event) const {
  auto* const observer = environment_->options.observer;
  if (observer == nullptr) return;
  observer->OnSession(target_.virtual_server, target_.upstream, event);
}

void PhysicalSession::Log(const Trouble& trouble) const {
  if (auto* const observer = environment_->options.observer) {
    observer->OnTrouble(target_.virtual_server, target_.upstream,
                        trouble.reason);
  }
  environment_->Notice(target_, absl::StrCat(ToAbsl(RowOf(trouble.reason).name),
                                             ": ", trouble.detail));
}

}  // namespace gatehouse::upstream
