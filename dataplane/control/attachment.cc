#include "dataplane/control/attachment.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dataplane/control/translate.h"
#include "shared/base/status.h"

namespace gatehouse::control {
namespace {

constexpr absl::Duration kFirstPause = absl::Milliseconds(100);
constexpr absl::Duration kLongestPause = absl::Seconds(2);
constexpr size_t kMaxClaims = 8192;
constexpr size_t kMaxAcknowledges = 65'536;
constexpr size_t kMaxActiveSessions = 65'536;
constexpr int kActiveSessionsPerRenewal = 4096;

absl::Status Unavailable(std::string_view message) {
  return MakeStatus(absl::StatusCode::kUnavailable, message);
}

}  // namespace

Attachment::Attachment(const ControlClientOptions& options,
                       std::unique_ptr<v1::FleetService::Stub> stub,
                       std::shared_ptr<Calls> calls,
                       relay::Snapshots& snapshots, relay::Timers& timers,
                       Clock& clock)
    : options_(options),
      stub_(std::move(stub)),
      calls_(std::move(calls)),
      snapshots_(snapshots),
      timers_(timers),
      clock_(clock),
      pause_(kFirstPause) {}

void Attachment::Start(std::string listen, relay::MailObserver& mail) {
  {
    const MutexLock lock(mutex_);
    listen_ = std::move(listen);
    mail_ = &mail;
  }
  Connect();
}

void Attachment::Stop() {
  std::map<std::string, PendingClaim> claims;
  std::shared_ptr<AttachStream> stream;
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    mail_ = nullptr;
    claims.swap(claims_);
    stream = stream_;
  }
  if (stream != nullptr) stream->Cancel();
  for (auto& [id, claim] : claims) {
    claim.done(Unavailable("the worker is stopping"));
  }
}

bool Attachment::attached() const {
  const MutexLock lock(mutex_);
  return welcomed_;
}

void Attachment::Claim(std::string input_request, ClaimDone done) {
  ClaimDone displaced;
  bool refused = false;
  {
    const MutexLock lock(mutex_);
    refused = stopped_ || claims_.size() >= kMaxClaims;
    if (!refused) {
      PendingClaim& claim = claims_[std::move(input_request)];
      displaced = std::move(claim.done);
      claim = PendingClaim{std::move(done), false};
    }
  }
  if (refused) return done(Unavailable("too many claims wait for an answer"));
  if (displaced) displaced(Unavailable("claimed again"));
  Pump();
}

void Attachment::Acknowledge(std::string input_request) {
  {
    const MutexLock lock(mutex_);
    if (stopped_) return;
    // The oldest then shows as `unknown`, which is the truth about it.
    if (acknowledges_.size() >= kMaxAcknowledges) acknowledges_.pop_front();
    acknowledges_.push_back({std::move(input_request), 0});
  }
  Pump();
}

void Attachment::ReportActiveSession(std::string_view session) {
  const MutexLock lock(mutex_);
  if (active_sessions_.size() < kMaxActiveSessions) {
    active_sessions_.emplace(session);
  }
}

// ---- The stream and the lease. ----

void Attachment::Connect() {
  auto stream = std::make_shared<AttachStream>(shared_from_this(), calls_);
  {
    const MutexLock lock(mutex_);
    if (stopped_) return;
    stream_ = stream;
    hello_due_ = true;
    welcomed_ = false;
    renewal_due_ = false;
    renewals_sent_ = 0;
    renewals_answered_ = 0;
    last_heard_ = clock_.Steady();
    for (auto& [id, claim] : claims_) claim.sent = false;
    for (PendingAcknowledge& entry : acknowledges_) entry.before_renewal = 0;
  }
  if (stream->Start(*stub_, options_.token)) ScheduleRenewal();
}

