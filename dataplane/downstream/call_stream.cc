#include "dataplane/downstream/call_stream.h"

#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "dataplane/downstream/answers.h"
#include "dataplane/http/sse_writer.h"
#include "shared/json/json.h"
#include "shared/mcp/envelope.h"

namespace gatehouse::downstream {
namespace {

// An upstream's error that must not reach a client as it is (PROTOCOL §10.3):
// faults of the envelope and of the transport between gateway and upstream, and
// -32042, which carries elicitations that nobody has judged (invariant 1). So
// has a code that a client of 32 bits would read as another, and one that is no
// integer as it is written: a client may make one of these of it.
constexpr std::array<int64_t, 5> kNeverPassedOn = {-32700, -32600, -32042,
                                                   -32020, -32022};

bool MayPassOn(const std::string& error) {
  const absl::StatusOr<json::Document> read =
      json::Document::Parse(error, {.max_bytes = 16 << 20, .max_depth = 512});
  if (!read.ok()) return false;
  const absl::StatusOr<json::Value> code = read->root().Field("code");
  if (!code.ok()) return false;
  const absl::StatusOr<int64_t> number = code->Integer();
  if (!number.ok()) return false;
  if (*number < std::numeric_limits<int32_t>::min() ||
      *number > std::numeric_limits<int32_t>::max()) {
    return false;
  }
  for (const int64_t barred : kNeverPassedOn) {
    if (*number == barred) return false;
  }
  return true;
}

std::string MessageOf(const std::string& id, relay::CallObserver::End end) {
  if (!end.result.empty()) {
    return mcp::IntoResultMessage(id, std::move(end.result));
  }
  if (end.error.empty()) return ErrorOf(id, end.failure);
  if (end.judged || MayPassOn(end.error))
    return mcp::RawErrorMessage(id, end.error);
  Failure failure;
  failure.reason = Reason::kUpstreamProtocolError;
  failure.message =
      "the server answered with an error that cannot be passed on";
  return ErrorOf(id, failure);
}

}  // namespace

CallStream::CallStream(std::shared_ptr<http::Exchange> exchange, std::string id,
                       std::string progress_token, relay::Timers& timers,
                       std::function<void()> ended)
    : exchange_(std::move(exchange)),
      id_(std::move(id)),
      progress_token_(std::move(progress_token)),
      timers_(timers),
      ended_(std::move(ended)) {}

void CallStream::Arm() {
  {
    const MutexLock lock(mutex_);
    opening_ = timers_.RunAfter(kStreamAfter, [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (self == nullptr) return;
      const MutexLock opening(self->mutex_);
      if (self->ended_) self->OpenStreamLocked();
    });
  }
  exchange_->OnPeerGone([weak = weak_from_this()] {
    if (const auto self = weak.lock(); self != nullptr) self->gone_ = true;
  });
}

void CallStream::OpenStreamLocked() {
  if (streaming_) return;
  streaming_ = true;
  exchange_->StartStream(200, SseHeaders());
}

bool CallStream::WriteLocked(std::string_view message) {
  if (!ended_ || gone_) return false;
  OpenStreamLocked();
  return exchange_->Write(http::SseEvent(message));
}

// ---- What the front says. ----

void CallStream::Serve(std::shared_ptr<relay::Operation> operation) {
  {
    const MutexLock lock(mutex_);
    operation_ = operation;
    if (ended_) {
      // Progress needs a stream; opened now, the client sees it is served.
      if (!progress_token_.empty()) OpenStreamLocked();
      return;
    }
  }
  operation->CancelByClient("the request was given up");
}

std::shared_ptr<relay::Operation> CallStream::operation() {
  const MutexLock lock(mutex_);
  return operation_.lock();
}

bool CallStream::ended() {
  const MutexLock lock(mutex_);
  return !ended_;
}

void CallStream::Cancel(std::string_view reason) {
  const std::shared_ptr<relay::Operation> serving = operation();
  // The operation withdraws what it has asked before it gives the stream up.
  if (serving != nullptr) return serving->CancelByClient(std::string(reason));
  Abandon();
}

void CallStream::AnswerResult(std::string_view result) {
  End(mcp::ResultMessage(id_, result));
}

void CallStream::AnswerFailure(const Failure& failure) {
  End(ErrorOf(id_, failure));
}

void CallStream::AnswerRefusal(http::Response refusal, const Failure& failure) {
  End(ErrorOf(id_, failure), std::move(refusal));
}

// ---- What the operation says. ----

std::vector<relay::AskOutcome> CallStream::AskClient(
    std::vector<relay::ShownInputRequest> requests) {
  std::vector<relay::AskOutcome> outcomes;
  const MutexLock lock(mutex_);
  for (const relay::ShownInputRequest& request : requests) {
    const bool shown = WriteLocked(AskMessage(request));
    outcomes.push_back(shown ? relay::AskOutcome::kShown
                             : relay::AskOutcome::kUnreachable);
  }
  return outcomes;
}

void CallStream::Withdraw(std::string_view opaque_id, std::string_view reason) {
  const MutexLock lock(mutex_);
  WriteLocked(CancelledMessage(opaque_id, reason));
}

void CallStream::Progress(std::string_view params) {
  if (progress_token_.empty()) return;
  const absl::StatusOr<json::Document> read =
      json::Document::Parse(std::string(params));
  if (!read.ok()) return;
  const absl::StatusOr<json::Value> value = read->root().Field("progress");
  if (!value.ok()) return;
  const absl::StatusOr<double> progress = value->Number();
  if (!progress.ok()) return;
  std::string own = json::Splice(
      read->text(),
      {json::SetMember(read->root(), "progressToken", progress_token_)});
  const MutexLock lock(mutex_);
  // Values must rise; an upstream that repeats itself is not quoted.
  if (last_progress_.has_value() && *progress <= *last_progress_) return;
  last_progress_ = *progress;
  WriteLocked(mcp::NotificationMessage("notifications/progress", own));
}

void CallStream::Notify(std::string_view, std::string_view) {
  // `tools` is all that this front advertises: a client that was not told of
  // logging gets no `notifications/message`.
}

bool CallStream::TellElicitationComplete(std::string_view elicitation_id) {
  const MutexLock lock(mutex_);
  return WriteLocked(ElicitationCompleteMessage(elicitation_id));
}

void CallStream::Finish(relay::CallObserver::End end) {
  End(MessageOf(id_, std::move(end)));
}

void CallStream::Abandon() { End(std::nullopt); }

bool CallStream::End(std::optional<std::string> message,
                     std::optional<http::Response> instead) {
  std::function<void()> ended;
  {
    const MutexLock lock(mutex_);
    if (!ended_) return false;
    timers_.Cancel(opening_);
    if (!message.has_value()) {
      // No response is owed: the stream ends without one.
      OpenStreamLocked();
      exchange_->EndStream();
    } else if (streaming_) {
      WriteLocked(*message);
      exchange_->EndStream();
    } else {
      exchange_->Respond(instead.has_value()
                             ? *std::move(instead)
                             : JsonAnswer(200, *std::move(message)));
    }
    ended.swap(ended_);
  }
  ended();
  return true;
}

}  // namespace gatehouse::downstream
