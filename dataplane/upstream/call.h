#ifndef GATEHOUSE_DATAPLANE_UPSTREAM_CALL_H_
#define GATEHOUSE_DATAPLANE_UPSTREAM_CALL_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "dataplane/http/executor.h"
#include "dataplane/relay/upstream.h"
#include "dataplane/upstream/environment.h"
#include "dataplane/upstream/queue_timer.h"

namespace gatehouse::upstream {

class Call;
class PhysicalSession;

// Takes what a relay says to a call. Thread-safe; posts to the serial queue.
class CallDriver {
 public:
  virtual ~CallDriver() = default;
  virtual void Reply(std::shared_ptr<Call> call, std::string key,
                     relay::UpstreamReply reply,
                     std::function<void(absl::Status)> written) = 0;
  virtual void ReplyProgress(std::shared_ptr<Call> call, std::string key,
                             std::string params) = 0;
  virtual void ExpectCompletion(std::shared_ptr<Call> call,
                                std::string elicitation_id,
                                std::function<void()> completed) = 0;
  virtual void Cancel(std::shared_ptr<Call> call, std::string reason) = 0;
};

// One call: what was asked, who is told, and where it stands.
//
// The UpstreamCall part is thread-safe. All else runs on the serial queue of
// its driver. Ownership: shared; keeps its observer until the end, its driver
// for life.
class Call final : public relay::UpstreamCall,
                   public std::enable_shared_from_this<Call> {
 public:
  Call(const std::shared_ptr<Environment>& environment, http::SerialQueue queue,
       relay::CallSpec spec, std::shared_ptr<relay::CallObserver> observer,
       std::shared_ptr<CallDriver> driver);

  void Reply(std::string_view key, relay::UpstreamReply reply,
             std::function<void(absl::Status)> written) override;
  void ReplyProgress(std::string_view key, std::string params) override;
  void ExpectCompletion(std::string elicitation_id,
                        std::function<void()> completed) override;
  void Cancel(std::string_view reason) override;

  const relay::CallSpec& spec() const { return spec_; }
  // True while the call may be asked for its client's side.
  bool eligible() const { return eligible_; }
  bool ended() const { return observer_ == nullptr; }
  // Valid until the end.
  relay::CallObserver& observer() { return *observer_; }

  // Waits for its turn; `late` runs if that takes as long as its timeout.
  void StartWaiting(std::function<void()> late);
  // It was sent as request `id` of `session`; its own time starts, and `late`
  // runs when that is used up.
  void StartRunning(std::shared_ptr<PhysicalSession> session, int64_t id,
                    std::function<void()> late);
  // Where it was sent; null before that and after the session's end.
  std::shared_ptr<PhysicalSession> session() const { return session_.lock(); }
  int64_t id() const { return id_; }

  // Input requests that have no answer yet: key and the progress token that the
  // upstream gave with it (a lexeme, or empty). While there is one, the call's
  // time stands still.
  using OpenRequests = std::map<std::string, std::string, std::less<>>;
  const OpenRequests& open_requests() const { return open_; }
  bool OpenRequest(std::string key, std::string token);  // false: it is open
  bool CloseRequest(std::string_view key);               // false: it is not

  // Tells the observer, once; later calls do nothing.
  void End(relay::CallObserver::End end);
  void Fail(Reason reason);

 private:
  void RunClock();

  const std::shared_ptr<Environment> environment_;
  const relay::CallSpec spec_;
  const bool eligible_;
  const std::shared_ptr<CallDriver> driver_;

  // On the queue.
  std::shared_ptr<relay::CallObserver> observer_;
  std::weak_ptr<PhysicalSession> session_;
  int64_t id_ = 0;
  OpenRequests open_;
  QueueTimer timer_;
  std::function<void()> late_;
  absl::Duration time_left_;
  absl::Duration running_since_;
};

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_DATAPLANE_UPSTREAM_CALL_H_
