#include "shared/base/clock.h"

#include <chrono>

#include "absl/time/clock.h"

namespace gatehouse {

absl::Time SystemClock::Wall() const { return absl::Now(); }

absl::Duration SystemClock::Steady() const {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace gatehouse
