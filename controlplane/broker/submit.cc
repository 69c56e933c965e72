// Settlement: what came back is judged against what was asked, recorded, and
// given to the one worker that may deliver it (DESIGN §4 "Delivery", §5;
// invariants 1, 3, 5, 6).

#include <utility>

#include "controlplane/broker/broker.h"
#include "controlplane/broker/decision.h"
#include "controlplane/broker/run.h"
#include "controlplane/broker/states.h"
#include "controlplane/sessions/workers.h"
#include "shared/base/clock.h"
#include "shared/base/digest.h"
#include "shared/base/status.h"

namespace gatehouse::broker {
namespace {

constexpr std::string_view kMethod = "SubmitInputResponse";

InputRequestState StateOf(trust::ResponseOutcome outcome) {
  switch (outcome) {
    case trust::ResponseOutcome::kAnswered:
      return InputRequestState::kAnswered;
    case trust::ResponseOutcome::kDeclined:
      return InputRequestState::kDeclined;
    case trust::ResponseOutcome::kDismissed:
      return InputRequestState::kDismissed;
    case trust::ResponseOutcome::kInvalid:
      return InputRequestState::kInvalid;
    case trust::ResponseOutcome::kFailed:
      return InputRequestState::kFailed;
  }
  return InputRequestState::kInvalid;
}

// One SubmitInputResponse while it is decided.
class Settlement {
 public:
  Settlement(Decision& decision, const SubmitCommand& command)
      : decision_(decision), tx_(decision.tx), command_(command) {}

  absl::Status Run(SubmitOutcome& outcome);

 private:
  absl::Status Settle(SubmitOutcome& outcome);
  absl::Status Ignore(audit::RecordType type, std::string_view cause,
                      const InputRequestRow* row, SubmitOutcome& outcome);
  absl::Status IgnoreEnded(const InputRequestRow& row, SubmitOutcome& outcome);
  absl::Status Judge(const InputRequestRow& row, SubmitOutcome& outcome);
  // For what asks for roots outside of a call (DESIGN §6).
  absl::Status KeepRoots(const InputRequestRow& row, std::string_view result);
  absl::Status Replay(const std::string& input_request_id,
                      SubmitOutcome& outcome);
  bool IsOwner(const InputRequestRow& row) const {
    return row.worker_id == command_.caller.worker_id &&
           row.worker_epoch == command_.caller.epoch;
  }
  std::string_view Payload() const {
    if (command_.result.has_value()) return *command_.result;
    if (command_.error.has_value()) return *command_.error;
    return {};
  }

