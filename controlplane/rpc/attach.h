#ifndef GATEHOUSE_CONTROLPLANE_RPC_ATTACH_H_
#define GATEHOUSE_CONTROLPLANE_RPC_ATTACH_H_

#include <grpcpp/grpcpp.h>

#include <deque>
#include <map>
#include <memory>
#include <string>

#include "controlplane/broker/broker.h"
#include "controlplane/sessions/mailbox.h"
#include "controlplane/store/store.h"
#include "gatehouse/v1/fleet_service.grpc.pb.h"
#include "shared/base/mutex.h"

namespace gatehouse::rpc {

class AttachStream;

// The streams that are open here, by worker. Thread-safe.
class AttachedWorkers {
 public:
  // A second Attach of the same worker ends the first.
  void Register(const std::string& worker_id,
                const std::shared_ptr<AttachStream>& stream);
  void Unregister(const std::string& worker_id, const AttachStream* stream);
  bool IsAttached(const std::string& worker_id) const;
  int count() const;
  // Tells them to look into their mailboxes.
  void Wake(const sessions::MailedWorkers& workers);
  // Ends every stream; workers come back elsewhere or later.
  void EndAll();

 private:
  std::shared_ptr<AttachStream> Find(const std::string& worker_id) const;

  mutable Mutex mutex_;
  std::map<std::string, std::weak_ptr<AttachStream>> streams_
      ABSL_GUARDED_BY(mutex_);
};

// One worker's stream (FleetService.Attach): hello, leases, mail, claims.
//
// Thread-safe; nothing blocks. It owns itself until gRPC says OnDone; callbacks
// of the store hold it too, and find it finished. At most one write is under
// way, the rest queue; mail is read from the store only while the queue is
// short, so a worker that does not read costs nothing but its mailbox.
class AttachStream final
    : public grpc::ServerBidiReactor<v1::AttachRequest, v1::AttachResponse>,
      public std::enable_shared_from_this<AttachStream> {
 public:
  static AttachStream* Start(broker::Broker& broker, Store& store,
                             AttachedWorkers& workers);

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  // There may be new mail.
  void Wake();
  // Ends it with that status, once.
  void End(const absl::Status& status);

 private:
  AttachStream(broker::Broker& broker, Store& store, AttachedWorkers& workers)
      : broker_(broker), store_(store), workers_(workers) {}

  void Handle();
  void HandleHello(const v1::WorkerHello& hello);
  void SendWelcome(const WorkerRow& worker);
  void HandleRenew(const v1::RenewLease& renew);
  void HandleAckMail(int64_t up_to);
  void HandleClaim(const std::string& name);
  void HandleAcknowledge(const std::string& name);
  void SendMail();
  void Send(v1::AttachResponse message);
  void WriteNextLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  broker::Caller caller() const;
  std::string cluster() const;

  broker::Broker& broker_;
  Store& store_;
  AttachedWorkers& workers_;

  v1::AttachRequest incoming_;  // one read at a time: no lock
  mutable Mutex mutex_;
  std::shared_ptr<AttachStream> self_ ABSL_GUARDED_BY(mutex_);
  broker::Caller caller_ ABSL_GUARDED_BY(mutex_);
  std::string cluster_ ABSL_GUARDED_BY(mutex_);    // the worker's
  bool greeted_ ABSL_GUARDED_BY(mutex_) = false;   // hello was seen
  bool welcomed_ ABSL_GUARDED_BY(mutex_) = false;  // welcome is queued
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool reading_mail_ ABSL_GUARDED_BY(mutex_) = false;
  bool mail_again_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t last_mail_ ABSL_GUARDED_BY(mutex_) = 0;
  std::deque<v1::AttachResponse> outgoing_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gatehouse::rpc

#endif  // GATEHOUSE_CONTROLPLANE_RPC_ATTACH_H_
