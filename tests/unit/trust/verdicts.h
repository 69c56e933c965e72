#ifndef GATEHOUSE_TESTS_UNIT_TRUST_VERDICTS_H_
#define GATEHOUSE_TESTS_UNIT_TRUST_VERDICTS_H_

#include <string>
#include <string_view>
#include <variant>

#include "controlplane/policy/virtual_server.h"
#include "controlplane/trust/judge.h"
#include "shared/mcp/features.h"

// What the tests of the judge have in common: a policy and a client that allow
// everything, and verdicts as short texts.
namespace gatehouse::trust {

inline constexpr std::string_view kSampling = "sampling/createMessage";
inline constexpr std::string_view kElicitation = "elicitation/create";
inline constexpr std::string_view kRoots = "roots/list";

inline constexpr auto k0326 = mcp::Revision::k2025_03_26;
inline constexpr auto k0618 = mcp::Revision::k2025_06_18;
inline constexpr auto k1125 = mcp::Revision::k2025_11_25;
inline constexpr auto k0728 = mcp::Revision::k2026_07_28;

inline policy::VirtualServer OpenPolicy() {
  policy::VirtualServer policy;
  policy.name = "dev";
  policy.upstreams = {{"files", policy::HttpTransport{"http://h/mcp", {}, {}}}};
  policy.sampling = policy.roots = policy.elicitation = true;
  policy.sampling_allow_tools = true;
  return policy;
}

inline mcp::ClientFeatures AllDeclared() {
  return {.sampling = true,
          .sampling_tools = true,
          .elicitation_form = true,
          .elicitation_url = true,
          .roots = true,
          .roots_list_changed = true};
}

// In an operation, from a client that declared everything.
inline RequestFacts Asked(std::string_view method, std::string_view params,
                          mcp::Revision upstream = k1125,
                          mcp::Revision client = k1125) {
  RequestFacts facts;
  facts.method = method;
  facts.params = params;
  facts.upstream_revision = upstream;
  facts.client_revision = client;
  facts.declared = AllDeclared();
  facts.parent = Parent::kOperation;
  facts.upstream = "files";
  facts.tool = "read";
  return facts;
}

// `admitted`, or `reason`, or `reason /path`.
inline std::string Short(const Failure& failure) {
  std::string text(RowOf(failure.reason).name);
  if (!failure.path.empty()) text += " " + failure.path;
  return text;
}
inline std::string Short(const RequestVerdict& verdict) {
  const Failure* failure = std::get_if<Failure>(&verdict);
  return failure == nullptr ? "admitted" : Short(*failure);
}

// `answered`, `declined`, `dismissed`; `invalid`, `failed` and a `declined`
// without a result with their failure: `invalid: reason /path`.
inline std::string Short(const ResponseVerdict& verdict) {
  std::string text;
  switch (verdict.outcome) {
    case ResponseOutcome::kAnswered:
      text = "answered";
      break;
    case ResponseOutcome::kDeclined:
      text = "declined";
      break;
    case ResponseOutcome::kDismissed:
      text = "dismissed";
      break;
    case ResponseOutcome::kInvalid:
      text = "invalid";
      break;
    case ResponseOutcome::kFailed:
      text = "failed";
      break;
  }
  if (verdict.failure.has_value()) text += ": " + Short(*verdict.failure);
  if (verdict.failure.has_value() == verdict.result.has_value()) {
    text += " (neither or both of result and failure)";
  }
  return text;
}

inline ResponseFacts Answered(std::string_view method,
                              std::string_view request_params,
                              std::string_view result) {
  ResponseFacts facts;
  facts.method = method;
  facts.request_params = request_params;
  facts.result = result;
  return facts;
}

// A row's name as GoogleTest wants it: letters and digits only.
inline std::string TestName(std::string_view sentence) {
  std::string name;
  bool upper = true;
  for (const char c : sentence) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9');
    if (letter) {
      name += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    }
    upper = !letter;
  }
  return name;
}

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_TESTS_UNIT_TRUST_VERDICTS_H_
