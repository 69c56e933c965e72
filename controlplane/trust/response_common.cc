// The rules about every answer: that it is one that can be read.

#include <array>
#include <optional>
#include <string_view>

#include "controlplane/trust/reading.h"
#include "controlplane/trust/rule.h"

namespace gatehouse::trust {
namespace {

using Context = ResponseContext;

Ruling IsResultOrError(const Context& context) {
  const ResponseFacts& facts = context.facts;
  if (facts.oversized_bytes.has_value() ||
      facts.result.has_value() != facts.error.has_value()) {
    return std::nullopt;
  }
  return ObjectTo(Reason::kInvalidResponse,
                  "expected either a result or an error");
}

Ruling IsWithinSize(const Context& context) {
  const ResponseFacts& facts = context.facts;
  const std::string_view text =
      facts.result.value_or(facts.error.value_or(std::string_view()));
  return WithinBytes(facts.oversized_bytes, text.size(),
                     context.policy.limits.input_response_bytes,
                     Reason::kResponseTooLarge, "answer with less");
}

template <json::Fault fault>
Ruling HasNot(const Context& context) {
  return ReadWithout(context.reading, fault);
}

constexpr std::array kReadable = {
    ResponseRule{"answer-is-one", "either a result or an error", "PROTOCOL 1.5",
                 IsResultOrError},
    ResponseRule{"answer-within-size", "an answer within the limit of bytes",
                 "DESIGN 8", IsWithinSize},
    ResponseRule{"answer-well-formed", "an answer that is one JSON text",
                 "PROTOCOL 13.1", HasNot<json::Fault::kSyntax>},
    ResponseRule{"answer-unicode", "UTF-8 without lone surrogates",
                 "PROTOCOL 13.1", HasNot<json::Fault::kEncoding>},
    ResponseRule{"answer-unique-names", "each member once in its object",
                 "PROTOCOL 13.1", HasNot<json::Fault::kDuplicate>},
    ResponseRule{"answer-depth", "an answer nested no deeper than 64",
                 "DESIGN 8", HasNot<json::Fault::kDepth>},
    ResponseRule{"answer-count", "an answer of at most 200,000 values",
                 "DESIGN 6", HasNot<json::Fault::kValues>},
};

Ruling ResultIsAnObject(const Context& context) {
  if (context.answer.IsObject()) return std::nullopt;
  return ObjectTo(context.answer, "the result must be an object");
}

Ruling MetaIsAnObject(const Context& context) {
  // Beside a decline or a cancel, and in URL mode, only the action is
  // delivered: nothing else is judged.
  if (context.kind != nullptr &&
      context.kind->kind == RequestKind::kElicitation &&
      (ActionOf(context.answer) != ElicitationAction::kAccept ||
       IsUrlMode(context.request_params))) {
    return std::nullopt;
  }
  return OptionalObject(context.answer, "_meta");
}

constexpr std::array kResult = {
    ResponseRule{"answer-is-object", "a result that is an object",
                 "PROTOCOL 1.5", ResultIsAnObject},
    ResponseRule{"answer-meta", "_meta that is an object", "PROTOCOL 4.3",
                 MetaIsAnObject},
};

Ruling ErrorIsAnObject(const Context& context) {
  if (context.answer.IsObject()) return std::nullopt;
  return ObjectTo(context.answer, "the error must be an object");
}

Ruling ErrorHasACode(const Context& context) {
  const std::optional<json::Value> code = context.answer.Find("code");
  if (!context.answer.IsObject() ||
      (code.has_value() && code->IsIntegerLexeme())) {
    return std::nullopt;
  }
  return ObjectToMember(context.answer, "code", "expected an integer");
}

Ruling ErrorHasAMessage(const Context& context) {
  if (!context.answer.IsObject()) return std::nullopt;
  return RequiredString(context.answer, "message");
}

constexpr std::array kError = {
    ResponseRule{"error-is-object", "an error that is an object",
                 "PROTOCOL 1.5", ErrorIsAnObject},
    ResponseRule{"error-code", "an error's code as an integer", "PROTOCOL 1.5",
                 ErrorHasACode},
    ResponseRule{"error-message", "an error's message as text", "PROTOCOL 1.5",
                 ErrorHasAMessage},
};

}  // namespace

ResponseRules ReadableResponseRules() { return kReadable; }
ResponseRules ResultRules() { return kResult; }
ResponseRules ErrorRules() { return kError; }

}  // namespace gatehouse::trust
