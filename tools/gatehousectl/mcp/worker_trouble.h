#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_WORKER_TROUBLE_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_WORKER_TROUBLE_H_

#include <string>
#include <string_view>

#include "tools/gatehousectl/mcp/worker_link.h"

namespace gatehouse::ctl {

// Why a request got no response, told to a person of this machine.
struct WorkerTrouble {
  enum class Kind {
    kRefused,       // the worker said so, with a JSON-RPC error
    kUnreachable,   // nobody answers there, or not in time
    kNotPermitted,  // a token is missing or not known
    kNoVirtualServer,
    kSessionLost,
    kBroken,  // the answer broke off, or makes no sense
  };
  Kind kind = Kind::kBroken;
  std::string message = {};  // what is wrong and what to do
  std::string error = {};    // of kRefused: the worker's own error, raw JSON
};

// `server` is `URL of virtual server NAME`, for the text; `in_session`: the
// request bore a session's id. Pure.
WorkerTrouble TroubleOf(const ExchangeEnd& end, std::string_view server,
                        bool in_session);

// The JSON-RPC response that tells it to whoever sent the request `id`.
std::string TroubleResponse(const WorkerTrouble& trouble, std::string_view id);

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_WORKER_TROUBLE_H_
