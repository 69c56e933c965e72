#ifndef GATEHOUSE_DATAPLANE_UPSTREAM_SECRET_REFERENCE_H_
#define GATEHOUSE_DATAPLANE_UPSTREAM_SECRET_REFERENCE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace gatehouse::upstream {

// True of `env:NAME` and `file:/path`.
bool IsSecretReference(std::string_view text);

// What a reference names, read now: the environment variable, or the file's
// content without one line end at its end. At most 64 KiB, a regular file, no
// NUL, CR or LF within. The value is for the upstream alone: never log it.
//
// Errors name the reference and what to do, never a value: NOT_FOUND if there
// is no such variable or file, PERMISSION_DENIED if it cannot be read,
// INVALID_ARGUMENT if this is no reference or the value has no fit form.
// Thread-safe.
absl::StatusOr<std::string> ResolveSecret(std::string_view reference);
// The same for a secret of several lines, such as a key in PEM.
absl::StatusOr<std::string> ResolveSecretText(std::string_view reference);

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_DATAPLANE_UPSTREAM_SECRET_REFERENCE_H_
