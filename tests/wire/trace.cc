#include "tests/wire/trace.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "tests/wire/stdio_trace.h"
#include "tests/wire/trace_files.h"

namespace gatehouse::wire {
namespace {

std::map<std::string, std::string> Headers(const json::Value& line) {
  std::map<std::string, std::string> headers;
  const std::optional<json::Value> recorded = line.Find("headers");
  if (!recorded.has_value()) return headers;
  for (const json::Member& header : recorded->Members()) {
    if (header.value.IsString()) {
      headers[std::string(header.name)] = std::string(*header.value.String());
    }
  }
  return headers;
}

// An object is a message; a string, text that is none.
void SetContent(const json::Value& line, std::string_view member, Said& said) {
  const std::optional<json::Value> content = line.Find(member);
  if (!content.has_value()) return;
  said.is_message = !content->IsString();
  said.text = content->IsString() ? std::string(*content->String())
                                  : std::string(content->raw());
}

Said ReadSaid(const std::string& kind, const json::Value& line) {
  Said said;
  if (kind == "sse") {
    SetContent(line, "data", said);
    said.event = TextMember(line, "event");
    said.id = TextMember(line, "id");
    said.retry = TextMember(line, "retry");
  } else if (kind == "comment") {
    said.framing = Said::Framing::kComment;
    said.text = TextMember(line, "text");
  } else {
    said.framing = Said::Framing::kBody;
    SetContent(line, "body", said);
  }
  return said;
}

void AddStep(Trace& trace, Step::Kind kind, const json::Value& line,
             size_t said = 0) {
  trace.steps.push_back({kind, NumberMember(line, "t"),
                         static_cast<int>(NumberMember(line, "x")), said});
}

void AddLine(const json::Value& line, Trace& trace) {
  const std::string kind = TextMember(line, "ev");
  const int number = static_cast<int>(NumberMember(line, "x"));
  if (number == 0) return;  // what the peers noted for themselves
  Exchange& exchange = trace.exchanges[number];
  if (kind == "request") {
    exchange.number = number;
    exchange.method = TextMember(line, "method");
    exchange.headers = Headers(line);
    exchange.body = RawMember(line, "body");
    AddStep(trace, Step::Kind::kRequest, line);
  } else if (kind == "response") {
    exchange.status = static_cast<int>(NumberMember(line, "status"));
    exchange.answer_headers = Headers(line);
    AddStep(trace, Step::Kind::kHead, line);
  } else if (kind == "sse" || kind == "comment" || kind == "body") {
    AddStep(trace, Step::Kind::kSaid, line, exchange.said.size());
    exchange.said.push_back(ReadSaid(kind, line));
  } else if (kind == "end") {
    exchange.ended = true;
    AddStep(trace, Step::Kind::kEnd, line);
  }
}

}  // namespace

absl::StatusOr<Trace> ReadTrace(const std::string& name) {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::vector<json::Document> lines,
                             ReadLines(absl::StrCat(name, ".jsonl")));
  if (absl::StartsWith(name, "stdio.")) return FromPipes(name, lines);
  Trace trace;
  trace.name = name;
  for (const json::Document& line : lines) AddLine(line.root(), trace);
  return trace;
}

}  // namespace gatehouse::wire
