#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_POLICY_FILES_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_POLICY_FILES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gatehouse::ctl {

// A document as its author wrote it, and where it came from.
struct PolicyFile {
  std::string name;  // a path, or `(stdin)`
  std::string text;
};

// `-` is stdin; a directory stands for its *.yaml, *.yml and *.json files, by
// name. INVALID_ARGUMENT, path first, for what cannot be read, is over 1 MiB,
// or a directory without such a file.
absl::StatusOr<std::vector<PolicyFile>> ReadPolicyFiles(
    const std::string& path);

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_POLICY_FILES_H_
