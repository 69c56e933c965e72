#include "tests/fuzz/judge_support.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "controlplane/trust/rule.h"
#include "tests/fuzz/fuzz_support.h"

namespace gatehouse::fuzz {
namespace {

constexpr json::Limits kParams = {.max_depth = 32, .max_values = 20'000};
constexpr json::Limits kAnswer = {.max_depth = 64, .max_values = 200'000};
constexpr size_t kMaxPathBytes = 256;

std::optional<json::Document> Read(std::string_view text,
                                   const json::Limits& limits) {
  auto document = json::Document::Parse(std::string(text), limits);
  if (!document.ok()) return std::nullopt;
  return *std::move(document);
}

// The steps of an RFC 6901 pointer; nullopt if it is none.
std::optional<std::vector<std::string>> StepsOf(std::string_view path) {
  std::vector<std::string> steps;
  for (size_t i = 0; i < path.size(); ++i) {
    if (i == 0 && path[i] != '/') return std::nullopt;
    if (path[i] == '/') {
      steps.emplace_back();
    } else if (path[i] != '~') {
      steps.back() += path[i];
    } else if (++i < path.size() && (path[i] == '0' || path[i] == '1')) {
      steps.back() += path[i] == '0' ? '~' : '/';
    } else {
      return std::nullopt;
    }
  }
  return steps;
}

std::optional<json::Value> Step(const json::Value& value,
                                const std::string& step) {
  if (value.IsObject()) return value.Find(step);
  const std::vector<json::Value> elements = value.Elements();
  for (size_t i = 0; i < elements.size(); ++i) {
    if (std::to_string(i) == step) return elements[i];
  }
  return std::nullopt;
}

bool Leads(const json::Value& root, const std::vector<std::string>& steps) {
  json::Value at = root;
  for (size_t i = 0; i < steps.size(); ++i) {
    const std::optional<json::Value> next = Step(at, steps[i]);
    // A missing member: the last step, from an object.
    if (!next) return at.IsObject() && i + 1 == steps.size();
    at = *next;
  }
  return true;
}

const std::set<std::string_view>& RuleNames() {
  static const auto* const names = [] {
    auto* all = new std::set<std::string_view>();
    for (const trust::NamedRule& rule : trust::AllRules()) {
      all->insert(rule.name);
    }
    return all;
  }();
  return *names;
}

}  // namespace

policy::VirtualServer OpenPolicy() {
  policy::VirtualServer policy;
  policy.name = "dev";
  policy.upstreams = {{"files", policy::HttpTransport{"http://h/mcp", {}, {}}}};
  policy.sampling = policy.roots = policy.elicitation = true;
  policy.sampling_allow_tools = policy.elicitation_url = true;
  return policy;
}

mcp::ClientFeatures AllDeclared() {
  return {.sampling = true,
          .sampling_tools = true,
          .elicitation_form = true,
          .elicitation_url = true,
          .roots = true,
          .roots_list_changed = true};
}

std::optional<json::Document> ReadParams(std::string_view text) {
  return Read(text, kParams);
}

std::optional<json::Document> ReadAnswer(std::string_view text) {
  return Read(text, kAnswer);
}

void RequireFailure(const Failure& failure, const json::Document* document) {
  Require(RuleNames().contains(failure.rule), "a refusal names its rule");
  Require(!failure.message.empty(), "a refusal says something");
  Require(failure.path.size() <= kMaxPathBytes, "a path has at most 256 bytes");
  const auto steps = StepsOf(failure.path);
  Require(steps.has_value(), "a path is a JSON pointer");
  Require(document == nullptr || Leads(document->root(), *steps),
          "a path leads to a value, or to a member that is missing");
}

bool Alike(const Failure& a, const Failure& b) {
  return a.reason == b.reason && a.message == b.message && a.path == b.path &&
         a.details == b.details && a.code == b.code && a.rule == b.rule;
}

bool Alike(const trust::RequestVerdict& a, const trust::RequestVerdict& b) {
  if (a.index() != b.index()) return false;
  if (const auto* failure = std::get_if<Failure>(&a)) {
    return Alike(*failure, std::get<Failure>(b));
  }
  const auto& one = std::get<trust::AdmittedRequest>(a);
  const auto& other = std::get<trust::AdmittedRequest>(b);
  return one.kind == other.kind && one.max_tokens == other.max_tokens &&
         one.url_mode == other.url_mode &&
         one.params_to_relay == other.params_to_relay &&
         one.flags == other.flags;
}

bool Alike(const trust::ResponseVerdict& a, const trust::ResponseVerdict& b) {
  if (a.outcome != b.outcome || a.result != b.result) return false;
  if (a.failure.has_value() != b.failure.has_value()) return false;
  return !a.failure.has_value() || Alike(*a.failure, *b.failure);
}

std::string_view FirstBroken(const trust::Trace& trace) {
  const auto broken = std::find_if(
      trace.begin(), trace.end(),
      [](const auto& evaluated) { return evaluated.failure.has_value(); });
  return broken == trace.end() ? std::string_view() : broken->rule;
}

}  // namespace gatehouse::fuzz
