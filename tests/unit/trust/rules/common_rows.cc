// Rows of controlplane/trust/request_common.cc.

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/unit/trust/rules/rows.h"

namespace gatehouse::trust {
namespace {

std::string Nested(int depth) {
  return absl::StrCat("{\"a\":", std::string(depth - 1, '['),
                      std::string(depth - 1, ']'), "}");
}

// An object of that many values, itself and an array among them.
std::string OfValues(int count) {
  std::string text = R"({"a":[0)";
  for (int i = 3; i < count; ++i) text += ",0";
  return text + "]}";
}

Ask::Change ParentIs(Parent parent) {
  return [parent](policy::VirtualServer&, RequestFacts& facts) {
    facts.parent = parent;
  };
}

}  // namespace

Rows CommonRows() {
  const auto limited = [](policy::VirtualServer& policy, RequestFacts&) {
    policy.limits.input_request_bytes = 10;
  };
  return {
      {"method-known", "a method of tasks is refused", Ask("tasks/get", "{}"),
       "not_permitted"},
      {"method-known", "roots/list is known", Roots("{}"), "admitted"},
      {"method-in-revision", "elicitation is refused in 2025-03-26",
       Elicit("").Both(k0326), "not_permitted"},
      {"method-in-revision", "elicitation is there in 2025-06-18",
       Elicit("").Both(k0618), "admitted"},
      {"request-within-size", "a request over the limit is refused",
       Roots(R"({"_meta":{}})").But(limited), "too_large"},
      {"request-within-size", "what the worker did not send is refused",
       Roots().But([](policy::VirtualServer&, RequestFacts& facts) {
         facts.oversized_bytes = 70'000;
       }),
       "too_large"},
      {"request-within-size", "a request of exactly the limit passes",
       Roots(R"({"a":null})").But(limited), "admitted"},
      {"params-well-formed", "half an object is refused", Roots("{"),
       "invalid_request"},
      {"params-well-formed", "text behind the params is refused",
       Roots("{} {}"), "invalid_request"},
      {"params-well-formed", "space around the params is theirs",
       Roots(" \n{}\t"), "admitted"},
      {"params-unicode", "a lone surrogate behind an escape is refused",
       Roots(R"({"a":"\udc00"})"), "invalid_request"},
      {"params-unicode", "a byte that is no UTF-8 is refused",
       Roots("{\"a\":\"\xff\"}"), "invalid_request"},
      {"params-unicode", "a pair of surrogates is a letter",
       Roots(R"({"a":"\ud83d\ude00"})"), "admitted"},
      {"params-unicode", "letters of any script pass", Roots(R"({"ä":"日本"})"),
       "admitted"},
      {"params-unique-names", "a member that stands twice is refused",
       Roots(R"({"a":1,"a":1})"), "invalid_request /a"},
      {"params-unique-names", "the same name by an escape is refused",
       Roots(R"({"b":{"a":1,"\u0061":1}})"), "invalid_request /b/a"},
      {"params-unique-names", "a name may stand in two objects",
       Roots(R"({"a":{"b":1},"b":2})"), "admitted"},
      {"params-depth", "params of 33 levels are refused", Roots(Nested(33)),
       "invalid_request"},
      {"params-depth", "params of 32 levels pass", Roots(Nested(32)),
       "admitted"},
      {"params-count", "params of 20,001 values are refused",
       Roots(OfValues(20'001)), "invalid_request"},
      {"params-count", "params of 20,000 values pass", Roots(OfValues(20'000)),
       "admitted"},
      {"params-are-object", "an array is no params", Roots("[]"),
       "invalid_request"},
      {"params-are-object", "an empty object is one", Roots("{}"), "admitted"},
      {"belongs-to-a-call", "a request without a call is refused",
       Sampling().But(ParentIs(Parent::kNone)), "no_operation"},
      {"belongs-to-a-call", "a session alone is not enough for sampling",
       Sampling().But(ParentIs(Parent::kSession)), "no_operation"},
      {"belongs-to-a-call", "a session alone is enough for roots",
       Roots().But(ParentIs(Parent::kSession)), "admitted"},
      {"call-is-unambiguous", "one of several calls is refused",
       Sampling().But(ParentIs(Parent::kAmbiguous)), "unattributable"},
      {"call-is-unambiguous", "one call is clear", Sampling(), "admitted"},
      {"call-is-open", "a call that has ended is refused",
       Sampling().But(ParentIs(Parent::kClosed)), "operation_ended"},
      {"call-is-open", "an open call is fine", Sampling(), "admitted"},
      {"feature-permitted", "sampling that the policy does not name is refused",
       Sampling().But([](policy::VirtualServer& policy, RequestFacts&) {
         policy.sampling = false;
       }),
       "not_permitted"},
      {"feature-permitted", "sampling needs no permission for roots",
       Sampling().But([](policy::VirtualServer& policy, RequestFacts&) {
         policy.roots = policy.elicitation = false;
       }),
       "admitted"},
      {"capability-declared", "sampling that the client lacks is refused",
       Sampling().But([](policy::VirtualServer&, RequestFacts& facts) {
         facts.declared.sampling = false;
       }),
       "capability_not_declared"},
      {"capability-declared", "a client with URL mode alone has elicitation",
       Url().But([](policy::VirtualServer&, RequestFacts& facts) {
         facts.declared.elicitation_form = false;
       }),
       "admitted"},
      {"meta-is-object", "a _meta that is null is refused",
       Roots(R"({"_meta":null})"), "invalid_request /_meta"},
      {"meta-is-object", "a _meta of anybody's keys passes",
       Roots(R"({"_meta":{"example.com/a":[1]}})"), "admitted"},
      {"progress-token-shape", "a progress token of 1.5 is refused",
       Roots(R"({"_meta":{"progressToken":1.5}})"),
       "invalid_request /_meta/progressToken"},
      {"progress-token-shape", "a progress token may be a text",
       Roots(R"({"_meta":{"progressToken":""}})"), "admitted"},
      {"progress-token-shape", "a progress token may be a large integer",
       Roots(R"({"_meta":{"progressToken":123456789012345678901234567890}})"),
       "admitted"},
  };
}

}  // namespace gatehouse::trust