void Attachment::OnEnd(const AttachStream* stream, const grpc::Status& status) {
  absl::Duration pause;
  bool was_welcomed = false;
  {
    const MutexLock lock(mutex_);
    if (stream_.get() != stream) return;
    stream_ = nullptr;
    was_welcomed = welcomed_;
    welcomed_ = false;
    if (stopped_) return;
    pause = pause_;
    pause_ = std::min(2 * pause_, kLongestPause);
  }
  Log(was_welcomed ? "detached" : "control_call_failed",
      absl::StrCat("Attach: code ", static_cast<int>(status.error_code()), ": ",
                   status.error_message()));
  timers_.RunAfter(pause, [self = shared_from_this()] { self->Connect(); });
}

void Attachment::ScheduleRenewal() {
  absl::Duration delay;
  std::weak_ptr<AttachStream> stream;
  {
    const MutexLock lock(mutex_);
    if (stopped_ || stream_ == nullptr) return;
    delay = renew_every_;
    stream = stream_;
  }
  timers_.RunAfter(delay, [self = shared_from_this(), stream] {
    const auto timed = stream.lock();
    {
      const MutexLock lock(self->mutex_);
      // Each stream has its own chain of timers.
      if (timed == nullptr || timed != self->stream_) return;
    }
    self->OnRenewalDue();
    self->ScheduleRenewal();
  });
}

void Attachment::OnRenewalDue() {
  std::shared_ptr<AttachStream> silent;
  {
    const MutexLock lock(mutex_);
    renewal_due_ = welcomed_;
    // A peer that says nothing for a whole lease has forgotten this worker.
    if (clock_.Steady() - last_heard_ > lease_) silent = stream_;
  }
  if (silent != nullptr) {
    silent->Cancel();
  } else {
    Pump();
  }
}

void Attachment::Pump() {
  std::shared_ptr<AttachStream> stream;
  {
    const MutexLock lock(mutex_);
    stream = stream_;
  }
  if (stream != nullptr) stream->Pump();
}

// ---- What is written, in order of urgency. ----

bool Attachment::Next(const AttachStream* stream, v1::AttachRequest& message) {
  const MutexLock lock(mutex_);
  if (stream_.get() != stream || stopped_) return false;
  if (hello_due_) {
    hello_due_ = false;
    FillHelloLocked(*message.mutable_hello());
    return true;
  }
  if (!welcomed_) return false;
  if (renewal_due_) {
    renewal_due_ = false;
    FillRenewLocked(*message.mutable_renew());
    return true;
  }
  if (mail_to_acknowledge_ != 0) {
    message.set_ack_mail(std::exchange(mail_to_acknowledge_, 0));
    return true;
  }
  return NextDeliveryLocked(message);
}

void Attachment::FillHelloLocked(v1::WorkerHello& hello) {
  hello.set_worker(absl::StrCat("workers/", options_.worker));
  hello.set_cluster(options_.cluster);
  hello.set_address(listen_);
  hello.set_version(options_.version);
  hello.set_epoch(epoch_.load());
}

void Attachment::FillRenewLocked(v1::RenewLease& renew) {
  ++renewals_sent_;
  while (!active_sessions_.empty() &&
         renew.active_sessions_size() < kActiveSessionsPerRenewal) {
    renew.add_active_sessions(
        absl::StrCat("sessions/", *active_sessions_.begin()));
    active_sessions_.erase(active_sessions_.begin());
  }
  if (options_.operations) renew.set_operations(options_.operations());
}

bool Attachment::NextDeliveryLocked(v1::AttachRequest& message) {
  for (auto& [id, claim] : claims_) {
    if (claim.sent) continue;
    claim.sent = true;
    message.mutable_claim()->set_input_request(
        absl::StrCat("inputRequests/", id));
    return true;
  }
  for (PendingAcknowledge& entry : acknowledges_) {
    if (entry.before_renewal != 0) continue;
    entry.before_renewal = renewals_sent_ + 1;
    message.mutable_acknowledge()->set_input_request(
        absl::StrCat("inputRequests/", entry.input_request));
    return true;
  }
  return false;
}

