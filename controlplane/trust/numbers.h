#ifndef GATEHOUSE_CONTROLPLANE_TRUST_NUMBERS_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_NUMBERS_H_

#include "shared/json/json.h"

namespace gatehouse::trust {

// Of two numbers: negative, 0 or positive, as a is less, equal or more. Exact
// between integers of 64 bits; else by the nearest double. Pure.
int CompareNumbers(const json::Value& a, const json::Value& b);

// JSON Schema's integer: a number without a fraction, `5.0` too.
bool IsIntegral(const json::Value& number);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_NUMBERS_H_
