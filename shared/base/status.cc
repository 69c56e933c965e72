#include "shared/base/status.h"

#include "absl/strings/str_cat.h"

namespace gatehouse {

absl::Status MakeStatus(absl::StatusCode code, std::string_view message) {
  return absl::Status(code, ToAbsl(message));
}

absl::Status Annotate(const absl::Status& status, std::string_view context) {
  if (status.ok()) return status;
  absl::Status annotated(status.code(),
                         absl::StrCat(ToAbsl(context), ": ", status.message()));
  status.ForEachPayload([&](absl::string_view type, const absl::Cord& payload) {
    annotated.SetPayload(type, payload);
  });
  return annotated;
}

}  // namespace gatehouse
