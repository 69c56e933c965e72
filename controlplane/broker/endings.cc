// What ends an input request but a reply: an upstream or a worker that stopped
// asking, the end of its operation; and what becomes of an answer that waits
// (DESIGN §4, §5; invariant 5).

#include <utility>
#include <vector>

#include "controlplane/broker/broker.h"
#include "controlplane/broker/decision.h"
#include "controlplane/broker/run.h"
#include "controlplane/broker/states.h"
#include "controlplane/sessions/workers.h"
#include "shared/base/status.h"

namespace gatehouse::broker {
namespace {

Ending CancelledBy(CancelCause cause) {
  Ending ending;
  ending.state = InputRequestState::kCancelled;
  switch (cause) {
    case CancelCause::kUpstream:
      ending.cause = "upstream";
      break;
    case CancelCause::kAdmitTimedOut:
      ending.cause = "admit_timed_out";
      break;
    case CancelCause::kClientUnreachable: {
      ending.cause = "client_unreachable";
      Failure failure;
      failure.reason = Reason::kOperationEnded;
      failure.message =
          "the client can no longer be asked: its stream is gone; finish "
          "without an answer";
      ending.reason = std::string(RowOf(failure.reason).name);
      ending.reply = ReplyOf(failure);
      break;
    }
  }
  return ending;
}

absl::Status CancelWork(Decision& decision, const CancelCommand& command,
                        CancelOutcome& outcome) {
  Transaction& tx = decision.tx;
  GATEHOUSE_RETURN_IF_ERROR(
      sessions::CheckWorker(tx, command.caller.worker_id, command.caller.epoch)
          .status());
  std::vector<InputRequestRow> rows;
  if (!command.admit_request_id.empty()) {
    GATEHOUSE_ASSIGN_OR_RETURN(
        rows, tx.ListInputRequestsOfAdmit(command.admit_request_id));
    const absl::Status known =
        tx.GetIdempotency(command.admit_request_id).status();
    if (absl::IsNotFound(known)) {
      // It has not committed; with its id spent it never will.
      GATEHOUSE_RETURN_IF_ERROR(decision.Remember(
          command.admit_request_id, "AdmitInputRequests", "", kSpent));
    } else {
      GATEHOUSE_RETURN_IF_ERROR(known);
    }
  } else {
    GATEHOUSE_ASSIGN_OR_RETURN(InputRequestRow row,
                               tx.GetInputRequest(command.input_request_id));
    rows.push_back(std::move(row));
  }
  for (const InputRequestRow& row : rows) {
    if (row.worker_id != command.caller.worker_id ||
        row.worker_epoch != command.caller.epoch) {
      return MakeStatus(absl::StatusCode::kFailedPrecondition,
                        "not_owner: another worker owns the input request");
    }
    CancelOutcome::Entry entry{row.id, row.state};
    if (IsOpen(row.state)) {
      const Ending ending = CancelledBy(command.cause);
      GATEHOUSE_RETURN_IF_ERROR(decision.End(row, ending));
      entry.state = ending.state;
    }
    outcome.entries.push_back(std::move(entry));
  }
  return absl::OkStatus();
}

absl::Status CloseOperationWork(Decision& decision,
                                const CloseOperationCommand& command,
                                int& outcome) {
  Transaction& tx = decision.tx;
  GATEHOUSE_RETURN_IF_ERROR(
      sessions::CheckWorker(tx, command.caller.worker_id, command.caller.epoch)
          .status());
  absl::StatusOr<OperationRow> operation =
      tx.GetOperation(command.operation_id);
  if (absl::IsNotFound(operation.status())) {
    // The tombstone refuses an Admit that is still under way.
    OperationRow tombstone;
    tombstone.id = command.operation_id;
    tombstone.session_id = command.session_id;
    tombstone.worker_id = command.caller.worker_id;
    tombstone.worker_epoch = command.caller.epoch;
    tombstone.open = false;
    tombstone.create_time = tx.Now();
    tombstone.close_time = tx.Now();
    return tx.InsertOperation(tombstone);
  }
  GATEHOUSE_RETURN_IF_ERROR(operation.status());
  if (operation->worker_id != command.caller.worker_id ||
      operation->worker_epoch != command.caller.epoch) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      "not_owner: another worker owns the operation");
  }
  if (!operation->open) return absl::OkStatus();
  Ending ending;
  ending.state = InputRequestState::kCancelled;
  ending.cause = "operation_" + command.end;
  GATEHOUSE_ASSIGN_OR_RETURN(
      outcome, decision.CloseOperation(*std::move(operation), ending));
  return absl::OkStatus();
}

