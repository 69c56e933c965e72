#ifndef GATEHOUSE_TOOLS_DEMO_STORY_H_
#define GATEHOUSE_TOOLS_DEMO_STORY_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/demo/story_facts.h"
#include "tools/gatehousectl/audit_reader.h"

namespace gatehouse::demo {

// Checks what the taps and the log say against the quickstart's script, scene
// by scene, and appends to `told` what was read, in plain words. Ends at the
// first thing that is not so: FAILED_PRECONDITION or DATA_LOSS, the scene
// first.
absl::Status TellStory(const Facts& facts,
                       const std::vector<ctl::AuditEntry>& log,
                       std::string* told);

}  // namespace gatehouse::demo

#endif  // GATEHOUSE_TOOLS_DEMO_STORY_H_
