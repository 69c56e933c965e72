#include "tools/gatehousectl/other_user.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace gatehouse::ctl {
namespace {

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
  struct stat facts = {};
  // Not through a link that somebody else laid there.
  if (lstat(path.c_str(), &facts) == 0) {
    if (S_ISDIR(facts.st_mode) && facts.st_uid == uid_) return false;
    return absl::FailedPreconditionError(
        absl::StrCat(path,
                     ": is there already and no folder of that user's; "
                     "name another with --home"));
  }
  std::error_code error;
  const std::filesystem::path parent =
      std::filesystem::path(path).parent_path();
  std::filesystem::create_directories(parent, error);
  if (error || mkdir(path.c_str(), 0700) != 0) return CannotMake(path);
  if (chown(path.c_str(), uid_, gid_) != 0) {
    rmdir(path.c_str());
    return CannotMake(path);
  }
  return true;
}

}  // namespace gatehouse::ctl
