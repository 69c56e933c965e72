#include "controlplane/broker/decision.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controlplane/audit/log.h"
#include "controlplane/broker/states.h"
#include "controlplane/ledger/ledger.h"
#include "shared/base/digest.h"
#include "shared/base/fault.h"
#include "shared/base/status.h"
#include "shared/mcp/feature_name.h"

namespace gatehouse::broker {
namespace {

constexpr int kLoseBatch = 32;

audit::RecordType TypeOf(InputRequestState state) {
  using T = audit::RecordType;
  switch (state) {
    case InputRequestState::kRelayed:
      return T::kForwarded;
    case InputRequestState::kRefused:
      return T::kRefused;
    case InputRequestState::kAnswered:
      return T::kAnswered;
    case InputRequestState::kDeclined:
      return T::kDeclined;
    case InputRequestState::kDismissed:
      return T::kDismissed;
    case InputRequestState::kInvalid:
      return T::kInvalid;
    case InputRequestState::kFailed:
      return T::kFailed;
    case InputRequestState::kExpired:
      return T::kExpired;
    case InputRequestState::kCancelled:
      return T::kCancelled;
    case InputRequestState::kRevoked:
      return T::kRevoked;
    case InputRequestState::kLost:
      return T::kLost;
    case InputRequestState::kNotified:
      return T::kNotified;
    case InputRequestState::kDenied:
    case InputRequestState::kPendingReview:
    case InputRequestState::kPendingRelease:
      return T::kDecided;
  }
  return T::kDecided;
}

}  // namespace

UpstreamReplyRow ReplyOf(const Failure& failure) {
  UpstreamReplyRow reply;
  const ReasonRow& row = RowOf(failure.reason);
  reply.is_error = true;
  reply.code = CodeOf(failure, Receiver::kUpstream);
  reply.message = failure.message;
  reply.data = DataOf(failure, Receiver::kUpstream);
  reply.reason = std::string(row.name);
  return reply;
}

UpstreamReplyRow ReplyToClientOf(const Failure& failure) {
  Failure told = failure;
  // What is malformed is the upstream's fault, so the client's answer says so.
  if (failure.reason == Reason::kInvalidRequest) {
    told.reason = Reason::kUpstreamProtocolError;
  }
  told.message = absl::StrCat(
      "the server needs the user to visit a page first, and the gateway does "
      "not pass that on: ",
      failure.message);
  UpstreamReplyRow reply = ReplyOf(told);
  reply.code = RowOf(told.reason).to_client;
  return reply;
}

absl::StatusOr<int64_t> Decision::Note(audit::Record record) {
  record.boot_id = keys.boot_id;
  if (broker_.observer_) noted.push_back(record);
  if (MutantEnabled("audit_after_effect")) {
    // A negative control of test builds: the record comes after the effect.
    Broker* broker = &broker_;
    const MutexLock lock(broker->late_records_mutex_);
    broker->late_records_.push_back([broker, record]() mutable {
      broker->store_.Run(
          [broker, record](Transaction& late) mutable {
            return audit::Append(late, record, broker->random_).status();
          },
          [](const absl::Status&) {});
    });
    return -1;
  }
  return audit::Append(tx, record, random);
}

audit::Record Decision::RecordOf(audit::RecordType type,
                                 const InputRequestRow& row) {
  audit::Record record;
  record.type = type;
  record.session_id = row.session_id;
  record.operation_id = row.operation_id;
  record.input_request_id = row.id;
  record.kind = std::string(mcp::FeatureName(row.method));
  record.era = "legacy";
  record.virtual_server = row.virtual_server;
  record.upstream = row.upstream;
  record.tool = row.tool;
  record.policy_version = row.policy_version;
  record.worker_id = row.worker_id;
  record.worker_epoch = row.worker_epoch;
  if (row.last_audit_seq >= 0) record.prior_seq = row.last_audit_seq;
  return record;
}

audit::Record Decision::RecordOf(audit::RecordType type,
                                 const SessionRow& row) {
  audit::Record record;
  record.type = type;
  record.session_id = row.id;
  record.virtual_server = row.virtual_server;
  record.principal_hmac = audit::PrincipalHmac(keys.audit_hmac, row.principal);
  record.worker_id = row.worker_id;
  return record;
}

absl::Status Decision::End(InputRequestRow row, const Ending& ending) {
  const InputRequestState from = row.state;
  if (!CanMove(from, ending.state)) {
    return absl::InternalError(absl::StrCat(
        "inputRequests/", row.id, ": no arrow from state ",
        static_cast<int>(from), " to ", static_cast<int>(ending.state)));
  }
  row.state = ending.state;
  row.cause = ending.cause;
  row.reason = ending.reason;
  row.deadline.reset();
  row.params.clear();
  row.end_time = tx.Now();
  row.submit_request_id = ending.submit_request_id;
  row.reply = ending.reply;
  row.delivery = !ending.reply.has_value()  ? DeliveryState::kNone
                 : ending.claimed_by_caller ? DeliveryState::kClaimed
                                            : DeliveryState::kUnclaimed;

  audit::Record record = RecordOf(TypeOf(ending.state), row);
  record.from_state = from;
  record.to_state = ending.state;
  record.state_version = row.version + 1;
  record.cause = ending.cause;
  record.reason = ending.reason;
  record.rule = ending.rule;
  if (ending.response_bytes > 0) record.bytes_in = ending.response_bytes;
  record.payload_hmac = ending.response_hmac;
  if (ending.reply.has_value()) {
    const UpstreamReplyRow& reply = *ending.reply;
    record.outcome = reply.is_error ? "refuse" : "deliver";
    if (reply.is_error) {
      record.error_code = reply.code;
    } else {
      record.bytes_out = static_cast<int64_t>(reply.result.size());
      record.delivered_hmac = audit::Hmac(
          keys.audit_hmac, audit::HmacTag::kDelivered, reply.result);
    }
  }
  GATEHOUSE_ASSIGN_OR_RETURN(row.last_audit_seq, Note(std::move(record)));
  if (ending.claimed_by_caller && ending.reply.has_value()) {
    GATEHOUSE_ASSIGN_OR_RETURN(
        row.last_audit_seq,
        Note(RecordOf(audit::RecordType::kDeliveryClaimed, row)));
  }
  GATEHOUSE_RETURN_IF_ERROR(tx.UpdateInputRequest(row, from));
  if (row.delivery != DeliveryState::kUnclaimed) return absl::OkStatus();
  MailRow mail;
  mail.worker_id = row.worker_id;
  mail.kind = MailKind::kDeliveryReady;
  mail.subject = row.id;
  mail.operation = row.operation_id;
  mail.withdraw = ending.withdraw;
  return sessions::PostMail(tx, std::move(mail), mailed);
}

absl::StatusOr<int> Decision::CloseOperation(OperationRow operation,
                                             const Ending& ending) {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::vector<InputRequestRow> open,
                             tx.ListOpenInputRequestsOfOperation(operation.id));
  for (const InputRequestRow& row : open) {
    GATEHOUSE_RETURN_IF_ERROR(End(row, ending));
  }
  GATEHOUSE_RETURN_IF_ERROR(DropUndelivered(operation.id));
  const OperationRow before = operation;
  operation.open = false;
  operation.close_time = tx.Now();
  GATEHOUSE_RETURN_IF_ERROR(tx.UpdateOperation(operation));

