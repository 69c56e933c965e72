#include "tools/demo/client_answers.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::demo {
namespace {

// MCP's example code for a user who rejects a sampling request.
constexpr int32_t kUserRejected = -1;

// A model of few words. The spaces, the escape and the 64-bit integer are here
// because a gateway must pass them unchanged.
constexpr std::string_view kCompletion =
    R"json({ "role": "assistant", "content": {"type":"text","text":"A gateway asks before it lets anyone ask you \u2014 and writes down what was decided."}, "model": "demo-model-1", "stopReason": "endTurn", "_meta": {"example.com/trace": 9007199254740993} })json";
// No role and no model: no CreateMessageResult.
constexpr std::string_view kWrongCompletion =
    R"json({"content":{"type":"text","text":17}})json";

std::string SamplingAnswer(std::string_view id, Answer answer) {
  if (answer == Answer::kAccept) return mcp::ResultMessage(id, kCompletion);
  if (answer == Answer::kWrongType) {
    return mcp::ResultMessage(id, kWrongCompletion);
  }
  return mcp::ErrorMessage(id, kUserRejected, "User rejected sampling request",
                           "");
}

// A value that fits the property, or one of another type.
void AppendValue(const json::Value& property, bool right, json::Writer* to) {
  const auto type = property.Find("type");
  const std::string kind =
      type && type->IsString() ? std::string(*type->String()) : "";
  if (kind == "integer" || kind == "number") {
    const auto minimum = property.Find("minimum");
    const double least = minimum ? minimum->Number().value_or(1) : 1;
    if (right) {
      to->Integer(static_cast<int64_t>(std::ceil(least)) + 1);
    } else {
      to->String("two");
    }
    return;
  }
  if (kind == "boolean") {
    to->Bool(true);
    return;
  }
  const auto choices = property.Find("enum");
  if (choices && choices->size() > 0) {
    to->Raw(choices->Elements().front().raw());
    return;
  }
  const auto format = property.Find("format");
  const std::string shape =
      format && format->IsString() ? std::string(*format->String()) : "";
  if (shape == "date") {
    to->String("2027-01-15");
  } else if (shape == "date-time") {
    to->String("2027-01-15T19:30:00Z");
  } else if (shape == "email") {
    to->String("ada@example.com");
  } else if (shape == "uri") {
    to->String("https://example.com/ada");
  } else {
    to->String("Ada Lovelace");
  }
}

// Every property of the form filled in, in the form's order.
std::string FilledForm(const mcp::Envelope& request, bool right) {
  json::Writer content;
  content.StartObject();
  const auto params = json::Document::Parse(std::string(request.params));
  if (params.ok()) {
    const auto schema = params->root().Find("requestedSchema");
    const auto properties =
        schema ? schema->Find("properties") : std::optional<json::Value>();
    if (properties) {
      for (const json::Member& member : properties->Members()) {
        content.Name(member.name);
        AppendValue(member.value, right, &content);
      }
    }
  }
  return content.EndObject().Take();
}

std::string FormAnswer(const mcp::Envelope& request, Answer answer) {
  switch (answer) {
    case Answer::kAccept:
    case Answer::kWrongType:
      return mcp::ResultMessage(
          request.id,
          absl::StrCat("{ \"action\": \"accept\", \"content\": ",
                       FilledForm(request, answer == Answer::kAccept), " }"));
    case Answer::kDecline:
      return mcp::ResultMessage(request.id, R"({"action":"decline"})");
    case Answer::kCancel:
    case Answer::kSilent:
      return mcp::ResultMessage(request.id, R"({"action":"cancel"})");
  }
  return "";
}

}  // namespace

absl::StatusOr<Answer> ParseAnswer(std::string_view text) {
  if (text == "accept") return Answer::kAccept;
  if (text == "decline") return Answer::kDecline;
  if (text == "cancel") return Answer::kCancel;
  if (text == "wrong-type") return Answer::kWrongType;
  if (text == "silent") return Answer::kSilent;
  return absl::InvalidArgumentError(
      absl::StrCat(ToAbsl(text),
                   ": expected accept, decline, cancel, "
                   "wrong-type or silent"));
}

std::optional<std::string> AnswerTo(const mcp::Envelope& request,
                                    const AnswerPlan& plan) {
  if (request.method == "sampling/createMessage") {
    if (plan.sampling == Answer::kSilent) return std::nullopt;
    return SamplingAnswer(request.id, plan.sampling);
  }
  if (request.method == "elicitation/create") {
    if (plan.form == Answer::kSilent) return std::nullopt;
    return FormAnswer(request, plan.form);
  }
  if (request.method == "roots/list") {
    return mcp::ResultMessage(
        request.id,
        R"({"roots":[{"uri":"file:///home/ada/work","name":"work"}]})");
  }
  if (request.method == "ping") return mcp::ResultMessage(request.id, "{}");
  return mcp::ErrorMessage(request.id, mcp::kMethodNotFound,
                           absl::StrCat(request.method, ": not served"), "");
}

}  // namespace gatehouse::demo
