#ifndef GATEHOUSE_DATAPLANE_UPSTREAM_EXPECTED_COMPLETIONS_H_
#define GATEHOUSE_DATAPLANE_UPSTREAM_EXPECTED_COMPLETIONS_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "shared/base/clock.h"

namespace gatehouse::upstream {

// The elicitations in URL mode that were shown for one physical session, by the
// upstream's ids, as long as their completion is told on (DESIGN §9).
//
// Thread-compatible; runs on the session's serial queue. Borrows the clock. At
// most 256, the oldest go first; each for an hour.
class ExpectedCompletions {
 public:
  explicit ExpectedCompletions(Clock& clock) : clock_(clock) {}

  void Add(std::string elicitation_id, std::function<void()> completed);
  // What to call now that this one is complete, and forgets it: none if it is
  // unknown, was told before, or its hour is over. Several if the upstream
  // asked several times under one id.
  std::vector<std::function<void()>> Take(std::string_view elicitation_id);
  // Until the last one is forgotten; zero if there is none.
  absl::Duration TimeLeft();

 private:
  struct Expected {
    std::string elicitation_id;
    std::function<void()> completed;
    absl::Duration until;  // on the steady scale; rising
  };
  void ForgetOld();

  Clock& clock_;
  std::deque<Expected> expected_;
};

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_DATAPLANE_UPSTREAM_EXPECTED_COMPLETIONS_H_
