#include <algorithm>
#include <functional>
#include <set>
#include <string_view>

#include "tests/unit/trust/rules/stricter.h"

namespace gatehouse::trust {
namespace {

using C = ResponseContext;

std::string_view Text(const C& c) { return c.facts.result.value_or(""); }

std::function<bool(const C&)> AnyRoot(bool (*is)(const json::Value&)) {
  return [is](const C& c) {
    for (const json::Value& root : c.answer.Find("roots")->Elements()) {
      if (is(root)) return true;
    }
    return false;
  };
}

std::function<bool(const C&)> AnyBlock(std::string_view type,
                                       bool (*is)(const json::Value&)) {
  return [type, is](const C& c) {
    for (const Block& block : c.conversation.blocks) {
      if (block.type == type && is(block.value)) return true;
    }
    return false;
  };
}

bool Always(const json::Value&) { return true; }

int UsesOf(const C& c) {
  int uses = 0;
  for (const Block& block : c.conversation.blocks) {
    uses += block.type == "tool_use" ? 1 : 0;
  }
  return uses;
}

std::string_view StopReason(const C& c) {
  return StringMember(c.answer, "stopReason").value_or("");
}

// The field of the form and its value, of the first that was filled in.
using ValueCheck = bool (*)(const Field&, const json::Value&);
std::function<bool(const C&)> FirstValue(ValueCheck is) {
  return [is](const C& c) {
    const auto content = c.answer.Find("content");
    if (!content.has_value() || content->size() == 0) return false;
    const json::Member member = content->Members().front();
    for (const Field& field : c.form.fields) {
      if (field.name == member.name) return is(field, member.value);
    }
    return false;
  };
}

Mutants<C> ReadableMutants() {
  return {
      {"answer-is-one", [](const C& c) { return c.facts.result.has_value(); }},
      {"answer-within-size",
       [](const C& c) {
         return static_cast<int64_t>(Text(c).size()) >=
                c.policy.limits.input_response_bytes;
       }},
      {"answer-well-formed",
       [](const C& c) { return Text(c).substr(0, 1) == " "; }},
      {"answer-unicode",
       [](const C& c) {
         return std::any_of(Text(c).begin(), Text(c).end(), [](char b) {
           return static_cast<unsigned char>(b) >= 0x80;
         });
       }},
      {"answer-unique-names",
       [](const C& c) { return RepeatsAName(c.answer); }},
      {"answer-depth", [](const C& c) { return DepthOf(c.answer) >= 64; }},
      {"answer-count", [](const C& c) { return CountOf(c.answer) >= 200'000; }},
      {"answer-is-object",
       [](const C& c) { return Has(c.answer, "nextCursor"); }},
      {"answer-meta", [](const C& c) { return Has(c.answer, "_meta"); }},
      {"error-is-object", [](const C& c) { return Has(c.answer, "data"); }},
      {"error-code",
       [](const C& c) { return !c.answer.Find("code")->Integer().ok(); }},
      {"error-message",
       [](const C& c) { return IsEmptyText(c.answer, "message"); }},
      {"answer-roots", [](const C& c) { return IsEmpty(c.answer, "roots"); }},
      {"answer-root-is-object",
       AnyRoot([](const json::Value& r) { return Has(r, "x"); })},
      {"answer-root-uri",
       AnyRoot([](const json::Value& r) { return !Has(r, "name"); })},
      {"answer-root-file-uri", AnyRoot([](const json::Value& r) {
         return StringMember(r, "uri").value_or("").find("..") !=
                std::string_view::npos;
       })},
      {"answer-root-name",
       AnyRoot([](const json::Value& r) { return IsEmptyText(r, "name"); })},
      {"answer-root-meta",
       AnyRoot([](const json::Value& r) { return Has(r, "_meta"); })},
  };
}

Mutants<C> FilledMutants() {
  return {
      {"answer-action", [](const C& c) { return Has(c.answer, "content"); }},
      {"answer-content-is-object",
       [](const C& c) { return !Has(c.answer, "content"); }},
      {"answer-fields-required",
       FirstValue([](const Field&, const json::Value& v) {
         return v.raw() == "\"\"";
       })},
      {"answer-fields-known", [](const C& c) { return Has(c.answer, "x"); }},
      {"answer-value-type",
       FirstValue([](const Field& f, const json::Value& v) {
         return f.kind == FieldKind::kNumber && v.IsIntegerLexeme();
       })},
      {"answer-value-size", FirstValue([](const Field&, const json::Value& v) {
         return v.raw().size() > 3;  // bytes, with the quotes
       })},
      {"answer-value-format",
       FirstValue([](const Field&, const json::Value& v) {
         return v.raw().find("02-29") != std::string_view::npos;
       })},
      {"answer-value-option",
       FirstValue([](const Field& f, const json::Value&) { return f.titled; })},
      {"answer-value-bounds",
       FirstValue([](const Field& f, const json::Value&) {
         return Has(f.schema, "minimum");
       })},
      {"answer-selection-size",
       FirstValue(
           [](const Field&, const json::Value& v) { return v.size() == 2; })},
      {"answer-selection-options",
       FirstValue([](const Field&, const json::Value& v) {
         return v.raw() == R"(["c"])";
       })},
      {"answer-selection-unique",
       FirstValue([](const Field&, const json::Value& v) {
         return v.raw() == R"(["a","a"])";
       })},
  };
}

Mutants<C> CompletionMutants() {
  const auto has_array = [](const C& c) {
    return c.answer.Find("content")->IsArray();
  };
  return {
      {"answer-role",
       [](const C& c) { return StringMember(c.answer, "role") == "user"; }},
      {"answer-content", has_array},
      {"answer-content-single",
       [](const C& c) { return !c.client_era.content_arrays; }},
      {"answer-content-not-empty",
       [](const C& c) { return c.answer.Find("content")->size() == 1; }},
      {"answer-block-is-object",
       AnyBlock("text", [](const json::Value& b) { return Has(b, "x"); })},
      {"answer-block-type", AnyBlock("audio", Always)},
      {"answer-block-annotations",
       AnyBlock("text", [](const json::Value& b) { return Has(b, "_meta"); })},
      {"answer-text",
       AnyBlock("text",
                [](const json::Value& b) { return IsEmptyText(b, "text"); })},
      {"answer-binary-data",
       AnyBlock("image",
                [](const json::Value& b) { return IsEmptyText(b, "data"); })},
      {"answer-binary-mime-type",
       AnyBlock("image",
                [](const json::Value& b) {
                  return StringMember(b, "mimeType") != "image/png";
                })},
      {"answer-tool-use-shape",
       AnyBlock("tool_use",
                [](const json::Value& b) { return IsEmpty(b, "input"); })},
      {"answer-representable", has_array},
      {"answer-tool-use-by-assistant",
       [](const C& c) { return UsesOf(c) > 0; }},
      {"answer-tool-use-ids-unique", [](const C& c) { return UsesOf(c) > 1; }},
      {"answer-tools-were-carried",
       [](const C& c) { return StopReason(c) == "tool_use"; }},
      {"answer-tools-were-offered", [](const C& c) { return UsesOf(c) > 0; }},
      {"answer-choice-none",
       [](const C& c) { return Has(c.request_params, "toolChoice"); }},
      {"answer-choice-required",
       [](const C& c) { return StopReason(c) == "maxTokens"; }},
      {"answer-holds-no-tool-result", AnyBlock("tool_use", Always)},
      {"answer-model",
       [](const C& c) { return StringMember(c.answer, "model") == "x"; }},
      {"answer-stop-reason",
       [](const C& c) {
         static const std::set<std::string_view> kKnown = {
             "", "endTurn", "stopSequence", "maxTokens", "toolUse"};
         return !kKnown.contains(StopReason(c));
       }},
  };
}

}  // namespace

const Mutants<ResponseContext>& AnswerMutants() {
  static const auto* const mutants = [] {
    auto* all = new Mutants<C>(ReadableMutants());
    all->merge(FilledMutants());
    return all;
  }();
  return *mutants;
}

const Mutants<ResponseContext>& ContentMutants() {
  static const auto* const mutants = new Mutants<C>(CompletionMutants());
  return *mutants;
}

}  // namespace gatehouse::trust
