#include "tests/unit/upstream/upstream_rig.h"

#include <unistd.h>

#include <chrono>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "shared/base/status.h"
#include "shared/mcp/envelope.h"

namespace gatehouse::upstream {
namespace {

constexpr std::chrono::seconds kPatience(10);

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string Event(const std::string& message) {
  return absl::StrCat("event: message\ndata: ", message, "\n\n");
}

constexpr char kAnswer[] = R"({"content":[],"n":1.50})";

http::Response Json(const std::string& body) {
  return {.status = 200,
          .headers = {{"Content-Type", "application/json"}},
          .body = body};
}

http::Response Bare(int status) {
  http::Response response;
  response.status = status;
  return response;
}

const http::Headers kEvents = {{"Content-Type", "text/event-stream"}};

}  // namespace

bool Watched::Await(const std::function<bool()>& holds) {
  std::unique_lock<Mutex> lock(mutex_);
  return changed_.wait_for(lock, kPatience, holds);
}

void Watched::Change(const std::function<void()>& change) {
  {
    const MutexLock lock(mutex_);
    change();
  }
  changed_.notify_all();
}

void RecordingObserver::OnProgress(std::string params) {
  watched_.Change([&] { progress.push_back(params); });
}
void RecordingObserver::OnNotification(std::string method, std::string params) {
  watched_.Change(
      [&] { notifications.push_back(absl::StrCat(method, params)); });
}
void RecordingObserver::OnInputRequests(
    std::vector<relay::RaisedInputRequest> requests,
    relay::Attribution attribution, mcp::Revision revision) {
  watched_.Change([&] {
    for (auto& request : requests) {
      asked.push_back({request, attribution, revision});
    }
  });
}
void RecordingObserver::OnInputRequestCancelled(std::string key) {
  watched_.Change([&] { withdrawn.push_back(key); });
}
void RecordingObserver::OnEnd(End end) {
  watched_.Change([&] { ends.push_back(end); });
}
bool RecordingObserver::AwaitEnd() {
  return watched_.Await([&] { return !ends.empty(); });
}
bool RecordingObserver::AwaitAsked(size_t count) {
  return watched_.Await([&] { return asked.size() >= count; });
}
bool RecordingObserver::AwaitWithdrawn() {
  return watched_.Await([&] { return !withdrawn.empty(); });
}
bool RecordingObserver::ended() {
  bool is = false;
  watched_.Change([&] { is = !ends.empty(); });
  return is;
}

RecordingStrays::Cancel RecordingStrays::OnStrayInputRequest(
    const relay::UpstreamTarget&, const relay::Beneficiary&,
    relay::RaisedInputRequest request, relay::Attribution attribution,
    mcp::Revision, Reply reply) {
  watched_.Change([&] { strays.emplace_back(request.method, attribution); });
  if (request.method == "roots/list") {
    return [this] { watched_.Change([&] { ++cancelled; }); };
  }
  relay::UpstreamReply refusal;
  refusal.is_error = true;
  refusal.code = -32602;
  refusal.message = "stray refused";
  reply(refusal, nullptr);
  reply(refusal, nullptr);  // a second answer must change nothing
  return nullptr;
}
bool RecordingStrays::AwaitCancelled(size_t count) {
  return watched_.Await([&] { return cancelled >= count; });
}
bool RecordingStrays::AwaitStrays(size_t count) {
  return watched_.Await([&] { return strays.size() >= count; });
}

// ---- the fake upstream

FakeHttpUpstream::FakeHttpUpstream(std::string revision, bool offers_get)
    : revision_(std::move(revision)), offers_get_(offers_get) {
  auto server = http::Server::Create(
      {}, [this](std::shared_ptr<http::Exchange> exchange) {
        Handle(std::move(exchange));
      });
  if (!server.ok()) {
    ADD_FAILURE() << server.status();
    return;
  }
  server_ = *std::move(server);
  const absl::Status started = server_->Start();
  EXPECT_TRUE(started.ok()) << started;
}

FakeHttpUpstream::~FakeHttpUpstream() {
  if (server_ != nullptr) server_->Stop();
}

std::string FakeHttpUpstream::url() const {
  return absl::StrCat("http://127.0.0.1:", server_->port(), "/mcp");
}

void FakeHttpUpstream::Handle(std::shared_ptr<http::Exchange> exchange) {
  const http::Request& request = exchange->request();
  bool forgot = false;
  watched_.Change([&] {
    seen_.push_back({request.method, request.headers, request.body});
    if (Has(request.body, "\"forget\"")) forgot = !std::exchange(forgot_, true);
  });
  if (request.method == "GET") return HandleGet(exchange);
  if (request.method == "DELETE") return exchange->Respond(Bare(200));
  const auto message = mcp::ParseEnvelope(request.body);
  if (!message.ok()) return exchange->Respond(Bare(400));
  if (forgot) return exchange->Respond(Bare(404));
  if (message->kind != mcp::MessageKind::kRequest) {
    FinishAsked(request.body);
    return exchange->Respond(Bare(202));
  }
  const std::string id(message->id);
  if (message->method == "initialize") {
    http::Response answer = Json(mcp::ResultMessage(
        id, absl::StrCat(R"({"protocolVersion":")", revision_,
                         R"(","capabilities":{},"serverInfo":)"
                         R"({"name":"f","version":"1"}})")));
    answer.headers.emplace_back("Mcp-Session-Id", "upstream-session");
    return exchange->Respond(answer);
  }
  HandleCall(exchange, id, request.body);
}

