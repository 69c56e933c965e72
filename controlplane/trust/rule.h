#ifndef GATEHOUSE_CONTROLPLANE_TRUST_RULE_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_RULE_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/policy/virtual_server.h"
#include "controlplane/trust/conversation.h"
#include "controlplane/trust/era.h"
#include "controlplane/trust/form.h"
#include "controlplane/trust/judge.h"
#include "controlplane/trust/kind.h"
#include "controlplane/trust/ruling.h"
#include "shared/json/json.h"

namespace gatehouse::trust {

// A rule is a name and a question. The rules stand in lists, one for each kind
// of request and of answer, and are asked in their order; the first that
// objects decides. Each is total: whatever the rules before it would have said,
// it looks at what has the right shape for it and never objects to anything
// else. So each can be asked alone, after a broken one (the judge's trace), or
// not at all (the tests' mask).

// What the strict reader said of a text.
struct Reading {
  std::optional<json::Fault> fault;  // nullopt: it was read
  std::string path;                  // of the fault, where there is one
};

// What the rules about a request may look at. Borrowed for one judgement.
struct RequestContext {
  const policy::VirtualServer& policy;
  const RequestFacts& facts;
  const KindRow* kind;  // null: no method that the judge knows
  const Era& upstream_era;
  const Era& client_era;
  const Reading& reading;
  const json::Value& params;         // an empty object where none was read
  const Conversation& conversation;  // of sampling; else empty
  const Form& form;                  // of an elicitation; else empty
};

// What the rules about an answer may look at.
struct ResponseContext {
  const policy::VirtualServer& policy;
  const ResponseFacts& facts;
  const KindRow* kind;  // of the request; null: none that the judge knows
  const Era& upstream_era;
  const Era& client_era;
  const Reading& reading;
  const json::Value& answer;  // the result or the error; else an empty object
  const json::Value& request_params;
  const Conversation& conversation;  // the result's one message
  const Form& form;                  // that the request asked for
};

template <typename Context>
struct Rule {
  std::string_view name;     // stable: in explanations, audit log and tests
  std::string_view summary;  // what it asks for
  std::string_view source;   // where that comes from
  Ruling (*check)(const Context&);
};
using RequestRule = Rule<RequestContext>;
using ResponseRule = Rule<ResponseContext>;
using RequestRules = std::span<const RequestRule>;
using ResponseRules = std::span<const ResponseRule>;

// The lists, each of the file that bears its name. Asked first; after one of
// these is broken there is nothing to ask further:
RequestRules ReadableRequestRules();
// Of every kind: its call, the policy's and the client's permission.
RequestRules CommonRequestRules();
// Of sampling.
RequestRules SamplingPermissionRules();
RequestRules MessageRules();
RequestRules ToolPairRules();
RequestRules SamplingOptionRules();
RequestRules SamplingConversionRules();
// Of elicitation: of both modes, of forms, of URLs.
RequestRules ElicitationRules();
RequestRules FormPermissionRules();
RequestRules FormRules();
RequestRules FieldRules();
RequestRules RequiredFieldRules();
RequestRules FormConversionRules();
RequestRules UrlRules();

ResponseRules ReadableResponseRules();
ResponseRules ErrorRules();
// Of every kind of result.
ResponseRules ResultRules();
ResponseRules CompletionContentRules();
ResponseRules CompletionRules();
ResponseRules CompletionToolUseRules();
ResponseRules CompletionToolRules();
ResponseRules CompletionConversionRules();
ResponseRules ElicitationResponseRules();
ResponseRules FormResponseRules();  // of an `accept`
ResponseRules RootsResponseRules();

// Every rule once, in the order of asking: for the docs and the tests.
struct NamedRule {
  std::string_view name, summary, source;
  std::string_view about;  // the kind, such as `a form`
  bool of_response = false;
};
std::vector<NamedRule> AllRules();

// Whether the params of an elicitation send the user to a URL.
bool IsUrlMode(const json::Value& params);

// The three actions, or nothing: `action` is missing or another.
enum class ElicitationAction { kAccept, kDecline, kCancel };
std::optional<ElicitationAction> ActionOf(const json::Value& result);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_RULE_H_
