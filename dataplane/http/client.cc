#include "dataplane/http/client.h"

#include <sys/epoll.h>

#include <utility>
#include <vector>

#include "dataplane/http/client_core.h"

namespace gatehouse::http {
namespace {

class ReactorClient : public Client {
 public:
  explicit ReactorClient(ReactorPool& reactors) : reactors_(&reactors) {
    const auto resolver = std::make_shared<Resolver>();
    for (size_t i = 0; i < reactors.size(); ++i) {
      cores_.push_back(std::make_shared<ClientCore>(reactors.at(i), resolver));
    }
  }
  explicit ReactorClient(Reactor& reactor)
      : cores_{std::make_shared<ClientCore>(reactor,
                                            std::make_shared<Resolver>())} {}
  ~ReactorClient() override {
    for (const auto& core : cores_) core->Close();
  }

  std::shared_ptr<ClientCall> Start(
      ClientRequest request,
      std::shared_ptr<ClientObserver> observer) override {
    const std::shared_ptr<ClientCore>& core =
        reactors_ == nullptr ? cores_.front() : cores_[reactors_->Here()];
    auto call = std::make_shared<OpenCall>(core, std::move(request));
    // Posted even from the reactor's thread: the observer must not hear of a
    // call that its owner does not hold yet.
    core->Post([core, call, observer = std::move(observer)]() mutable {
      if (core->Enter(call)) call->Begin(std::move(observer));
    });
    return call;
  }

 private:
  ReactorPool* const reactors_ = nullptr;           // null: the one core
  std::vector<std::shared_ptr<ClientCore>> cores_;  // one for each reactor
};

}  // namespace

std::unique_ptr<Client> Client::Create(Reactor& reactor) {
  return std::make_unique<ReactorClient>(reactor);
}

std::unique_ptr<Client> Client::Create(ReactorPool& reactors) {
  return std::make_unique<ReactorClient>(reactors);
}

ClientCore::~ClientCore() {
  pool_.StopTelling();  // the reactor may be gone
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

void ClientCore::Keep(const std::string& key,
                      std::unique_ptr<Transport> transport) {
  const int fd = transport->fd();
  const absl::Status watched =
      reactor_.Rewatch(fd, EPOLLIN, [weak = weak_from_this(), fd](uint32_t) {
        if (const auto core = weak.lock()) core->pool_.Close(fd);
      });
  if (!watched.ok()) return reactor_.Unwatch(fd);
  pool_.Put(key, std::move(transport), Now());
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
