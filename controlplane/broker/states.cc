#include "controlplane/broker/states.h"

namespace gatehouse::broker {
namespace {

using S = InputRequestState;

// Every open state can be ended by time, by whoever stops asking, by a policy
// and by the loss of its worker.
bool EndsAnyOpenState(S to) {
  switch (to) {
    case S::kExpired:
    case S::kCancelled:
    case S::kRevoked:
    case S::kLost:
      return true;
    case S::kRelayed:
    case S::kRefused:
    case S::kAnswered:
    case S::kDeclined:
    case S::kDismissed:
    case S::kDenied:
    case S::kInvalid:
    case S::kFailed:
    case S::kNotified:
    case S::kPendingReview:
    case S::kPendingRelease:
      return false;
  }
  return false;
}

}  // namespace

bool IsOpen(InputRequestState state) {
  return state == S::kRelayed || state == S::kPendingReview ||
         state == S::kPendingRelease;
}

bool CanMove(InputRequestState from, InputRequestState to) {
  if (!IsOpen(from)) return false;
  if (EndsAnyOpenState(to)) return true;
  switch (from) {
    case S::kRelayed:
      return to == S::kAnswered || to == S::kDeclined || to == S::kDismissed ||
             to == S::kInvalid || to == S::kFailed || to == S::kPendingRelease;
    case S::kPendingReview:
      return to == S::kRelayed || to == S::kDenied || to == S::kAnswered ||
             to == S::kDeclined || to == S::kDismissed ||
             to == S::kPendingRelease;
    case S::kPendingRelease:
      return to == S::kAnswered || to == S::kDenied;
    case S::kRefused:
    case S::kAnswered:
    case S::kDeclined:
    case S::kDismissed:
    case S::kDenied:
    case S::kInvalid:
    case S::kFailed:
    case S::kExpired:
    case S::kCancelled:
    case S::kRevoked:
    case S::kLost:
    case S::kNotified:
      return false;
  }
  return false;
}

}  // namespace gatehouse::broker
