#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_STDIO_SERVER_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_STDIO_SERVER_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "tools/gatehousectl/mcp/worker_target.h"

namespace gatehouse::ctl {

// Serves MCP on stdin and stdout until the host closes stdin, SIGTERM or SIGINT
// comes, or the host no longer reads: the process around a StdioBridge. Blocks
// the calling thread, which must be the only one so far (signals are blocked
// for those that come). What people should know goes to `to_person`, from any
// thread.
//
// Errors: those of Resolve, and INTERNAL if the machine lacks what it needs.
absl::Status ServeStdio(
    const WorkerTarget& target,
    const std::function<void(std::string_view text)>& to_person);

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_STDIO_SERVER_H_
