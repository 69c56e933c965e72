#include "dataplane/control/attach_stream.h"

#include <utility>

namespace gatehouse::control {

bool AttachStream::Start(v1::FleetService::Stub& stub,
                         const std::string& token) {
  SetCredentials(token, context_);
  if (!calls_->Begin(&context_)) return false;
  self_ = shared_from_this();
  stub.async()->Attach(&context_, this);
  // Writes are started from other threads than gRPC's; the hold keeps OnDone
  // away until none can be any more.
  AddHold();
  StartRead(&incoming_);
  StartCall();
  Pump();
  return true;
}

void AttachStream::Pump() {
  while (true) {
    {
      const MutexLock lock(mutex_);
      if (broken_ && !writing_) return;
      if (writing_) {
        ask_again_ = true;  // whoever has the turn now asks the source again
        return;
      }
      writing_ = true;
      ask_again_ = false;
    }
    outgoing_.Clear();
    if (source_->Next(this, outgoing_)) {
      StartWrite(&outgoing_);
      return;
    }
    bool broke = false;
    {
      const MutexLock lock(mutex_);
      writing_ = false;
      broke = broken_;
      if (!broke && !ask_again_) return;
    }
    if (broke) return RemoveHold();
  }
}

void AttachStream::OnWriteDone(bool ok) {
  bool broke = false;
  {
    const MutexLock lock(mutex_);
    writing_ = false;
    broke = broken_;
    if (!ok) broken_ = true;
  }
  // The hold goes with whoever sees `broken_` while nothing is being written.
  if (broke || !ok) return RemoveHold();
  Pump();
}

void AttachStream::OnReadDone(bool ok) {
  if (!ok) return Break();
  source_->OnMessage(this, incoming_);
  incoming_.Clear();
  StartRead(&incoming_);
  Pump();
}

void AttachStream::Break() {
  {
    const MutexLock lock(mutex_);
    if (broken_) return;
    broken_ = true;
    if (writing_) return;  // the end of that write takes the hold away
  }
  RemoveHold();
}

void AttachStream::OnDone(const grpc::Status& status) {
  const std::shared_ptr<AttachStream> self = std::move(self_);
  source_->OnEnd(this, status);
  calls_->End(&context_);
}

}  // namespace gatehouse::control
