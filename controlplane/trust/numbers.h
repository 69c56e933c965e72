#ifndef GATEHOUSE_CONTROLPLANE_TRUST_NUMBERS_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_NUMBERS_H_

#include <cstdint>
#include <optional>

#include "shared/json/json.h"

namespace gatehouse::trust {

// Numbers are compared as they were written, digit by digit, so that nothing
// is lost to a double: 9007199254740993 is more than 9007199254740992, and
// 1e400 more than either. Pure.

// Less than, equal to or greater than 0, as a is to b. Both are numbers.
int CompareNumbers(const json::Value& a, const json::Value& b);
int CompareWithWhole(const json::Value& number, int64_t whole);

// The numbers that a schema's bounds let through; an absent bound is none.
struct Interval {
  std::optional<json::Value> minimum, above;  // inclusive, exclusive
  std::optional<json::Value> maximum, below;
};
bool HoldsANumber(const Interval& interval);
bool HoldsAWholeNumber(const Interval& interval);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_NUMBERS_H_