absl::Status ClaimWork(Decision& decision, const Caller& caller,
                       const std::string& input_request_id,
                       std::optional<UpstreamReplyRow>& outcome) {
  Transaction& tx = decision.tx;
  absl::StatusOr<InputRequestRow> row = tx.GetInputRequest(input_request_id);
  if (absl::IsNotFound(row.status())) return absl::OkStatus();
  GATEHOUSE_RETURN_IF_ERROR(row.status());
  if (row->worker_id != caller.worker_id || row->worker_epoch != caller.epoch ||
      !row->reply.has_value()) {
    return absl::OkStatus();
  }
  if (row->delivery == DeliveryState::kClaimed) {
    // The same owner asks again: the grant was lost on its way, and only the
    // owner knows whether it has written.
    outcome = row->reply;
    return absl::OkStatus();
  }
  if (row->delivery != DeliveryState::kUnclaimed) return absl::OkStatus();
  outcome = row->reply;
  row->delivery = DeliveryState::kClaimed;
  GATEHOUSE_ASSIGN_OR_RETURN(row->last_audit_seq,
                             decision.Note(decision.RecordOf(
                                 audit::RecordType::kDeliveryClaimed, *row)));
  return tx.UpdateInputRequest(*row, row->state);
}

absl::Status AcknowledgeWork(Decision& decision, const Caller& caller,
                             const std::string& input_request_id,
                             bool& outcome) {
  Transaction& tx = decision.tx;
  absl::StatusOr<InputRequestRow> row = tx.GetInputRequest(input_request_id);
  if (absl::IsNotFound(row.status())) return absl::OkStatus();
  GATEHOUSE_RETURN_IF_ERROR(row.status());
  if (row->worker_id != caller.worker_id || row->worker_epoch != caller.epoch ||
      row->delivery != DeliveryState::kClaimed) {
    return absl::OkStatus();
  }
  outcome = true;
  row->delivery = DeliveryState::kAcknowledged;
  row->reply.reset();
  GATEHOUSE_ASSIGN_OR_RETURN(
      row->last_audit_seq,
      decision.Note(
          decision.RecordOf(audit::RecordType::kDeliveryAcknowledged, *row)));
  return tx.UpdateInputRequest(*row, row->state);
}

}  // namespace

void Broker::Cancel(CancelCommand command, Done<CancelOutcome> done) {
  std::string trace_id = command.trace_id;
  Run<CancelOutcome>(
      [command = std::move(command)](Decision& decision,
                                     CancelOutcome& outcome) {
        return CancelWork(decision, command, outcome);
      },
      std::move(done), std::move(trace_id));
}

void Broker::CloseOperation(CloseOperationCommand command, Done<int> done) {
  std::string trace_id = command.trace_id;
  Run<int>(
      [command = std::move(command)](Decision& decision, int& outcome) {
        return CloseOperationWork(decision, command, outcome);
      },
      std::move(done), std::move(trace_id));
}

void Broker::Claim(Caller caller, std::string input_request_id,
                   Done<std::optional<UpstreamReplyRow>> done) {
  Run<std::optional<UpstreamReplyRow>>(
      [caller = std::move(caller), id = std::move(input_request_id)](
          Decision& decision, std::optional<UpstreamReplyRow>& outcome) {
        return ClaimWork(decision, caller, id, outcome);
      },
      std::move(done));
}

void Broker::Acknowledge(Caller caller, std::string input_request_id,
                         Done<bool> done) {
  Run<bool>(
      [caller = std::move(caller), id = std::move(input_request_id)](
          Decision& decision, bool& outcome) {
        return AcknowledgeWork(decision, caller, id, outcome);
      },
      std::move(done));
}

}  // namespace gatehouse::broker
