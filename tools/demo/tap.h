#ifndef GATEHOUSE_TOOLS_DEMO_TAP_H_
#define GATEHOUSE_TOOLS_DEMO_TAP_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/demo/io.h"
#include "tools/demo/recording.h"

// Recording taps: they stand between two MCP peers, pass every byte on as it
// came, and record each message that they saw whole. Each runs on the calling
// thread until its peers are gone or `stop` becomes readable.

namespace gatehouse::demo {

// Starts `command` and stands between our standard streams and its. Returns
// the child's exit code (128 + signal if one ended it).
absl::StatusOr<int> RunStdioTap(const std::vector<std::string>& command,
                                RecordingWriter recording, int stop);

struct HttpTapOptions {
  HostPort listen;
  HostPort target;
};

// Accepts connections and stands between each and one of its own to `target`.
// Prints {"event":"ready","listen":"HOST:PORT"} on stdout once it listens.
// A connection whose bytes are no HTTP/1.1 is passed on and no longer recorded;
// stderr says so.
absl::Status RunHttpTap(const HttpTapOptions& options,
                        RecordingWriter recording, int stop);

}  // namespace gatehouse::demo

#endif  // GATEHOUSE_TOOLS_DEMO_TAP_H_
