#include "controlplane/trust/numbers.h"

#include <cmath>

namespace gatehouse::trust {

int CompareNumbers(const json::Value& a, const json::Value& b) {
  const absl::StatusOr<int64_t> whole_a = a.Integer();
  const absl::StatusOr<int64_t> whole_b = b.Integer();
  if (whole_a.ok() && whole_b.ok()) {
    return *whole_a < *whole_b ? -1 : *whole_a > *whole_b ? 1 : 0;
  }
  const double real_a = a.Number().value_or(0);
  const double real_b = b.Number().value_or(0);
  return real_a < real_b ? -1 : real_a > real_b ? 1 : 0;
}

bool IsIntegral(const json::Value& number) {
  if (!number.IsNumber()) return false;
  if (number.IsIntegerLexeme()) return true;
  const absl::StatusOr<double> real = number.Number();
  return real.ok() && std::isfinite(*real) && std::trunc(*real) == *real;
}

}  // namespace gatehouse::trust
