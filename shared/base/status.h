#ifndef GATEHOUSE_SHARED_BASE_STATUS_H_
#define GATEHOUSE_SHARED_BASE_STATUS_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

// Debian 12's Abseil has no status macros; these are the two we use.
#define GATEHOUSE_STATUS_CONCAT_INNER(x, y) x##y
#define GATEHOUSE_STATUS_CONCAT(x, y) GATEHOUSE_STATUS_CONCAT_INNER(x, y)

// Returns from the enclosing function if `expr`, a Status, is not ok.
#define GATEHOUSE_RETURN_IF_ERROR(expr)                                   \
  do {                                                                    \
    if (::absl::Status gatehouse_status = (expr); !gatehouse_status.ok()) \
      return gatehouse_status;                                            \
  } while (false)

// Declares or assigns `lhs` from `expr`, a StatusOr, or returns its status.
#define GATEHOUSE_ASSIGN_OR_RETURN(lhs, expr) \
  GATEHOUSE_ASSIGN_OR_RETURN_INNER(           \
      GATEHOUSE_STATUS_CONCAT(gatehouse_status_or_, __LINE__), lhs, expr)
#define GATEHOUSE_ASSIGN_OR_RETURN_INNER(temp, lhs, expr) \
  auto temp = (expr);                                     \
  if (!temp.ok()) return temp.status();                   \
  lhs = std::move(temp).value()

namespace gatehouse {

// Debian 12's Abseil is built with its own string_view, which does not convert
// from std's. This is the one adapter; our own interfaces speak std.
inline absl::string_view ToAbsl(std::string_view text) {
  return absl::string_view(text.data(), text.size());
}
inline std::string_view ToStd(absl::string_view text) {
  return std::string_view(text.data(), text.size());
}

// The same status with "`context`: " before its message. Ok stays ok.
absl::Status Annotate(const absl::Status& status, std::string_view context);

// Makes a status of a std::string message (absl's own functions want its view).
absl::Status MakeStatus(absl::StatusCode code, std::string_view message);

}  // namespace gatehouse

#endif  // GATEHOUSE_SHARED_BASE_STATUS_H_
