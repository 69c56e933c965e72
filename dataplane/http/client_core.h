#ifndef GATEHOUSE_DATAPLANE_HTTP_CLIENT_CORE_H_
#define GATEHOUSE_DATAPLANE_HTTP_CLIENT_CORE_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "dataplane/http/client.h"
#include "dataplane/http/connection_pool.h"
#include "dataplane/http/resolver.h"
#include "dataplane/http/response_reader.h"
#include "shared/base/clock.h"
#include "shared/base/mutex.h"

namespace gatehouse::http {

class OpenCall;

// What all calls of one client on one reactor share. It may outlive the client
// by the tasks that are under way; after Close nothing touches the reactor any
// more.
//
// Post, Close and resolver: thread-safe; the rest runs on the reactor's thread.
class ClientCore : public std::enable_shared_from_this<ClientCore> {
 public:
  ClientCore(Reactor& reactor, std::shared_ptr<Resolver> resolver)
      : reactor_(reactor), resolver_(std::move(resolver)) {}
  ~ClientCore();

  // Runs on the reactor's thread; dropped after Close.
  void Post(std::function<void()> task) ABSL_LOCKS_EXCLUDED(mutex_);
  // Cancels every call on the reactor's thread, then lets go of the pool.
  void Close() ABSL_LOCKS_EXCLUDED(mutex_);
  Resolver& resolver() { return *resolver_; }

  Reactor& reactor() { return reactor_; }
  absl::Duration Now() const { return clock_.Steady(); }
  ConnectionPool& pool() { return pool_; }
  // Puts a connection, which is watched, into the pool, where it stays so: sees
  // that it goes when its peer ends it, or after a while.
  void Keep(const std::string& key, std::unique_ptr<Transport> transport);
  // False once the client was closed: the call must not begin.
  bool Enter(std::shared_ptr<OpenCall> call);
  void Leave(const std::shared_ptr<OpenCall>& call) { calls_.erase(call); }

 private:
  void ArmSweep(absl::Duration at);

  Reactor& reactor_;
  const SystemClock clock_;
  const std::shared_ptr<Resolver> resolver_;

  // The reactor's thread only.
  ConnectionPool pool_{[this](int fd) { reactor_.Unwatch(fd); }};
  std::unordered_set<std::shared_ptr<OpenCall>> calls_;
  bool sweep_armed_ = false;
  bool ended_ = false;

  Mutex mutex_;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

// One request under way: connect, send, read, end. Everything but Cancel runs
// on the reactor's thread. Kept alive by the core until it ends.
class OpenCall : public ClientCall,
                 public std::enable_shared_from_this<OpenCall> {
 public:
  OpenCall(const std::shared_ptr<ClientCore>& core, ClientRequest request);
  ~OpenCall() override;

  void Cancel() override;

  // The observer is held from here until the end: it may hold this call, so
  // one that never begins must not hold it.
  void Begin(std::shared_ptr<ClientObserver> observer);
  // Ends the call once; later calls change nothing.
  void Finish(absl::Status status);
  // Lets go of the observer: the reactor stopped, nobody will be told.
  void Forget() { observer_.reset(); }

 private:
  void ArmTimer(absl::Duration delay, const char* what);
  void Connect(std::vector<Address> addresses);
  void ConnectNext();
  void OnConnected();
  void OnReadyForHandshake();
  void GoOnWithHandshake();
  void UseConnection(std::unique_ptr<Transport> transport);
  void OnReady(uint32_t events);
  void Send();
  void WatchFor(uint32_t events);
  void Read();
  // False once the call has ended.
  bool Take(std::string_view bytes);
  // `orderly`: the peer ended its side, and nobody on the way.
  void OnClosed(bool orderly);
  void Complete(bool nothing_left);
  void DropConnection();
  bool MayRetry() const;

  const std::weak_ptr<ClientCore> weak_core_;  // for other threads
  ClientRequest request_;
  const std::string key_;

  // Cancel came: the observer hears nothing but the end.
  std::atomic<bool> cancelled_{false};

  // The reactor's thread only.
  ClientCore* core_ = nullptr;  // set between Begin and Finish
  std::shared_ptr<ClientObserver> observer_;
  std::vector<Address> addresses_;
  size_t next_address_ = 0;
  int connecting_ = -1;  // owned; no transport yet
  std::unique_ptr<Transport> transport_;
  bool reused_ = false;
  bool may_reuse_ = true;
  bool slow_to_take_ = false;  // the request did not go in one piece
  bool has_head_ = false;
  bool read_wants_write_ = false;  // TLS has to say something first
  bool ended_ = false;
  std::string wire_;
  size_t sent_ = 0;
  std::unique_ptr<ResponseReader> reader_;
  Reactor::TimerId timer_ = 0;
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_CLIENT_CORE_H_
