#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_WORKER_FLAGS_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_WORKER_FLAGS_H_

#include <CLI/App.hpp>

#include "tools/gatehousectl/mcp/worker_target.h"

namespace gatehouse::ctl {

// NAME, --url, --token-file and --ca of the commands that are MCP clients of a
// worker. `target` outlives the command.
void AddWorkerFlags(CLI::App* command, WorkerTarget* target);

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_WORKER_FLAGS_H_