  Decision& decision_;
  Transaction& tx_;
  const SubmitCommand& command_;
};

absl::Status Settlement::Run(SubmitOutcome& outcome) {
  GATEHOUSE_ASSIGN_OR_RETURN(
      const std::optional<std::string> stored,
      decision_.Recall(command_.request_id, kMethod, command_.content_sha256));
  GATEHOUSE_RETURN_IF_ERROR(sessions::CheckWorker(tx_,
                                                  command_.caller.worker_id,
                                                  command_.caller.epoch)
                                .status());
  if (stored.has_value()) return Replay(*stored, outcome);
  GATEHOUSE_RETURN_IF_ERROR(Settle(outcome));
  return decision_.Remember(command_.request_id, kMethod,
                            command_.content_sha256, outcome.input_request_id);
}

absl::Status Settlement::Settle(SubmitOutcome& outcome) {
  absl::StatusOr<InputRequestRow> row =
      tx_.GetInputRequestByOpaqueId(Sha256(command_.opaque_id));
  if (absl::IsNotFound(row.status())) {
    return Ignore(audit::RecordType::kUnknownReply, "unknown", nullptr,
                  outcome);
  }
  GATEHOUSE_RETURN_IF_ERROR(row.status());
  if (row->session_id != command_.session_id) {
    return Ignore(audit::RecordType::kUnauthorizedReply, "not_owner", &*row,
                  outcome);
  }
  if (row->state != InputRequestState::kRelayed) {
    return IgnoreEnded(*row, outcome);
  }
  if (row->deadline.has_value() && *row->deadline <= tx_.Now()) {
    // Late by the store's clock, though the sweeper has not come by yet. It
    // will, and tells the upstream; this reply changes nothing.
    return Ignore(audit::RecordType::kLateReply, "late", &*row, outcome);
  }
  return Judge(*row, outcome);
}

absl::Status Settlement::Ignore(audit::RecordType type, std::string_view cause,
                                const InputRequestRow* row,
                                SubmitOutcome& outcome) {
  audit::Record record;
  if (row != nullptr) {
    record = decision_.RecordOf(type, *row);
    record.from_state = row->state;
    // Nobody learns of a stranger's input request that it exists.
    if (type != audit::RecordType::kUnauthorizedReply) {
      outcome.input_request_id = row->id;
      outcome.state = row->state;
    }
  }
  record.type = type;
  record.session_id = command_.session_id;
  record.outcome = "ignored";
  record.cause = std::string(cause);
  record.bytes_in =
      command_.oversized_bytes.value_or(static_cast<int64_t>(Payload().size()));
  record.request_id_sha256 = Sha256(command_.request_id);
  record.worker_id = command_.caller.worker_id;
  record.worker_epoch = command_.caller.epoch;
  outcome.verdict = SubmitOutcome::Verdict::kIgnored;
  outcome.ignored_cause = std::string(cause);
  return decision_.Note(std::move(record)).status();
}

absl::Status Settlement::IgnoreEnded(const InputRequestRow& row,
                                     SubmitOutcome& outcome) {
  const bool was_answered = !row.submit_request_id.empty();
  return Ignore(was_answered ? audit::RecordType::kDuplicateReply
                             : audit::RecordType::kLateReply,
                was_answered ? "duplicate" : "late", &row, outcome);
}

absl::Status Settlement::Judge(const InputRequestRow& row,
                               SubmitOutcome& outcome) {
  GATEHOUSE_ASSIGN_OR_RETURN(
      const std::shared_ptr<const CompiledPolicy> policy,
      decision_.policies.Current(tx_, row.virtual_server));
  GATEHOUSE_ASSIGN_OR_RETURN(const SessionRow session,
                             tx_.GetSession(row.session_id));
  trust::ResponseFacts facts;
  facts.method = row.method;
  facts.request_params = row.params;
  facts.upstream_revision =
      mcp::ParseRevision(row.upstream_revision).value_or(mcp::kLatestLegacy);
  facts.client_revision =
      mcp::ParseRevision(session.revision).value_or(mcp::kLatestLegacy);
  if (command_.result.has_value()) facts.result = *command_.result;
  if (command_.error.has_value()) facts.error = *command_.error;
  facts.oversized_bytes = command_.oversized_bytes;
  trust::ResponseVerdict verdict =
      trust::JudgeResponse(policy->virtual_server, facts);

  Ending ending;
  ending.state = StateOf(verdict.outcome);
  ending.cause = "client";
  ending.submit_request_id = command_.request_id;
  ending.claimed_by_caller = IsOwner(row);
  ending.response_bytes =
      command_.oversized_bytes.value_or(static_cast<int64_t>(Payload().size()));
  ending.response_hmac = audit::Hmac(decision_.keys.audit_hmac,
                                     audit::HmacTag::kResponse, Payload());
  if (verdict.result.has_value()) {
    ending.reply.emplace();
    ending.reply->result = *std::move(verdict.result);
  } else {
    ending.reply = ReplyOf(*verdict.failure);
    ending.reason = ending.reply->reason;
    ending.rule = std::string(verdict.failure->rule);
  }
  GATEHOUSE_RETURN_IF_ERROR(decision_.End(row, ending));
  if (ending.state == InputRequestState::kAnswered &&
      row.method == kRootsList) {
    GATEHOUSE_RETURN_IF_ERROR(KeepRoots(row, ending.reply->result));
  }

  outcome.input_request_id = row.id;
  outcome.state = ending.state;
  outcome.verdict = ending.claimed_by_caller
                        ? SubmitOutcome::Verdict::kDeliver
                        : SubmitOutcome::Verdict::kElsewhere;
  if (ending.claimed_by_caller) outcome.deliver = *std::move(ending.reply);
  return absl::OkStatus();
}

absl::Status Settlement::KeepRoots(const InputRequestRow& row,
                                   std::string_view result) {
  absl::StatusOr<RootsRow> kept = tx_.GetRoots(row.session_id);
  if (absl::IsNotFound(kept.status())) {
    kept.emplace().session_id = row.session_id;
  }
  GATEHOUSE_RETURN_IF_ERROR(kept.status());
  // The client may have answered before its roots changed, though it is heard
  // now: only what was asked after the change surely tells of it.
  if (kept->change_time.has_value() && row.create_time <= *kept->change_time) {
    return absl::OkStatus();
  }
  // A longer one is not kept, and neither is what it replaces: the client is
  // asked again.
  constexpr size_t kMaxKeptBytes = 64 << 10;
  kept->result.reset();
  if (result.size() <= kMaxKeptBytes) kept->result = std::string(result);
  return tx_.PutRoots(*kept);
}

// The same call again: what it settled is still settled, and the owner may have
// the answer again until it has acknowledged it (it knows what it has written).
absl::Status Settlement::Replay(const std::string& input_request_id,
                                SubmitOutcome& outcome) {
  outcome.ignored_cause = "duplicate";
  if (input_request_id.empty()) {
    outcome.ignored_cause = "unknown";
    return absl::OkStatus();
  }
  GATEHOUSE_ASSIGN_OR_RETURN(const InputRequestRow row,
                             tx_.GetInputRequest(input_request_id));
  outcome.input_request_id = row.id;
  outcome.state = row.state;
  if (row.submit_request_id != command_.request_id) return absl::OkStatus();
  if (!IsOwner(row)) {
    outcome.verdict = SubmitOutcome::Verdict::kElsewhere;
  } else if (row.delivery == DeliveryState::kClaimed && row.reply.has_value()) {
    outcome.verdict = SubmitOutcome::Verdict::kDeliver;
    outcome.deliver = *row.reply;
  }
  return absl::OkStatus();
}

}  // namespace

void Broker::Submit(SubmitCommand command, Done<SubmitOutcome> done) {
  auto shared = std::make_shared<const SubmitCommand>(std::move(command));
  const SystemClock clock;
  Run<SubmitOutcome>(
      [shared](Decision& decision, SubmitOutcome& outcome) {
        return Settlement(decision, *shared).Run(outcome);
      },
      [this, clock, begun = clock.Steady(),
       done = std::move(done)](absl::StatusOr<SubmitOutcome> outcome) {
        stats_.submit_seconds.Add(clock.Steady() - begun);
        done(std::move(outcome));
      },
      shared->trace_id);
}

}  // namespace gatehouse::broker
