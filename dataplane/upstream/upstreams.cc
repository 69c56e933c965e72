#include "dataplane/upstream/upstreams.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dataplane/upstream/environment.h"
#include "dataplane/upstream/keeper.h"
#include "dataplane/upstream/tool_lister.h"
#include "shared/base/mutex.h"

namespace gatehouse::upstream {
namespace {

// Which keeper serves whom: downstream session, virtual server, upstream.
using Key = std::tuple<std::string, std::string, std::string>;

// The keepers of a worker. Shared with what they do, so that it outlives them.
// Thread-safe.
class Keepers : public std::enable_shared_from_this<Keepers> {
 public:
  explicit Keepers(std::shared_ptr<Environment> environment)
      : environment_(std::move(environment)) {}

  std::shared_ptr<Call> StartCall(
      relay::CallSpec spec, std::shared_ptr<relay::CallObserver> observer);
  void EndSession(std::string_view session);
  void Shutdown();

 private:
  // True if `keeper` was let go of.
  bool Forget(const Key& key, const Keeper& keeper);

  const std::shared_ptr<Environment> environment_;
  Mutex mutex_;
  std::map<Key, std::shared_ptr<Keeper>> keepers_ ABSL_GUARDED_BY(mutex_);
};

std::shared_ptr<Call> Keepers::StartCall(
    relay::CallSpec spec, std::shared_ptr<relay::CallObserver> observer) {
  const Key key = {spec.beneficiary.session, spec.target->virtual_server,
                   spec.target->upstream};
  std::shared_ptr<Keeper> keeper;
  bool too_late = false;
  {
    const MutexLock lock(mutex_);
    too_late = environment_->shut_down;
    std::shared_ptr<Keeper>& place = keepers_[key];
    if (place == nullptr) {
      place = std::make_shared<Keeper>(
          environment_, [weak = weak_from_this(), key](const Keeper& unused) {
            const auto self = weak.lock();
            return self == nullptr || self->Forget(key, unused);
          });
    }
    keeper = place;
    keeper->Expect();
    if (too_late) keepers_.erase(key);
  }
  if (too_late) keeper->End(Reason::kUpstreamUnavailable);
  return keeper->Start(std::move(spec), std::move(observer));
}

bool Keepers::Forget(const Key& key, const Keeper& keeper) {
  const MutexLock lock(mutex_);
  const auto it = keepers_.find(key);
  if (it == keepers_.end() || it->second.get() != &keeper) return true;
  if (keeper.expects_calls()) return false;
  keepers_.erase(it);
  return true;
}

void Keepers::EndSession(std::string_view session) {
  std::vector<std::shared_ptr<Keeper>> ended;
  {
    const MutexLock lock(mutex_);
    auto it = keepers_.lower_bound(Key(session, "", ""));
    while (it != keepers_.end() && std::get<0>(it->first) == session) {
      ended.push_back(std::move(it->second));
      it = keepers_.erase(it);
    }
  }
  for (const auto& keeper : ended) keeper->End(Reason::kOperationEnded);
}

void Keepers::Shutdown() {
  std::map<Key, std::shared_ptr<Keeper>> ended;
  {
    const MutexLock lock(mutex_);
    environment_->shut_down = true;
    ended.swap(keepers_);
  }
  for (const auto& [key, keeper] : ended) {
    keeper->End(Reason::kUpstreamUnavailable);
  }
}

// The whole, as the relay sees it.
class LegacyUpstreams final : public relay::Upstreams {
 public:
  explicit LegacyUpstreams(std::shared_ptr<Environment> environment)
      : environment_(std::move(environment)),
        keepers_(std::make_shared<Keepers>(environment_)) {}
  ~LegacyUpstreams() override {
    Shutdown();
    // No process outlives the worker, also where the queues run no more.
    environment_->processes.KillAll();
  }

  std::shared_ptr<relay::UpstreamCall> StartCall(
      relay::CallSpec spec,
      std::shared_ptr<relay::CallObserver> observer) override {
    return keepers_->StartCall(std::move(spec), std::move(observer));
  }

  void ListTools(const relay::UpstreamTarget& target,
                 const relay::Beneficiary& beneficiary, absl::Duration timeout,
                 ToolLister::Done done) override {
    std::make_shared<ToolLister>(
        target, beneficiary, timeout, environment_->clock,
        [weak = std::weak_ptr<Keepers>(keepers_)](
            relay::CallSpec spec,
            std::shared_ptr<relay::CallObserver> observer) {
          if (const auto keepers = weak.lock()) {
            keepers->StartCall(std::move(spec), std::move(observer));
            return;
          }
          relay::CallObserver::End end;
          end.failure =
              FailureOf(Reason::kUpstreamUnavailable, spec.target->upstream);
          observer->OnEnd(std::move(end));
        },
        std::move(done))
        ->Start();
  }

  void EndSession(std::string_view session) override {
    keepers_->EndSession(session);
  }
  void Shutdown() override { keepers_->Shutdown(); }

 private:
  const std::shared_ptr<Environment> environment_;
  const std::shared_ptr<Keepers> keepers_;
};

}  // namespace

std::unique_ptr<relay::Upstreams> MakeUpstreams(
    UpstreamsOptions options, http::Reactor& reactor, http::Executor& executor,
    http::Client& client, relay::StrayObserver& strays, Clock& clock) {
  return std::make_unique<LegacyUpstreams>(std::make_shared<Environment>(
      std::move(options), reactor, executor, client, strays, clock));
}

}  // namespace gatehouse::upstream