  audit::Record record;
  record.type = audit::RecordType::kOperationClosed;
  record.session_id = operation.session_id;
  record.operation_id = operation.id;
  record.virtual_server = operation.virtual_server;
  record.upstream = operation.upstream;
  record.tool = operation.tool;
  record.cause = ending.cause;
  record.worker_id = operation.worker_id;
  record.worker_epoch = operation.worker_epoch;
  record.budget = audit::BudgetOf(before, operation);
  if (const int64_t suppressed = ledger::SuppressedRefusals(operation);
      suppressed > 0) {
    record.count = suppressed;
  }
  GATEHOUSE_RETURN_IF_ERROR(Note(std::move(record)).status());
  return static_cast<int>(open.size());
}

// Nobody is owed an answer any more, so its content goes. What was claimed may
// still be acknowledged, or turn out to be unknown.
absl::Status Decision::DropUndelivered(std::string_view operation_id) {
  GATEHOUSE_ASSIGN_OR_RETURN(
      std::vector<InputRequestRow> rows,
      tx.ListUnsettledDeliveriesOfOperation(operation_id));
  for (InputRequestRow& row : rows) {
    row.reply.reset();
    if (row.delivery == DeliveryState::kUnclaimed) {
      row.delivery = DeliveryState::kNone;
    }
    GATEHOUSE_RETURN_IF_ERROR(tx.UpdateInputRequest(row, row.state));
  }
  return absl::OkStatus();
}

