#include "dataplane/control/grpc_control_client.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dataplane/control/attachment.h"
#include "dataplane/control/calls.h"
#include "dataplane/control/translate.h"
#include "gatehouse/v1/fleet_service.grpc.pb.h"
#include "gatehouse/v1/session_service.grpc.pb.h"
#include "gatehouse/v1/trust_service.grpc.pb.h"
#include "shared/base/mutex.h"
#include "shared/base/status.h"

namespace gatehouse::control {
namespace {

constexpr int kMaxMessageBytes = 8 << 20;
constexpr absl::Duration kDecide = absl::Milliseconds(1500);
constexpr absl::Duration kSettle = absl::Seconds(2);
// Cancels and closes that still have to be acknowledged.
constexpr int kMaxBackgroundCalls = 10'000;
// By then the operation's lease has long run out and all is LOST there.
constexpr absl::Duration kBackgroundPatience = absl::Hours(1);

absl::Status Unavailable(const grpc::Status& status) {
  // The control plane's own words stay inside; the code is for the log.
  return MakeStatus(absl::StatusCode::kUnavailable,
                    absl::StrCat("the control plane did not answer: code ",
                                 static_cast<int>(status.error_code())));
}

std::shared_ptr<grpc::Channel> MakeChannel(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1'000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2'000);
  // No proxy and no name service may stand between the planes.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  arguments.SetMaxSendMessageSize(kMaxMessageBytes);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(),
                                   arguments);
}

bool IsWorkerName(std::string_view name) {
  return !name.empty() && name.size() <= 64 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") ==
             std::string_view::npos;
}

}  // namespace

absl::Status CheckControlAddress(std::string_view address) {
  if (address.substr(0, 5) == "unix:" && address.size() > 5) {
    return absl::OkStatus();
  }
  const size_t colon = address.rfind(':');
  const std::string_view host = address.substr(0, colon);
  if (colon != std::string_view::npos && colon + 1 < address.size() &&
      (host == "localhost" || host == "[::1]" || host.substr(0, 4) == "127.")) {
    return absl::OkStatus();
  }
  return MakeStatus(
      absl::StatusCode::kInvalidArgument,
      absl::StrCat(ToAbsl(address),
                   ": not a control plane's address; give unix:/path or, on "
                   "loopback, 127.0.0.1:port"));
}

// Shared with the callbacks under way.
struct GrpcControlClient::State
    : public std::enable_shared_from_this<GrpcControlClient::State> {
  State(ControlClientOptions o, relay::Snapshots& s, relay::Timers& t, Clock& c,
        Random& r)
      : options(std::move(o)), snapshots(s), timers(t), clock(c), random(r) {}

  // Fills in who calls, under which epoch and request id. False while this
  // worker has no epoch. A later attempt keeps its id unless the epoch changed:
  // under the old one nothing can be settled any more.
  template <typename Request>
  bool Sign(Request& request) const {
    const int64_t epoch = attachment->epoch();
    if (epoch == 0) return false;
    if (request.worker_epoch() == epoch) return true;
    request.set_request_id(NewId(random));
    request.set_worker(absl::StrCat("workers/", options.worker));
    request.set_worker_epoch(epoch);
    return true;
  }
  // Makes attempts under `policy`; `done(status, response)` gets the last
  // one's.
  template <typename Response, typename Stub, typename Request, typename Start,
            typename Done>
  void Call(const ResendPolicy& policy, Stub* stub,
            std::shared_ptr<Request> request, std::string traceparent,
            Start start, Done done);
  // Resends `request` until it is acknowledged; nobody waits. `ended` (may be
  // empty) is called once it is, or was given up.
  template <typename Response, typename Stub, typename Request, typename Start>
  void InBackground(Stub* stub, std::shared_ptr<Request> request,
                    std::string traceparent, Start start,
                    std::function<void()> ended = nullptr);
  void CancelAdmit(std::string admit_request_id, std::string traceparent);

  const ControlClientOptions options;
  relay::Snapshots& snapshots;
  relay::Timers& timers;
  Clock& clock;
  Random& random;
  std::shared_ptr<Calls> calls = std::make_shared<Calls>();
  std::unique_ptr<v1::TrustService::Stub> trust;
  std::unique_ptr<v1::SessionService::Stub> sessions;
  std::shared_ptr<Attachment> attachment;
  Mutex background_mutex;
  CondVar background_done;
  int background ABSL_GUARDED_BY(background_mutex) = 0;
};

