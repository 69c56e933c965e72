#include "controlplane/main/accounts.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controlplane/broker/states.h"
#include "shared/reasons/reasons.h"

namespace gatehouse {
namespace {

// The verdict that a record of an input request is counted under; nullopt: it
// is about something else.
std::optional<std::string> VerdictOf(const audit::Record& record) {
  using T = audit::RecordType;
  switch (record.type) {
    case T::kForwarded:
      return "relay";
    case T::kRefused:
      return "refuse";
    case T::kAnswered:
    case T::kDeclined:
    case T::kDismissed:
    case T::kInvalid:
    case T::kFailed:
    case T::kExpired:
    case T::kCancelled:
    case T::kRevoked:
    case T::kLost:
    case T::kNotified:
    case T::kDecided:
      return std::string(audit::RecordTypeName(record.type));
    case T::kAsked:
    case T::kDeliveryClaimed:
    case T::kDeliveryAcknowledged:
    case T::kDeliveryUnknown:
    case T::kLateReply:
    case T::kDuplicateReply:
    case T::kUnknownReply:
    case T::kUnauthorizedReply:
    case T::kOperationClosed:
    case T::kSessionOpened:
    case T::kSessionEnded:
    case T::kPolicyApplied:
    case T::kPolicyDeleted:
    case T::kWorkerAttached:
    case T::kWorkerLost:
    case T::kBoot:
    case T::kRefusalsSuppressed:
      break;
  }
  return std::nullopt;
}

// The counter of the one table of reasons.
std::string CounterOf(const audit::Record& record) {
  if (record.reason.empty()) return "none";
  const ReasonRow* const row =
      FindReason(record.reason, record.error_code.value_or(0));
  return row == nullptr ? "other" : std::string(row->counter);
}

admin::LogLevel LevelOf(audit::RecordType type) {
  using T = audit::RecordType;
  switch (type) {
    case T::kWorkerLost:
    case T::kDeliveryUnknown:
    case T::kRefusalsSuppressed:
      return admin::LogLevel::kWarning;
    case T::kLateReply:
    case T::kDuplicateReply:
    case T::kUnknownReply:
    case T::kUnauthorizedReply:
    case T::kPolicyApplied:
    case T::kPolicyDeleted:
    case T::kWorkerAttached:
      return admin::LogLevel::kInfo;
    default:  // of each call or session, and there are many
      return admin::LogLevel::kDebug;
  }
}

}  // namespace

void Accounts::OnRecord(const audit::Record& record,
                        std::string_view trace_id) {
  const std::optional<std::string> verdict = VerdictOf(record);
  if (!verdict.has_value()) {
    {
      const MutexLock lock(mutex_);
      ++others_[record.type];
    }
    return LogOther(record, trace_id);
  }
  Count(record, *verdict);
  if (record.type == audit::RecordType::kForwarded) {
    LogInputRequest(admin::LogLevel::kDebug, "input_request_relayed", record,
                    trace_id);
  } else if (record.type == audit::RecordType::kRefused) {
    LogInputRequest(admin::LogLevel::kInfo, "input_request_refused", record,
                    trace_id);
  } else {
    LogInputRequest(admin::LogLevel::kInfo, "input_request_ended", record,
                    trace_id);
  }
}

void Accounts::Count(const audit::Record& record, std::string_view verdict) {
  const std::string feature = record.kind.empty() ? "other" : record.kind;
  Decided decided(feature, verdict, CounterOf(record));
  const MutexLock lock(mutex_);
  ++decided_[std::move(decided)];
  if (record.to_state.has_value() && !broker::IsOpen(*record.to_state)) {
    ++ended_[{feature, *record.to_state}];
  }
}

void Accounts::LogInputRequest(admin::LogLevel level, std::string_view event,
                               const audit::Record& record,
                               std::string_view trace_id) const {
  if (!log_.Writes(level)) return;
  log_.Line(level, event,
            {{"virtualServer", record.virtual_server},
             {"upstream", record.upstream},
             {"tool", record.tool},
             {"feature", record.kind},
             {"state", record.to_state.has_value()
                           ? audit::StateName(*record.to_state)
                           : std::string_view()},
             {"reason", record.reason},
             {"cause", record.cause},
             {"inputRequest", record.input_request_id},
             {"operation", record.operation_id},
             {"worker", record.worker_id},
             {"traceId", trace_id}});
}

void Accounts::LogOther(const audit::Record& record,
                        std::string_view trace_id) const {
  const admin::LogLevel level = LevelOf(record.type);
  if (!log_.Writes(level)) return;
  log_.Line(level, audit::RecordTypeName(record.type),
            {{"virtualServer", record.virtual_server},
             {"upstream", record.upstream},
             {"cause", record.cause},
             {"count", record.count.has_value() ? absl::StrCat(*record.count)
                                                : std::string()},
             {"inputRequest", record.input_request_id},
             {"operation", record.operation_id},
             {"worker", record.worker_id},
             {"actor", record.actor},
             {"traceId", trace_id}});
}

void Accounts::AddTo(admin::MetricsPage& page) const {
  const MutexLock lock(mutex_);
  for (const auto& [decided, count] : decided_) {
    const auto& [feature, verdict, reason] = decided;
    page.Counter(
        "gatehouse_control_decisions_total",
        "decisions on input requests: relayed, refused, and how they "
        "ended",
        static_cast<double>(count),
        {{"feature", feature}, {"verdict", verdict}, {"reason", reason}});
  }
  for (const auto& [ended, count] : ended_) {
    page.Counter("gatehouse_control_input_requests_ended_total",
                 "input requests by the terminal state that they reached",
                 static_cast<double>(count),
                 {{"feature", ended.first},
                  {"state", std::string(audit::StateName(ended.second))}});
  }
  for (const auto& [type, count] : others_) {
    page.Counter("gatehouse_control_records_total",
                 "audit records that are no decision on an input request",
                 static_cast<double>(count),
                 {{"type", std::string(audit::RecordTypeName(type))}});
  }
}

}  // namespace gatehouse