absl::StatusOr<int> Decision::CloseSession(SessionRow session,
                                           std::string_view cause) {
  session.open = false;
  session.end_cause = std::string(cause);
  session.last_used_time = tx.Now();
  GATEHOUSE_RETURN_IF_ERROR(tx.UpdateSession(session));
  GATEHOUSE_RETURN_IF_ERROR(tx.DeleteRoots(session.id));
  audit::Record record = RecordOf(audit::RecordType::kSessionEnded, session);
  record.cause = session.end_cause;
  GATEHOUSE_RETURN_IF_ERROR(Note(std::move(record)).status());

  Ending ending;
  ending.state = InputRequestState::kCancelled;
  ending.cause = "session";
  int ended = 0;
  while (true) {
    constexpr int kPage = 64;
    GATEHOUSE_ASSIGN_OR_RETURN(
        std::vector<OperationRow> page,
        tx.ListOpenOperationsOfSession(session.id, kPage));
    for (OperationRow& operation : page) {
      GATEHOUSE_ASSIGN_OR_RETURN(const int count,
                                 CloseOperation(std::move(operation), ending));
      ended += count;
    }
    if (page.size() < kPage) break;
  }
  MailRow mail;
  mail.kind = MailKind::kSessionEnded;
  mail.subject = session.id;
  mail.cause = session.end_cause;
  GATEHOUSE_RETURN_IF_ERROR(sessions::PostMailToAll(tx, mail, mailed));
  return ended;
}

absl::StatusOr<bool> Decision::LoseWorkerBatch(std::string_view worker_id,
                                               int64_t up_to_epoch) {
  GATEHOUSE_ASSIGN_OR_RETURN(
      std::vector<OperationRow> operations,
      tx.ListOpenOperationsOfWorker(worker_id, up_to_epoch, kLoseBatch));
  Ending lost;
  lost.state = InputRequestState::kLost;
  lost.cause = "worker_lost";
  for (OperationRow& operation : operations) {
    GATEHOUSE_RETURN_IF_ERROR(
        CloseOperation(std::move(operation), lost).status());
  }
  GATEHOUSE_ASSIGN_OR_RETURN(
      const std::vector<InputRequestRow> unsettled,
      tx.ListUnsettledDeliveriesOfWorker(worker_id, up_to_epoch, kLoseBatch));
  for (const InputRequestRow& row : unsettled) {
    GATEHOUSE_RETURN_IF_ERROR(SettleLost(row));
  }
  return operations.size() < kLoseBatch && unsettled.size() < kLoseBatch;
}

absl::Status Decision::SettleLost(InputRequestRow row) {
  // Claimed: it may have been written or not, and nobody will ever know.
  // Unclaimed: nobody wrote it, and its upstream is gone with the worker.
  const bool claimed = row.delivery == DeliveryState::kClaimed;
  row.delivery = claimed ? DeliveryState::kUnknown : DeliveryState::kNone;
  row.reply.reset();
  if (claimed) {
    GATEHOUSE_ASSIGN_OR_RETURN(
        row.last_audit_seq,
        Note(RecordOf(audit::RecordType::kDeliveryUnknown, row)));
  }
  return tx.UpdateInputRequest(row, row.state);
}

absl::StatusOr<std::optional<std::string>> Decision::Recall(
    std::string_view request_id, std::string_view method,
    std::string_view content_sha256) {
  if (request_id.empty()) return std::optional<std::string>();
  absl::StatusOr<IdempotencyRow> row = tx.GetIdempotency(request_id);
  if (absl::IsNotFound(row.status())) return std::optional<std::string>();
  GATEHOUSE_RETURN_IF_ERROR(row.status());
  if (row->verdict == kSpent) {
    return MakeStatus(absl::StatusCode::kAborted,
                      "request_spent: the request was cancelled by its id");
  }
  if (row->method != method ||
      !ConstantTimeEquals(row->content_sha256, content_sha256)) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      "request_id_reused: the id was used with other content; "
                      "make a new one for each call");
  }
  return std::optional<std::string>(row->verdict);
}

absl::Status Decision::Remember(std::string_view request_id,
                                std::string_view method,
                                std::string_view content_sha256,
                                std::string_view verdict) {
  if (request_id.empty()) return absl::OkStatus();
  IdempotencyRow row;
  row.request_id = std::string(request_id);
  row.method = std::string(method);
  row.content_sha256 = std::string(content_sha256);
  row.verdict = std::string(verdict);
  row.create_time = tx.Now();
  return tx.InsertIdempotency(row);
}

}  // namespace gatehouse::broker
