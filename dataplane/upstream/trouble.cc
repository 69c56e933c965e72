#include "dataplane/upstream/trouble.h"

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::upstream {
namespace {

std::string_view WhatHappened(Reason reason) {
  if (reason == Reason::kUpstreamTimeout) {
    return "did not answer in time: try again, or ask for less at once";
  }
  if (reason == Reason::kUpstreamProtocolError) {
    return "broke the protocol, so its answer cannot be used: tell its "
           "operator, the worker's log says how";
  }
  if (reason == Reason::kUpstreamBusy) {
    return "is busy, its processes or places are all taken: try again later";
  }
  if (reason == Reason::kOperationEnded) {
    return "was told that nobody waits for its answer any more";
  }
  return "is not available: try again later, the worker's log says why";
}

}  // namespace

Failure FailureOf(Reason reason, std::string_view upstream) {
  Failure failure;
  failure.reason = reason;
  failure.message = absl::StrCat("upstream '", ToAbsl(upstream), "' ",
                                 ToAbsl(WhatHappened(reason)));
  return failure;
}

}  // namespace gatehouse::upstream
