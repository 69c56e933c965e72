#ifndef GATEHOUSE_TESTS_INTEGRATION_HARNESS_ORACLE_H_
#define GATEHOUSE_TESTS_INTEGRATION_HARNESS_ORACLE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace gatehouse::testing {

// What the peers saw: each moment at which an input request was shown to a
// client, and at which the upstream got an answer to one that was relayed.
struct Effects {
  std::vector<absl::Time> shown;
  std::vector<absl::Time> delivered;
};

// What the oracle found. `violations` empty is what every test wants.
struct OracleReport {
  std::vector<std::string> violations;
  std::map<std::string, int> states;  // input requests by state's name
  int64_t log_size = 0;

  std::string ToString() const;
};

// The global oracle: reads a copy of the data that a stopped (or killed)
// control plane left, by SQL of its own, and checks
//   - the log: places without a gap, hashes, the head (audit before anything);
//   - that each input request entered one terminal state, once, and that row
//     and log agree on it (invariant 5);
//   - that nothing was delivered twice (invariant 5);
//   - that no budget went over its cap (invariant 7) and, `at_rest`, that no
//     token is still reserved and no input request still open;
//   - that a row names the newest record about it: both came in one commit;
//   - that every effect has a record that is older than it (invariant 6): of
//     the k-th effect, the k-th record must already have been written.
// NOT_FOUND if there is no database in `data_dir`.
absl::StatusOr<OracleReport> Examine(const std::string& data_dir,
                                     const Effects& effects, bool at_rest);

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_HARNESS_ORACLE_H_
