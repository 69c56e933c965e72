#include "tests/integration/wire/conversation.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace gatehouse::testing {
namespace {

constexpr char kToken[] = "/params/_meta/progressToken";

// Whether a POST is the recorded one, as far as it takes to tell it from the
// others: what else it holds is compared later.
bool IsLike(const Message& recorded, const Message& message) {
  if (recorded.method() != message.method()) return false;
  if (message.method().empty()) return recorded.id() == message.id();
  if (message.method() == "tools/list") {
    return recorded.At("/params/cursor") == message.At("/params/cursor");
  }
  return recorded.RawAt("/params/name") == message.RawAt("/params/name") &&
         recorded.RawAt("/params/arguments") ==
             message.RawAt("/params/arguments");
}

std::string HeaderOf(const std::map<std::string, std::string>& headers,
                     const std::string& name) {
  const auto it = headers.find(name);
  return it == headers.end() ? "" : it->second;
}

bool IsLike(const wire::Exchange& recorded, const Arrival& arrival) {
  if (recorded.method != arrival.http_method) return false;
  if (recorded.method == "GET") {
    return HeaderOf(recorded.headers, "last-event-id") ==
           HeaderOf(arrival.headers, "last-event-id");
  }
  return recorded.method != "POST" ||
         IsLike(Message(recorded.body), arrival.message);
}

// What the gateway does as often as it needs, not as often as the client did.
bool MayComeAgain(const wire::Exchange& recorded) {
  const std::string method = Message(recorded.body).method();
  return recorded.method == "GET" || method == "initialize" ||
         method == "notifications/initialized" || method == "tools/list";
}

json::Edit Replace(const json::Value& value, const std::string& text) {
  return {value.offset(), value.raw().size(), text};
}

}  // namespace

void Conversation::Restart() {
  signal_.Change([&] {
    arrivals_.clear();
    found_.clear();
    ids_.clear();
    tokens_.clear();
    session_.clear();
  });
}

int Conversation::FindLocked(const Arrival& arrival) const {
  for (const auto& [number, exchange] : trace_.exchanges) {
    const bool used = found_.count(number) > 0 && !MayComeAgain(exchange);
    if (!used && IsLike(exchange, arrival)) return number;
  }
  return 0;
}

Arrival Conversation::Take(Arrival arrival) {
  signal_.Change([&] {
    arrival.exchange = FindLocked(arrival);
    arrival.session = session_;
    found_.insert(arrival.exchange);
    if (arrival.exchange != 0 && arrival.message.IsRequest()) {
      const Message recorded(trace_.exchanges.at(arrival.exchange).body);
      ids_[recorded.id()] = arrival.message.id();
      if (recorded.Has(kToken)) {
        tokens_[recorded.RawAt(kToken)] = arrival.message.RawAt(kToken);
      }
    }
    arrivals_.push_back(arrival);
  });
  return arrival;
}

const wire::Exchange* Conversation::AnswerTo(const Arrival& arrival) const {
  if (arrival.exchange != 0) return &trace_.exchanges.at(arrival.exchange);
  if (arrival.message.method() != "tools/list") return nullptr;
  for (const auto& [number, exchange] : tools_.exchanges) {
    if (IsLike(exchange, arrival)) return &exchange;
  }
  return nullptr;
}

std::string Conversation::NewSession(const std::string& recorded) {
  std::string session;
  signal_.Change([&] {
    session_ = absl::StrCat(recorded, "-", ++sessions_);
    session = session_;
  });
  return session;
}

std::string Conversation::session() const {
  std::string session;
  signal_.Read([&] { session = session_; });
  return session;
}

bool Conversation::LostItsSession() const {
  for (const Arrival& arrival : arrivals()) {
    const wire::Exchange* const recorded = AnswerTo(arrival);
    if (recorded != nullptr && recorded->status == 404) return true;
  }
  return false;
}

std::string Conversation::Translate(const std::string& text) const {
  const absl::StatusOr<json::Document> read = json::Document::Parse(text);
  if (!read.ok()) return text;
  std::vector<json::Edit> edits;
  signal_.Read([&] {
    const json::Value root = read->root();
    const std::optional<json::Value> id = root.Find("id");
    if (id.has_value() && !root.Find("method").has_value()) {
      const auto live = ids_.find(std::string(id->raw()));
      if (live != ids_.end()) edits.push_back(Replace(*id, live->second));
    }
    const std::optional<json::Value> params = root.Find("params");
    if (!params.has_value()) return;
    const std::optional<json::Value> token = params->Find("progressToken");
    if (!token.has_value()) return;
    const auto live = tokens_.find(std::string(token->raw()));
    if (live != tokens_.end()) edits.push_back(Replace(*token, live->second));
  });
  return json::Splice(text, std::move(edits));
}

absl::StatusOr<Arrival> Conversation::Await(
    const std::function<bool(const Arrival&)>& matches,
    absl::Duration timeout) const {
  absl::StatusOr<Arrival> found =
      absl::DeadlineExceededError("the upstream did not get it in time");
  size_t next = 0;
  signal_.WaitUntil(timeout, [&] {
    for (; next < arrivals_.size(); ++next) {
      const Arrival& arrival = arrivals_[next];
      if (matches(arrival)) {
        found = arrival;
        return true;
      }
      if (AnswerTo(arrival) == nullptr && arrival.http_method == "POST" &&
          !arrival.message.IsResponse()) {
        found = absl::NotFoundError(absl::StrCat(
            "the upstream got what was not recorded: ", arrival.message.raw()));
        return true;
      }
    }
    return false;
  });
  return found;
}

absl::StatusOr<Arrival> Conversation::AwaitExchange(int exchange) const {
  return Await([exchange](const Arrival& arrival) {
    return arrival.exchange == exchange;
  });
}

std::vector<Arrival> Conversation::arrivals() const {
  std::vector<Arrival> arrivals;
  signal_.Read([&] { arrivals = arrivals_; });
  return arrivals;
}

}  // namespace gatehouse::testing
