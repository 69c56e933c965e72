#ifndef GATEHOUSE_DATAPLANE_DOWNSTREAM_INITIALIZE_H_
#define GATEHOUSE_DATAPLANE_DOWNSTREAM_INITIALIZE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "shared/mcp/revision.h"

namespace gatehouse::downstream {

// The params of a client's `initialize`.
struct Handshake {
  mcp::Revision revision = mcp::kLatestLegacy;  // negotiated
  std::string capabilities;                     // raw
  std::string client_info;                      // raw
};

// The revision is the one asked for, if it is served, else the latest.
// INVALID_ARGUMENT, path first, for params that lack or misshape a member, or
// with one of over 64 KiB.
absl::StatusOr<Handshake> ParseHandshake(std::string_view params);

// The InitializeResult: `tools` is all that this front serves.
std::string HandshakeResult(mcp::Revision revision,
                            std::string_view virtual_server,
                            std::string_view version);

}  // namespace gatehouse::downstream

#endif  // GATEHOUSE_DATAPLANE_DOWNSTREAM_INITIALIZE_H_
