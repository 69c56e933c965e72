#ifndef GATEHOUSE_CONTROLPLANE_TRUST_FILE_URI_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_FILE_URI_H_

#include <optional>
#include <string_view>

namespace gatehouse::trust {

// What is wrong with it as the URI of a root, or nothing: `file:///path`, no
// host and so no credentials, no `..` in it, encoded or not, no control
// characters, no query or fragment. Pure.
std::optional<std::string_view> FileUriProblem(std::string_view uri);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_FILE_URI_H_
