#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_EXPLAIN_INPUT_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_EXPLAIN_INPUT_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace gatehouse::ctl {

// What `gatehousectl explain` is given to judge. What lies in `params`,
// `result` and `error` is the control plane's to read: here it is only cut out,
// byte for byte as it was written.

struct InputRequestText {
  std::string method;  // decoded
  std::string params;  // raw; empty: absent
};

struct InputResponseText {
  std::optional<std::string> result;  // raw; exactly one of the two
  std::optional<std::string> error;
};

// Both errors are INVALID_ARGUMENT and say what is expected.

// A JSON-RPC request, or an object with its `method` and `params` alone.
absl::StatusOr<InputRequestText> ReadInputRequest(std::string_view text);
// A JSON-RPC response, or an object with its `result` or `error` alone.
absl::StatusOr<InputResponseText> ReadInputResponse(std::string_view text);

// The text of a file, `-` is stdin; at most `max_bytes`. INVALID_ARGUMENT, path
// first.
absl::StatusOr<std::string> ReadJsonFile(const std::string& path,
                                         size_t max_bytes);

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_EXPLAIN_INPUT_H_