namespace {

// How each method is started; the overloads of the async stubs cannot be named
// as values.
constexpr auto kStartAdmit = [](v1::TrustService::Stub& stub, auto... args) {
  stub.async()->AdmitInputRequests(std::move(args)...);
};
constexpr auto kStartSubmit = [](v1::TrustService::Stub& stub, auto... args) {
  stub.async()->SubmitInputResponse(std::move(args)...);
};
constexpr auto kStartCancel = [](v1::TrustService::Stub& stub, auto... args) {
  stub.async()->CancelInputRequest(std::move(args)...);
};
constexpr auto kStartClose = [](v1::TrustService::Stub& stub, auto... args) {
  stub.async()->CloseOperation(std::move(args)...);
};
constexpr auto kStartCreate = [](v1::SessionService::Stub& stub, auto... args) {
  stub.async()->CreateSession(std::move(args)...);
};
constexpr auto kStartGet = [](v1::SessionService::Stub& stub, auto... args) {
  stub.async()->GetSession(std::move(args)...);
};
constexpr auto kStartRootsChanged = [](v1::SessionService::Stub& stub,
                                       auto... args) {
  stub.async()->ReportRootsChanged(std::move(args)...);
};
constexpr auto kStartEnd = [](v1::SessionService::Stub& stub, auto... args) {
  stub.async()->CloseSession(std::move(args)...);
};

}  // namespace

template <typename Response, typename Stub, typename Request, typename Start,
          typename Done>
void GrpcControlClient::State::Call(const ResendPolicy& policy, Stub* stub,
                                    std::shared_ptr<Request> request,
                                    std::string traceparent, Start start,
                                    Done done) {
  auto answer = std::make_shared<Response>();
  Attempt attempt = [self = shared_from_this(), stub, request, start, answer,
                     metadata =
                         CallMetadata{options.token, std::move(traceparent)}](
                        absl::Duration timeout,
                        std::function<void(const grpc::Status&)> ended) {
    if constexpr (requires { request->worker_epoch(); }) {
      if (!self->Sign(*request)) {
        return ended(
            grpc::Status(grpc::StatusCode::UNAVAILABLE, "not attached yet"));
      }
    }
    StartUnary<Request, Response>(
        self->calls, metadata, request, timeout,
        [stub, start](auto... args) { start(*stub, std::move(args)...); },
        [self, answer, ended = std::move(ended)](const grpc::Status& status,
                                                 Response& response) {
          if (status.ok()) {
            self->snapshots.Touch();
            answer->Swap(&response);
          }
          ended(status);
        });
  };
  Resend(timers, clock, policy, std::move(attempt),
         [answer, done = std::move(done)](const grpc::Status& status) {
           done(status, *answer);
         });
}

template <typename Response, typename Stub, typename Request, typename Start>
void GrpcControlClient::State::InBackground(Stub* stub,
                                            std::shared_ptr<Request> request,
                                            std::string traceparent,
                                            Start start,
                                            std::function<void()> ended) {
  bool full = false;
  {
    const MutexLock lock(background_mutex);
    full = background >= kMaxBackgroundCalls;
    if (!full) ++background;
  }
  if (full) {
    if (options.log) {
      options.log("control_call_failed",
                  "too many calls wait for the control plane; one was dropped");
    }
    if (ended) ended();
    return;
  }
  ResendPolicy policy;
  policy.give_up_after = kBackgroundPatience;
  Call<Response>(policy, stub, std::move(request), std::move(traceparent),
                 start,
                 [self = shared_from_this(), ended = std::move(ended)](
                     const grpc::Status&, const Response&) {
                   if (ended) ended();
                   const MutexLock lock(self->background_mutex);
                   if (--self->background == 0) {
                     self->background_done.notify_all();
                   }
                 });
}

void GrpcControlClient::State::CancelAdmit(std::string admit_request_id,
                                           std::string traceparent) {
  auto request = std::make_shared<v1::CancelInputRequestRequest>();
  request->set_admit_request_id(std::move(admit_request_id));
  request->set_cause(v1::CANCEL_CAUSE_ADMIT_TIMED_OUT);
  InBackground<v1::CancelInputRequestResponse>(
      trust.get(), std::move(request), std::move(traceparent), kStartCancel);
}

