#include "controlplane/main/data_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "shared/base/digest.h"
#include "shared/base/status.h"

namespace gatehouse {
namespace {

constexpr size_t kMaxSecretBytes = 4096;
constexpr size_t kKeyBytes = 32;
constexpr int kTokenBits = 256;

absl::Status Errno(const std::string& what) {
  const int error = errno;
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    what + ": " + strerrordesc_np(error));
}

// Makes the directory, or checks that nobody else can look into it.
absl::Status OwnDirectory(const std::string& path) {
  if (mkdir(path.c_str(), 0700) == 0) return absl::OkStatus();
  if (errno != EEXIST) return Errno(path + ": cannot be made");
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return Errno(path);
  if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() ||
      (info.st_mode & 077) != 0) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      path +
                          ": must be a directory of this user that nobody "
                          "else can open; run chmod 700 on it");
  }
  return absl::OkStatus();
}

absl::Status WriteAll(int fd, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t wrote = write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return Errno(path + ": cannot be written");
    text.remove_prefix(static_cast<size_t>(wrote));
  }
  if (fsync(fd) != 0) return Errno(path + ": cannot be synced");
  return absl::OkStatus();
}

// Writes a new secret so that it is there whole or not at all.
absl::Status WriteSecret(const std::string& path, const std::string& line) {
  const std::string temporary = path + ".new";
  const int fd =
      open(temporary.c_str(),
           O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return Errno(temporary + ": cannot be made");
  const absl::Status written = WriteAll(fd, line + "\n", temporary);
  close(fd);
  GATEHOUSE_RETURN_IF_ERROR(written);
  if (rename(temporary.c_str(), path.c_str()) != 0) return Errno(path);
  return absl::OkStatus();
}

absl::Status CheckMode(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return Errno(path);
  if ((info.st_mode & 077) != 0) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      path +
                          ": others can read this secret; run chmod 600 on "
                          "it, or delete it to have a new one made");
  }
  return absl::OkStatus();
}

// The secret in `path`, made of `fresh` at the first start.
absl::StatusOr<std::string> Secret(const std::string& path,
                                   const std::string& fresh) {
  absl::StatusOr<std::string> text = ReadSmallFile(path, kMaxSecretBytes);
  if (absl::IsNotFound(text.status())) {
    GATEHOUSE_RETURN_IF_ERROR(WriteSecret(path, fresh));
    return fresh;
  }
  GATEHOUSE_RETURN_IF_ERROR(text.status());
  GATEHOUSE_RETURN_IF_ERROR(CheckMode(path));
  while (!text->empty() && (text->back() == '\n' || text->back() == '\r')) {
    text->pop_back();
  }
  if (text->empty()) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      path + ": is empty; delete it to have a new one made");
  }
  return *std::move(text);
}

absl::StatusOr<std::string> Key(const std::string& path, Random& random) {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string text,
                             Secret(path, HexEncode(random.Bytes(kKeyBytes))));
  const std::optional<std::string> key = HexDecode(text);
  if (!key.has_value() || key->size() != kKeyBytes) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      path + ": expected 64 hexadecimal digits");
  }
  return *key;
}

}  // namespace

absl::StatusOr<std::string> ReadSmallFile(const std::string& path,
                                          size_t max_bytes) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    if (errno == ENOENT) {
      return MakeStatus(absl::StatusCode::kNotFound,
                        path + ": there is no such file");
    }
    return Errno(path + ": cannot be read");
  }
  std::string text;
  std::string buffer(64 << 10, '\0');
  while (text.size() <= max_bytes) {
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const absl::Status status = Errno(path + ": cannot be read");
      close(fd);
      return status;
    }
    if (got == 0) break;
    text.append(buffer, 0, static_cast<size_t>(got));
  }
  close(fd);
  if (text.size() > max_bytes) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      path + ": over " + std::to_string(max_bytes) + " bytes");
  }
  return text;
}

std::string DataDir::TokenPath(rpc::Role role) const {
  return path_ + "/tokens/" + std::string(rpc::ToString(role)) + ".token";
}

absl::StatusOr<DataDir> DataDir::Open(std::string path, Random& random) {
  DataDir dir(std::move(path));
  GATEHOUSE_RETURN_IF_ERROR(OwnDirectory(dir.path_));
  GATEHOUSE_RETURN_IF_ERROR(OwnDirectory(dir.path_ + "/keys"));
  GATEHOUSE_RETURN_IF_ERROR(OwnDirectory(dir.path_ + "/tokens"));
  if (access(dir.DatabasePath().c_str(), F_OK) == 0) {
    GATEHOUSE_RETURN_IF_ERROR(CheckMode(dir.DatabasePath()));
  }
  GATEHOUSE_ASSIGN_OR_RETURN(dir.keys_.audit_hmac,
                             Key(dir.path_ + "/keys/audit-hmac", random));
  GATEHOUSE_ASSIGN_OR_RETURN(dir.keys_.opaque_id,
                             Key(dir.path_ + "/keys/opaque-id", random));
  dir.keys_.boot_id = NewId(random);
  for (const rpc::Role role : {rpc::Role::kWorker, rpc::Role::kOperator,
                               rpc::Role::kReviewer, rpc::Role::kAuditor}) {
    GATEHOUSE_ASSIGN_OR_RETURN(
        const std::string token,
        Secret(dir.TokenPath(role), NewId(random, kTokenBits)));
    dir.tokens_.push_back(
        rpc::Token{role, std::string(rpc::ToString(role)), Sha256(token)});
  }
  return dir;
}

}  // namespace gatehouse
