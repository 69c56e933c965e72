#include "tests/bench/caller.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::bench {
namespace {

constexpr std::string_view kEventEnd = "\n\n";
constexpr std::string_view kData = "data:";
constexpr size_t kShown = 200;  // bytes of a wrong answer in the error

// What an SSE event's one data line says; empty for a comment.
std::string_view DataOf(std::string_view event) {
  const size_t at = event.find(kData);
  if (at == std::string_view::npos) return "";
  std::string_view data = event.substr(at + kData.size());
  data = data.substr(0, data.find('\n'));
  if (!data.empty() && data.front() == ' ') data.remove_prefix(1);
  return data;
}

}  // namespace

Caller::Caller(Peer peer, const ToolRow& tool, uint64_t tag, Poller& poller,
               Clock& clock)
    : peer_(std::move(peer)),
      tag_(tag),
      poller_(poller),
      clock_(clock),
      tool_(tool),
      expected_(absl::StrCat(",\"result\":", ResultOf(tool), "}")) {}

void Caller::Fail(std::string_view what) {
  phase_ = Phase::kFailed;
  status_ =
      MakeStatus(absl::StatusCode::kInternal,
                 absl::StrCat(peer_.address, peer_.path, ": ", ToAbsl(what)));
}

std::unique_ptr<Link> Caller::Connect(uint64_t tag) {
  const absl::StatusOr<int> fd = ConnectTo(peer_.address);
  if (!fd.ok()) {
    Fail(ToStd(fd.status().message()));
    return nullptr;
  }
  auto link = std::make_unique<Link>(*fd);
  if (const absl::Status added = poller_.Add(*fd, tag); !added.ok()) {
    Fail(ToStd(added.message()));
    return nullptr;
  }
  return link;
}

void Caller::Send(Step step, std::string_view request) {
  step_ = step;
  if (!link_->Send(request)) Fail("the connection was closed");
}

void Caller::Open() {
  link_ = Connect(tag_);
  if (link_ == nullptr) return;
  Send(Step::kInitialize, Post(peer_, InitializeMessage()));
}

void Caller::Call() {
  phase_ = Phase::kCalling;
  events_read_ = 0;
  result_seen_ = answer_ended_ = false;
  last_ = {};
  sent_at_ = clock_.Steady();
  Send(Step::kCall, request_.Next());
}

void Caller::End() {
  phase_ = Phase::kEnding;
  if (peer_.session.empty()) {
    phase_ = Phase::kEnded;
    return;
  }
  Send(Step::kEnd, EndSession(peer_));
}

void Caller::OnEvent(uint64_t tag, uint32_t events) {
  Link* const link = tag == tag_ ? link_.get() : reply_link_.get();
  if (phase_ == Phase::kFailed || phase_ == Phase::kEnded || link == nullptr) {
    return;
  }
  if ((events & EPOLLOUT) != 0 && !link->Flush()) {
    return Fail("the connection was refused or closed");
  }
  if ((events & ~static_cast<uint32_t>(EPOLLOUT)) == 0) return;
  const bool open = link->Receive();
  while (phase_ != Phase::kFailed && Take(*link)) {
    if (tag == tag_) {
      OnAnswer();
    } else {
      OnReplyAnswer();
    }
    link->reader().Drop();
  }
  if (phase_ == Phase::kCalling) FinishIfDone();
  if (!open && phase_ != Phase::kFailed && phase_ != Phase::kEnded) {
    Fail("the connection was closed");
  }
}

bool Caller::Take(Link& link) {
  if (link.reader().held() == 0) return false;
  const HttpReader::State state = link.reader().Read();
  if (state == HttpReader::State::kBroken) {
    Fail("the answer is no HTTP, or too large");
    return false;
  }
  if (&link == link_.get() && link.reader().has_head() &&
      step_ == Step::kCall) {
    ReadEvents();
  }
  return state == HttpReader::State::kDone;
}

void Caller::OnAnswer() {
  const HttpReader& answer = link_->reader();
  switch (step_) {
    case Step::kInitialize:
      if (answer.status() != 200) break;
      peer_.session = std::string(answer.Header("Mcp-Session-Id"));
      request_ = CallRequest(peer_, tool_.name);
      return Send(Step::kInitialized, Post(peer_, InitializedMessage()));
    case Step::kInitialized:
      if (answer.status() != 202) break;
      phase_ = Phase::kReady;
      return;
    case Step::kCall:
      return OnCallAnswer();
    case Step::kEnd:
      if (answer.status() / 100 != 2) break;
      phase_ = Phase::kEnded;
      return;
  }
  Fail(absl::StrCat("unexpected status ", answer.status(), " to ",
                    step_ == Step::kEnd ? "DELETE" : "the handshake", ": ",
                    ToAbsl(answer.body().substr(0, kShown))));
}

void Caller::OnCallAnswer() {
  const HttpReader& answer = link_->reader();
  if (answer.status() != 200) {
    return Fail(absl::StrCat("a call got status ", answer.status(), ": ",
                             ToAbsl(answer.body().substr(0, kShown))));
  }
  answer_ended_ = true;
  last_.bytes = answer.body().size();
  if (events_read_ == 0) CheckResult(answer.body());
}

// Acts upon the whole events of a stream as they come.
void Caller::ReadEvents() {
  const HttpReader& answer = link_->reader();
  if (!absl::StartsWith(ToAbsl(answer.Header("Content-Type")),
                        "text/event-stream")) {
    return;
  }
  while (phase_ != Phase::kFailed) {
    const std::string_view rest = answer.body().substr(events_read_);
    const size_t end = rest.find(kEventEnd);
    if (end == std::string_view::npos) return;
    events_read_ += end + kEventEnd.size();
    const std::string_view message = DataOf(rest.substr(0, end));
    if (message.empty()) continue;
    if (Peek(message, "method") != "sampling/createMessage") {
      CheckResult(message);
      continue;
    }
    if (reply_link_ == nullptr) reply_link_ = Connect(tag_ + 1);
    if (reply_link_ == nullptr) return;
    reply_pending_ = true;
    if (!reply_link_->Send(
            Post(peer_, SamplingReply(PeekRaw(message, "id"))))) {
      return Fail("the connection for replies was closed");
    }
  }
}

void Caller::OnReplyAnswer() {
  reply_pending_ = false;
  if (reply_link_->reader().status() != 202) {
    Fail(absl::StrCat("a reply got status ", reply_link_->reader().status()));
  }
}

void Caller::CheckResult(std::string_view message) {
  if (Peek(message, "id") != request_.id()) {
    return Fail(
        absl::StrCat("asked ", ToAbsl(request_.id()),
                     ", but this came: ", ToAbsl(message.substr(0, kShown))));
  }
  if (!absl::EndsWith(ToAbsl(message), expected_)) {
    return Fail(absl::StrCat("not the upstream's result: ",
                             ToAbsl(message.substr(0, kShown))));
  }
  result_seen_ = true;
  last_.latency = clock_.Steady() - sent_at_;
}

void Caller::FinishIfDone() {
  if (!answer_ended_ || reply_pending_) return;
  if (!result_seen_) return Fail("the stream ended without a result");
  ++calls_;
  phase_ = Phase::kReady;
}

}  // namespace gatehouse::bench
