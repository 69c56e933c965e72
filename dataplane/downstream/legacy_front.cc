#include "dataplane/downstream/legacy_front.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dataplane/downstream/answers.h"
#include "dataplane/downstream/cors.h"
#include "dataplane/downstream/initialize.h"
#include "dataplane/downstream/landing.h"
#include "dataplane/http/sse_writer.h"
#include "shared/base/digest.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "shared/mcp/envelope.h"

namespace gatehouse::downstream {
namespace {

constexpr std::string_view kPathPrefix = "/mcp/";
constexpr int kMaxLookups = 256;  // of sessions, at the control plane
constexpr size_t kAnnouncedAtOnce = 256;
// An upstream may say it as often as it likes; its client hears it so often.
constexpr absl::Duration kAnnouncementPause = absl::Milliseconds(100);
constexpr absl::Duration kReportEvery = absl::Seconds(30);

// A body that speaks neither JSON-RPC nor of sessions, so that no client takes
// it for the end of one.
http::Response NotHere(std::string_view what) {
  json::Writer body;
  body.StartObject().Name("error").String(what).EndObject();
  return JsonAnswer(404, body.Take());
}

http::Response UnknownSession() {
  return Refusal(404, mcp::kInvalidRequest,
                 "Mcp-Session-Id: no such session; initialize again without "
                 "it");
}

http::Response NoControlPlane() {
  return ComeAgain(Reason::kTrustUnavailable,
                   "the gateway cannot look this up right now; try again");
}

http::Response Draining() {
  return ComeAgain(Reason::kWorkerBusy,
                   "this worker is shutting down; try again");
}

http::Response Unauthenticated() {
  http::Response response = Refusal(401, mcp::kInvalidRequest,
                                    "Authorization: send Bearer and a token "
                                    "that this gateway knows");
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

// The `{virtual server}` of the path, or empty.
std::string_view VirtualServerOf(std::string_view path) {
  if (path.substr(0, kPathPrefix.size()) != kPathPrefix) return "";
  path.remove_prefix(kPathPrefix.size());
  return path.find('/') == std::string_view::npos ? path : "";
}

}  // namespace

LegacyFront::LegacyFront(std::string version, OriginCheck origins,
                         Identities identities, Neighbours neighbours, bool tls)
    : version_(std::move(version)),
      origins_(std::move(origins)),
      identities_(std::move(identities)),
      to_(neighbours),
      tls_(tls),
      tool_lists_(neighbours.upstreams) {}

void LegacyFront::Start() {
  to_.timers.RunAfter(kReportEvery, [this] {
    ReportSessionsInUse();
    Start();
  });
}

void LegacyFront::Drain() {
  draining_ = true;
  for (const auto& session : sessions_.All()) session->End();
}

void LegacyFront::ReportSessionsInUse() {
  for (const auto& session : sessions_.All()) {
    if (session->InUse()) to_.control.ReportActiveSession(session->id());
  }
}

// ---- At the door. ----

void LegacyFront::Handle(std::shared_ptr<http::Exchange> exchange) {
  const http::Request& request = exchange->request();
  if (!origins_.Allows(request.headers)) {
    return RefuseUnread(*exchange, Refusal(403, mcp::kInvalidRequest,
                                           "Host, Origin: not allowed here"));
  }
  exchange = WithCors(std::move(exchange));
  if (request.path == "/" && request.method == "GET") {
    return exchange->Respond(Land(request));
  }
  const std::string_view name = VirtualServerOf(request.path);
  if (name.empty()) {
    return RefuseUnread(
        *exchange,
        NotHere("nothing is served at this path; virtual servers are at "
                "/mcp/{name}"));
  }
  if (request.method == "OPTIONS") {
    return exchange->Respond(AnswerOptions(request.headers));
  }
  std::optional<Principal> principal =
      identities_.Authenticate(request.headers);
  if (!principal.has_value()) return RefuseUnread(*exchange, Unauthenticated());
  if (to_.snapshots.trust() == relay::Snapshots::Trust::kNever) {
    return RefuseUnread(*exchange, NoControlPlane());
  }
  Snapshot snapshot = to_.snapshots.Find(name);
  if (snapshot == nullptr) {
    return RefuseUnread(*exchange, NotHere("no virtual server of that name"));
  }
  Dispatch(std::move(exchange), std::move(snapshot), *std::move(principal));
}

http::Response LegacyFront::Land(const http::Request& request) const {
  Landing landing;
  landing.version = version_;
  landing.tls = tls_;
  landing.host = http::FindHeader(request.headers, "Host").value_or("");
  if (identities_.anonymous()) landing.virtual_servers = to_.snapshots.Names();
  return LandingAnswer(landing);
}

void LegacyFront::RefuseUnread(http::Exchange& exchange,
                               http::Response response) {
  to_.stats.Count(RequestKind::kUnread, RequestOutcome::kRefused);
  exchange.Respond(std::move(response));
}

void LegacyFront::Dispatch(std::shared_ptr<http::Exchange> exchange,
                           Snapshot snapshot, Principal principal) {
  Classified what = Classify(exchange->request());
  exchange = to_.stats.Watch(std::move(exchange), KindOf(what));
  switch (what.intent) {
    case Intent::kRefused:
      return exchange->Respond(std::move(what.refusal));
    case Intent::kInitialize:
      if (draining_) return exchange->Respond(Draining());
      return Initialize(std::move(exchange), std::move(snapshot), principal,
                        what.message);
    case Intent::kRequest:
    case Intent::kOpenStream:
      if (draining_) return exchange->Respond(Draining());
      break;
    case Intent::kNotification:
    case Intent::kResponse:
    case Intent::kEndSession:
      break;
  }
  WithSession(
      {std::move(exchange), std::move(what), std::move(snapshot), nullptr},
      principal);
}

void LegacyFront::Initialize(std::shared_ptr<http::Exchange> exchange,
                             Snapshot snapshot, const Principal& principal,
                             const mcp::Envelope& message) {
  absl::StatusOr<Handshake> handshake = ParseHandshake(message.params);
  if (!handshake.ok()) {
    return exchange->Respond(JsonAnswer(
        400, mcp::ErrorMessage(message.id, mcp::kInvalidParams,
                               ToStd(handshake.status().message()), "")));
  }
  const std::string secret = NewId(to_.random, 256);
  relay::NewSession session;
  session.session_id_sha256 = Sha256(secret);
  session.virtual_server = snapshot->name;
  session.issuer = principal.issuer;
  session.subject = principal.subject;
  session.revision = std::string(mcp::ToString(handshake->revision));
  session.client_capabilities = handshake->capabilities;
  session.client_info = handshake->client_info;
  std::string answer = mcp::ResultMessage(
      message.id,
      HandshakeResult(handshake->revision, snapshot->name, version_));
  to_.control.CreateSession(
      std::move(session), [this, exchange, secret, answer = std::move(answer)](
                              absl::StatusOr<relay::SessionInfo> made) mutable {
        if (absl::IsResourceExhausted(made.status())) {
          return exchange->Respond(
              ComeAgain(Reason::kWorkerBusy,
                        "too many sessions are open; end some or try again "
                        "later"));
        }
        if (!made.ok()) return exchange->Respond(NoControlPlane());
        sessions_.Add(Sha256(secret), *made);
        to_.observer.OnSessionOpened(made->virtual_server, made->revision);
        http::Response response = JsonAnswer(200, std::move(answer));
        response.headers.emplace_back("Mcp-Session-Id", secret);
        exchange->Respond(std::move(response));
      });
}

// ---- Sessions. ----

void LegacyFront::WithSession(InSession request, const Principal& principal) {
  if (!IsSecretShaped(request.what.session_id)) {
    return request.exchange->Respond(UnknownSession());
  }
  const std::string sha256 = Sha256(request.what.session_id);
  request.session = sessions_.Find(sha256);
  if (request.session != nullptr) return Enter(std::move(request), principal);
  if (lookups_.fetch_add(1) >= kMaxLookups) {
    lookups_.fetch_sub(1);
    return request.exchange->Respond(NoControlPlane());
  }
  to_.control.FindSession(
      sha256, [this, sha256, principal, request = std::move(request)](
                  absl::StatusOr<relay::SessionInfo> found) mutable {
        lookups_.fetch_sub(1);
        if (absl::IsNotFound(found.status())) {
          return request.exchange->Respond(UnknownSession());
        }
        if (!found.ok()) return request.exchange->Respond(NoControlPlane());
        request.session = sessions_.Add(sha256, *found);
        if (request.session == nullptr) {
          return request.exchange->Respond(UnknownSession());
        }
        Enter(std::move(request), principal);
      });
}

void LegacyFront::Enter(InSession request, const Principal& principal) {
  // Another's session, or one of another virtual server, is as unknown as none.
  if (request.session->principal() != principal ||
      request.session->virtual_server() != request.snapshot->name) {
    return request.exchange->Respond(UnknownSession());
  }
  to_.control.ReportActiveSession(request.session->id());
  switch (request.what.intent) {
    case Intent::kRequest:
      return OnRequest(request);
    case Intent::kNotification:
      return OnNotification(request);
    case Intent::kResponse:
      return OnResponse(request);
    case Intent::kOpenStream:
      return OpenStream(request);
    case Intent::kEndSession:
      return EndSession(request);
    case Intent::kRefused:
    case Intent::kInitialize:
      break;  // never of a session
  }
}

void LegacyFront::OpenStream(const InSession& request) {
  // Only what concerns the session as a whole is sent on it: what an upstream
  // asks during a call goes out on the stream of that call.
  const std::shared_ptr<http::Exchange>& exchange = request.exchange;
  if (!request.session->AddStream(exchange)) {
    return exchange->Respond(
        Refusal(409, mcp::kInvalidRequest,
                "this session has as many streams as it may; close one"));
  }
  exchange->StartStream(200, SseHeaders());
  exchange->OnPeerGone(
      [session = std::weak_ptr(request.session), stream = exchange.get()] {
        if (const auto open = session.lock(); open != nullptr) {
          open->RemoveStream(stream);
        }
      });
}

void LegacyFront::OnPolicyChanged(const std::string& virtual_server) {
  std::vector<std::shared_ptr<Session>> concerned;
  for (auto& session : sessions_.All()) {
    if (session->virtual_server() == virtual_server) {
      concerned.push_back(std::move(session));
    }
  }
  AnnounceTools(std::move(concerned), 0);
}

void LegacyFront::OnToolsChanged(const std::string& session) {
  std::shared_ptr<Session> concerned = sessions_.FindById(session);
  if (concerned == nullptr) return;
  // Names are looked up in a fresh list, whether or not the client lists again.
  concerned->ForgetListed();
  if (!concerned->BeginAnnouncement()) return;
  to_.timers.RunAfter(kAnnouncementPause, [this, concerned] {
    concerned->EndAnnouncement();
    AnnounceTools({concerned}, 0);
  });
}

// So many at a time that the reactor's other sockets need not wait for ten
// thousand.
void LegacyFront::AnnounceTools(std::vector<std::shared_ptr<Session>> sessions,
                                size_t from) {
  static const std::string event = http::SseEvent(
      mcp::NotificationMessage("notifications/tools/list_changed", ""));
  to_.timers.RunAfter(absl::ZeroDuration(),
                      [this, from, sessions = std::move(sessions)]() mutable {
                        const size_t to =
                            std::min(sessions.size(), from + kAnnouncedAtOnce);
                        for (size_t i = from; i < to; ++i)
                          sessions[i]->WriteToStream(event);
                        if (to < sessions.size())
                          AnnounceTools(std::move(sessions), to);
                      });
}

void LegacyFront::EndSession(const InSession& request) {
  to_.control.CloseSession(request.session->id(), "client",
                           [this, exchange = request.exchange,
                            id = request.session->id()](absl::Status closed) {
                             if (!closed.ok())
                               return exchange->Respond(NoControlPlane());
                             OnSessionEnded(id);
                             exchange->Respond(EmptyAnswer(204));
                           });
}

void LegacyFront::OnSessionEnded(const std::string& id) {
  const std::shared_ptr<Session> session = sessions_.Remove(id);
  to_.operations.EndSession(id);
  to_.upstreams.EndSession(id);
  if (session == nullptr) return;
  to_.observer.OnSessionEnded(session->virtual_server());
  Failure failure;
  failure.reason = Reason::kOperationEnded;
  failure.message = "the request was ended because its session ended";
  for (const auto& stream : session->End()) {
    // Again for those that had just been started; it ends once.
    if (const auto operation = stream->operation(); operation != nullptr) {
      operation->EndBy(relay::OperationEnd::kSessionEnded);
    } else {
      stream->AnswerFailure(failure);
    }
  }
}

// ---- What concerns no call of the client.

bool LegacyFront::WriteToSession(std::string_view session,
                                 std::string_view message) {
  const std::shared_ptr<Session> known =
      sessions_.FindById(std::string(session));
  return known != nullptr && known->WriteToStream(http::SseEvent(message));
}

bool LegacyFront::TellElicitationComplete(std::string_view session,
                                          std::string_view elicitation_id) {
  return WriteToSession(session, ElicitationCompleteMessage(elicitation_id));
}

relay::AskOutcome LegacyFront::AskSession(
    std::string_view session, const relay::ShownInputRequest& request) {
  return WriteToSession(session, AskMessage(request))
             ? relay::AskOutcome::kShown
             : relay::AskOutcome::kUnreachable;
}

void LegacyFront::WithdrawFromSession(std::string_view session,
                                      std::string_view opaque_id,
                                      std::string_view reason) {
  WriteToSession(session, CancelledMessage(opaque_id, reason));
}

void LegacyFront::OnDeliveryReady(const relay::DeliveryReady& delivery) {
  to_.operations.OnDeliveryReady(delivery);
}

}  // namespace gatehouse::downstream
