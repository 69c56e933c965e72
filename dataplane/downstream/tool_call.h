#ifndef GATEHOUSE_DATAPLANE_DOWNSTREAM_TOOL_CALL_H_
#define GATEHOUSE_DATAPLANE_DOWNSTREAM_TOOL_CALL_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "shared/json/skip_scanner.h"

namespace gatehouse::downstream {

// The params of a client's `tools/call`. A plain value. Reads only the outside
// of them: that they are JSON, and each member once, ParseEnvelope has seen to.
class ToolCall {
 public:
  // INVALID_ARGUMENT, path first: no object, no `name`, `arguments` that are no
  // object, a progress token that is neither a string nor an integer.
  static absl::StatusOr<ToolCall> Parse(std::string_view params);

  const std::string& name() const { return name_; }  // as shown to the client
  // The client's token, as it wrote it; empty if it wants no progress.
  const std::string& progress_token() const { return progress_token_; }

  // `_meta.traceparent`; empty if it is absent or invalid.
  const std::string& traceparent() const { return traceparent_; }

  // The params for the upstream: its own name for the tool, without the
  // client's progress token and without `task` (not served, so left out). All
  // other bytes as they came.
  std::string UpstreamParams(std::string_view upstream_name) const;

 private:
  // Where a member's value stands in params_, and what was read of it.
  struct Span {
    size_t offset = 0;
    size_t size = 0;
  };

  ToolCall() = default;
  absl::Status Read();
  absl::Status ReadMeta(std::string_view raw,
                        const std::vector<json::SkippedMember>& meta);
  Span SpanOf(std::string_view part) const;

  std::string params_;
  Span name_at_;
  Span meta_at_;
  std::string meta_;          // without the token; if there was one
  bool has_dropped_ = false;  // members that do not go on
  std::string name_;
  std::string progress_token_;
  std::string traceparent_;
};

}  // namespace gatehouse::downstream

#endif  // GATEHOUSE_DATAPLANE_DOWNSTREAM_TOOL_CALL_H_
