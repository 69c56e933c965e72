#ifndef GATEHOUSE_TESTS_WIRE_PROBE_H_
#define GATEHOUSE_TESTS_WIRE_PROBE_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/wire/trace.h"

namespace gatehouse::wire {

// One answer that a recorded server gave to an odd request, which is named but
// not recorded: a line of a `probe.*` trace.
struct Probe {
  std::string name;
  // Its status, headers and what was said. Status 0: the connection broke.
  Exchange answer;
  bool open = false;  // a stream that had not ended when it was recorded
};
absl::StatusOr<std::vector<Probe>> ReadProbes(const std::string& trace);

// What this gateway answers to the request of that name, in the words of
// docs/bad_input.md, and the test there that holds it to that: a line of
// tests/data/wire/probes.jsonl. Or what it waits for.
struct ProbeRow {
  std::string answer;
  std::string test;
  std::string waits;
};
// By the probe's name. INVALID_ARGUMENT for a line that has neither or both.
absl::StatusOr<std::map<std::string, ProbeRow>> ReadProbeList();

// The trace of a server that answers calls of its one tool, `t`, as it answered
// the probes, one after another, and the last one well. Each call has an
// exchange of its own; the ids in the answers are those of the calls. Its
// handshake is what it answered to `initialize` 2025-11-25.
Trace TraceOfProbes(const std::string& name, const std::vector<Probe>& probes);

// The exchange of the n-th probe in it.
constexpr int ExchangeOfProbe(size_t index) {
  return 10 + static_cast<int>(index);
}

}  // namespace gatehouse::wire

#endif  // GATEHOUSE_TESTS_WIRE_PROBE_H_
