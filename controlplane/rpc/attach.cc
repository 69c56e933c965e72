#include "controlplane/rpc/attach.h"

#include <utility>
#include <vector>

#include "controlplane/policy/virtual_server.h"
#include "controlplane/rpc/convert.h"
#include "controlplane/sessions/workers.h"
#include "shared/base/status.h"

namespace gatehouse::rpc {
namespace {

constexpr int kMailPage = 64;
constexpr size_t kQueueForMail = 256;  // above it, mail waits in the store
constexpr size_t kMaxQueue = 4096;     // above it, the worker does not read
constexpr int kMaxVirtualServers = 1000;
constexpr int kMaxActiveSessions = 4096;
constexpr size_t kMaxTextBytes = 256;

// A row of the mailbox with what must be looked up to send it.
struct Letter {
  MailRow mail;
  InputRequestState state = InputRequestState::kCancelled;
  PolicyRow policy;
  bool skip = false;
};

absl::Status OpenLetter(Transaction& tx, Letter& letter) {
  const MailRow& mail = letter.mail;
  if (mail.kind == MailKind::kDeliveryReady) {
    absl::StatusOr<InputRequestRow> row = tx.GetInputRequest(mail.subject);
    if (absl::IsNotFound(row.status())) {
      letter.skip = true;
      return absl::OkStatus();
    }
    GATEHOUSE_RETURN_IF_ERROR(row.status());
    letter.state = row->state;
  } else if (mail.kind == MailKind::kPolicyChanged) {
    GATEHOUSE_ASSIGN_OR_RETURN(letter.policy, tx.GetLatestPolicy(mail.subject));
    // Deleted meanwhile: the mail that says so follows.
    letter.skip = letter.policy.document.empty();
  }
  return absl::OkStatus();
}

// What the workers of a cluster need of it, and no more: of the upstreams of
// other clusters they learn the names.
absl::StatusOr<v1::PolicySnapshot> SnapshotOf(const PolicyRow& row,
                                              std::string_view cluster) {
  v1::PolicySnapshot snapshot;
  GATEHOUSE_ASSIGN_OR_RETURN(*snapshot.mutable_virtual_server(), ToProto(row));
  v1::VirtualServer& here = *snapshot.mutable_virtual_server();
  google::protobuf::RepeatedPtrField<v1::Upstream> all;
  all.Swap(here.mutable_upstreams());
  for (v1::Upstream& upstream : all) {
    const std::vector<std::string> clusters(upstream.clusters().begin(),
                                            upstream.clusters().end());
    if (policy::ServedIn(clusters, cluster)) {
      *here.add_upstreams() = std::move(upstream);
    } else {
      snapshot.add_upstreams_elsewhere(upstream.name());
    }
  }
  snapshot.set_policy_version(row.version);
  return snapshot;
}

absl::Status Write(const Letter& letter, std::string_view cluster,
                   v1::Mail& out) {
  const MailRow& mail = letter.mail;
  out.set_number(mail.number);
  if (letter.skip) return absl::OkStatus();  // a number without content
  switch (mail.kind) {
    case MailKind::kDeliveryReady: {
      v1::DeliveryReady& ready = *out.mutable_delivery_ready();
      ready.set_input_request("inputRequests/" + mail.subject);
      ready.set_operation("operations/" + mail.operation);
      ready.set_state(ToProto(letter.state));
      ready.set_withdraw(mail.withdraw);
      return absl::OkStatus();
    }
    case MailKind::kSessionEnded:
      out.mutable_session_ended()->set_session("sessions/" + mail.subject);
      out.mutable_session_ended()->set_cause(mail.cause);
      return absl::OkStatus();
    case MailKind::kPolicyChanged: {
      GATEHOUSE_ASSIGN_OR_RETURN(*out.mutable_policy(),
                                 SnapshotOf(letter.policy, cluster));
      return absl::OkStatus();
    }
    case MailKind::kVirtualServerDeleted:
      out.set_virtual_server_deleted("virtualServers/" + mail.subject);
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

}  // namespace

void AttachedWorkers::Register(const std::string& worker_id,
                               const std::shared_ptr<AttachStream>& stream) {
  std::shared_ptr<AttachStream> earlier;
  {
    const MutexLock lock(mutex_);
    std::weak_ptr<AttachStream>& slot = streams_[worker_id];
    earlier = slot.lock();
    slot = stream;
  }
  if (earlier != nullptr && earlier != stream) {
    earlier->End(MakeStatus(absl::StatusCode::kAborted,
                            "attached_again: the worker attached anew"));
  }
}

void AttachedWorkers::Unregister(const std::string& worker_id,
                                 const AttachStream* stream) {
  const MutexLock lock(mutex_);
  const auto it = streams_.find(worker_id);
  if (it == streams_.end()) return;
  const std::shared_ptr<AttachStream> held = it->second.lock();
  if (held == nullptr || held.get() == stream) streams_.erase(it);
}

std::shared_ptr<AttachStream> AttachedWorkers::Find(
    const std::string& worker_id) const {
  const MutexLock lock(mutex_);
  const auto it = streams_.find(worker_id);
  return it == streams_.end() ? nullptr : it->second.lock();
}

int AttachedWorkers::count() const {
  const MutexLock lock(mutex_);
  return static_cast<int>(streams_.size());
}

bool AttachedWorkers::IsAttached(const std::string& worker_id) const {
  return Find(worker_id) != nullptr;
}

void AttachedWorkers::Wake(const sessions::MailedWorkers& workers) {
  for (const std::string& worker_id : workers) {
    if (const auto stream = Find(worker_id)) stream->Wake();
  }
}

void AttachedWorkers::EndAll() {
  std::vector<std::shared_ptr<AttachStream>> streams;
  {
    const MutexLock lock(mutex_);
    for (const auto& [worker_id, stream] : streams_) {
      if (auto held = stream.lock()) streams.push_back(std::move(held));
    }
  }
  for (const auto& stream : streams) {
    stream->End(MakeStatus(absl::StatusCode::kUnavailable,
                           "the control plane shuts down; attach again"));
  }
}

AttachStream* AttachStream::Start(broker::Broker& broker, Store& store,
                                  AttachedWorkers& workers) {
  // Not make_shared: the constructor is private.
  std::shared_ptr<AttachStream> stream(
      new AttachStream(broker, store, workers));
  {
    const MutexLock lock(stream->mutex_);
    stream->self_ = stream;
  }
  stream->StartRead(&stream->incoming_);
  return stream.get();
}

broker::Caller AttachStream::caller() const {
  const MutexLock lock(mutex_);
  return caller_;
}

std::string AttachStream::cluster() const {
  const MutexLock lock(mutex_);
  return cluster_;
}

void AttachStream::OnReadDone(bool ok) {
  if (!ok) {
    End(absl::OkStatus());  // the worker closed its side
    return;
  }
  Handle();
  const MutexLock lock(mutex_);
  if (!finished_) StartRead(&incoming_);
}

void AttachStream::Handle() {
  bool greeted = false;
  bool welcomed = false;
  {
    const MutexLock lock(mutex_);
    greeted = std::exchange(greeted_, true);
    welcomed = welcomed_;
  }
  if (greeted == incoming_.has_hello() || (greeted && !welcomed)) {
    End(MakeStatus(absl::StatusCode::kFailedPrecondition,
                   "hello must come first, once, and be answered before the "
                   "next message"));
    return;
  }
  switch (incoming_.message_case()) {
    case v1::AttachRequest::kHello:
      return HandleHello(incoming_.hello());
    case v1::AttachRequest::kRenew:
      return HandleRenew(incoming_.renew());
    case v1::AttachRequest::kAckMail:
      return HandleAckMail(incoming_.ack_mail());
    case v1::AttachRequest::kClaim:
      return HandleClaim(incoming_.claim().input_request());
    case v1::AttachRequest::kAcknowledge:
      return HandleAcknowledge(incoming_.acknowledge().input_request());
    case v1::AttachRequest::MESSAGE_NOT_SET:
      break;  // a newer worker's message; there is nothing to do for it
  }
}

void AttachStream::HandleHello(const v1::WorkerHello& hello) {
  absl::StatusOr<std::string> id = IdOf(hello.worker(), "workers/", "worker");
  if (!id.ok()) return End(id.status());
  const std::string cluster = hello.cluster().empty()
                                  ? std::string(policy::kDefaultCluster)
                                  : hello.cluster();
  if (!policy::IsClusterName(cluster)) {
    return End(MakeStatus(absl::StatusCode::kInvalidArgument,
                          "hello: cluster must match [a-z][a-z0-9-]{0,31}"));
  }
  if (hello.address().size() > kMaxTextBytes ||
      hello.version().size() > kMaxTextBytes) {
    return End(MakeStatus(absl::StatusCode::kInvalidArgument,
                          "hello: a text is over 256 bytes"));
  }
  sessions::Hello command{*std::move(id), cluster, hello.address(),
                          hello.version(), hello.epoch()};
  broker_.Attach(std::move(command),
                 [self = shared_from_this()](absl::StatusOr<WorkerRow> row) {
                   if (!row.ok()) return self->End(row.status());
                   self->SendWelcome(*row);
                 });
}

void AttachStream::SendWelcome(const WorkerRow& worker) {
  {
    const MutexLock lock(mutex_);
    caller_ = broker::Caller{worker.id, worker.epoch};
    cluster_ = worker.cluster;
  }
  auto policies = std::make_shared<std::vector<PolicyRow>>();
  store_.Run(
      [policies](Transaction& tx) -> absl::Status {
        GATEHOUSE_ASSIGN_OR_RETURN(
            *policies, tx.ListCurrentPolicies("", kMaxVirtualServers));
        return absl::OkStatus();
      },
      [self = shared_from_this(), policies, worker](absl::Status status) {
        v1::AttachResponse message;
        v1::Welcome& welcome = *message.mutable_welcome();
        welcome.set_epoch(worker.epoch);
        welcome.set_lease_ms(absl::ToInt64Milliseconds(sessions::kWorkerLease));
        welcome.set_renew_every_ms(
            absl::ToInt64Milliseconds(sessions::kRenewEvery));
        welcome.set_policy_lease_ms(
            absl::ToInt64Milliseconds(sessions::kPolicyLease));
        for (const PolicyRow& row : *policies) {
          absl::StatusOr<v1::PolicySnapshot> snapshot =
              SnapshotOf(row, worker.cluster);
          if (!snapshot.ok()) status.Update(snapshot.status());
          if (status.ok()) *welcome.add_snapshots() = *std::move(snapshot);
        }
        if (!status.ok()) return self->End(status);
        self->workers_.Register(worker.id, self);
        {
          // At once: mail may follow the welcome and never precede it, and the
          // worker may answer before this returns.
          const MutexLock lock(self->mutex_);
          if (self->finished_) return;
          self->welcomed_ = true;
          self->outgoing_.push_front(std::move(message));
          if (!self->writing_) self->WriteNextLocked();
        }
        self->Wake();
      });
}

void AttachStream::HandleRenew(const v1::RenewLease& renew) {
  std::vector<std::string> active;
  for (const std::string& name : renew.active_sessions()) {
    if (static_cast<int>(active.size()) == kMaxActiveSessions) break;
    absl::StatusOr<std::string> id = IdOf(name, "sessions/", "session");
    if (id.ok()) active.push_back(*std::move(id));
  }
  broker_.Renew(caller(), renew.operations(), std::move(active),
                [self = shared_from_this()](const absl::StatusOr<bool>& done) {
                  // A lost lease ends the stream: the worker attaches for a new
                  // epoch. A store that cannot be written does not: the lease
                  // runs on, and the next renewal may succeed.
                  if (absl::IsFailedPrecondition(done.status())) {
                    return self->End(done.status());
                  }
                  if (!done.ok()) return;
                  v1::AttachResponse message;
                  message.mutable_renewed()->set_lease_ms(
                      absl::ToInt64Milliseconds(sessions::kWorkerLease));
                  self->Send(std::move(message));
                });
}

void AttachStream::HandleAckMail(int64_t up_to) {
  store_.Run(
      [caller = caller(), up_to](Transaction& tx) -> absl::Status {
        GATEHOUSE_RETURN_IF_ERROR(
            sessions::CheckWorker(tx, caller.worker_id, caller.epoch).status());
        return tx.DeleteMail(caller.worker_id, up_to);
      },
      [self = shared_from_this()](const absl::Status&) { self->Wake(); });
}

void AttachStream::HandleClaim(const std::string& name) {
  absl::StatusOr<std::string> id =
      IdOf(name, "inputRequests/", "input_request");
  if (!id.ok()) return End(id.status());
  broker_.Claim(caller(), *std::move(id),
                [self = shared_from_this(), name](
                    absl::StatusOr<std::optional<UpstreamReplyRow>> granted) {
                  // Unanswered, the worker asks again after a reconnect.
                  if (!granted.ok()) return self->End(granted.status());
                  v1::AttachResponse message;
                  v1::ClaimResult& result = *message.mutable_claim_result();
                  result.set_input_request(name);
                  if (granted->has_value())
                    ToProto(**granted, *result.mutable_deliver());
                  self->Send(std::move(message));
                });
}

void AttachStream::HandleAcknowledge(const std::string& name) {
  absl::StatusOr<std::string> id =
      IdOf(name, "inputRequests/", "input_request");
  if (!id.ok()) return End(id.status());
  // Nothing answers it; what did not arrive shows as claimed, then unknown.
  broker_.Acknowledge(caller(), *std::move(id),
                      [](const absl::StatusOr<bool>&) {});
}

void AttachStream::Wake() {
  {
    const MutexLock lock(mutex_);
    if (finished_ || !welcomed_) return;
    if (reading_mail_ || outgoing_.size() >= kQueueForMail) {
      mail_again_ = true;
      return;
    }
    reading_mail_ = true;
    mail_again_ = false;
  }
  SendMail();
}

void AttachStream::SendMail() {
  auto letters = std::make_shared<std::vector<Letter>>();
  int64_t after = 0;
  std::string worker_id;
  {
    const MutexLock lock(mutex_);
    after = last_mail_;
    worker_id = caller_.worker_id;
  }
  store_.Run(
      [letters, worker_id, after](Transaction& tx) -> absl::Status {
        letters->clear();
        GATEHOUSE_ASSIGN_OR_RETURN(std::vector<MailRow> mail,
                                   tx.ListMail(worker_id, after, kMailPage));
        for (MailRow& row : mail) {
          Letter letter;
          letter.mail = std::move(row);
          GATEHOUSE_RETURN_IF_ERROR(OpenLetter(tx, letter));
          letters->push_back(std::move(letter));
        }
        return absl::OkStatus();
      },
      [self = shared_from_this(), letters](absl::Status status) {
        for (const Letter& letter : *letters) {
          v1::AttachResponse message;
          if (status.ok()) {
            status = Write(letter, self->cluster(), *message.mutable_mail());
          }
          if (!status.ok()) break;
          self->Send(std::move(message));
        }
        if (!status.ok()) return self->End(status);
        bool again = false;
        {
          const MutexLock lock(self->mutex_);
          self->reading_mail_ = false;
          if (!letters->empty()) {
            self->last_mail_ = letters->back().mail.number;
          }
          again = self->mail_again_ || letters->size() == kMailPage;
        }
        if (again) self->Wake();
      });
}

void AttachStream::Send(v1::AttachResponse message) {
  bool full = false;
  {
    const MutexLock lock(mutex_);
    if (finished_) return;
    full = outgoing_.size() >= kMaxQueue;
    if (!full) {
      outgoing_.push_back(std::move(message));
      if (!writing_) WriteNextLocked();
    }
  }
  if (full) {
    End(MakeStatus(absl::StatusCode::kResourceExhausted,
                   "the worker does not read its stream; attach again"));
  }
}

void AttachStream::WriteNextLocked() {
  writing_ = true;
  // The front stays in place while gRPC writes it (deque keeps references).
  StartWrite(&outgoing_.front());
}

void AttachStream::OnWriteDone(bool ok) {
  bool wake = false;
  {
    const MutexLock lock(mutex_);
    writing_ = false;
    outgoing_.pop_front();
    if (!ok || finished_) return;
    if (!outgoing_.empty()) WriteNextLocked();
    wake = mail_again_ && outgoing_.size() < kQueueForMail;
  }
  if (wake) Wake();
}

void AttachStream::OnCancel() {
  End(MakeStatus(absl::StatusCode::kCancelled, "the worker is gone"));
}

void AttachStream::End(const absl::Status& status) {
  std::string worker_id;
  {
    const MutexLock lock(mutex_);
    if (finished_) return;
    finished_ = true;
    worker_id = caller_.worker_id;
    // Under the lock, so that no write or read starts after it.
    Finish(ToGrpc(status));
  }
  workers_.Unregister(worker_id, this);
}

void AttachStream::OnDone() {
  // Given up outside the lock: it may be the last reference to this.
  std::shared_ptr<AttachStream> last;
  {
    const MutexLock lock(mutex_);
    finished_ = true;
    last = std::move(self_);
  }
}

}  // namespace gatehouse::rpc
