// Writes docs/judge.md from the judge's rules.
//
//   judge_doc            prints it
//   judge_doc FILE       exit 1, and says what to do, if FILE differs from it

#include <string>
#include <string_view>

#include "controlplane/trust/rule.h"
#include "tools/check/written_doc.h"

namespace {

constexpr char kHead[] =
    R"(# What the judge asks

<!-- Written by `judge_doc` from controlplane/trust. Do not edit. -->

Every input request and every answer to one is asked these rules, in this order,
as far as they are about its kind; the first that is broken decides.
`gatehousectl explain` shows what each says of a given request; the audit log
names the one that refused. A rule goes over all that it is about and shows the
first place where it is broken. *From* is the chapter of the protocol digest or of
the design that a rule comes from; neither is part of this repository. After them come the budget of the operation
and the limits on what may be open, which know more than the request.

)";

std::string Tables(bool of_response) {
  std::string text;
  std::string_view about;
  for (const gatehouse::trust::NamedRule& rule : gatehouse::trust::AllRules()) {
    if (rule.of_response != of_response) continue;
    if (rule.about != about) {
      about = rule.about;
      text.append("\n### Of ")
          .append(about)
          .append("\n\n| rule | asks for | from |\n| --- | --- | --- |\n");
    }
    text.append("| `").append(rule.name).append("` | ");
    text.append(rule.summary).append(" | ").append(rule.source).append(" |\n");
  }
  return text;
}

std::string JudgeMarkdown() {
  return std::string(kHead) + "## Requests\n" + Tables(false) +
         "\n## Answers\n" + Tables(true);
}

}  // namespace

int main(int argc, char** argv) {
  return gatehouse::WriteOrCheckDoc(argc, argv, JudgeMarkdown());
}
