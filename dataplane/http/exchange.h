#ifndef GATEHOUSE_DATAPLANE_HTTP_EXCHANGE_H_
#define GATEHOUSE_DATAPLANE_HTTP_EXCHANGE_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "dataplane/http/body_account.h"
#include "dataplane/http/connection.h"
#include "dataplane/http/front.h"
#include "dataplane/http/guard.h"
#include "dataplane/http/server.h"
#include "shared/base/mutex.h"

namespace gatehouse::http {

// A whole answer as bytes: head and body.
std::string AnswerBytes(const Response& response, bool close);

// The front's Exchange: turns answers into bytes for its connection. It does
// not keep the connection open, and the connection does not keep it alive.
// Thread-safe; locks its own mutex before the connection's.
class HttpExchange : public Exchange {
 public:
  HttpExchange(std::shared_ptr<Front> front,
               std::shared_ptr<Connection> connection, RequestHead head,
               std::string body, std::string peer, BodyAccount account);
  ~HttpExchange() override;

  // Has httplib parse and route it, which calls the handler; on the
  // connection's reactor or the front's executor.
  static void Serve(std::shared_ptr<HttpExchange> exchange);

  const Request& request() const override { return request_; }
  void Respond(Response response) override;
  void StartStream(int status, Headers headers) override;
  bool Write(std::string_view bytes) override;
  void EndStream() override;
  bool streaming() const override;
  void OnPeerGone(std::function<void()> callback) override;
  void OnPeerHalfClosed(std::function<void()> callback) override;

  // For the connection, on the reactor's thread.
  void PeerGone();
  void PeerHalfClosed();
  void KeepAlive();
  bool is_event_stream() const;

 private:
  enum class Phase {
    kWaiting,
    kStreaming,
    kComplete,  // the whole answer is queued
    kLost,      // the queue passed its limit; the reset is on its way
    kGone,      // the peer is gone
  };

  struct Callbacks {
    std::function<void()> on_gone;
    std::function<void()> on_half_closed;
  };

  bool WriteLocked(std::string_view bytes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void LeavePhaseLocked(Phase next) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool closes() const { return !keep_alive_ || front_->draining; }

  const std::shared_ptr<Front> front_;
  const std::shared_ptr<Connection> connection_;
  const bool keep_alive_;
  const bool chunked_;
  Request request_;  // fixed at construction
  const BodyAccount account_;

  mutable Mutex mutex_;
  Phase phase_ ABSL_GUARDED_BY(mutex_) = Phase::kWaiting;
  bool started_stream_ ABSL_GUARDED_BY(mutex_) = false;
  bool event_stream_ ABSL_GUARDED_BY(mutex_) = false;
  // Between two events, where a comment may stand.
  bool at_boundary_ ABSL_GUARDED_BY(mutex_) = true;
  bool half_closed_ ABSL_GUARDED_BY(mutex_) = false;
  Callbacks callbacks_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_EXCHANGE_H_