absl::StatusOr<std::unique_ptr<GrpcControlClient>> GrpcControlClient::Create(
    ControlClientOptions options, relay::Snapshots& snapshots,
    relay::Timers& timers, Clock& clock, Random& random) {
  GATEHOUSE_RETURN_IF_ERROR(CheckControlAddress(options.address));
  if (!IsWorkerName(options.worker)) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      absl::StrCat(options.worker,
                                   ": not a worker's name; use 1 to 64 of "
                                   "a-z, 0-9 and '-'"));
  }
  auto state = std::make_shared<State>(std::move(options), snapshots, timers,
                                       clock, random);
  const std::shared_ptr<grpc::Channel> channel =
      MakeChannel(state->options.address);
  state->trust = v1::TrustService::NewStub(channel);
  state->sessions = v1::SessionService::NewStub(channel);
  state->attachment = std::make_shared<Attachment>(
      state->options, v1::FleetService::NewStub(channel), state->calls,
      snapshots, timers, clock);
  return std::unique_ptr<GrpcControlClient>(
      new GrpcControlClient(std::move(state)));
}

GrpcControlClient::GrpcControlClient(std::shared_ptr<State> state)
    : state_(std::move(state)) {}

GrpcControlClient::~GrpcControlClient() { Shutdown(absl::Seconds(2)); }

void GrpcControlClient::Attach(std::string listen, relay::MailObserver& mail) {
  state_->attachment->Start(std::move(listen), mail);
}

bool GrpcControlClient::attached() const {
  return state_->attachment->attached();
}

void GrpcControlClient::Flush(absl::Duration patience) {
  const auto deadline =
      std::chrono::steady_clock::now() + absl::ToChronoMicroseconds(patience);
  State& state = *state_;
  state.background_mutex.lock();
  while (state.background > 0 &&
         state.background_done.wait_until(state.background_mutex, deadline) ==
             std::cv_status::no_timeout) {
  }
  state.background_mutex.unlock();
}

void GrpcControlClient::Shutdown(absl::Duration patience) {
  state_->attachment->Stop();
  state_->calls->Stop(patience);
}

// ---- Trust. ----

void GrpcControlClient::Admit(
    AdmitRequest request,
    std::function<void(absl::StatusOr<std::vector<AdmitVerdict>>)> done) {
  auto message =
      std::make_shared<v1::AdmitInputRequestsRequest>(ToProto(request));
  ResendPolicy policy;
  policy.per_attempt = kDecide;
  policy.give_up_after = kDecide;
  state_->Call<v1::AdmitInputRequestsResponse>(
      policy, state_->trust.get(), message, request.traceparent, kStartAdmit,
      [state = state_, message, traceparent = request.traceparent,
       done = std::move(done)](const grpc::Status& status,
                               const v1::AdmitInputRequestsResponse& response) {
        if (status.ok()) return done(FromProto(response));
        // It may have committed, or still do: its id is spent by a cancel.
        if (MayHaveCommitted(status) && !message->request_id().empty()) {
          state->CancelAdmit(message->request_id(), traceparent);
        }
        done(Unavailable(status));
      });
}

void GrpcControlClient::Submit(
    std::string opaque_id, std::string session,
    std::optional<std::string> result, std::optional<std::string> error,
    std::string traceparent, absl::Duration give_up_after,
    std::function<void(absl::StatusOr<SubmitVerdict>)> done) {
  auto message = std::make_shared<v1::SubmitInputResponseRequest>();
  message->set_opaque_id(std::move(opaque_id));
  message->set_session(absl::StrCat("sessions/", session));
  SetPayload(std::move(result), std::move(error), *message);
  ResendPolicy policy;
  policy.per_attempt = kSettle;
  policy.give_up_after = give_up_after;
  state_->Call<v1::SubmitInputResponseResponse>(
      policy, state_->trust.get(), std::move(message), std::move(traceparent),
      kStartSubmit,
      [done = std::move(done)](
          const grpc::Status& status,
          const v1::SubmitInputResponseResponse& response) {
        if (status.ok()) return done(FromProto(response));
        done(Unavailable(status));
      });
}

void GrpcControlClient::CancelInputRequest(std::string input_request,
                                           CancelCause cause,
                                           std::string traceparent) {
  auto message = std::make_shared<v1::CancelInputRequestRequest>();
  message->set_input_request(absl::StrCat("inputRequests/", input_request));
  message->set_cause(ToProto(cause));
  state_->InBackground<v1::CancelInputRequestResponse>(
      state_->trust.get(), std::move(message), std::move(traceparent),
      kStartCancel);
}

