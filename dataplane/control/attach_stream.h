#ifndef GATEHOUSE_DATAPLANE_CONTROL_ATTACH_STREAM_H_
#define GATEHOUSE_DATAPLANE_CONTROL_ATTACH_STREAM_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "dataplane/control/calls.h"
#include "gatehouse/v1/fleet_service.grpc.pb.h"
#include "shared/base/mutex.h"

namespace gatehouse::control {

class AttachStream;

// Where a stream gets what it writes and puts what it reads. Called on gRPC's
// threads, without a lock of the stream's held; must not block.
class AttachSource {
 public:
  virtual ~AttachSource() = default;
  // Fills `message` if there is one to write.
  virtual bool Next(const AttachStream* stream, v1::AttachRequest& message) = 0;
  virtual void OnMessage(const AttachStream* stream,
                         const v1::AttachResponse& message) = 0;
  // Once, last.
  virtual void OnEnd(const AttachStream* stream,
                     const grpc::Status& status) = 0;
};

// One Attach call. At most one write is under way at any time: gRPC ends the
// process for a second one. Thread-safe. Keeps itself alive until OnEnd.
class AttachStream final
    : public grpc::ClientBidiReactor<v1::AttachRequest, v1::AttachResponse>,
      public std::enable_shared_from_this<AttachStream> {
 public:
  AttachStream(std::shared_ptr<AttachSource> source,
               std::shared_ptr<Calls> calls)
      : source_(std::move(source)), calls_(std::move(calls)) {}

  // False if the worker is stopping.
  bool Start(v1::FleetService::Stub& stub, const std::string& token);
  // Writes what the source has, if no write is under way.
  void Pump();
  void Cancel() { context_.TryCancel(); }

  void OnWriteDone(bool ok) override;
  void OnReadDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

 private:
  void Break();  // no further write or read is started

  const std::shared_ptr<AttachSource> source_;
  const std::shared_ptr<Calls> calls_;
  grpc::ClientContext context_;
  v1::AttachRequest outgoing_;   // of the write under way
  v1::AttachResponse incoming_;  // of the read under way
  std::shared_ptr<AttachStream> self_;

  Mutex mutex_;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool ask_again_ ABSL_GUARDED_BY(mutex_) = false;
  bool broken_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace gatehouse::control

#endif  // GATEHOUSE_DATAPLANE_CONTROL_ATTACH_STREAM_H_
