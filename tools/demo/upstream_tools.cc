#include "tools/demo/upstream_tools.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::demo {
namespace {

constexpr int64_t kSummaryTokens = 200;
constexpr int64_t kGreedyTokens = 4096;
constexpr int kGreedyTimes = 3;
constexpr int64_t kMaxCount = 1000;

constexpr std::string_view kToolList = R"json({"tools":[
{"name":"summarize","title":"Summarize a text",
"description":"Asks the client's model for a summary of the text.",
"inputSchema":{"type":"object","properties":{"text":{"type":"string"}},
"required":["text"]}},
{"name":"book_table","title":"Book a table",
"description":"Asks the user for a name, guests and a day, by a form.",
"inputSchema":{"type":"object","properties":{"restaurant":{"type":"string"}},
"required":["restaurant"]}},
{"name":"greedy","title":"Ask for too much",
"description":"Asks the client's model three times for 4,096 tokens.",
"inputSchema":{"type":"object"}},
{"name":"list_folders","title":"List the user's folders",
"description":"Asks for the client's roots, declared or not.",
"inputSchema":{"type":"object"}},
{"name":"count","title":"Count",
"description":"Counts up to a number and reports its progress.",
"inputSchema":{"type":"object","properties":
{"to":{"type":"integer","minimum":1,"maximum":1000}},"required":["to"]}}
]})json";

constexpr std::string_view kBookingForm = R"json({"type":"object","properties":{
"name":{"type":"string","title":"Name","minLength":1,"maxLength":80},
"guests":{"type":"integer","title":"Guests","minimum":1,"maximum":12},
"day":{"type":"string","title":"Day","format":"date"},
"window":{"type":"boolean","title":"By the window"}},
"required":["name","guests","day"]})json";

// One line: a message on stdio must not hold a line feed.
std::string OneLine(std::string_view json) {
  std::string result;
  for (const char c : json) {
    if (c != '\n') result.push_back(c);
  }
  return result;
}

// What Ask gave, as an element of `structuredContent.got`.
void AppendOutcome(const Outcome& outcome, json::Writer* to) {
  to->StartObject();
  switch (outcome.kind) {
    case Outcome::Kind::kResult:
      to->Name("result").Raw(outcome.raw);
      break;
    case Outcome::Kind::kError:
      to->Name("error").Raw(outcome.raw);
      break;
    case Outcome::Kind::kNoAnswer:
      to->Name("nothing").String("no answer came in time");
      break;
    case Outcome::Kind::kCancelled:
      to->Name("nothing").String("the call was cancelled");
      break;
    case Outcome::Kind::kClosed:
      to->Name("nothing").String("the client's side is gone");
      break;
  }
  to->EndObject();
}

std::string ToolResult(std::string_view text, bool is_error,
                       const std::vector<Outcome>& outcomes) {
  json::Writer out;
  out.StartObject().Name("content").StartArray();
  out.StartObject().Name("type").String("text").Name("text").String(text);
  out.EndObject().EndArray();
  out.Name("structuredContent").StartObject().Name("got").StartArray();
  for (const Outcome& outcome : outcomes) AppendOutcome(outcome, &out);
  out.EndArray().EndObject();
  out.Name("isError").Bool(is_error).EndObject();
  return out.Take();
}

// Such as `error -31001: the operation's token budget ...`.
std::string ErrorText(const std::string& raw) {
  const auto error = json::Document::Parse(raw);
  if (!error.ok()) return "an error that is no JSON";
  const auto code = error->root().Find("code");
  const auto message = error->root().Find("message");
  return absl::StrCat(
      "error ", code ? ToAbsl(code->raw()) : "without code", ": ",
      message ? ToAbsl(message->String().value_or("no text")) : "no text");
}

std::string OutcomeText(const Outcome& outcome) {
  switch (outcome.kind) {
    case Outcome::Kind::kResult:
      return absl::StrCat("answered: ", outcome.raw);
    case Outcome::Kind::kError:
      return ErrorText(outcome.raw);
    case Outcome::Kind::kNoAnswer:
      return "no answer came in time";
    case Outcome::Kind::kCancelled:
      return "the call was cancelled";
    case Outcome::Kind::kClosed:
      return "the client's side is gone";
  }
  return "";
}