void FakeHttpUpstream::HandleGet(
    const std::shared_ptr<http::Exchange>& exchange) {
  const auto last =
      http::FindHeader(exchange->request().headers, "Last-Event-ID");
  if (last.has_value()) {  // the answer of the tool `resume`
    exchange->StartStream(200, kEvents);
    const size_t colon = last->find(':');
    exchange->Write(Event(
        mcp::ResultMessage(last->substr(colon + 1), R"({"resumed":true})")));
    return exchange->EndStream();
  }
  if (!offers_get_) return exchange->Respond(Bare(405));
  exchange->StartStream(200, kEvents);
  watched_.Change([&] { get_ = exchange; });
}

// Asks on the call's own stream and leaves it open.
std::string Question(const std::string& id) {
  return Event(mcp::RequestMessage(
      id, "sampling/createMessage",
      R"({"messages":[],"maxTokens":1,"_meta":{"progressToken":"q"}})"));
}

void FakeHttpUpstream::HandleCall(
    const std::shared_ptr<http::Exchange>& exchange, const std::string& id,
    const std::string& body) {
  const std::string answer = mcp::ResultMessage(id, kAnswer);
  const auto is = [&](const char* tool) {
    return Has(body, absl::StrCat("\"name\":\"", tool, "\""));
  };
  const auto stream = [&](const std::string& events, bool end) {
    exchange->StartStream(200, kEvents);
    exchange->Write(events);
    if (end) return exchange->EndStream();
    watched_.Change([&] { held_[id] = exchange; });
  };
  if (Has(body, "tools/list")) {
    const bool second = Has(body, "\"cursor\":\"2\"");
    return exchange->Respond(Json(mcp::ResultMessage(
        id, second ? R"({"tools":[{"name":"b"}]})"
                   : R"({"tools":[{"name":"a"}],"nextCursor":"2"})")));
  }
  if (is("ask")) return stream(Question("0"), false);
  if (is("ask-and-withdraw")) {
    return stream(absl::StrCat(Question("0"), Event(mcp::NotificationMessage(
                                                  "notifications/cancelled",
                                                  R"({"requestId":0})"))),
                  false);
  }
  if (is("progress")) {
    const std::string note = mcp::NotificationMessage(
        "notifications/progress",
        absl::StrCat(R"({"progressToken":)", id, R"(,"progress":0.50})"));
    const std::string log =
        mcp::NotificationMessage("notifications/message", R"({"data":1})");
    return stream(absl::StrCat(Event(note), Event(log), Event(answer)), true);
  }
  if (is("error")) {
    return exchange->Respond(Json(mcp::RawErrorMessage(
        id, R"({"code":-31042,"message":"it failed","data":{"k":1.0}})")));
  }
  if (is("html")) {
    return exchange->Respond({.status = 200,
                              .headers = {{"Content-Type", "text/html"}},
                              .body = "<html>secret-text</html>"});
  }
  if (is("redirect")) {
    return exchange->Respond({.status = 302,
                              .headers = {{"Location", "http://127.0.0.1/"}},
                              .body = ""});
  }
  if (is("wrong-id")) {
    return exchange->Respond(Json(mcp::ResultMessage("999", kAnswer)));
  }
  if (is("string-id")) {
    return exchange->Respond(
        Json(mcp::ResultMessage(absl::StrCat("\"", id, "\""), kAnswer)));
  }
  if (is("batch")) {
    return exchange->Respond(Json(absl::StrCat("[", answer, "]")));
  }
  if (is("no-object")) {
    return exchange->Respond(Json(mcp::ResultMessage(id, "[]")));
  }
  if (is("smuggle")) {
    // As an escaped name too: another parser reads it like the plain one.
    return exchange->Respond(Json(mcp::ResultMessage(
        id, R"({"content":[],"result\u0054ype":"input_required"})")));
  }
  if (is("complete-type")) {
    return exchange->Respond(Json(
        mcp::ResultMessage(id, R"({"content":[],"resultType":"complete"})")));
  }
  if (is("twice")) return stream(Event(answer) + Event(answer), true);
  if (is("broken-stream")) return stream(": nothing\n\n", true);
  if (is("garbage-event")) return stream(Event("{\"jsonrpc\":"), false);
  if (is("accepted")) return exchange->Respond(Bare(202));
  if (is("unavailable")) return exchange->Respond(Bare(503));
  if (is("resume")) {
    return stream(absl::StrCat("id: e:", id, "\nretry: 20\ndata:\n\n"), true);
  }
  if (is("hang")) {
    return watched_.Change([&] { held_[id] = exchange; });
  }
  exchange->Respond(Json(answer));
}

