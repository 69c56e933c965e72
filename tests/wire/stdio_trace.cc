#include "tests/wire/stdio_trace.h"

#include <optional>

#include "tests/wire/trace_files.h"

namespace gatehouse::wire {
namespace {

constexpr char kInitialized[] = "notifications/initialized";

std::string RawAt(const json::Value& root, std::string_view outer,
                  std::string_view inner) {
  const std::optional<json::Value> object = root.Find(outer);
  return object.has_value() ? RawMember(*object, inner) : std::string();
}

// Builds the exchanges out of the lines, one after another.
class PipeReader {
 public:
  explicit PipeReader(const std::string& name) { trace_.name = name; }

  void Add(const json::Value& line) {
    const std::string kind = TextMember(line, "ev");
    const std::optional<json::Value> body = line.Find("body");
    at_ms_ = NumberMember(line, "t");
    if (kind == "case") Restart();
    if (!body.has_value()) return;
    if (kind == "stdin") AddRequest(*body);
    if (kind == "stdout") AddSaid(*body);
  }
  Trace Take() { return trace_; }

 private:
  void Restart() {
    const std::string name = trace_.name;
    *this = PipeReader(name);
  }

  void AddRequest(const json::Value& body) {
    const int number = ++requests_;
    Exchange& exchange = trace_.exchanges[number];
    exchange.number = number;
    exchange.method = "POST";
    exchange.headers = {{"content-type", "application/json"},
                        {"accept", "application/json, text/event-stream"}};
    exchange.body = std::string(body.raw());
    const bool request = body.Find("id") && body.Find("method");
    if (request) {
      by_id_[RawMember(body, "id")] = number;
      open_ = number;
    }
    trace_.steps.push_back({Step::Kind::kRequest, at_ms_, number, 0});
    if (TextMember(body, "method") == kInitialized) Listen();
  }

  void Listen() {
    Exchange& listener = trace_.exchanges[kListener];
    listener.number = kListener;
    listener.method = "GET";
    listener.status = 200;
    listener.headers = {{"accept", "text/event-stream"}};
    trace_.steps.push_back({Step::Kind::kRequest, at_ms_, kListener, 0});
  }

  int Owner(const json::Value& message) const {
    if (!message.Find("method")) return Known(RawMember(message, "id"));
    const std::string token = RawAt(message, "params", "progressToken");
    // The recorded clients' tokens are the ids of their requests.
    if (!token.empty()) return Known(token);
    return message.Find("id") ? open_ : kListener;
  }
  int Known(const std::string& id) const {
    const auto it = by_id_.find(id);
    return it == by_id_.end() ? kListener : it->second;
  }

  void AddSaid(const json::Value& message) {
    const int number = Owner(message);
    Exchange& exchange = trace_.exchanges[number];
    exchange.status = 200;
    Said said;
    said.text = std::string(message.raw());
    said.is_message = true;
    trace_.steps.push_back(
        {Step::Kind::kSaid, at_ms_, number, exchange.said.size()});
    exchange.said.push_back(said);
  }

  Trace trace_;
  std::map<std::string, int> by_id_;  // lexeme of a request's id
  int open_ = kListener;              // the last request
  int requests_ = 0;
  int64_t at_ms_ = 0;
};

}  // namespace

Trace FromPipes(const std::string& name,
                const std::vector<json::Document>& lines) {
  PipeReader reader(name);
  for (const json::Document& line : lines) reader.Add(line.root());
  return reader.Take();
}

}  // namespace gatehouse::wire
