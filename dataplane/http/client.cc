#include "dataplane/http/client.h"

#include <utility>

#include "dataplane/http/client_core.h"

namespace gatehouse::http {
namespace {

class ReactorClient : public Client {
 public:
  explicit ReactorClient(Reactor& reactor)
      : core_(std::make_shared<ClientCore>(reactor)) {}
  ~ReactorClient() override { core_->Close(); }

  std::shared_ptr<ClientCall> Start(
      ClientRequest request,
      std::shared_ptr<ClientObserver> observer) override {
    auto call = std::make_shared<OpenCall>(core_, std::move(request));
    // Posted even from the reactor's thread: the observer must not hear of a
    // call that its owner does not hold yet.
    core_->Post([core = core_, call, observer = std::move(observer)]() mutable {
      if (core->Enter(call)) call->Begin(std::move(observer));
    });
    return call;
  }

 private:
  const std::shared_ptr<ClientCore> core_;
};

}  // namespace

std::unique_ptr<Client> Client::Create(Reactor& reactor) {
  return std::make_unique<ReactorClient>(reactor);
}

ClientCore::~ClientCore() {
  // Only if the reactor stopped before they could end.
  for (const std::shared_ptr<OpenCall>& call : calls_) call->Forget();
}

void ClientCore::Post(std::function<void()> task) {
  const MutexLock lock(mutex_);
  if (!closed_) reactor_.Post(std::move(task));
}

void ClientCore::Close() {
  Post([core = shared_from_this()] {
    core->ended_ = true;
    core->pool_.CloseAll();
    while (!core->calls_.empty()) {
      const std::shared_ptr<OpenCall> call = *core->calls_.begin();
      call->Finish(absl::CancelledError("the client is closed"));
    }
  });
  const MutexLock lock(mutex_);
  closed_ = true;
}

bool ClientCore::Enter(std::shared_ptr<OpenCall> call) {
  if (ended_) return false;
  calls_.insert(std::move(call));
  return true;
}

void ClientCore::Keep(const std::string& key, int fd) {
  pool_.Put(key, fd, Now());
  if (!sweep_armed_) ArmSweep(pool_.CloseExpired(Now()));
}

void ClientCore::ArmSweep(absl::Duration at) {
  sweep_armed_ = at != absl::InfiniteDuration();
  if (!sweep_armed_) return;
  reactor_.RunAfter(at - Now(), [weak = weak_from_this()] {
    const std::shared_ptr<ClientCore> core = weak.lock();
    if (core == nullptr) return;
    core->ArmSweep(core->pool_.CloseExpired(core->Now()));
  });
}

}  // namespace gatehouse::http
