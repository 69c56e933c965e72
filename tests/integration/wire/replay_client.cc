// The half of Replay that is the recorded client.

#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/json/json.h"
#include "tests/integration/wire/replay.h"
#include "tests/wire/trace_files.h"

namespace gatehouse::testing {
namespace {

using Kind = Outcome::Kind;

// Its own connection says these.
bool IsOfTheTransport(const std::string& name) {
  return name == "host" || name == "connection" || name == "content-length";
}

bool GivesSessions(const wire::Trace& trace) {
  for (const auto& [number, exchange] : trace.exchanges) {
    if (exchange.answer_headers.count("mcp-session-id") > 0) return true;
  }
  return false;
}

// One that can only be called as a task is not listed: tasks are not served.
bool NeedsTask(const json::Value& tool) {
  const auto execution = tool.Find("execution");
  return execution.has_value() &&
         wire::TextMember(*execution, "taskSupport") == "required";
}

std::string ToolsOf(const wire::Trace& trace) {
  std::string tools;
  for (const auto& [number, exchange] : trace.exchanges) {
    if (Message(exchange.body).method() != "tools/list") continue;
    for (const wire::Said& said : exchange.said) {
      const auto read =
          json::Document::Parse(Message(said.text).RawAt("/result/tools"));
      if (!read.ok()) continue;
      for (const json::Value& tool : read->root().Elements()) {
        if (NeedsTask(tool)) continue;
        absl::StrAppend(&tools, tools.empty() ? "" : ",",
                        std::string(tool.raw()));
      }
    }
  }
  return absl::StrCat("[", tools, "]");
}

}  // namespace

void Replay::SendRequest(int exchange) {
  const std::string place = absl::StrCat(exchange);
  const Outcome outcome = ClientOutcome(place);
  if (outcome.kind == Kind::kNotSent) return;
  const wire::Exchange& recorded = Recorded(exchange);
  const Message body(recorded.body);
  Client& client = clients_[exchange];
  client.exchange =
      Exchange::Start(to_.loop, to_.worker, RequestOf(recorded), nullptr);
  if (outcome.kind == Kind::kError && outcome.status != 0) {
    return ExpectRefusal(exchange, outcome);
  }
  if (recorded.method == "DELETE") {
    ended_ = true;
    return ExpectStatus(exchange, recorded.status);
  }
  // What a worker has no stream for, it refuses; else a GET is a stream,
  // whatever the recorded server said to it.
  if (recorded.method == "GET") return ExpectStatus(exchange, 200);
  if (body.method() == "initialize") return ExpectHandshake(exchange);
  if (body.IsRequest() && !ReachesUpstream(recorded)) {
    return ExpectOwnAnswer(exchange);
  }
  if (ReachesUpstream(recorded)) ExpectAtUpstream(exchange);
  if (!failed() && !body.IsRequest()) ExpectTaken(exchange);
}

HttpRequest Replay::RequestOf(const wire::Exchange& recorded) const {
  HttpRequest request;
  request.method = recorded.method;
  request.target = "/mcp/" + to_.virtual_server;
  for (const auto& [name, value] : recorded.headers) {
    if (!IsOfTheTransport(name)) request.headers[name] = value;
  }
  // A client whose server gave it no session names the gateway's all the same.
  const bool names_one = recorded.headers.count("mcp-session-id") > 0 ||
                         !GivesSessions(*to_.trace);
  if (names_one && !session_.empty()) {
    request.headers["mcp-session-id"] = session_;
  }
  request.body = BodyOf(recorded);
  return request;
}

// A reply names what it answers by the id that this client was given.
std::string Replay::BodyOf(const wire::Exchange& recorded) const {
  const Message body(recorded.body);
  if (!body.IsResponse()) return recorded.body;
  const auto opaque_id = opaque_ids_.find(body.id());
  const auto read = json::Document::Parse(recorded.body);
  if (opaque_id == opaque_ids_.end() || !read.ok()) return recorded.body;
  return json::Splice(recorded.body,
                      {json::SetMember(read->root(), "id", opaque_id->second)});
}

void Replay::ExpectStatus(int exchange, int wanted) {
  const absl::StatusOr<int> status = clients_[exchange].exchange->Status();
  if (!status.ok()) {
    return Check(absl::StrCat(exchange),
                 std::string(status.status().message()));
  }
  if (*status == wanted) return;
  Check(absl::StrCat(exchange),
        absl::StrCat("HTTP status: expected ", wanted, " but got ", *status));
}

void Replay::ExpectRefusal(int exchange, const Outcome& outcome) {
  Client& client = clients_[exchange];
  ExpectStatus(exchange, outcome.status);
  if (Recorded(exchange).method == "DELETE") ended_ = true;
  if (failed() || outcome.code.empty()) return;
  const absl::StatusOr<std::string> body = client.exchange->Body();
  if (!body.ok()) {
    return Check(absl::StrCat(exchange), std::string(body.status().message()));
  }
  client.taken = 1;
  Check(absl::StrCat(exchange), DiffersFromError(outcome, Message(*body)));
}

void Replay::ExpectHandshake(int exchange) {
  Client& client = clients_[exchange];
  const Message request(Recorded(exchange).body);
  const absl::StatusOr<Message> answer =
      client.exchange->AwaitResponse(request.id());
  const std::string place = absl::StrCat(exchange);
  if (!answer.ok()) {
    return Check(place, std::string(answer.status().message()));
  }
  client.taken = 1;
  session_ = client.exchange->Header("mcp-session-id");
  const std::string asked = request.At("/params/protocolVersion");
  if (answer->At("/result/protocolVersion") != asked) {
    Check(place, absl::StrCat("/result/protocolVersion: expected ", asked,
                              " but got ", answer->raw()));
  }
  if (session_.empty()) Check(place, "no Mcp-Session-Id came");
}

void Replay::ExpectTaken(int exchange) {
  ExpectStatus(exchange, Recorded(exchange).status == 0
                             ? 202
                             : Recorded(exchange).status);
  const Message body(Recorded(exchange).body);
  if (failed() || body.method() != "notifications/cancelled") return;
  const auto found = clients_.find(OwnerOf(body.RawAt("/params/requestId")));
  if (found == clients_.end()) return;
  Client& given_up = found->second;
  given_up.quiet = true;
  // What it was asked is withdrawn, and its stream ends without a response.
  if (!given_up.exchange->AwaitEnd()) {
    Check(absl::StrCat(exchange), "the stream of the call does not end");
  }
}

// What the gateway answers itself.
void Replay::ExpectOwnAnswer(int exchange) {
  const std::string place = absl::StrCat(exchange);
  const wire::Exchange& recorded = Recorded(exchange);
  const Message request(recorded.body);
  Client& client = clients_[exchange];
  const Outcome outcome = ClientOutcome(place);
  if (request.method() == "tools/list" && outcome.kind == Kind::kRecorded) {
    uses_upstream_ = true;
  }
  const absl::StatusOr<Message> answer =
      client.exchange->AwaitResponse(request.id());
  if (!answer.ok()) {
    return Check(place, std::string(answer.status().message()));
  }
  client.taken = 1;
  if (outcome.kind == Kind::kError) {
    return Check(place, DiffersFromError(outcome, *answer));
  }
  if (request.method() == "tools/list") return ExpectTools(exchange, *answer);
  for (const wire::Said& said : to_.expected->exchanges.at(exchange).said) {
    const Message message(said.text);
    if (message.IsResponse()) Check(place, Differs(message, *answer, {}));
  }
}

// All pages as one list, each tool as it was written.
void Replay::ExpectTools(int exchange, const Message& answer) {
  const std::string id = Message(Recorded(exchange).body).id();
  const Message wanted(absl::StrCat(R"({"jsonrpc":"2.0","id":)", id,
                                    R"(,"result":{"tools":)",
                                    ToolsOf(*to_.expected), "}}"));
  Check(absl::StrCat(exchange), Differs(wanted, answer, {}));
}

}  // namespace gatehouse::testing
