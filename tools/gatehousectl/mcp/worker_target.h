#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_WORKER_TARGET_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_WORKER_TARGET_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/gatehousectl/mcp/worker_link.h"

namespace gatehouse::ctl {

// Which virtual server of which worker, as the command line says it.
struct WorkerTarget {
  std::string name = {};                      // of the virtual server
  std::string url = "http://127.0.0.1:8800";  // of the worker
  std::string token_file = {};  // of a client's token; empty: none
  std::string ca_file = {};  // whom to trust for https; empty: the system's CAs

  // `URL/mcp/NAME`, for people.
  std::string ToString() const;
};

// What a WorkerLink is made with. INVALID_ARGUMENT, what was given first, if
// the name or the URL is malformed or a file cannot be read.
absl::StatusOr<WorkerLink::Options> Resolve(const WorkerTarget& target);

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_WORKER_TARGET_H_
