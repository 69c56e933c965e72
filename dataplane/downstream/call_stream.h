#ifndef GATEHOUSE_DATAPLANE_DOWNSTREAM_CALL_STREAM_H_
#define GATEHOUSE_DATAPLANE_DOWNSTREAM_CALL_STREAM_H_

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "dataplane/http/server.h"
#include "dataplane/relay/client_side.h"
#include "dataplane/relay/operation.h"
#include "dataplane/relay/scheduling.h"
#include "shared/base/mutex.h"

namespace gatehouse::downstream {

// How long a request may be under way before its answer becomes a stream.
inline constexpr absl::Duration kStreamAfter = absl::Seconds(1);

// A legacy client's request that is being served, and its answer: one JSON body
// if nothing has to be said before the result, else a stream of SSE events. A
// client that closes it does not end the request (PROTOCOL §2.4); what would
// have been written is then dropped.
//
// Thread-safe; nothing blocks. Ownership: shares the exchange; borrows timers.
class CallStream final : public relay::ClientSide,
                         public std::enable_shared_from_this<CallStream> {
 public:
  // `id` and `progress_token` are lexemes, the latter empty if there is none.
  // `ended` is called once, when the request is answered or given up; not if
  // it is let go of before Arm.
  CallStream(std::shared_ptr<http::Exchange> exchange, std::string id,
             std::string progress_token, relay::Timers& timers,
             std::function<void()> ended);
  // Watches the client and the clock from now on. Once, before anything else.
  void Arm();

  const std::string& id() const { return id_; }

  // The operation that serves it, once there is one: what Cancel ends. If the
  // request was given up meanwhile, the operation is cancelled.
  void Serve(std::shared_ptr<relay::Operation> operation);
  // That operation; null if there is none (any more).
  std::shared_ptr<relay::Operation> operation();
  bool ended();
  // The client's `notifications/cancelled`.
  void Cancel(std::string_view reason);
  // The answer if no operation serves it: a raw result, or a failure.
  void AnswerResult(std::string_view result);
  void AnswerFailure(const Failure& failure);
  // A refusal with an HTTP status of its own; as an error on the stream if that
  // has begun.
  void AnswerRefusal(http::Response refusal, const Failure& failure);

  // relay::ClientSide.
  std::vector<relay::AskOutcome> AskClient(
      std::vector<relay::ShownInputRequest> requests) override;
  void Withdraw(std::string_view opaque_id, std::string_view reason) override;
  void Progress(std::string_view params) override;
  void Notify(std::string_view method, std::string_view params) override;
  bool TellElicitationComplete(std::string_view elicitation_id) override;
  void Finish(relay::CallObserver::End end) override;
  void Abandon() override;

 private:
  void OpenStreamLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // False if the client cannot be reached.
  bool WriteLocked(std::string_view message)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The last message, if any; false if the request had ended already.
  bool End(std::optional<std::string> message,
           std::optional<http::Response> instead = std::nullopt);

  const std::shared_ptr<http::Exchange> exchange_;
  const std::string id_;
  const std::string progress_token_;
  relay::Timers& timers_;

  std::atomic<bool> gone_{false};  // set on the reactor's thread

  Mutex mutex_;
  std::function<void()> ended_ ABSL_GUARDED_BY(mutex_);  // empty: it has ended
  std::weak_ptr<relay::Operation> operation_ ABSL_GUARDED_BY(mutex_);
  relay::Timers::Id opening_ ABSL_GUARDED_BY(mutex_) = 0;
  bool streaming_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<double> last_progress_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gatehouse::downstream

#endif  // GATEHOUSE_DATAPLANE_DOWNSTREAM_CALL_STREAM_H_
