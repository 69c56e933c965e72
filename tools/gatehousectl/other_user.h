#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_OTHER_USER_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_OTHER_USER_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gatehouse::ctl {

// A user of this machine as whom programs are to run, looked at by root.
// Immutable.
class OtherUser {
 public:
  // NOT_FOUND if there is none of that name.
  static absl::StatusOr<OtherUser> Find(const std::string& name);

  // Nothing, or the folder or file on the way to `path` (symbolic links
  // followed) that this user may not pass or run.
  std::optional<std::string> WhyUnreachable(const std::string& path) const;

  // Makes the folder for this user alone, those above it for everybody, if it
  // is not there: then true. FAILED_PRECONDITION if it is there and belongs to
  // somebody else, or cannot be made.
  absl::StatusOr<bool> MakeHome(const std::string& path) const;

 private:
  OtherUser() = default;
  bool MayPass(const std::string& path) const;

  uid_t uid_ = 0;
  gid_t gid_ = 0;
  std::vector<gid_t> groups_;
};

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_OTHER_USER_H_
