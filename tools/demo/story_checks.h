#ifndef GATEHOUSE_TOOLS_DEMO_STORY_CHECKS_H_
#define GATEHOUSE_TOOLS_DEMO_STORY_CHECKS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/demo/story_facts.h"
#include "tools/gatehousectl/audit_reader.h"

// What must hold between the wire and the log. Each check is
// FAILED_PRECONDITION with the first thing that is not so. Pure functions.

namespace gatehouse::demo {

// The records of one input request, in the order of the log.
struct Life {
  std::string input_request;
  std::vector<ctl::AuditEntry> records;

  // The record of its entering RELAYED; null if it never did.
  const ctl::AuditEntry* Forwarded() const;
  // The record of its end; null if it is still open.
  const ctl::AuditEntry* Ended() const;
};

// The log is one: no gap, one epoch, every leaf the hash of its body.
absl::Status CheckLogIsWhole(const std::vector<ctl::AuditEntry>& log);

// By input request, in the order in which the log first speaks of them.
std::vector<Life> LivesOf(const std::vector<ctl::AuditEntry>& log);

// How an input request should have ended.
struct ExpectedEnd {
  std::string_view state;        // `ANSWERED`, ...
  bool shown = true;             // to the client
  int64_t code = 0;              // to the upstream; 0: a result
  std::string_view reason = {};  // `data.reason`; empty: none
};

// One input request from the wire's two sides and the log: `shown` is null if
// the client was never asked. Holds, if ok:
//  - the log's kind and tool are what the upstream asked for;
//  - it was shown only after its `forwarded` record, and as it was asked;
//  - it ended as expected, in the log and on the wire, with the same code;
//  - the answer reached the upstream only after the record of the end;
//  - a delivered answer is, byte for byte, what the client gave.
absl::Status CheckInputRequest(const Life& life, const AskedAndAnswered& asked,
                               const AskedAndAnswered* shown,
                               std::string_view upstream_tool,
                               const ExpectedEnd& expected);

// The call and its result passed unchanged between client and upstream.
absl::Status CheckCallPassedUnchanged(const Scene& scene);

// Nothing of `content`, which the judge refused, is among what reached the
// upstream.
absl::Status CheckNeverReachedUpstream(const Facts& facts,
                                       std::string_view content);

}  // namespace gatehouse::demo

#endif  // GATEHOUSE_TOOLS_DEMO_STORY_CHECKS_H_
