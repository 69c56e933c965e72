#ifndef GATEHOUSE_DATAPLANE_HTTP_SMALL_FILE_H_
#define GATEHOUSE_DATAPLANE_HTTP_SMALL_FILE_H_

#include <sys/types.h>

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace gatehouse::http {

// A file that the worker was told to read: a certificate, a key, a secret.
struct SmallFile {
  std::string text;
  mode_t mode = 0;  // its rights when it was read
};

// Reads a regular file of at most `max_bytes`, whole, as it is now. Does not
// block: a pipe under that name is refused. Errors begin with the path and
// never quote the content: NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT (no
// regular file, too large).
absl::StatusOr<SmallFile> ReadSmallFile(const std::string& path,
                                        size_t max_bytes);

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_SMALL_FILE_H_
