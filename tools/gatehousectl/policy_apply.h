#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_POLICY_APPLY_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_POLICY_APPLY_H_

#include <string>
#include <vector>

#include "tools/gatehousectl/command.h"
#include "tools/gatehousectl/policy_files.h"

namespace gatehouse::ctl {

// Whether the control plane would apply these documents; reports every fault of
// each, with its path, and gives how the worst of them ends the command.
Exit CheckPolicies(Session& session, const std::vector<PolicyFile>& files);

// Applies them, after all were checked, and prints what each became. `etag`:
// only if it is still the current one; empty: whatever there is.
Exit ApplyPolicies(Session& session, const std::vector<PolicyFile>& files,
                   const std::string& etag);

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_POLICY_APPLY_H_
