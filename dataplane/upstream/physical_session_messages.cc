// The half of PhysicalSession that hears: what an upstream says, and whom it
// concerns.

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "dataplane/upstream/messages.h"
#include "dataplane/upstream/physical_session.h"
#include "shared/base/status.h"

namespace gatehouse::upstream {
namespace {

constexpr int64_t kInitializeId = 1;
constexpr absl::Duration kLinger = absl::Seconds(5);  // of an answered request
constexpr size_t kMaxStrays = 64;                     // open
// Unanswered ones of one call; the judge refuses far earlier.
constexpr size_t kMaxOpenRequests = 256;
constexpr int kMaxDepth = 512;  // of what is spliced

// Our ids are integers, so that `"7"` is none of them.
std::optional<int64_t> OurId(std::string_view lexeme) {
  int64_t id = 0;
  if (!absl::SimpleAtoi(ToAbsl(lexeme), &id)) return std::nullopt;
  if (absl::StrCat(id) != lexeme) return std::nullopt;
  return id;
}

// The `part` of `text`, without another copy of it: a result may be large. So
// large that moving it would cost, it keeps its place, behind blanks: the same
// JSON value.
std::string Cut(std::string& text, std::string_view part) {
  constexpr size_t kMovedBytes = 64 << 10;
  const size_t start = static_cast<size_t>(part.data() - text.data());
  text.resize(start + part.size());
  if (part.size() <= kMovedBytes) {
    text.erase(0, start);
  } else {
    std::fill_n(text.begin(), start, ' ');
  }
  return std::move(text);
}

relay::RaisedInputRequest Raised(const mcp::Envelope& request) {
  return {.key = std::string(request.id),
          .method = request.method,
          .params = std::string(request.params)};
}

}  // namespace

void PhysicalSession::OnMessage(std::string text, int64_t stream) {
  if (state_ == State::kClosed || state_ == State::kFailed) return;
  const auto self = shared_from_this();  // an answer may end the session
  const mcp::EnvelopeLimits limits = {
      .max_bytes = environment_->options.max_message_bytes,
      .max_depth = kMaxDepth,
      .skip_results = true};
  const absl::StatusOr<mcp::Envelope> message =
      mcp::ParseEnvelope(text, limits);
  if (!message.ok()) return HandleGarbage(text, stream, message.status());
  switch (message->kind) {
    case mcp::MessageKind::kRequest:
      return HandleRequest(*message, stream);
    case mcp::MessageKind::kNotification:
      return HandleNotification(*message, stream);
    case mcp::MessageKind::kResult:
    case mcp::MessageKind::kError:
      return HandleAnswer(*message, stream, text);
  }
}

void PhysicalSession::HandleGarbage(std::string_view text, int64_t stream,
                                    const absl::Status& status) {
  const std::string what =
      absl::StrCat("it sent what is no MCP message: ", status.message());
  if (stream != 0) {
    return FailRequest(stream, {Reason::kUpstreamProtocolError, what});
  }
  // On a pipe a stray print is a nuisance, but what starts like a message may
  // have been the answer to any call.
  const size_t start = text.find_first_not_of(" \t");
  const bool like_a_message = start != std::string_view::npos &&
                              (text[start] == '{' || text[start] == '[');
  if (!own_streams_ && like_a_message) {
    return BreakOff({Reason::kUpstreamProtocolError, what});
  }
  HandleNoise(what);
}

// ---- answers to our requests

void PhysicalSession::HandleAnswer(const mcp::Envelope& answer, int64_t stream,
                                   std::string& text) {
  const std::optional<int64_t> id = OurId(answer.id);
  if (stream != 0 && id != stream) {
    return FailRequest(stream, {Reason::kUpstreamProtocolError,
                                "it answered with an id that is not ours"});
  }
  if (stream == 0 && own_streams_) {
    return HandleNoise("it sent a response on the stream that has no request");
  }
  if (id == kInitializeId && state_ == State::kOpening) {
    return HandleInitializeAnswer(answer);
  }
  const auto it = id.has_value() ? in_flight_.find(*id) : in_flight_.end();
  if (it == in_flight_.end()) {
    return HandleNoise("it answered a request that is not open");
  }
  const bool fits = answer.kind == mcp::MessageKind::kResult
                        ? answer.result.substr(0, 1) == "{"
                        : IsErrorObject(answer.error);
  if (!fits) {
    return FailRequest(*id, {Reason::kUpstreamProtocolError,
                             "its result or error has a wrong shape"});
  }
  if (!answer.result_type.empty() && answer.result_type != "\"complete\"") {
    return FailRequest(*id, {Reason::kUpstreamProtocolError,
                             "its result is of a type that the revision does "
                             "not have"});
  }
  const std::shared_ptr<Call> call = it->second.call;
  RemoveInFlight(it);
  channel_->StopReading(*id, kLinger);
  relay::CallObserver::End end;
  end.error = std::string(answer.error);
  end.upstream_revision = revision_;
  if (!answer.result.empty()) end.result = Cut(text, answer.result);
  call->End(std::move(end));
  HandleLoad();
}

// ---- what the upstream asks

PhysicalSession::Owner PhysicalSession::OwnerOf(int64_t stream) const {
  if (stream != 0) {
    const std::shared_ptr<Call> call = LiveCall(stream);
    if (call == nullptr || !call->eligible()) return {};
    return {call, relay::Attribution::kOwnStream};
  }
  // An abandoned call may still be at work, so it counts; but nothing belongs
  // to it any more.
  std::shared_ptr<Call> only;
  for (const auto& [id, in_flight] : in_flight_) {
    if (!in_flight.call->eligible()) continue;
    if (only != nullptr) return {nullptr, relay::Attribution::kAmbiguous};
    only = in_flight.call;
  }
  if (only == nullptr || only->ended()) return {};
  return {only, relay::Attribution::kOnlyCall};
}

void PhysicalSession::HandleRequest(const mcp::Envelope& request,
                                    int64_t stream) {
  if (request.method == "ping") {
    channel_->SendAside(mcp::ResultMessage(request.id, "{}"), nullptr);
    return;
  }
  if (!IsInputRequest(request.method)) {
    channel_->SendAside(
        mcp::ErrorMessage(request.id, mcp::kMethodNotFound,
                          "the gateway has no such method for an upstream", ""),
        nullptr);
    return;
  }
  const Owner owner = OwnerOf(stream);
  if (owner.call == nullptr) return RaiseStray(request, owner.attribution);
  if (owner.call->open_requests().size() >= kMaxOpenRequests) {
    return BreakOff({Reason::kUpstreamProtocolError,
                     "it has too many input requests open in one call"});
  }
  if (!owner.call->OpenRequest(std::string(request.id),
                               AskedProgressToken(request.params))) {
    return HandleNoise("it asked twice under one id; the second is ignored");
  }
  owner.call->observer().OnInputRequests({Raised(request)}, owner.attribution,
                                         revision_);
}

void PhysicalSession::RaiseStray(const mcp::Envelope& request,
                                 relay::Attribution attribution) {
  if (environment_->shut_down) return;
  if (strays_.size() >= kMaxStrays) {
    return BreakOff({Reason::kUpstreamProtocolError,
                     "it has too many input requests open outside calls"});
  }
  const int64_t stray = next_stray_++;
  strays_[stray].key = std::string(request.id);
  strays_[stray].cancel = environment_->strays.OnStrayInputRequest(
      target_, beneficiary_, Raised(request), attribution, revision_,
      [queue = queue_, weak = weak_from_this(), stray](
          relay::UpstreamReply reply, Channel::Sent written) {
        queue.Post([weak, stray, reply = std::move(reply),
                    written = std::move(written)]() mutable {
          if (const auto self = weak.lock()) {
            self->AnswerStray(stray, reply, std::move(written));
          }
        });
      });
}

void PhysicalSession::AnswerStray(int64_t stray,
                                  const relay::UpstreamReply& reply,
                                  Channel::Sent written) {
  const auto it = strays_.find(stray);
  if (it == strays_.end() || state_ == State::kClosed) {
    if (written) {
      written(absl::NotFoundError("nobody waits for this answer any more"));
    }
    return;
  }
  const std::string key = std::move(it->second.key);
  strays_.erase(it);
  WriteReply(key, reply, std::move(written));
}

// ---- notifications

void PhysicalSession::HandleNotification(const mcp::Envelope& notice,
                                         int64_t stream) {
  if (notice.method == "notifications/progress") return HandleProgress(notice);
  if (notice.method == "notifications/cancelled") {
    return HandleCancelled(notice, stream);
  }
  if (notice.method == "notifications/elicitation/complete") {
    return HandleElicitationComplete(notice);
  }
  if (notice.method == "notifications/tools/list_changed") {
    // Of the whole session, on whichever stream it came.
    const auto& tell = environment_->options.tools_changed;
    if (tell) tell(beneficiary_.session);
    return;
  }
  if (stream == 0) return;  // belongs to no call
  if (const std::shared_ptr<Call> call = LiveCall(stream)) {
    call->observer().OnNotification(notice.method, std::string(notice.params));
  }
}

void PhysicalSession::HandleProgress(const mcp::Envelope& notice) {
  // Progress of a call that has ended may still be on its way: no harm.
  const std::optional<int64_t> id = ProgressTokenOf(notice.params);
  const std::shared_ptr<Call> call = id.has_value() ? LiveCall(*id) : nullptr;
  if (call == nullptr || !call->spec().wants_progress) return;
  call->observer().OnProgress(std::string(notice.params));
}

// On whichever stream: the call that asked may be long over. Unknown ones are
// no fault of the upstream's: it may say it of what was never shown.
void PhysicalSession::HandleElicitationComplete(const mcp::Envelope& notice) {
  using Completion = UpstreamObserver::Completion;
  const std::string id = CompletedElicitationId(notice.params);
  const std::vector<std::function<void()>> told =
      id.empty() ? std::vector<std::function<void()>>() : completions_.Take(id);
  if (auto* const observer = environment_->options.observer) {
    observer->OnElicitationComplete(target_.virtual_server, target_.upstream,
                                    id.empty()     ? Completion::kMalformed
                                    : told.empty() ? Completion::kUnknown
                                                   : Completion::kTold);
  }
  for (const std::function<void()>& completed : told) completed();
}

void PhysicalSession::HandleCancelled(const mcp::Envelope& notice,
                                      int64_t stream) {
  const std::string key = CancelledRequestId(notice.params);
  if (key.empty()) return;
  std::shared_ptr<Call> call = LiveCall(stream);
  if (call == nullptr || call->open_requests().count(key) == 0) {
    call = nullptr;
    for (const auto& [id, in_flight] : in_flight_) {
      if (in_flight.call->open_requests().count(key) > 0) call = in_flight.call;
    }
  }
  if (call != nullptr && call->CloseRequest(key)) {
    call->observer().OnInputRequestCancelled(key);
    return;
  }
  for (auto it = strays_.begin(); it != strays_.end(); ++it) {
    if (it->second.key != key) continue;
    const relay::StrayObserver::Cancel cancel = std::move(it->second.cancel);
    strays_.erase(it);
    if (cancel) cancel();
    return;
  }
}

}  // namespace gatehouse::upstream