std::string SamplingParams(std::string_view prompt, int64_t max_tokens) {
  json::Writer out;
  out.StartObject().Name("messages").StartArray();
  out.StartObject().Name("role").String("user").Name("content").StartObject();
  out.Name("type").String("text").Name("text").String(prompt).EndObject();
  out.EndObject().EndArray();
  out.Name("systemPrompt").String("You summarize in one sentence.");
  out.Name("maxTokens").Integer(max_tokens).EndObject();
  return out.Take();
}

absl::StatusOr<std::string> StringArgument(
    const std::optional<json::Value>& arguments, std::string_view name) {
  if (!arguments) {
    return absl::InvalidArgumentError(
        absl::StrCat("/arguments: missing field '", ToAbsl(name), "'"));
  }
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value value, arguments->Field(name));
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string_view text, value.String());
  return std::string(text);
}

// One question, whose outcome is the tool's result.
std::string AskOnce(std::string_view what, std::string_view method,
                    std::string params, ToolContext& context) {
  const Outcome outcome = context.Ask(method, std::move(params));
  return ToolResult(absl::StrCat(ToAbsl(what), ": ", OutcomeText(outcome)),
                    outcome.kind != Outcome::Kind::kResult, {outcome});
}

absl::StatusOr<std::string> Summarize(
    const std::optional<json::Value>& arguments, ToolContext& context) {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string text,
                             StringArgument(arguments, "text"));
  return AskOnce(
      "The model", "sampling/createMessage",
      SamplingParams(absl::StrCat("Summarize: ", text), kSummaryTokens),
      context);
}

absl::StatusOr<std::string> BookTable(
    const std::optional<json::Value>& arguments, ToolContext& context) {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string restaurant,
                             StringArgument(arguments, "restaurant"));
  json::Writer params;
  params.StartObject();
  params.Name("message").String(
      absl::StrCat("A table at ", restaurant, ": for whom, and when?"));
  params.Name("requestedSchema").Raw(OneLine(kBookingForm)).EndObject();
  return AskOnce("The form", "elicitation/create", params.Take(), context);
}

std::string Greedy(ToolContext& context) {
  std::vector<Outcome> outcomes;
  std::string text;
  for (int i = 1; i <= kGreedyTimes && !context.Stopped(); ++i) {
    outcomes.push_back(context.Ask(
        "sampling/createMessage",
        SamplingParams(absl::StrCat("Write part ", i, " of a long novel."),
                       kGreedyTokens)));
    absl::StrAppend(&text, i == 1 ? "" : "\n", "Request ", i, ": ",
                    OutcomeText(outcomes.back()));
  }
  return ToolResult(text, false, outcomes);
}

absl::StatusOr<std::string> Count(const std::optional<json::Value>& arguments,
                                  ToolContext& context) {
  if (!arguments) {
    return absl::InvalidArgumentError("/arguments: missing field 'to'");
  }
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value to, arguments->Field("to"));
  GATEHOUSE_ASSIGN_OR_RETURN(const int64_t total, to.Integer());
  if (total < 1 || total > kMaxCount) return to.Error("expected 1 to 1000");
  for (int64_t i = 1; i <= total && !context.Stopped(); ++i) {
    context.Progress(i, total);
  }
  return ToolResult(absl::StrCat("Counted to ", total, "."), false, {});
}

}  // namespace

std::string ToolListJson() { return OneLine(kToolList); }

absl::StatusOr<std::string> CallTool(
    std::string_view name, const std::optional<json::Value>& arguments,
    ToolContext& context) {
  if (name == "summarize") return Summarize(arguments, context);
  if (name == "book_table") return BookTable(arguments, context);
  if (name == "greedy") return Greedy(context);
  if (name == "count") return Count(arguments, context);
  if (name == "list_folders") {
    return AskOnce("The folders", "roots/list", "", context);
  }
  return absl::NotFoundError(absl::StrCat(ToAbsl(name), ": no such tool"));
}

}  // namespace gatehouse::demo
