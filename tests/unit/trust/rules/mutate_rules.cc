// Bends the judge's rules one by one and sees that a row notices.
//
//   mutate_rules              prints RULE | ROW | ROW: the row that fails when
//                             the rule is off, the row that fails when it is
//                             too strict; exits 1 if a rule has not both
//   mutate_rules --quiet      the same, but prints only what is missing
//
// Only rows that name the rule count: neither the reference model nor the
// recorded traces nor the official examples are asked.

#include <cstdio>
#include <string>
#include <string_view>

#include "tests/unit/trust/rules/rows.h"
#include "tests/unit/trust/rules/rule_mask_on.h"

namespace gatehouse::trust {
namespace {

// The first row of that rule that fails under the mask; null if none does.
// With `passing` only rows that the rule is to let pass are tried, else those
// that it refuses.
const Row* Caught(const Rows& rows, std::string_view rule, RuleMask mask,
                  bool passing) {
  const Row* caught = nullptr;
  gatehouse_rule_mask = {std::string(rule), mask};
  for (const Row& row : rows) {
    if (row.rule != rule || row.Passes() != passing) continue;
    if (row.ask() != row.want) {
      caught = &row;
      break;
    }
  }
  gatehouse_rule_mask = {};
  return caught;
}

// Without a mask every row must hold, or a failure would prove nothing.
int BrokenRows(const Rows& rows) {
  int broken = 0;
  for (const Row& row : rows) {
    const std::string got = row.ask();
    if (got == row.want) continue;
    ++broken;
    std::printf("%s: \"%s\" gives %s, not %s\n", std::string(row.rule).c_str(),
                row.says.c_str(), got.c_str(), row.want.c_str());
  }
  return broken;
}

int Main(bool quiet) {
  const Rows rows = AllRows();
  int missing = BrokenRows(rows);
  const std::vector<NamedRule> rules = AllRules();
  for (const NamedRule& rule : rules) {
    const std::string name(rule.name);
    const Row* const off = Caught(rows, rule.name, RuleMask::kOff, false);
    const Row* const strict =
        Caught(rows, rule.name, RuleMask::kStricter, true);
    if (off == nullptr || strict == nullptr) {
      ++missing;
      std::printf("%s: uncaught when %s\n", name.c_str(),
                  off == nullptr ? "off" : "too strict");
    } else if (!quiet) {
      std::printf("%s | %s | %s\n", name.c_str(), off->says.c_str(),
                  strict->says.c_str());
    }
  }
  if (!quiet || missing > 0) {
    std::printf("%zu rules, %zu rows, %d uncaught\n", rules.size(), rows.size(),
                missing);
  }
  return missing == 0 ? 0 : 1;
}

}  // namespace
}  // namespace gatehouse::trust

int main(int argc, char** argv) {
  return gatehouse::trust::Main(argc > 1 &&
                                std::string_view(argv[1]) == "--quiet");
}
