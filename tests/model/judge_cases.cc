// Reads cases as JSON lines on standard input (README.md names the members) and
// writes the judge's verdict on each as a JSON line, in order. For the runner
// that compares them with the reference model's; test only.
//
// A case is read as the control plane reads an RPC: what it says is a fact. A
// line that is no case ends the program with code 2 and the line's number.
//
//   judge_cases < CASES      the verdicts
//   judge_cases --rules      the names of all rules, in the order asked

#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "controlplane/policy/virtual_server.h"
#include "controlplane/trust/judge.h"
#include "controlplane/trust/rule.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "shared/mcp/revision.h"
#include "shared/reasons/reasons.h"

namespace gatehouse {
namespace {

using json::Value;

// Of a case's line: an answer of 1 MiB in base64, and the rest.
constexpr size_t kMaxLineBytes = 2 << 20;

bool Flag(const Value& object, std::string_view name) {
  const auto value = object.Find(name);
  return value && value->Bool().ok() && *value->Bool();
}

std::string TextOf(const Value& value) {
  return value.IsString() ? std::string(*value.String()) : "";
}

std::string Text(const Value& object, std::string_view name) {
  const auto value = object.Find(name);
  return value ? TextOf(*value) : "";
}

// What the member holds in base64; nullopt if it is absent.
std::optional<std::string> Bytes(const Value& object, std::string_view name) {
  if (!object.Find(name)) return std::nullopt;
  std::string bytes;
  if (!absl::Base64Unescape(Text(object, name), &bytes)) return std::nullopt;
  return bytes;
}

std::optional<int64_t> Whole(const Value& object, std::string_view name) {
  const auto value = object.Find(name);
  if (!value || !value->Integer().ok()) return std::nullopt;
  return *value->Integer();
}

policy::VirtualServer PolicyOf(const Value& line) {
  policy::VirtualServer policy;
  policy.name = "dev";
  policy.upstreams = {
      {"files", policy::HttpTransport{"http://127.0.0.1", {}, {}}}};
  const auto value = line.Find("policy");
  if (!value) return policy;
  policy.sampling = Flag(*value, "sampling");
  policy.elicitation = Flag(*value, "elicitation");
  policy.roots = Flag(*value, "roots");
  policy.sampling_allow_tools = Flag(*value, "allowTools");
  policy.elicitation_url = Flag(*value, "url");
  if (const auto hosts = value->Find("urlHosts")) {
    for (const Value& host : hosts->Elements()) {
      policy.elicitation_url_hosts.push_back(TextOf(host));
    }
  }
  if (const auto fields = value->Find("allowFields")) {
    for (const Value& field : fields->Elements()) {
      const std::vector<Value> pair = field.Elements();
      if (pair.size() != 2) continue;
      policy.elicitation_allow_fields.push_back(
          {TextOf(pair[0]), TextOf(pair[1])});
    }
  }
  const auto limits = value->Find("limits");
  if (!limits) return policy;
  policy::Limits& own = policy.limits;
  const std::pair<std::string_view, int64_t*> names[] = {
      {"inputRequestBytes", &own.input_request_bytes},
      {"inputResponseBytes", &own.input_response_bytes},
      {"samplingTokensPerRequest", &own.sampling_tokens_per_request},
      {"formProperties", &own.form_properties}};
  for (const auto& [name, limit] : names) {
    *limit = Whole(*limits, name).value_or(*limit);
  }
  return policy;
}

mcp::ClientFeatures Declared(const Value& line) {
  mcp::ClientFeatures declared;
  const std::pair<std::string_view, bool*> names[] = {
      {"sampling", &declared.sampling},
      {"sampling.tools", &declared.sampling_tools},
      {"elicitation.form", &declared.elicitation_form},
      {"elicitation.url", &declared.elicitation_url},
      {"roots", &declared.roots}};
  const auto value = line.Find("declared");
  if (!value) return declared;
  for (const Value& element : value->Elements()) {
    for (const auto& [name, flag] : names) {
      if (TextOf(element) == name) *flag = true;
    }
  }
  return declared;
}

trust::Parent ParentOf(const Value& line) {
  const std::pair<std::string_view, trust::Parent> names[] = {
      {"operation", trust::Parent::kOperation},
      {"session", trust::Parent::kSession},
      {"ambiguous", trust::Parent::kAmbiguous},
      {"closed", trust::Parent::kClosed}};
  for (const auto& [name, parent] : names) {
    if (Text(line, "parent") == name) return parent;
  }
  return trust::Parent::kNone;
}

mcp::Revision RevisionOf(const Value& line, std::string_view name) {
  return mcp::ParseRevision(Text(line, name)).value_or(mcp::kLatestLegacy);
}

void WriteFailure(const Failure& failure, json::Writer& out) {
  const int32_t code = failure.code.value_or(RowOf(failure.reason).to_upstream);
  out.Name("rule").String(failure.rule);
  out.Name("reason").String(RowOf(failure.reason).name);
  out.Name("code").Integer(code);
  out.Name("path").String(failure.path);
}

bool Alike(const Failure& a, const Failure& b) {
  return a.reason == b.reason && a.message == b.message && a.path == b.path &&
         a.details == b.details && a.code == b.code && a.rule == b.rule;
}

bool Alike(const std::optional<Failure>& a, const std::optional<Failure>& b) {
  return a.has_value() == b.has_value() && (!a || Alike(*a, *b));
}

bool Alike(const trust::RequestVerdict& a, const trust::RequestVerdict& b) {
  const auto* admitted = std::get_if<trust::AdmittedRequest>(&a);
  const auto* other = std::get_if<trust::AdmittedRequest>(&b);
  if ((admitted == nullptr) != (other == nullptr)) return false;
  if (admitted == nullptr)
    return Alike(std::get<Failure>(a), std::get<Failure>(b));
  return admitted->kind == other->kind &&
         admitted->max_tokens == other->max_tokens &&
         admitted->url_mode == other->url_mode &&
         admitted->params_to_relay == other->params_to_relay &&
         admitted->flags == other->flags;
}

// Every broken rule and its path; and a member that no verdict of the model
// has, where the trace changed the word.
void WriteTraced(const trust::Trace& trace, bool alike, json::Writer& out) {
  out.Name("broken").StartArray();
  for (const trust::EvaluatedRule& evaluated : trace) {
    if (!evaluated.failure) continue;
    out.StartArray().String(evaluated.rule);
    out.String(evaluated.failure->path).EndArray();
  }
  out.EndArray();
  if (!alike) out.Name("traced").String("another verdict");
}

std::string JudgeRequestCase(const Value& line) {
  const std::string method = Text(line, "method");
  const std::string params = Bytes(line, "params").value_or("");
  const std::string upstream = Text(line, "upstream");
  trust::RequestFacts facts;
  facts.method = method;
  facts.params = params;
  facts.oversized_bytes = Whole(line, "oversized");
  facts.upstream_revision = RevisionOf(line, "upstreamRevision");
  facts.client_revision = RevisionOf(line, "clientRevision");
  facts.declared = Declared(line);
  facts.parent = ParentOf(line);
  facts.upstream = upstream;
  facts.notified = Flag(line, "notified");
  const policy::VirtualServer policy = PolicyOf(line);
  const auto verdict = trust::JudgeRequest(policy, facts);
  trust::Trace trace;
  const auto traced = trust::JudgeRequest(policy, facts, &trace);
  json::Writer out;
  out.StartObject();
  if (const auto* failure = std::get_if<Failure>(&verdict)) {
    out.Name("outcome").String("refused");
    WriteFailure(*failure, out);
  } else {
    out.Name("outcome").String("admitted");
  }
  WriteTraced(trace, Alike(verdict, traced), out);
  return out.EndObject().Take();
}

std::string_view NameOf(trust::ResponseOutcome outcome) {
  switch (outcome) {
    case trust::ResponseOutcome::kAnswered:
      return "answered";
    case trust::ResponseOutcome::kDeclined:
      return "declined";
    case trust::ResponseOutcome::kDismissed:
      return "dismissed";
    case trust::ResponseOutcome::kInvalid:
      return "invalid";
    case trust::ResponseOutcome::kFailed:
      return "failed";
  }
  return "";
}

std::string JudgeResponseCase(const Value& line) {
  const std::string method = Text(line, "method");
  const std::string request = Bytes(line, "requestParams").value_or("");
  const auto result = Bytes(line, "result");
  const auto error = Bytes(line, "error");
  trust::ResponseFacts facts;
  facts.method = method;
  facts.request_params = request;
  facts.upstream_revision = RevisionOf(line, "upstreamRevision");
  facts.client_revision = RevisionOf(line, "clientRevision");
  facts.oversized_bytes = Whole(line, "oversized");
  if (result) facts.result = *result;
  if (error) facts.error = *error;
  const policy::VirtualServer policy = PolicyOf(line);
  const auto verdict = trust::JudgeResponse(policy, facts);
  trust::Trace trace;
  const auto traced = trust::JudgeResponse(policy, facts, &trace);
  json::Writer out;
  out.StartObject().Name("outcome").String(NameOf(verdict.outcome));
  if (verdict.outcome == trust::ResponseOutcome::kInvalid && verdict.failure) {
    WriteFailure(*verdict.failure, out);
  }
  WriteTraced(trace,
              verdict.outcome == traced.outcome &&
                  verdict.result == traced.result &&
                  Alike(verdict.failure, traced.failure),
              out);
  return out.EndObject().Take();
}

absl::StatusOr<std::string> JudgeLine(const std::string& text) {
  json::Limits limits;
  limits.max_bytes = kMaxLineBytes;
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Document document,
                             json::Document::Parse(text, limits));
  const std::string judge = Text(document.root(), "judge");
  if (judge == "request") return JudgeRequestCase(document.root());
  if (judge == "response") return JudgeResponseCase(document.root());
  return absl::InvalidArgumentError("/judge: neither request nor response");
}

// The names of all rules, in the order asked.
void PrintRules() {
  for (const trust::NamedRule& rule : trust::AllRules()) {
    std::cout << rule.name << '\n';
  }
}

int Main() {
  std::ios::sync_with_stdio(false);
  std::string line;
  for (int64_t number = 1; std::getline(std::cin, line); ++number) {
    const absl::StatusOr<std::string> verdict = JudgeLine(line);
    if (!verdict.ok()) {
      std::cerr << "line " << number << ": "
                << ToStd(verdict.status().message()) << '\n';
      return 2;
    }
    std::cout << *verdict << '\n';
  }
  std::cout.flush();
  return std::cout.good() ? 0 : 1;
}

}  // namespace
}  // namespace gatehouse

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--rules") {
    gatehouse::PrintRules();
    return 0;
  }
  return gatehouse::Main();
}