// ---- What is read. ----

void Attachment::OnMessage(const AttachStream* stream,
                           const v1::AttachResponse& message) {
  {
    const MutexLock lock(mutex_);
    if (stream_.get() != stream || stopped_) return;
    last_heard_ = clock_.Steady();
  }
  switch (message.message_case()) {
    case v1::AttachResponse::kWelcome:
      return OnWelcome(message.welcome());
    case v1::AttachResponse::kMail:
      return OnMail(message.mail());
    case v1::AttachResponse::kClaimResult:
      return OnClaimResult(message.claim_result());
    case v1::AttachResponse::kRenewed:
      return OnRenewed();
    case v1::AttachResponse::MESSAGE_NOT_SET:
      return;  // a later version's message
  }
}

void Attachment::OnWelcome(const v1::Welcome& welcome) {
  std::vector<relay::VirtualServerSnapshot> all;
  for (const v1::PolicySnapshot& snapshot : welcome.snapshots()) {
    all.push_back(FromProto(snapshot));
  }
  snapshots_.ReplaceAll(std::move(all),
                        absl::Milliseconds(welcome.policy_lease_ms()));
  epoch_.store(welcome.epoch());
  {
    const MutexLock lock(mutex_);
    welcomed_ = true;
    pause_ = kFirstPause;
    if (welcome.lease_ms() > 0) lease_ = absl::Milliseconds(welcome.lease_ms());
    if (welcome.renew_every_ms() > 0) {
      renew_every_ = absl::Milliseconds(welcome.renew_every_ms());
    }
  }
  Log("attached", absl::StrCat("epoch ", welcome.epoch()));
}

void Attachment::OnMail(const v1::Mail& mail) {
  relay::MailObserver* observer = nullptr;
  bool repeated = false;
  {
    const MutexLock lock(mutex_);
    observer = mail_;
    repeated = mail.number() <= last_mail_;
    last_mail_ = std::max(last_mail_, mail.number());
  }
  if (!repeated && observer != nullptr) {
    switch (mail.content_case()) {
      case v1::Mail::kDeliveryReady:
        observer->OnDeliveryReady(FromProto(mail.delivery_ready()));
        break;
      case v1::Mail::kSessionEnded:
        observer->OnSessionEnded(BareId(mail.session_ended().session()));
        break;
      case v1::Mail::kPolicy:
        snapshots_.Put(FromProto(mail.policy()));
        break;
      case v1::Mail::kVirtualServerDeleted:
        snapshots_.Remove(BareId(mail.virtual_server_deleted()));
        break;
      case v1::Mail::CONTENT_NOT_SET:
        break;  // a later version's mail
    }
  }
  // Only now that it was handed over. The stream writes when this returns.
  const MutexLock lock(mutex_);
  mail_to_acknowledge_ = last_mail_;
}

void Attachment::OnClaimResult(const v1::ClaimResult& result) {
  ClaimDone done;
  {
    const MutexLock lock(mutex_);
    const auto it = claims_.find(BareId(result.input_request()));
    if (it == claims_.end()) return;
    done = std::move(it->second.done);
    claims_.erase(it);
  }
  std::optional<relay::UpstreamReply> reply;
  if (result.has_deliver()) reply = FromProto(result.deliver());
  done(std::move(reply));
}

void Attachment::OnRenewed() {
  snapshots_.Touch();
  const MutexLock lock(mutex_);
  ++renewals_answered_;
  while (!acknowledges_.empty() && acknowledges_.front().before_renewal != 0 &&
         acknowledges_.front().before_renewal <= renewals_answered_) {
    acknowledges_.pop_front();
  }
}

void Attachment::Log(std::string_view event, std::string_view detail) const {
  if (options_.log) options_.log(event, detail);
}

}  // namespace gatehouse::control
