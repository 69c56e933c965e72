#ifndef GATEHOUSE_DATAPLANE_DOWNSTREAM_TOOL_CALL_H_
#define GATEHOUSE_DATAPLANE_DOWNSTREAM_TOOL_CALL_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "shared/json/json.h"

namespace gatehouse::downstream {

// The params of a client's `tools/call`. A plain value.
class ToolCall {
 public:
  // INVALID_ARGUMENT, path first: no object, no `name`, `arguments` that are no
  // object, a progress token that is neither a string nor an integer.
  static absl::StatusOr<ToolCall> Parse(std::string_view params);

  const std::string& name() const { return name_; }  // as shown to the client
  // The client's token, as it wrote it; empty if it wants no progress.
  const std::string& progress_token() const { return progress_token_; }

  // The params for the upstream: its own name for the tool, without the
  // client's progress token and without `task` (not served, so left out). All
  // other bytes as they came.
  std::string UpstreamParams(std::string_view upstream_name) const;

 private:
  explicit ToolCall(json::Document params) : params_(std::move(params)) {}

  json::Document params_;
  std::string name_;
  std::string progress_token_;
};

}  // namespace gatehouse::downstream

#endif  // GATEHOUSE_DATAPLANE_DOWNSTREAM_TOOL_CALL_H_
