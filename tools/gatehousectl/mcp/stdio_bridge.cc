#include "tools/gatehousectl/mcp/stdio_bridge.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"

namespace gatehouse::ctl {
namespace {

constexpr size_t kMaxInFlight = 256;
constexpr size_t kMaxHeldBytes = 64 << 20;
constexpr size_t kMaxMessageBytes = 16 << 20;
// A tool may take long; the host cancels what takes it too long.
constexpr absl::Duration kCallPatience = absl::Hours(1);
// For what is only taken or not.
constexpr absl::Duration kTakePatience = absl::Seconds(30);
constexpr absl::Duration kDrainPatience = absl::Seconds(10);
constexpr absl::Duration kEndPatience = absl::Seconds(2);
constexpr absl::Duration kFirstReopen = absl::Seconds(1);
constexpr absl::Duration kLastReopen = absl::Seconds(30);
constexpr int32_t kDuplicateId = mcp::kInvalidRequest;

// Only the outside of what a worker sends matters here.
absl::StatusOr<mcp::Envelope> ParseFromWorker(std::string_view message) {
  mcp::EnvelopeLimits limits;
  limits.max_bytes = kMaxMessageBytes;
  limits.max_depth = 512;
  limits.skip_results = true;
  return mcp::ParseEnvelope(message, limits);
}

}  // namespace

StdioBridge::StdioBridge(http::Reactor& reactor, WorkerLink& link,
                         std::string server, BridgeOutput output)
    : reactor_(reactor),
      link_(link),
      server_(std::move(server)),
      output_(std::move(output)),
      reopen_after_(kFirstReopen) {}

// ---- From the host. ----

void StdioBridge::OnLine(std::string line) {
  if (stopping_) return;
  const absl::StatusOr<mcp::Envelope> message = mcp::ParseEnvelope(line);
  if (!message.ok()) {
    return Refuse("", mcp::CodeOf(message.status()),
                  ToStd(message.status().message()));
  }
  Waiting waiting{"", message->kind, std::string(message->id), message->method};
  waiting.message = std::move(line);
  Admit(std::move(waiting));
}

void StdioBridge::OnLineTooLong() {
  Refuse("", mcp::kInvalidRequest, "a line is over 4 MiB, so it was not read");
}

void StdioBridge::Refuse(const std::string& id, int32_t code,
                         std::string_view message) {
  output_.to_host(mcp::ErrorMessage(id, code, message, ""));
}

void StdioBridge::Admit(Waiting waiting) {
  if (held_bytes_ + waiting.message.size() > kMaxHeldBytes) {
    if (waiting.kind == mcp::MessageKind::kRequest) {
      return Refuse(waiting.id, mcp::kInternalError,
                    "too much waits for the worker already; try again");
    }
    return Say("too much waits for the worker already; a message was dropped");
  }
  if (waiting.method == "notifications/cancelled") {
    MarkCancelled(waiting.message);
  }
  held_bytes_ += waiting.message.size();
  waiting_.push_back(std::move(waiting));
  SendWaiting();
}

void StdioBridge::MarkCancelled(const std::string& message) {
  const auto document = json::Document::Parse(message);
  if (!document.ok()) return;
  const auto params = document->root().Find("params");
  const auto id = params ? params->Find("requestId") : std::nullopt;
  if (!id.has_value()) return;
  const auto it = in_flight_.find(std::string(id->raw()));
  if (it != in_flight_.end()) it->second.cancelled = true;
}

void StdioBridge::SendWaiting() {
  while (!waiting_.empty() && !holding_ && !stopping_) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    held_bytes_ -= next.message.size();
    if (next.kind == mcp::MessageKind::kRequest) {
      SendRequest(std::move(next));
    } else {
      SendOther(std::move(next));
    }
  }
  EndIfIdle();
}

void StdioBridge::SendRequest(Waiting request) {
  if (in_flight_.size() >= kMaxInFlight) {
    return Refuse(request.id, mcp::kInternalError,
                  "256 requests are in flight already; try again");
  }
  if (in_flight_.contains(request.id)) {
    return Refuse(request.id, kDuplicateId,
                  "a request of this id is in flight already");
  }
  InFlight& in_flight = in_flight_[request.id];
  in_flight.bytes = request.message.size();
  held_bytes_ += in_flight.bytes;
  in_flight.is_initialize = request.method == "initialize";
  // What stands behind it needs the session that its answer brings.
  holding_ = holding_ || in_flight.is_initialize;
  const std::string id = request.id;
  in_flight.call = link_.Post(
      std::move(request.message), kCallPatience,
      {[this, id](std::string message) { OnMessage(id, std::move(message)); },
       [this, id](const ExchangeEnd& end) { OnRequestEnd(id, end); }});
}

void StdioBridge::SendOther(Waiting other) {
  holding_ = true;
  const std::string method = other.method;
  link_.Post(
      std::move(other.message), kTakePatience,
      {[](const std::string&) {},
       [this, method](const ExchangeEnd& end) { OnOtherEnd(method, end); }});
}