void GrpcControlClient::CloseOperation(std::string operation,
                                       std::string session, OperationEnd end,
                                       std::string traceparent) {
  auto message = std::make_shared<v1::CloseOperationRequest>();
  message->set_operation(absl::StrCat("operations/", operation));
  message->set_session(absl::StrCat("sessions/", session));
  message->set_end(ToProto(end));
  state_->InBackground<v1::CloseOperationResponse>(
      state_->trust.get(), std::move(message), std::move(traceparent),
      kStartClose);
}

// ---- Sessions. ----

void GrpcControlClient::CreateSession(
    NewSession session, std::function<void(absl::StatusOr<SessionInfo>)> done) {
  auto message = std::make_shared<v1::CreateSessionRequest>();
  message->set_session_id_sha256(std::move(session.session_id_sha256));
  message->set_virtual_server(
      absl::StrCat("virtualServers/", session.virtual_server));
  message->mutable_principal()->set_issuer(std::move(session.issuer));
  message->mutable_principal()->set_subject(std::move(session.subject));
  message->set_revision(std::move(session.revision));
  message->set_client_capabilities(std::move(session.client_capabilities));
  message->set_client_info(std::move(session.client_info));
  ResendPolicy policy;
  policy.resend_when_exhausted = false;
  state_->Call<v1::Session>(
      policy, state_->sessions.get(), std::move(message),
      /*traceparent=*/"", kStartCreate,
      [done = std::move(done)](const grpc::Status& status,
                               const v1::Session& made) {
        if (status.ok()) return done(FromProto(made));
        if (status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED) {
          return done(MakeStatus(absl::StatusCode::kResourceExhausted,
                                 "too many sessions are open"));
        }
        done(Unavailable(status));
      });
}

void GrpcControlClient::FindSession(
    std::string session_id_sha256,
    std::function<void(absl::StatusOr<SessionInfo>)> done) {
  auto message = std::make_shared<v1::GetSessionRequest>();
  message->set_session_id_sha256(std::move(session_id_sha256));
  state_->Call<v1::Session>(
      ResendPolicy{}, state_->sessions.get(), std::move(message),
      /*traceparent=*/"", kStartGet,
      [done = std::move(done)](const grpc::Status& status,
                               const v1::Session& found) {
        if (status.ok()) return done(FromProto(found));
        if (status.error_code() == grpc::StatusCode::NOT_FOUND) {
          return done(MakeStatus(absl::StatusCode::kNotFound,
                                 "there is no such session"));
        }
        done(Unavailable(status));
      });
}

void GrpcControlClient::ReportRootsChanged(std::string session,
                                           std::function<void()> ended) {
  auto message = std::make_shared<v1::ReportRootsChangedRequest>();
  message->set_session(absl::StrCat("sessions/", session));
  state_->InBackground<v1::ReportRootsChangedResponse>(
      state_->sessions.get(), std::move(message), /*traceparent=*/"",
      kStartRootsChanged, std::move(ended));
}

void GrpcControlClient::CloseSession(std::string session, std::string cause,
                                     std::function<void(absl::Status)> done) {
  auto message = std::make_shared<v1::CloseSessionRequest>();
  message->set_request_id(NewId(state_->random));
  message->set_name(absl::StrCat("sessions/", session));
  message->set_cause(std::move(cause));
  state_->Call<v1::CloseSessionResponse>(
      ResendPolicy{}, state_->sessions.get(), std::move(message),
      /*traceparent=*/"", kStartEnd,
      [done = std::move(done)](const grpc::Status& status,
                               const v1::CloseSessionResponse&) {
        if (status.ok() || status.error_code() == grpc::StatusCode::NOT_FOUND) {
          return done(absl::OkStatus());
        }
        done(Unavailable(status));
      });
}

void GrpcControlClient::ReportActiveSession(std::string_view session) {
  state_->attachment->ReportActiveSession(session);
}

// ---- Deliveries. ----

void GrpcControlClient::Claim(
    std::string input_request,
    std::function<void(absl::StatusOr<std::optional<relay::UpstreamReply>>)>
        done) {
  state_->attachment->Claim(std::move(input_request), std::move(done));
}

void GrpcControlClient::Acknowledge(std::string input_request) {
  state_->attachment->Acknowledge(std::move(input_request));
}

}  // namespace gatehouse::control
