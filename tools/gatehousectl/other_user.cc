#include "tools/gatehousectl/other_user.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gatehouse::ctl {
namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// An open folder, closed with this; fd -1 if it could not be opened.
class Folder {
 public:
  explicit Folder(int fd) : fd_(fd) {}
  Folder(Folder&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Folder& operator=(Folder&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Folder() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

absl::Status CannotMake(const std::string& path) {
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": cannot be made; name another folder with --home"));
}

}  // namespace

absl::StatusOr<OtherUser> OtherUser::Find(const std::string& name) {
  std::vector<char> buffer(16 << 10);
  passwd entry = {};
  passwd* found = nullptr;
  getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (found == nullptr) {
    return absl::NotFoundError(absl::StrCat(
        name, ": no such user; make one, or name another with --run-as"));
  }
  OtherUser user;
  user.uid_ = entry.pw_uid;
  user.gid_ = entry.pw_gid;
  int count = 64;
  user.groups_.resize(static_cast<size_t>(count));
  getgrouplist(name.c_str(), user.gid_, user.groups_.data(), &count);
  user.groups_.resize(static_cast<size_t>(std::clamp(count, 0, 64)));
  return user;
}

bool OtherUser::MayPass(const std::string& path) const {
  struct stat facts = {};
  if (stat(path.c_str(), &facts) != 0) return false;
  if (facts.st_uid == uid_) return (facts.st_mode & S_IXUSR) != 0;
  const bool in_group =
      facts.st_gid == gid_ ||
      std::find(groups_.begin(), groups_.end(), facts.st_gid) != groups_.end();
  return (facts.st_mode & (in_group ? S_IXGRP : S_IXOTH)) != 0;
}

std::optional<std::string> OtherUser::WhyUnreachable(
    const std::string& path) const {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::canonical(path, error);
  if (error) return absl::StrCat(path, " is not there");
  std::filesystem::path step;
  for (const std::filesystem::path& part : whole) {
    step /= part;
    if (!MayPass(step.string())) {
      return absl::StrCat(step.string(), " is closed to that user");
    }
  }
  return std::nullopt;
}

absl::StatusOr<bool> OtherUser::MakeHome(const std::string& path) const {
  const std::filesystem::path whole = std::filesystem::path(path);
  Folder parent(open("/", kFolderFlags));
  for (const std::filesystem::path& step :
       whole.parent_path().relative_path()) {
    if (step.empty() || step == ".") continue;
    if (mkdirat(parent.fd(), step.c_str(), 0755) != 0 && errno != EEXIST) {
      return CannotMake(path);
    }
    parent = Folder(openat(parent.fd(), step.c_str(), kFolderFlags));
    if (parent.fd() < 0) {
      return absl::FailedPreconditionError(absl::StrCat(
          path, ": ", step.string(),
          " is a link or no folder; name a home without links in its path with "
          "--home"));
    }
  }
  const std::string name = whole.filename().string();
  if (name.empty() || name == "." || name == "..") return CannotMake(path);
  const bool made = mkdirat(parent.fd(), name.c_str(), 0700) == 0;
  if (!made && errno != EEXIST) return CannotMake(path);
  const Folder home(openat(parent.fd(), name.c_str(), kFolderFlags));
  struct stat facts = {};
  const bool good = home.fd() >= 0 && fstat(home.fd(), &facts) == 0;
  // Somebody may have put another folder in the place of what was made.
  if (!good || facts.st_uid != (made ? geteuid() : uid_)) {
    return absl::FailedPreconditionError(
        absl::StrCat(path,
                     ": is there already and no folder of that user's; "
                     "name another with --home"));
  }
  if (!made) return false;
  if (fchown(home.fd(), uid_, gid_) != 0) {
    unlinkat(parent.fd(), name.c_str(), AT_REMOVEDIR);
    return CannotMake(path);
  }
  return true;
}

}  // namespace gatehouse::ctl
