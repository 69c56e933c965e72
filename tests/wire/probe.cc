#include "tests/wire/probe.h"

#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "tests/wire/trace_files.h"

namespace gatehouse::wire {
namespace {

constexpr char kHandshake[] = "initialize 2025-11-25";
constexpr char kInitialize[] =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":)"
    R"({"protocolVersion":"2025-11-25","capabilities":{},)"
    R"("clientInfo":{"name":"probe","version":"1"}}})";
constexpr char kInitialized[] =
    R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
constexpr char kList[] = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
constexpr char kTools[] = R"({"jsonrpc":"2.0","id":1,"result":{"tools":)"
                          R"([{"name":"t","inputSchema":{"type":"object"}}]}})";
constexpr char kGood[] = R"({"jsonrpc":"2.0","id":9,"result":{"content":[]}})";

Said ReadEvent(const json::Value& event) {
  Said said;
  if (!event.IsString()) {
    said.is_message = true;
    said.text = std::string(event.raw());
    return said;
  }
  // As it came, which was no message: a comment, or a first event with an id.
  const std::string text(*event.String());
  if (absl::StartsWith(text, "id: ")) {
    said.id = text.substr(4, text.find('\n') - 4);
  } else {
    said.framing = Said::Framing::kComment;
    said.text = text.substr(text.find_first_not_of(": "));
  }
  return said;
}

Probe ReadProbe(const json::Value& line) {
  Probe probe;
  probe.name = TextMember(line, "name");
  probe.open = line.Find("open").has_value();
  probe.answer.status = static_cast<int>(NumberMember(line, "status"));
  probe.answer.ended = !probe.open;
  const std::string type = TextMember(line, "type");
  if (!type.empty()) probe.answer.answer_headers["content-type"] = type;
  if (const auto headers = line.Find("headers")) {
    for (const json::Member& header : headers->Members()) {
      if (!header.value.IsString()) continue;
      probe.answer.answer_headers[std::string(header.name)] =
          std::string(*header.value.String());
    }
  }
  if (const auto events = line.Find("events")) {
    for (const json::Value& event : events->Elements()) {
      probe.answer.said.push_back(ReadEvent(event));
    }
  }
  if (const auto body = line.Find("body")) {
    Said said;
    said.framing = Said::Framing::kBody;
    said.is_message = body->IsObject();
    said.text = body->IsString() ? std::string(*body->String())
                                 : std::string(body->raw());
    probe.answer.said.push_back(std::move(said));
  }
  return probe;
}

// The answer's id, if it has one, is that of the call.
std::string WithId(const Said& said, int number) {
  const auto read = json::Document::Parse(said.text);
  if (!said.is_message || !read.ok()) return said.text;
  const std::optional<json::Value> id = read->root().Find("id");
  if (!id.has_value() || id->IsNull()) return said.text;
  return json::Splice(
      said.text, {json::SetMember(read->root(), "id", absl::StrCat(number))});
}

void AddSteps(Trace& trace, int number) {
  const Exchange& exchange = trace.exchanges.at(number);
  // Each at a time of its own, so that nothing is said together.
  int64_t at_ms = static_cast<int64_t>(trace.steps.size());
  trace.steps.push_back({Step::Kind::kRequest, at_ms++, number, 0});
  trace.steps.push_back({Step::Kind::kHead, at_ms++, number, 0});
  for (size_t i = 0; i < exchange.said.size(); ++i) {
    trace.steps.push_back({Step::Kind::kSaid, at_ms++, number, i});
  }
  trace.steps.push_back({Step::Kind::kEnd, at_ms++, number, 0});
}

// A request with the headers of a client, in a session if the server had one.
void AddRequest(Trace& trace, int number, const std::string& body,
                Exchange answer) {
  answer.number = number;
  answer.method = "POST";
  answer.headers = {{"content-type", "application/json"},
                    {"accept", "application/json, text/event-stream"}};
  const auto first = trace.exchanges.find(1);
  if (first != trace.exchanges.end() &&
      first->second.answer_headers.count("mcp-session-id") > 0) {
    answer.headers["mcp-session-id"] = "the gateway's";
  }
  answer.body = body;
  trace.exchanges[number] = std::move(answer);
  AddSteps(trace, number);
}

Exchange JsonAnswer(const std::string& body) {
  Exchange answer;
  answer.status = 200;
  answer.answer_headers["content-type"] = "application/json";
  Said& said = answer.said.emplace_back();
  said.framing = Said::Framing::kBody;
  said.text = body;
  said.is_message = true;
  return answer;
}

std::string CallOf(int number) {
  return absl::StrCat(R"({"jsonrpc":"2.0","id":)", number,
                      R"(,"method":"tools/call","params":{"name":"t",)",
                      R"("arguments":{"probe":)", number, "}}}");
}

}  // namespace

absl::StatusOr<std::vector<Probe>> ReadProbes(const std::string& trace) {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::vector<json::Document> lines,
                             ReadLines(absl::StrCat(trace, ".jsonl")));
  std::vector<Probe> probes;
  for (const json::Document& line : lines) {
    probes.push_back(ReadProbe(line.root()));
  }
  return probes;
}

absl::StatusOr<std::map<std::string, ProbeRow>> ReadProbeList() {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::vector<json::Document> lines,
                             ReadLines("probes.jsonl"));
  std::map<std::string, ProbeRow> rows;
  for (const json::Document& line : lines) {
    const ProbeRow row = {TextMember(line.root(), "answer"),
                          TextMember(line.root(), "test"),
                          TextMember(line.root(), "waits")};
    const bool held = !row.answer.empty() && !row.test.empty();
    if (held != row.waits.empty()) {
      return line.root().Error(absl::StrCat(
          "probes.jsonl: expected `answer` and `test`, or `waits`: ",
          std::string(line.text())));
    }
    rows[TextMember(line.root(), "probe")] = row;
  }
  return rows;
}

Trace TraceOfProbes(const std::string& name, const std::vector<Probe>& probes) {
  Trace trace;
  trace.name = name;
  for (const Probe& probe : probes) {
    if (probe.name != kHandshake) continue;
    Exchange answer = probe.answer;
    for (Said& said : answer.said) said.text = WithId(said, 0);
    AddRequest(trace, 1, kInitialize, std::move(answer));
  }
  Exchange taken;
  taken.status = 202;
  AddRequest(trace, 2, kInitialized, std::move(taken));
  AddRequest(trace, 3, kList, JsonAnswer(kTools));
  for (size_t i = 0; i < probes.size(); ++i) {
    if (probes[i].open || probes[i].answer.status == 0) continue;
    const int number = ExchangeOfProbe(i);
    Exchange answer = probes[i].answer;
    for (Said& said : answer.said) said.text = WithId(said, number);
    AddRequest(trace, number, CallOf(number), std::move(answer));
  }
  AddRequest(trace, 9, CallOf(9), JsonAnswer(kGood));
  return trace;
}

}  // namespace gatehouse::wire
