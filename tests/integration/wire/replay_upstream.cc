// The half of Replay that looks at what the recorded upstream gets.

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "shared/json/json.h"
#include "tests/integration/wire/replay.h"

namespace gatehouse::testing {
namespace {

using Kind = Outcome::Kind;

std::string HeaderOf(const std::map<std::string, std::string>& headers,
                     const std::string& name) {
  const auto it = headers.find(name);
  return it == headers.end() ? "" : it->second;
}

// The revision that the recorded server agreed to.
std::string RevisionOf(const wire::Trace& trace) {
  for (const auto& [number, exchange] : trace.exchanges) {
    if (Message(exchange.body).method() != "initialize") continue;
    for (const wire::Said& said : exchange.said) {
      const Message answer(said.text);
      if (answer.IsResponse()) return answer.At("/result/protocolVersion");
    }
  }
  return "";
}

}  // namespace

// Lists and pings the gateway answers itself; what the list says is answered
// otherwise does not get there either, unless it says how.
bool Replay::ReachesUpstream(const wire::Exchange& recorded) const {
  if (recorded.method != "POST") return false;
  const Outcome outcome = UpstreamOutcome(absl::StrCat(recorded.number));
  const Outcome client = ClientOutcome(absl::StrCat(recorded.number));
  const bool refused = client.kind == Kind::kError && client.status != 0;
  if (outcome.kind == Kind::kNothing || refused) return false;
  const Message body(recorded.body);
  if (body.IsResponse()) return opaque_ids_.count(body.id()) > 0;
  if (body.IsRequest()) return body.method() == "tools/call";
  return body.method() != "notifications/initialized";
}

void Replay::ExpectAtUpstream(int exchange) {
  const std::string place = absl::StrCat(exchange);
  const wire::Exchange& recorded = Recorded(exchange);
  uses_upstream_ = true;
  const Message body(recorded.body);
  const Outcome outcome = UpstreamOutcome(place);
  if (outcome.kind == Kind::kError) {
    return ExpectReply(place, body.id(), outcome);
  }
  const absl::StatusOr<Arrival> arrival =
      to_.upstream->conversation().AwaitExchange(exchange);
  if (!arrival.ok()) {
    return Check(place, std::string(arrival.status().message()));
  }
  ++compared_;
  Check(place, HeadersDiffer(recorded, *arrival));
  if (!failed()) Check(place, DiffersAtUpstream(exchange, *arrival));
}

std::string Replay::DiffersAtUpstream(int exchange, const Arrival& arrival) {
  const Message body = ExpectedBody(exchange);
  const std::string method = Message(Recorded(exchange).body).method();
  if (method.empty()) return Differs(body, arrival.message, {});
  if (method == "notifications/cancelled") {
    const int call = OwnerOf(body.RawAt("/params/requestId"));
    const absl::StatusOr<Arrival> cancelled =
        call == 0 ? absl::NotFoundError("no such call")
                  : to_.upstream->conversation().AwaitExchange(call);
    if (!cancelled.ok()) return "/params/requestId: is of no call";
    return DiffersFromCancel(body, arrival.message, cancelled->message.id());
  }
  // Ids and progress tokens upstream are the gateway's own.
  const std::string id = arrival.message.id();
  if (id.empty() || id.find_first_not_of("0123456789") != std::string::npos) {
    return absl::StrCat("/id: expected a number, got ", arrival.message.raw());
  }
  const std::string token =
      arrival.message.RawAt("/params/_meta/progressToken");
  return Differs(body, arrival.message,
                 {{"id", id}, {"params", WithProgressToken(body, token)}});
}

std::string Replay::HeadersDiffer(const wire::Exchange& recorded,
                                  const Arrival& arrival) const {
  if (to_.upstream->IsPipe()) return "";
  std::map<std::string, std::string> wanted = {
      {"accept", HeaderOf(recorded.headers, "accept")},
      {"accept-encoding", "identity"},
      {"authorization", HeaderOf(recorded.headers, "authorization")},
      {"content-type", HeaderOf(recorded.headers, "content-type")},
      {"mcp-session-id", arrival.session}};
  // A call's trace goes on; the gateway names it beside the message as well.
  wanted["traceparent"] =
      Message(recorded.body).At("/params/_meta/traceparent");
  // 2025-03-26 has no such header.
  const std::string revision = RevisionOf(*to_.expected);
  wanted["mcp-protocol-version"] = revision == "2025-03-26" ? "" : revision;
  for (const auto& [name, value] : wanted) {
    const std::string got = HeaderOf(arrival.headers, name);
    if (got != value) {
      return absl::StrCat(name, ": expected '", value, "', got '", got, "'");
    }
  }
  // What a client says of itself stays with the gateway.
  for (const auto& [name, value] : arrival.headers) {
    if (wanted.count(name) == 0 && name != "host" && name != "connection" &&
        name != "content-length") {
      return absl::StrCat(name, ": came, but is no header of the gateway's");
    }
  }
  return "";
}

// The one answer to what the upstream asked, an error.
void Replay::ExpectReply(const std::string& place, const std::string& id,
                         const Outcome& outcome) {
  const absl::StatusOr<Arrival> reply =
      to_.upstream->conversation().Await([&](const Arrival& arrival) {
        return arrival.message.IsResponse() && arrival.message.id() == id;
      });
  if (!reply.ok()) {
    return Check(place, std::string(reply.status().message()));
  }
  ++compared_;
  Check(place, DiffersFromError(outcome, reply->message));
}

void Replay::ExpectHandshakeAtUpstream() {
  std::vector<std::string> got;
  for (const Arrival& arrival : to_.upstream->conversation().arrivals()) {
    if (arrival.message.method() != "initialize") continue;
    got.push_back(arrival.message.raw());
    const auto capabilities =
        json::Document::Parse(arrival.message.RawAt("/params/capabilities"));
    const std::string offers =
        capabilities.ok() ? json::Canonical(capabilities->root()) : "";
    if (offers != to_.row->offers) {
      Check("initialize", absl::StrCat("/params/capabilities: expected ",
                                       to_.row->offers, " but got ", offers));
    }
    if (!HeaderOf(arrival.headers, "mcp-session-id").empty()) {
      Check("initialize", "mcp-session-id: came");
    }
  }
  const bool opened = uses_upstream_ || !to_.row->then.empty();
  if (got.empty() == opened) {
    Check("initialize", opened ? "the upstream was not opened"
                               : "the upstream was opened without a need");
  }
}

}  // namespace gatehouse::testing
