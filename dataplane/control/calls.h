#ifndef GATEHOUSE_DATAPLANE_CONTROL_CALLS_H_
#define GATEHOUSE_DATAPLANE_CONTROL_CALLS_H_

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "dataplane/relay/scheduling.h"
#include "shared/base/clock.h"
#include "shared/base/mutex.h"
#include "shared/mcp/trace_context.h"

namespace gatehouse::control {

// The gRPC contexts that are in use, so that the end of the worker can cancel
// them all and wait until no callback is left. Thread-safe.
class Calls {
 public:
  // False once stopped: the call is then not to be made.
  bool Begin(grpc::ClientContext* context);
  void End(grpc::ClientContext* context);
  bool stopped() const;
  // Cancels what runs and waits, at most `patience`, until it has ended.
  void Stop(absl::Duration patience);

 private:
  mutable Mutex mutex_;
  CondVar none_left_;
  std::set<grpc::ClientContext*> running_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
};

// Who calls: sets what every call carries.
void SetCredentials(const std::string& token, grpc::ClientContext& context);

// What a unary call carries beside its request.
struct CallMetadata {
  std::string token;
  std::string traceparent;  // empty: none
};

// One unary call over the callback API, with `metadata`. `start(context,
// request, response, callback)` makes it; `done(status, response)` is called
// once, on a thread of gRPC's, or at once with CANCELLED if the worker is
// stopping.
template <typename Request, typename Response, typename Start, typename Done>
void StartUnary(const std::shared_ptr<Calls>& calls,
                const CallMetadata& metadata, std::shared_ptr<Request> request,
                absl::Duration timeout, Start start, Done done) {
  struct Call {
    grpc::ClientContext context;
    std::shared_ptr<Request> request;
    Response response;
  };
  auto call = std::make_shared<Call>();
  call->request = std::move(request);
  SetCredentials(metadata.token, call->context);
  if (!metadata.traceparent.empty()) {
    call->context.AddMetadata(std::string(mcp::kTraceparent),
                              metadata.traceparent);
  }
  call->context.set_deadline(std::chrono::system_clock::now() +
                             absl::ToChronoMicroseconds(timeout));
  if (!calls->Begin(&call->context)) {
    done(grpc::Status(grpc::StatusCode::CANCELLED, "the worker is stopping"),
         call->response);
    return;
  }
  start(&call->context, call->request.get(), &call->response,
        [call, calls, done = std::move(done)](grpc::Status status) mutable {
          done(status, call->response);
          calls->End(&call->context);
        });
}

struct ResendPolicy {
  absl::Duration per_attempt = absl::Seconds(2);
  absl::Duration give_up_after = absl::Seconds(2);
  absl::Duration first_pause = absl::Milliseconds(50);
  absl::Duration longest_pause = absl::Seconds(2);
  // Whether RESOURCE_EXHAUSTED means "later" rather than "no".
  bool resend_when_exhausted = true;
};

// Makes one attempt within `timeout` and says how it ended, once.
using Attempt = std::function<void(
    absl::Duration timeout, std::function<void(const grpc::Status&)> ended)>;

// Makes attempts, with pauses that double, until one ends with a code that is
// final or the time is up; then `finished` gets the last status. Only for calls
// that carry a request id: an attempt may have committed unseen.
void Resend(relay::Timers& timers, Clock& clock, const ResendPolicy& policy,
            Attempt attempt, std::function<void(const grpc::Status&)> finished);

// Whether the call may have been carried out although it failed.
bool MayHaveCommitted(const grpc::Status& status);

}  // namespace gatehouse::control

#endif  // GATEHOUSE_DATAPLANE_CONTROL_CALLS_H_