void StdioBridge::OnOtherEnd(const std::string& method,
                             const ExchangeEnd& end) {
  holding_ = false;
  if (stopping_) return;
  if (end.http_status / 100 != 2) {
    const WorkerTrouble trouble = TroubleOf(end, server_, link_.has_session());
    lost_ = lost_ || trouble.kind == WorkerTrouble::Kind::kSessionLost;
    Say(absl::StrCat(method.empty() ? "an answer of the host's" : method,
                     " was not taken: ", trouble.message));
  }
  // The stream is tried again until the worker has it or refuses it.
  if (method == "notifications/initialized" && stream_ == nullptr && !lost_) {
    Listen();
  }
  SendWaiting();
}

// ---- From the worker. ----

void StdioBridge::OnMessage(const std::string& id, std::string message) {
  const absl::StatusOr<mcp::Envelope> envelope = ParseFromWorker(message);
  if (!envelope.ok()) {
    return Say(absl::StrCat("the worker sent what is no message: ",
                            envelope.status().message()));
  }
  const bool is_response = envelope->kind == mcp::MessageKind::kResult ||
                           envelope->kind == mcp::MessageKind::kError;
  const auto it = in_flight_.find(id);
  if (is_response && it != in_flight_.end() && envelope->id == id) {
    InFlight& in_flight = it->second;
    if (std::exchange(in_flight.answered, true)) return;
    if (in_flight.cancelled) return;
    if (in_flight.is_initialize) TakeRevision(envelope->result);
  }
  output_.to_host(std::move(message));
}

void StdioBridge::TakeRevision(std::string_view result) {
  const auto document = json::Document::Parse(std::string(result));
  if (!document.ok()) return;
  const auto revision = document->root().Find("protocolVersion");
  if (revision.has_value() && revision->IsString() &&
      revision->String()->size() <= 32) {
    link_.set_revision(std::string(*revision->String()));
  }
}

void StdioBridge::OnRequestEnd(const std::string& id, const ExchangeEnd& end) {
  const auto it = in_flight_.find(id);
  if (it == in_flight_.end()) return;
  const InFlight in_flight = std::move(it->second);
  in_flight_.erase(it);
  held_bytes_ -= in_flight.bytes;
  if (!in_flight.answered && !stopping_) {
    const WorkerTrouble trouble = TroubleOf(
        end, server_, link_.has_session() && !in_flight.is_initialize);
    lost_ = lost_ || trouble.kind == WorkerTrouble::Kind::kSessionLost;
    if (trouble.kind != WorkerTrouble::Kind::kRefused) Say(trouble.message);
    if (!in_flight.cancelled) output_.to_host(TroubleResponse(trouble, id));
  }
  if (in_flight.is_initialize) holding_ = false;
  SendWaiting();
}

// ---- The GET stream. ----

void StdioBridge::Listen() {
  stream_ = link_.Listen(
      last_event_id_,
      {[this](std::string message) { OnMessage("", std::move(message)); },
       [this](const ExchangeEnd& end) { OnListenEnd(end); }});
}

void StdioBridge::OnListenEnd(const ExchangeEnd& end) {
  if (stopping_) return;
  if (!end.last_event_id.empty()) last_event_id_ = end.last_event_id;
  if (end.http_status == 405) return;  // not offered, which is fine
  if (end.http_status == 404) {
    lost_ = true;
    return Say(TroubleOf(end, server_, true).message);
  }
  if (end.http_status == 200) {
    reopen_after_ = kFirstReopen;
  } else if (end.http_status / 100 == 4) {
    return Say(absl::StrCat("what the worker says between calls is not heard: ",
                            TroubleOf(end, server_, true).message));
  }
  const absl::Duration pause =
      end.retry_ms.has_value() ? std::clamp(absl::Milliseconds(*end.retry_ms),
                                            kFirstReopen, kLastReopen)
                               : reopen_after_;
  reopen_after_ = std::min(2 * reopen_after_, kLastReopen);
  reactor_.RunAfter(pause, [this] {
    if (!stopping_ && !lost_) Listen();
  });
}

// ---- The end. ----

void StdioBridge::OnInputEnd() {
  input_ended_ = true;
  reactor_.RunAfter(kDrainPatience, [this] {
    if (!stopping_) Say("requests were still in flight at the end of input");
    Stop();
  });
  EndIfIdle();
}

void StdioBridge::EndIfIdle() {
  if (input_ended_ && in_flight_.empty() && waiting_.empty() && !holding_) {
    Stop();
  }
}

void StdioBridge::Stop() {
  if (std::exchange(stopping_, true)) return;
  if (stream_ != nullptr) stream_->Cancel();
  for (const auto& [id, in_flight] : in_flight_) in_flight.call->Cancel();
  if (!link_.has_session() || lost_) return output_.on_ended();
  link_.Delete(kEndPatience,
               {[](const std::string&) {},
                [this](const ExchangeEnd&) { output_.on_ended(); }});
}

}  // namespace gatehouse::ctl
