#ifndef GATEHOUSE_TESTS_UNIT_TRUST_RULES_ROWS_H_
#define GATEHOUSE_TESTS_UNIT_TRUST_RULES_ROWS_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controlplane/policy/virtual_server.h"
#include "controlplane/trust/judge.h"
#include "tests/unit/trust/verdicts.h"

// The judge's rules, row by row: what each refuses, and the near-miss that it
// lets pass. Defends invariants 2 (default deny), 3 (one judge) and 4 (judge,
// never repair): a rule that is gone, or too strict, fails a row that names it.
namespace gatehouse::trust {

// What is asked, by default of an upstream and a client of 2025-11-25 that may
// do everything, in a call; and, once answered, what is said to it.
class Ask {
 public:
  Ask(std::string_view method, std::string params)
      : method_(method), params_(std::move(params)) {}

  Ask From(mcp::Revision upstream) const {
    Ask copy = *this;
    copy.upstream_ = upstream;
    return copy;
  }
  Ask To(mcp::Revision client) const {
    Ask copy = *this;
    copy.client_ = client;
    return copy;
  }
  Ask Both(mcp::Revision revision) const { return From(revision).To(revision); }
  using Change = std::function<void(policy::VirtualServer&, RequestFacts&)>;
  Ask But(Change change) const {
    Ask copy = *this;
    copy.change_ = std::move(change);
    return copy;
  }
  Ask Answered(std::string result) const {
    Ask copy = *this;
    copy.result_ = std::move(result);
    return copy;
  }
  Ask Failed(std::string error) const {
    Ask copy = *this;
    copy.error_ = std::move(error);
    return copy;
  }
  Ask AnsweredOversized(int64_t bytes) const {
    Ask copy = *this;
    copy.oversized_ = bytes;
    return copy;
  }

  // The verdict as a short text (verdicts.h): of the answer, if there is one.
  std::string operator()() const { return Judge(nullptr); }
  std::string Judge(Trace* trace) const;

 private:
  bool IsAnswered() const {
    return result_.has_value() || error_.has_value() || oversized_.has_value();
  }

  std::string method_, params_;
  mcp::Revision upstream_ = k1125, client_ = k1125;
  Change change_;
  std::optional<std::string> result_, error_;
  std::optional<int64_t> oversized_;
};

struct Row {
  std::string_view rule;
  std::string says;  // a sentence
  Ask ask;
  std::string want;

  // Whether the rule is to let it pass.
  bool Passes() const {
    return want == "admitted" || want == "answered" || want == "declined" ||
           want == "dismissed" || want.rfind("failed", 0) == 0 ||
           want.rfind("declined", 0) == 0;
  }
};
using Rows = std::vector<Row>;

Rows CommonRows();
Rows SamplingRows();
Rows MessageRows();
Rows FormRows();
Rows FieldRows();
Rows UrlRows();
Rows AnswerRows();
Rows CompletionRows();
Rows FilledFormRows();
// All of these.
Rows AllRows();

// Params that are fine but for `members`, which replace or join what they have.
Ask Sampling(std::string_view members = "");
Ask Messages(std::string_view messages);  // the array's elements
Ask Elicit(std::string_view members);     // a form with one text field
Ask FieldOf(std::string_view schema);     // a form with the property `f`
Ask Url(std::string_view members = "");
Ask Roots(std::string_view params = "");
// A field `f` of that schema, filled in with that value.
Ask Filled(std::string_view schema, std::string_view value);
// A completion of a plain request, fine but for `members`.
Ask Completion(std::string_view members);
// The same of a request that offers the tool `add`, with its own members.
Ask ToolCompletion(std::string_view request_members, std::string_view members);

inline constexpr std::string_view kText = R"({"type":"text","text":"t"})";
// A tool_use of `add`, a tool_result; by their id.
std::string Use(std::string_view id);
std::string Result(std::string_view id);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_TESTS_UNIT_TRUST_RULES_ROWS_H_
