#include "dataplane/http/small_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "shared/base/status.h"

namespace gatehouse::http {
namespace {

// Owns a descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  const int fd_;
};

absl::Status CannotRead(const std::string& path, int error) {
  return MakeStatus(error == ENOENT ? absl::StatusCode::kNotFound
                                    : absl::StatusCode::kPermissionDenied,
                    path + ": cannot be read; check the path and its rights");
}

}  // namespace

absl::StatusOr<SmallFile> ReadSmallFile(const std::string& path,
                                        size_t max_bytes) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return CannotRead(path, errno);
  struct stat info = {};
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      path + ": not a regular file; name one");
  }
  SmallFile read_file;
  read_file.mode = info.st_mode;
  std::string& text = read_file.text;
  text.resize(max_bytes + 1);
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t got =
        read(file.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return CannotRead(path, errno);
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  if (size > max_bytes) {
    return MakeStatus(
        absl::StatusCode::kInvalidArgument,
        path + ": larger than " + std::to_string(max_bytes) + " bytes");
  }
  text.resize(size);
  return read_file;
}

}  // namespace gatehouse::http
