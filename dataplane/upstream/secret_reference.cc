#include "dataplane/upstream/secret_reference.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::upstream {
namespace {

constexpr std::string_view kEnv = "env:";
constexpr std::string_view kFile = "file:";
constexpr size_t kMaxSecretBytes = 64 << 10;

bool HasPrefix(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

absl::Status Wrong(absl::StatusCode code, std::string_view reference,
                   std::string_view what) {
  return MakeStatus(code, absl::StrCat(ToAbsl(reference), ": ", ToAbsl(what)));
}

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

absl::StatusOr<std::string> ReadSecretFile(std::string_view reference) {
  const std::string path(reference.substr(kFile.size()));
  // Not blocking, so that a pipe under this name cannot hold us.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    return errno == ENOENT
               ? Wrong(absl::StatusCode::kNotFound, reference,
                       "there is no such file: create it for the worker")
               : Wrong(absl::StatusCode::kPermissionDenied, reference,
                       "the worker cannot read this file: let its user");
  }
  struct stat info = {};
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return Wrong(absl::StatusCode::kInvalidArgument, reference,
                 "not a regular file: name one");
  }
  std::string text(kMaxSecretBytes + 1, '\0');
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t got =
        read(file.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return Wrong(absl::StatusCode::kPermissionDenied, reference,
                   "the worker cannot read this file: let its user");
    }
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  text.resize(size);
  if (!text.empty() && text.back() == '\n') text.pop_back();
  if (!text.empty() && text.back() == '\r') text.pop_back();
  return text;
}

}  // namespace

bool IsSecretReference(std::string_view text) {
  return HasPrefix(text, kEnv) || HasPrefix(text, kFile);
}

absl::StatusOr<std::string> ResolveSecretText(std::string_view reference) {
  std::string value;
  if (HasPrefix(reference, kEnv)) {
    const std::string name(reference.substr(kEnv.size()));
    const char* const found = std::getenv(name.c_str());
    if (found == nullptr) {
      return Wrong(absl::StatusCode::kNotFound, reference,
                   "the worker's environment has no such variable: set it and "
                   "start the worker anew");
    }
    value = found;
  } else if (HasPrefix(reference, kFile)) {
    GATEHOUSE_ASSIGN_OR_RETURN(value, ReadSecretFile(reference));
  } else {
    // The text itself may be the secret, written where a reference is due.
    return absl::InvalidArgumentError(
        "a value is no secret reference: write env:NAME or file:/path");
  }
  if (value.size() > kMaxSecretBytes) {
    return Wrong(absl::StatusCode::kInvalidArgument, reference,
                 "the secret must be at most 64 KiB");
  }
  return value;
}

absl::StatusOr<std::string> ResolveSecret(std::string_view reference) {
  GATEHOUSE_ASSIGN_OR_RETURN(std::string value, ResolveSecretText(reference));
  const bool fits = std::none_of(value.begin(), value.end(), [](char c) {
    return c == '\0' || c == '\r' || c == '\n';
  });
  if (!fits) {
    return Wrong(absl::StatusCode::kInvalidArgument, reference,
                 "the secret must be one line of at most 64 KiB");
  }
  return value;
}

}  // namespace gatehouse::upstream
