#include "controlplane/trust/numbers.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gatehouse::trust {
namespace {

// Exponents beyond this count as this: nobody means them.
constexpr int64_t kMostExponent = 1'000'000'000'000'000;
// Integers of more digits than this have none between them that their lexemes,
// of at most 1,000 bytes, could tell apart by one.
constexpr int64_t kMostDigits = 1'100;

// sign 0.digits * 10^exponent; digits start and end with none that is 0.
struct Decimal {
  bool negative = false;
  std::string digits;  // empty: zero
  int64_t exponent = 0;

  bool IsWhole() const {
    return static_cast<int64_t>(digits.size()) <= exponent || digits.empty();
  }
};

Decimal Normalized(bool negative, std::string digits, int64_t exponent) {
  const size_t first = digits.find_first_not_of('0');
  if (first == std::string::npos) return {};
  exponent -= static_cast<int64_t>(first);
  digits.erase(0, first);
  digits.erase(digits.find_last_not_of('0') + 1);
  return {negative, std::move(digits), exponent};
}

int64_t ExponentOf(std::string_view text) {
  const bool negative = text.front() == '-';
  if (text.front() == '-' || text.front() == '+') text.remove_prefix(1);
  int64_t value = 0;
  for (const char c : text) {
    value = std::min(value * 10 + (c - '0'), kMostExponent);
  }
  return negative ? -value : value;
}

// `lexeme` is a number of JSON's grammar.
Decimal Parse(std::string_view lexeme) {
  const bool negative = lexeme.front() == '-';
  if (negative) lexeme.remove_prefix(1);
  int64_t exponent = 0;
  const size_t e = lexeme.find_first_of("eE");
  if (e != std::string_view::npos) {
    exponent = ExponentOf(lexeme.substr(e + 1));
    lexeme = lexeme.substr(0, e);
  }
  const std::string_view whole = lexeme.substr(0, lexeme.find('.'));
  std::string digits(whole);
  if (whole.size() < lexeme.size()) {
    digits += lexeme.substr(whole.size() + 1);
  }
  return Normalized(negative, std::move(digits),
                    exponent + static_cast<int64_t>(whole.size()));
}

int Sign(const Decimal& number) {
  if (number.digits.empty()) return 0;
  return number.negative ? -1 : 1;
}

int Compare(const Decimal& a, const Decimal& b) {
  if (Sign(a) != Sign(b)) return Sign(a) < Sign(b) ? -1 : 1;
  int order = 0;
  if (a.exponent != b.exponent) {
    order = a.exponent < b.exponent ? -1 : 1;
  } else {
    order = a.digits.compare(b.digits);
  }
  return a.negative ? -order : order;
}

// The digits of what stands before the point.
std::string WholeDigits(const Decimal& number) {
  if (number.exponent <= 0) return "";
  std::string digits =
      number.digits.substr(0, static_cast<size_t>(number.exponent));
  digits.append(static_cast<size_t>(number.exponent) - digits.size(), '0');
  return digits;
}

// Of a decimal natural number: one more, one less (of what is over 0).
std::string OneMore(std::string digits) {
  for (size_t i = digits.size(); i-- > 0;) {
    if (digits[i] != '9') {
      ++digits[i];
      return digits;
    }
    digits[i] = '0';
  }
  return absl::StrCat("1", digits);
}
std::string OneLess(std::string digits) {
  for (size_t i = digits.size(); i-- > 0;) {
    if (digits[i] != '0') {
      --digits[i];
      return digits;
    }
    digits[i] = '9';
  }
  return digits;
}

// The least whole number that is over `number`, or not under it if `inclusive`.
Decimal LeastWhole(const Decimal& number, bool inclusive) {
  if (number.IsWhole() && (inclusive || number.exponent > kMostDigits)) {
    return number;
  }
  std::string digits = WholeDigits(number);
  if (number.negative) {
    // -2.5: cutting the fraction off is the next whole number already.
    if (number.IsWhole()) digits = OneLess(std::move(digits));
  } else {
    digits = OneMore(std::move(digits));
  }
  const auto size = static_cast<int64_t>(digits.size());
  return Normalized(number.negative, std::move(digits), size);
}

// One end of an interval.
struct End {
  Decimal number;
  bool inclusive = true;
};

// The tighter of two bounds: the greater if `sign` is 1, the less if it is -1.
std::optional<End> Tighter(const std::optional<json::Value>& inclusive,
                           const std::optional<json::Value>& exclusive,
                           int sign) {
  std::optional<End> end;
  if (inclusive.has_value()) end = End{Parse(inclusive->raw()), true};
  if (!exclusive.has_value()) return end;
  Decimal other = Parse(exclusive->raw());
  if (!end.has_value() || sign * Compare(other, end->number) >= 0) {
    end = End{std::move(other), false};
  }
  return end;
}

}  // namespace

int CompareNumbers(const json::Value& a, const json::Value& b) {
  return Compare(Parse(a.raw()), Parse(b.raw()));
}

int CompareWithWhole(const json::Value& number, int64_t whole) {
  return Compare(Parse(number.raw()), Parse(absl::StrCat(whole)));
}

bool HoldsANumber(const Interval& interval) {
  const std::optional<End> low = Tighter(interval.minimum, interval.above, 1);
  const std::optional<End> high = Tighter(interval.maximum, interval.below, -1);
  if (!low.has_value() || !high.has_value()) return true;
  const int order = Compare(low->number, high->number);
  return order < 0 || (order == 0 && low->inclusive && high->inclusive);
}

bool HoldsAWholeNumber(const Interval& interval) {
  if (!HoldsANumber(interval)) return false;
  const std::optional<End> low = Tighter(interval.minimum, interval.above, 1);
  const std::optional<End> high = Tighter(interval.maximum, interval.below, -1);
  if (!low.has_value() || !high.has_value()) return true;
  const int order =
      Compare(LeastWhole(low->number, low->inclusive), high->number);
  return order < 0 || (order == 0 && high->inclusive) ||
         (order == 0 && low->number.exponent > kMostDigits);
}

}  // namespace gatehouse::trust
