#include "tests/integration/wire/replay.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/json/json.h"

namespace gatehouse::testing {
namespace {

using Kind = Outcome::Kind;

constexpr char kLast[] = "after the recording";
constexpr char kAskOnceMore[] =
    R"({"jsonrpc":"2.0","id":"once-more","method":"tools/list"})";

}  // namespace

Replay::Replay(const Setting& setting) : to_(setting) {}

std::vector<std::string> Replay::Run() {
  const std::vector<wire::Step>& steps = to_.trace->steps;
  for (size_t i = 0; i < steps.size() && !failed();) {
    const wire::Step& step = steps[i];
    if (step.kind == wire::Step::Kind::kSaid) {
      i = Say(i);
      continue;
    }
    if (step.kind == wire::Step::Kind::kRequest) {
      SendRequest(step.exchange);
    } else if (PlaysAnswer(step.exchange)) {
      if (step.kind == wire::Step::Kind::kHead) {
        to_.upstream->Head(step.exchange);
      } else {
        to_.upstream->End(step.exchange);
        ExpectFailure(step.exchange);
      }
    }
    ++i;
  }
  if (!failed() && !to_.row->then.empty()) AskOnceMore();
  if (!failed()) EndSession();
  if (!failed()) ExpectNothingMore();
  if (!failed()) ExpectHandshakeAtUpstream();
  return std::move(differences_);
}

void Replay::Check(const std::string& place, const std::string& difference) {
  if (difference.empty()) return;
  differences_.push_back(
      absl::StrCat(to_.trace->name, " at ", place, ": ", difference));
}

Outcome Replay::ClientOutcome(const std::string& place) const {
  const auto it = to_.row->differs.find(place);
  return ParseOutcome(it == to_.row->differs.end() ? "" : it->second.client);
}

Outcome Replay::UpstreamOutcome(const std::string& place) const {
  const auto it = to_.row->differs.find(place);
  return ParseOutcome(it == to_.row->differs.end() ? "" : it->second.upstream);
}

const wire::Exchange& Replay::Recorded(int exchange) const {
  return to_.trace->exchanges.at(exchange);
}

Message Replay::ExpectedBody(int exchange) const {
  return Message(to_.expected->exchanges.at(exchange).body);
}

int Replay::OwnerOf(const std::string& id) const {
  for (const auto& [number, exchange] : to_.trace->exchanges) {
    const Message body(exchange.body);
    if (body.IsRequest() && body.id() == id) return number;
  }
  return 0;
}

// ---- What the upstream does. ----

bool Replay::PlaysAnswer(int exchange) {
  const wire::Exchange& recorded = Recorded(exchange);
  if (recorded.method == "GET" && to_.upstream->IsPipe()) return true;
  if (recorded.method == "GET") {
    if (!uses_upstream_ || recorded.status != 200) return false;
    const absl::StatusOr<Arrival> arrival =
        to_.upstream->conversation().AwaitExchange(exchange);
    if (!arrival.ok()) {
      Check(absl::StrCat(exchange), std::string(arrival.status().message()));
      return false;
    }
    return true;
  }
  return Message(recorded.body).IsRequest() && ReachesUpstream(recorded);
}

// What was said in the same millisecond leaves together.
size_t Replay::Say(size_t step) {
  const std::vector<wire::Step>& steps = to_.trace->steps;
  std::vector<Due> due;
  const int64_t at_ms = steps[step].at_ms;
  for (; step < steps.size() && steps[step].at_ms == at_ms &&
         steps[step].kind == wire::Step::Kind::kSaid;
       ++step) {
    const int exchange = steps[step].exchange;
    if (failed() || !PlaysAnswer(exchange)) continue;
    to_.upstream->Say(exchange, steps[step].said);
    if (Recorded(exchange).said[steps[step].said].is_message) {
      due.push_back(DueOf(exchange, steps[step].said));
    }
  }
  std::vector<Due> at_client;
  for (Due& one : due) {
    const Outcome upstream = UpstreamOutcome(one.place);
    if (upstream.kind == Kind::kError) {
      ExpectReply(one.place, one.said.id(), upstream);
    }
    if (one.outcome.kind != Kind::kNothing) at_client.push_back(std::move(one));
  }
  if (!failed()) ExpectAtClient(std::move(at_client));
  return step;
}

Replay::Due Replay::DueOf(int exchange, size_t said) {
  Due due;
  due.exchange = exchange;
  due.place = absl::StrCat(exchange, ".", said + 1);
  due.said = Message(Recorded(exchange).said[said].text);
  due.expected = Message(to_.expected->exchanges.at(exchange).said[said].text);
  due.outcome = ClientOutcome(due.place);
  if (due.outcome.kind == Kind::kMoved) due.exchange = due.outcome.exchange;
  if (due.said.method().empty()) {
    const Outcome of_request = ClientOutcome(absl::StrCat(exchange));
    if (of_request.kind == Kind::kError) due.outcome = of_request;
  }
  // What is said of a call that the client gave up has no one to hear it.
  const auto client = clients_.find(due.exchange);
  const bool quiet = client != clients_.end() && client->second.quiet;
  if (quiet && due.said.method() != "notifications/cancelled") {
    due.outcome.kind = Kind::kNothing;
  }
  return due;
}

void Replay::ExpectAtClient(std::vector<Due> due) {
  std::map<int, std::vector<Due>> by_exchange;
  for (Due& one : due) by_exchange[one.exchange].push_back(std::move(one));
  for (const auto& [exchange, wanted] : by_exchange) {
    const auto client = clients_.find(exchange);
    if (client == clients_.end()) {
      return Check(wanted.front().place,
                   "the client has no exchange to get it in");
    }
    ExpectIn(client->second, wanted);
  }
}

void Replay::ExpectIn(Client& client, const std::vector<Due>& wanted) {
  const size_t until = client.taken + wanted.size();
  if (!client.exchange->AwaitMessages(until)) {
    return Check(wanted.front().place, absl::StrCat("the client did not get ",
                                                    wanted.back().said.raw()));
  }
  std::vector<Message> came = client.exchange->messages();
  came.erase(came.begin(),
             came.begin() + static_cast<std::ptrdiff_t>(client.taken));
  client.taken = until;
  for (const Due& one : wanted) {
    auto it = came.begin();
    // Each is judged by itself, so questions may overtake each other.
    if (one.said.IsRequest()) {
      it = std::find_if(it, came.end(), [&](const Message& message) {
        return DiffersAtClient(one, message).empty();
      });
      if (it == came.end()) it = came.begin();
    }
    const std::string difference = DiffersAtClient(one, *it);
    if (!difference.empty()) return Check(one.place, difference);
    if (one.said.IsRequest()) opaque_ids_[one.said.id()] = it->id();
    if (one.outcome.kind == Kind::kRecorded) {
      elicitation_ids_.merge(ElicitationIds(one.expected, *it));
    }
    client.answered = client.answered || one.said.method().empty();
    came.erase(it);
    if (one.said.IsResponse() && !client.exchange->AwaitEnd()) {
      return Check(one.place, "the answer does not end behind the response");
    }
  }
}

void Replay::ExpectFailure(int exchange) {
  const std::string place = absl::StrCat(exchange);
  const Outcome outcome = ClientOutcome(place);
  if (outcome.kind != Kind::kError) return;
  Client& client = clients_[exchange];
  if (client.answered) return;
  if (!client.exchange->AwaitMessages(client.taken + 1)) {
    return Check(place, "the client got no error");
  }
  Check(place,
        DiffersFromError(outcome, client.exchange->messages()[client.taken++]));
}

std::string Replay::ClientRevision() const {
  for (const auto& [number, exchange] : to_.trace->exchanges) {
    const Message body(exchange.body);
    if (body.method() == "initialize")
      return body.At("/params/protocolVersion");
  }
  return "";
}

std::string Replay::OriginOf(int exchange) const {
  const std::string tool = Message(Recorded(exchange).body).At("/params/name");
  json::Writer origin;
  origin.StartObject().Name("virtualServer").String(to_.virtual_server);
  origin.Name("upstream").String("up").Name("tool").String(tool);
  return origin.EndObject().Take();
}

std::string Replay::DiffersAtClient(const Due& due, const Message& came) {
  const std::string origin = OriginOf(due.exchange);
  const Message actual =
      WithElicitationIds(due.expected, came, elicitation_ids_, origin);
  if (due.outcome.kind == Kind::kError) {
    const Message request(Recorded(due.exchange).body);
    if (actual.id() != request.id()) return "/id: is not that of the request";
    return DiffersFromError(due.outcome, actual);
  }
  if (due.said.IsRequest()) {
    return DiffersFromAsked(due.expected, actual, origin, ClientRevision());
  }
  if (due.said.method() == "notifications/cancelled") {
    const auto asked =
        opaque_ids_.find(due.expected.RawAt("/params/requestId"));
    if (asked == opaque_ids_.end()) return "/params/requestId: never asked";
    return DiffersFromCancel(due.expected, actual, asked->second);
  }
  return Differs(due.expected, actual, {});
}

// ---- The end. ----

HttpRequest Replay::OwnRequest(const std::string& method) const {
  HttpRequest request;
  request.method = method;
  request.target = "/mcp/" + to_.virtual_server;
  request.headers = {{"Mcp-Session-Id", session_}};
  for (const auto& [number, exchange] : to_.trace->exchanges) {
    const auto token = exchange.headers.find("authorization");
    if (token != exchange.headers.end()) {
      request.headers["Authorization"] = token->second;
    }
  }
  return request;
}

void Replay::AskOnceMore() {
  Client& client = clients_[-1];
  HttpRequest request = OwnRequest("POST");
  request.headers["Content-Type"] = "application/json";
  request.headers["Accept"] = "application/json, text/event-stream";
  request.body = kAskOnceMore;
  client.exchange = Exchange::Start(to_.loop, to_.worker, request, nullptr);
  const absl::StatusOr<Message> answer =
      client.exchange->AwaitResponse("\"once-more\"");
  if (!answer.ok()) {
    return Check(kLast, std::string(answer.status().message()));
  }
  client.taken = 1;
  Check(kLast, DiffersFromError(ParseOutcome(to_.row->then), *answer));
}

// Behind the end of the upstream's session nothing can come any more.
void Replay::EndSession() {
  if (!ended_ && !session_.empty()) {
    const auto exchange =
        Exchange::Start(to_.loop, to_.worker, OwnRequest("DELETE"), nullptr);
    const absl::StatusOr<int> status = exchange->Status();
    if (!status.ok() || *status != 204) {
      return Check(kLast, "the session cannot be ended");
    }
  }
  if (!to_.upstream->AwaitSessionEnd()) {
    Check(kLast, "the upstream's session was not ended");
  }
}

void Replay::ExpectNothingMore() {
  for (const auto& [number, client] : clients_) {
    const std::vector<Message> messages = client.exchange->messages();
    if (messages.size() > client.taken) {
      return Check(absl::StrCat(number),
                   absl::StrCat("the client got what was not recorded: ",
                                messages[client.taken].raw()));
    }
  }
  size_t posts = 0;
  for (const Arrival& arrival : to_.upstream->conversation().arrivals()) {
    const std::string method = arrival.message.method();
    if (arrival.http_method != "POST" || method == "initialize" ||
        method == "notifications/initialized" || method == "tools/list") {
      continue;
    }
    if (++posts > compared_) {
      return Check(kLast, absl::StrCat("the upstream got what was not "
                                       "recorded: ",
                                       arrival.message.raw()));
    }
  }
}

}  // namespace gatehouse::testing
