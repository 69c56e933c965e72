#ifndef GATEHOUSE_TOOLS_DEMO_UPSTREAM_TOOLS_H_
#define GATEHOUSE_TOOLS_DEMO_UPSTREAM_TOOLS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "shared/json/json.h"

// The demo upstream's tools: what they ask of the client's side, and how they
// tell honestly what they got. They know no transport.

namespace gatehouse::demo {

// How something that was asked of the client's side ended.
struct Outcome {
  enum class Kind { kResult, kError, kNoAnswer, kCancelled, kClosed };
  Kind kind = Kind::kClosed;
  std::string raw;  // the result or error, as it came
};

// What a tool may do while it runs. Implemented by the server; blocking.
class ToolContext {
 public:
  virtual ~ToolContext() = default;
  // Asks the client's side and waits for the answer, a bounded time.
  virtual Outcome Ask(std::string_view method, std::string params) = 0;
  // Tells how far the call is, if its caller asked to be told.
  virtual void Progress(int64_t done, int64_t total) = 0;
  // Whether the caller gave up, or is gone.
  virtual bool Stopped() const = 0;
};

// The result of `tools/list`.
std::string ToolListJson();

// Runs a tool and gives its CallToolResult. NOT_FOUND if there is no such tool,
// INVALID_ARGUMENT with the argument's pointer if `arguments` does not fit.
// Every outcome of Ask is in `structuredContent.got`, as it came.
absl::StatusOr<std::string> CallTool(
    std::string_view name, const std::optional<json::Value>& arguments,
    ToolContext& context);

}  // namespace gatehouse::demo

#endif  // GATEHOUSE_TOOLS_DEMO_UPSTREAM_TOOLS_H_