// An answer to a question ends the call that asked.
void FakeHttpUpstream::FinishAsked(const std::string& body) {
  if (!Has(body, "\"id\":0")) return;
  std::map<std::string, std::shared_ptr<http::Exchange>> held;
  watched_.Change([&] {
    for (const auto& [id, exchange] : held_) {
      if (exchange->streaming()) held[id] = exchange;
    }
    for (const auto& [id, exchange] : held) held_.erase(id);
  });
  for (const auto& [id, exchange] : held) {
    exchange->Write(Event(mcp::ResultMessage(id, kAnswer)));
    exchange->EndStream();
  }
}

bool FakeHttpUpstream::AwaitSeen(const std::string& text, size_t count) {
  return watched_.Await([&] {
    size_t found = 0;
    for (const Seen& one : seen_) {
      if (Has(one.body, text) || one.method == text) ++found;
    }
    return found >= count;
  });
}

std::vector<FakeHttpUpstream::Seen> FakeHttpUpstream::seen() {
  std::vector<Seen> copy;
  watched_.Change([&] { copy = seen_; });
  return copy;
}

std::vector<FakeHttpUpstream::Seen> FakeHttpUpstream::SeenWith(
    const std::string& text) {
  std::vector<Seen> found;
  for (const Seen& one : seen()) {
    if (Has(one.body, text) || one.method == text) found.push_back(one);
  }
  return found;
}

bool FakeHttpUpstream::SayOnGet(const std::string& message) {
  std::shared_ptr<http::Exchange> stream;
  if (!watched_.Await([&] { return get_ != nullptr; })) return false;
  watched_.Change([&] { stream = get_; });
  return stream->Write(Event(message));
}

// ---- the rig

UpstreamRig::UpstreamRig(UpstreamsOptions options) : executor_(4) {
  const absl::Status started = reactor_.Start();
  EXPECT_TRUE(started.ok()) << started;
  client_ = http::Client::Create(reactor_);
  options.log = [this](LogKind, std::string_view, std::string_view,
                       std::string_view line) {
    watched_.Change([&] { absl::StrAppend(&log_, ToAbsl(line), "\n"); });
  };
  upstreams_ = MakeUpstreams(std::move(options), reactor_, executor_, *client_,
                             strays_, clock_);
}

UpstreamRig::~UpstreamRig() {
  upstreams_->Shutdown();
  upstreams_.reset();
  // As the worker does: a queue's task may run on either until both have
  // stopped, and it may use the client.
  reactor_.Stop();
  executor_.Stop();
  client_.reset();
}

relay::UpstreamTarget UpstreamRig::HttpTarget(
    const FakeHttpUpstream& upstream) const {
  relay::UpstreamTarget target;
  target.virtual_server = "dev";
  target.upstream = "web";
  target.http_url = upstream.url();
  return target;
}

relay::UpstreamTarget UpstreamRig::StdioTarget(
    const std::string& script) const {
  relay::UpstreamTarget target;
  target.virtual_server = "dev";
  target.upstream = "files";
  target.command = {"sh", "-c", script};
  if (geteuid() == 0) target.run_as = "nobody";
  return target;
}

UpstreamRig::Started UpstreamRig::Call(const relay::UpstreamTarget& target,
                                       const std::string& tool,
                                       mcp::ClientFeatures offered,
                                       absl::Duration timeout,
                                       const std::string& session) {
  Started started;
  started.observer = std::make_shared<RecordingObserver>();
  started.call = upstreams_->StartCall(
      {.target = std::make_shared<const relay::UpstreamTarget>(target),
       .beneficiary = {session, offered},
       .method = "tools/call",
       .params = absl::StrCat(R"({"name":")", tool, R"("})"),
       .traceparent = "",
       .wants_progress = tool == "progress",
       .timeout = timeout},
      started.observer);
  return started;
}

absl::StatusOr<std::vector<std::string>> UpstreamRig::ListTools(
    const relay::UpstreamTarget& target, mcp::ClientFeatures offered) {
  std::optional<absl::StatusOr<std::vector<std::string>>> listed;
  Watched watched;
  upstreams_->ListTools(target, {"s", offered}, absl::Seconds(10),
                        [&](auto result) {
                          watched.Change([&] { listed = std::move(result); });
                        });
  if (!watched.Await([&] { return listed.has_value(); })) {
    return absl::InternalError("no answer to the listing");
  }
  return *listed;
}

std::string UpstreamRig::log() {
  std::string copy;
  watched_.Change([&] { copy = log_; });
  return copy;
}

mcp::ClientFeatures AllFeatures() {
  mcp::ClientFeatures all;
  all.sampling = true;
  all.elicitation_form = true;
  return all;
}

}  // namespace gatehouse::upstream
