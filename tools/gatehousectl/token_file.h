#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_TOKEN_FILE_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_TOKEN_FILE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace gatehouse::ctl {

// The one token in a file, white space around it left out; at most 4,096 bytes.
// INVALID_ARGUMENT, with the path and then `what_to_do`, if there is none.
absl::StatusOr<std::string> ReadTokenFile(const std::string& path,
                                          std::string_view what_to_do);

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_TOKEN_FILE_H_
