#include <array>

#include "controlplane/audit/record.h"

namespace gatehouse::audit {
namespace {

constexpr std::array kTypes = {
    RecordType::kAsked,
    RecordType::kDecided,
    RecordType::kForwarded,
    RecordType::kRefused,
    RecordType::kAnswered,
    RecordType::kDeclined,
    RecordType::kDismissed,
    RecordType::kInvalid,
    RecordType::kFailed,
    RecordType::kExpired,
    RecordType::kCancelled,
    RecordType::kRevoked,
    RecordType::kLost,
    RecordType::kNotified,
    RecordType::kDeliveryClaimed,
    RecordType::kDeliveryAcknowledged,
    RecordType::kDeliveryUnknown,
    RecordType::kLateReply,
    RecordType::kDuplicateReply,
    RecordType::kUnknownReply,
    RecordType::kUnauthorizedReply,
    RecordType::kOperationClosed,
    RecordType::kSessionOpened,
    RecordType::kSessionEnded,
    RecordType::kPolicyApplied,
    RecordType::kPolicyDeleted,
    RecordType::kWorkerAttached,
    RecordType::kWorkerLost,
    RecordType::kBoot,
    RecordType::kRefusalsSuppressed,
};

constexpr int kFirstState = static_cast<int>(InputRequestState::kRelayed);
constexpr int kLastState = static_cast<int>(InputRequestState::kPendingRelease);

}  // namespace

std::string_view RecordTypeName(RecordType type) {
  switch (type) {
    case RecordType::kAsked:
      return "asked";
    case RecordType::kDecided:
      return "decided";
    case RecordType::kForwarded:
      return "forwarded";
    case RecordType::kRefused:
      return "refused";
    case RecordType::kAnswered:
      return "answered";
    case RecordType::kDeclined:
      return "declined";
    case RecordType::kDismissed:
      return "dismissed";
    case RecordType::kInvalid:
      return "invalid";
    case RecordType::kFailed:
      return "failed";
    case RecordType::kExpired:
      return "expired";
    case RecordType::kCancelled:
      return "cancelled";
    case RecordType::kRevoked:
      return "revoked";
    case RecordType::kLost:
      return "lost";
    case RecordType::kNotified:
      return "notified";
    case RecordType::kDeliveryClaimed:
      return "delivery_claimed";
    case RecordType::kDeliveryAcknowledged:
      return "delivery_acknowledged";
    case RecordType::kDeliveryUnknown:
      return "delivery_unknown";
    case RecordType::kLateReply:
      return "late_reply";
    case RecordType::kDuplicateReply:
      return "duplicate_reply";
    case RecordType::kUnknownReply:
      return "unknown_reply";
    case RecordType::kUnauthorizedReply:
      return "unauthorized_reply";
    case RecordType::kOperationClosed:
      return "operation_closed";
    case RecordType::kSessionOpened:
      return "session_opened";
    case RecordType::kSessionEnded:
      return "session_ended";
    case RecordType::kPolicyApplied:
      return "policy_applied";
    case RecordType::kPolicyDeleted:
      return "policy_deleted";
    case RecordType::kWorkerAttached:
      return "worker_attached";
    case RecordType::kWorkerLost:
      return "worker_lost";
    case RecordType::kBoot:
      return "boot";
    case RecordType::kRefusalsSuppressed:
      return "refusals_suppressed";
  }
  return "";
}

std::optional<RecordType> RecordTypeFromName(std::string_view name) {
  for (const RecordType type : kTypes) {
    if (RecordTypeName(type) == name) return type;
  }
  return std::nullopt;
}

std::string_view StateName(InputRequestState state) {
  switch (state) {
    case InputRequestState::kRelayed:
      return "RELAYED";
    case InputRequestState::kRefused:
      return "REFUSED";
    case InputRequestState::kAnswered:
      return "ANSWERED";
    case InputRequestState::kDeclined:
      return "DECLINED";
    case InputRequestState::kDismissed:
      return "DISMISSED";
    case InputRequestState::kDenied:
      return "DENIED";
    case InputRequestState::kInvalid:
      return "INVALID";
    case InputRequestState::kFailed:
      return "FAILED";
    case InputRequestState::kExpired:
      return "EXPIRED";
    case InputRequestState::kCancelled:
      return "CANCELLED";
    case InputRequestState::kRevoked:
      return "REVOKED";
    case InputRequestState::kLost:
      return "LOST";
    case InputRequestState::kNotified:
      return "NOTIFIED";
    case InputRequestState::kPendingReview:
      return "PENDING_REVIEW";
    case InputRequestState::kPendingRelease:
      return "PENDING_RELEASE";
  }
  return "";
}

std::optional<InputRequestState> StateFromName(std::string_view name) {
  for (int number = kFirstState; number <= kLastState; ++number) {
    const auto state = static_cast<InputRequestState>(number);
    if (StateName(state) == name) return state;
  }
  return std::nullopt;
}

}  // namespace gatehouse::audit
