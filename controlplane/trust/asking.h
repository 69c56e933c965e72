#ifndef GATEHOUSE_CONTROLPLANE_TRUST_ASKING_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_ASKING_H_

#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "controlplane/trust/judge.h"
#include "controlplane/trust/rule.h"
#include "controlplane/trust/rule_mask.h"
#include "controlplane/trust/ruling.h"
#include "shared/reasons/reasons.h"

namespace gatehouse::trust {

// Asks lists of rules about one thing. Lives for one judgement.
template <typename Context>
class Asking {
 public:
  // `otherwise` is the reason of an objection without one of its own,
  // `subject` what its message begins with. `trace` may be null.
  Asking(const Context& context, Reason otherwise, std::string_view subject,
         Trace* trace)
      : context_(context),
        otherwise_(otherwise),
        subject_(subject),
        trace_(trace) {}

  // In order, until one objects; with a trace, all of them.
  void Ask(std::span<const Rule<Context>> rules) {
    for (const Rule<Context>& rule : rules) {
      if (failure_.has_value() && trace_ == nullptr) return;
      Note(rule, Check(rule));
    }
  }

  // Of the first rule that objected, if any has.
  const std::optional<Failure>& failure() const { return failure_; }

 private:
  Ruling Check(const Rule<Context>& rule) const {
    const RuleMask mask = MaskOf(rule.name);
    if (mask == RuleMask::kOff) return std::nullopt;
    Ruling ruling = rule.check(context_);
    if (mask == RuleMask::kStricter && !ruling.has_value()) {
      ruling = Stricter(rule.name, context_);
    }
    return ruling;
  }

  void Note(const Rule<Context>& rule, const Ruling& ruling) {
    std::optional<Failure> failure;
    if (ruling.has_value()) {
      failure = ToFailure(*ruling, otherwise_, subject_);
      failure->rule = rule.name;
    }
    if (!failure_.has_value()) failure_ = failure;
    if (trace_ != nullptr) {
      trace_->push_back(
          {rule.name, rule.summary, rule.source, std::move(failure)});
    }
  }

  const Context& context_;
  const Reason otherwise_;
  const std::string_view subject_;
  Trace* const trace_;
  std::optional<Failure> failure_;
};

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_ASKING_H_
