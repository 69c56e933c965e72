// Admission: what an upstream asks is judged, budgeted and recorded, and only
// then relayed (DESIGN §5, §6; invariants 1, 2, 5, 6, 7).

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controlplane/broker/admission.h"
#include "controlplane/broker/broker.h"
#include "controlplane/broker/decision.h"
#include "controlplane/broker/run.h"
#include "controlplane/broker/upstreams.h"
#include "controlplane/ledger/ledger.h"
#include "controlplane/sessions/workers.h"
#include "shared/base/clock.h"
#include "shared/base/digest.h"
#include "shared/base/fault.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "shared/mcp/features.h"

namespace gatehouse::broker {
namespace {

constexpr std::string_view kMethod = "AdmitInputRequests";

Failure BudgetExhausted(std::string_view which, int64_t limit, int64_t left,
                        std::string message) {
  Failure failure;
  failure.reason = Reason::kBudgetExhausted;
  failure.message = std::move(message);
  failure.details = {{"which", json::Quote(which)},
                     {"limit", absl::StrCat(limit)},
                     {"left", absl::StrCat(left)}};
  return failure;
}

Failure Exceeds(const ledger::Exceeded& exceeded) {
  return BudgetExhausted(
      ledger::CapName(exceeded.which), exceeded.limit, exceeded.left,
      absl::StrCat("the operation's budget of ", exceeded.limit,
                   exceeded.which == ledger::Cap::kSlots ? " input requests"
                                                         : " sampling tokens",
                   " does not allow this, ", exceeded.left,
                   " are left; ask for less, or finish the call"));
}

Failure RefusedTooOften() {
  return BudgetExhausted("refusals", ledger::kRefusalsRead, 0,
                         "this call was refused too often; the rest is refused "
                         "unread");
}

Failure TooManyOpen(const char* whose, int64_t limit) {
  Failure failure;
  failure.reason = Reason::kTooManyOpen;
  failure.message =
      absl::StrCat("too many input requests are open ", whose, ", at most ",
                   limit, "; ask again when some have ended");
  failure.details = {{"limit", absl::StrCat(limit)}, {"retryAfterMs", "1000"}};
  return failure;
}

}  // namespace

absl::Status Admission::Run(AdmitOutcome& outcome) {
  GATEHOUSE_ASSIGN_OR_RETURN(
      const std::optional<std::string> stored,
      decision_.Recall(command_.request_id, kMethod, command_.content_sha256));
  GATEHOUSE_RETURN_IF_ERROR(ReadFacts());
  outcome.policy_version = policy_->version;
  if (stored.has_value()) return Replay(outcome);
  GATEHOUSE_RETURN_IF_ERROR(FindOperation());
  if (command_.oversized_round_count > 0) {
    RaisedRequest round;
    GATEHOUSE_ASSIGN_OR_RETURN(
        AdmitWord word,
        Refuse(round, NewRow(round, NewId(decision_.random)),
               BudgetExhausted("round", 8, 0,
                               "a round may ask for at most 8 things; this "
                               "one is refused whole")));
    outcome.words.push_back(std::move(word));
  }
  if (command_.notified) {
    GATEHOUSE_RETURN_IF_ERROR(AdmitNotified(outcome));
  } else {
    for (const RaisedRequest& request : command_.requests) {
      GATEHOUSE_ASSIGN_OR_RETURN(AdmitWord word, AdmitOne(request));
      outcome.words.push_back(std::move(word));
    }
  }
  return decision_.Remember(command_.request_id, kMethod,
                            command_.content_sha256, "admitted");
}

absl::Status Admission::ReadFacts() {
  GATEHOUSE_ASSIGN_OR_RETURN(
      const WorkerRow worker,
      sessions::CheckWorker(tx_, command_.caller.worker_id,
                            command_.caller.epoch));
  cluster_ = worker.cluster;
  GATEHOUSE_ASSIGN_OR_RETURN(session_, tx_.GetSession(command_.session_id));
  if (session_.virtual_server != command_.virtual_server) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      "upstream: the session is with another virtual server");
  }
  GATEHOUSE_ASSIGN_OR_RETURN(
      policy_, decision_.policies.Current(tx_, command_.virtual_server));
  const std::optional<mcp::Revision> client =
      mcp::ParseRevision(session_.revision);
  const std::optional<mcp::Revision> upstream =
      mcp::ParseRevision(command_.upstream_revision);
  if (!client.has_value() || !upstream.has_value()) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      "upstream_revision: this build does not know it");
  }
  client_revision_ = *client;
  upstream_revision_ = *upstream;
  GATEHOUSE_ASSIGN_OR_RETURN(
      const json::Document capabilities,
      json::Document::Parse(session_.client_capabilities));
  GATEHOUSE_ASSIGN_OR_RETURN(
      declared_, mcp::ParseClientCapabilities(capabilities.root(), *client));
  return absl::OkStatus();
}

// The first Admit makes the row; nobody else may use it.
absl::Status Admission::FindOperation() {
  if (command_.attribution == Attribution::kAmbiguous ||
      command_.attribution == Attribution::kNone) {
    parent_ = command_.attribution == Attribution::kAmbiguous
                  ? trust::Parent::kAmbiguous
                  : trust::Parent::kNone;
    if (session_.open && AsksForRootsAlone()) {
      parent_ = trust::Parent::kSession;
    }
    return absl::OkStatus();
  }
  if (command_.operation_id.empty()) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      "operation: this attribution must name one");
  }
  parent_ = session_.open ? trust::Parent::kOperation : trust::Parent::kClosed;
  absl::StatusOr<OperationRow> found = tx_.GetOperation(command_.operation_id);
  if (found.ok()) {
    if (found->worker_id != command_.caller.worker_id ||
        found->worker_epoch != command_.caller.epoch ||
        found->session_id != command_.session_id ||
        (found->open && found->upstream != command_.upstream)) {
      return MakeStatus(absl::StatusCode::kFailedPrecondition,
                        "not_owner: the operation belongs to another worker, "
                        "epoch, session or upstream");
    }
    if (!found->open) parent_ = trust::Parent::kClosed;
    operation_ = *std::move(found);
    return absl::OkStatus();
  }
  if (!absl::IsNotFound(found.status())) return found.status();
  if (parent_ == trust::Parent::kClosed) return absl::OkStatus();
  GATEHOUSE_ASSIGN_OR_RETURN(operation_, InsertOperation(command_.tool));
  return absl::OkStatus();
}

absl::StatusOr<OperationRow> Admission::InsertOperation(std::string_view tool) {
  OperationRow row;
  row.id = command_.operation_id;
  row.session_id = command_.session_id;
  row.worker_id = command_.caller.worker_id;
  row.worker_epoch = command_.caller.epoch;
  row.virtual_server = command_.virtual_server;
  row.upstream = command_.upstream;
  row.tool = std::string(tool);
  row.create_time = tx_.Now();
  GATEHOUSE_RETURN_IF_ERROR(tx_.InsertOperation(row));
  return row;
}

absl::StatusOr<AdmitWord> Admission::AdmitOne(const RaisedRequest& request) {
  InputRequestRow row = NewRow(request, NewId(decision_.random));
  if (operation_.has_value() && ledger::RefusesUnread(*operation_)) {
    return Refuse(request, std::move(row), RefusedTooOften());
  }
  trust::RequestVerdict verdict = Judge(request, row.id);
  if (const Failure* refused = std::get_if<Failure>(&verdict)) {
    return Refuse(request, std::move(row), *refused);
  }
  auto& admitted = std::get<trust::AdmittedRequest>(verdict);
  if (parent_ == trust::Parent::kSession) {
    return AdmitOutside(request, std::move(row), std::move(admitted));
  }
  if (!operation_.has_value()) {
    // The judge admits nothing without an operation; without this line a
    // mistake there would be a budget that nobody holds.
    return absl::InternalError("admitted without an operation");
  }
  GATEHOUSE_ASSIGN_OR_RETURN(std::optional<Failure> over, TooManyAreOpen());
  if (!over.has_value()) over = TakeBudget(admitted.max_tokens);
  if (over.has_value()) return Refuse(request, std::move(row), *over);
  return Relay(request, std::move(row), std::move(admitted));
}

trust::RequestVerdict Admission::Judge(
    const RaisedRequest& request, std::string_view input_request_id) const {
  if (MutantEnabled("judge_admits_all")) {
    // A negative control of test builds.
    trust::AdmittedRequest admitted;
    admitted.params_to_relay = request.params;
    return admitted;
  }
  const policy::Upstream* const upstream =
      policy::FindUpstream(policy_->virtual_server, command_.upstream);
  if (upstream == nullptr || !policy::ServedIn(upstream->clusters, cluster_)) {
    // Its call began under an earlier policy, or its worker should not have it.
    // What the current one does not name may ask for nothing (invariant 2).
    Failure failure;
    failure.reason = Reason::kNotPermitted;
    failure.message =
        upstream == nullptr
            ? "the virtual server's policy no longer has this upstream; finish "
              "the call without asking"
            : "the policy has this upstream in other clusters than this "
              "worker's; finish the call without asking";
    return failure;
  }
  const std::string opaque_id = decision_.keys.OpaqueIdOf(input_request_id);
  const std::string elicitation_id =
      decision_.keys.ElicitationIdOf(input_request_id);
  trust::RequestFacts facts;
  facts.method = request.method;
  facts.params = request.params;
  facts.oversized_bytes = request.oversized_bytes;
  facts.upstream_revision = upstream_revision_;
  facts.client_revision = client_revision_;
  facts.declared = declared_;
  facts.parent = parent_;
  facts.upstream = command_.upstream;
  facts.tool = command_.tool;
  facts.progress_token = opaque_id;
  facts.elicitation_id = elicitation_id;
  facts.notified = command_.notified;
  return trust::JudgeRequest(policy_->virtual_server, facts);
}

absl::StatusOr<std::optional<Failure>> Admission::TooManyAreOpen() {
  const policy::Limits& limits = policy_->virtual_server.limits;
  GATEHOUSE_ASSIGN_OR_RETURN(const int64_t of_upstream,
                             tx_.CountOpenInputRequestsOfUpstream(
                                 command_.virtual_server, command_.upstream));
  if (of_upstream >= limits.open_input_requests_per_upstream) {
    return std::optional<Failure>(TooManyOpen(
        "from this upstream", limits.open_input_requests_per_upstream));
  }
  GATEHOUSE_ASSIGN_OR_RETURN(
      const int64_t of_server,
      tx_.CountOpenInputRequestsOfVirtualServer(command_.virtual_server));
  if (of_server >= limits.open_input_requests_per_virtual_server) {
    return std::optional<Failure>(
        TooManyOpen("on this virtual server",
                    limits.open_input_requests_per_virtual_server));
  }
  return std::optional<Failure>();
}

std::optional<Failure> Admission::TakeBudget(int64_t tokens) {
  const policy::Limits& limits = policy_->virtual_server.limits;
  const std::optional<ledger::Exceeded> exceeded =
      ledger::Reserve(*operation_, tokens,
                      ledger::Caps{limits.input_requests_per_operation,
                                   limits.sampling_tokens_per_operation});
  if (!exceeded.has_value()) return std::nullopt;
  return Exceeds(*exceeded);
}

InputRequestRow Admission::NewRow(const RaisedRequest& request,
                                  std::string id) const {
  InputRequestRow row;
  row.id = std::move(id);
  row.opaque_id_sha256 = Sha256(decision_.keys.OpaqueIdOf(row.id));
  row.operation_id = operation_.has_value() ? operation_->id : "";
  row.session_id = command_.session_id;
  row.worker_id = command_.caller.worker_id;
  row.worker_epoch = command_.caller.epoch;
  row.virtual_server = command_.virtual_server;
  row.upstream = command_.upstream;
  row.upstream_revision = command_.upstream_revision;
  row.tool = command_.tool;
  row.method = request.method;
  row.key = request.key;
  row.admit_request_id = command_.request_id;
  row.params_bytes = request.oversized_bytes.value_or(
      static_cast<int64_t>(request.params.size()));
  row.policy_version = policy_->version;
  row.create_time = tx_.Now();
  return row;
}

audit::Record Admission::RecordOf(const RaisedRequest& request,
                                  const InputRequestRow& row,
                                  audit::RecordType type) const {
  audit::Record record = decision_.RecordOf(type, row);
  record.to_state = row.state;
  record.state_version = row.version;
  record.bytes_in = row.params_bytes;
  record.principal_hmac =
      audit::PrincipalHmac(decision_.keys.audit_hmac, session_.principal);
  record.payload_hmac = audit::Hmac(decision_.keys.audit_hmac,
                                    audit::HmacTag::kRequest, request.params);
  record.request_id_sha256 = Sha256(command_.request_id);
  return record;
}

// RELAYED: the tokens are a charge from here on, whatever the client does.
absl::StatusOr<AdmitWord> Admission::Relay(const RaisedRequest& request,
                                           InputRequestRow row,
                                           trust::AdmittedRequest admitted) {
  GATEHOUSE_ASSIGN_OR_RETURN(const OperationRow before,
                             tx_.GetOperation(operation_->id));
  ledger::Charge(*operation_, admitted.max_tokens);
  row.state = InputRequestState::kRelayed;
  row.deadline = tx_.Now() + policy_->virtual_server.reply_deadline;
  row.tokens = admitted.max_tokens;
  row.params = request.params;

  audit::Record record = RecordOf(request, row, audit::RecordType::kForwarded);
  record.outcome = "relay";
  if (admitted.max_tokens > 0) record.max_tokens = admitted.max_tokens;
  GATEHOUSE_RETURN_IF_ERROR(
      RecordShown(before, std::move(record), admitted.params_to_relay, row));

  AdmitWord word;
  word.key = request.key;
  word.input_request_id = row.id;
  word.word = RelayWordOf(row, std::move(admitted));
  return word;
}

absl::Status Admission::RecordShown(const OperationRow& before,
                                    audit::Record record,
                                    std::string_view params,
                                    InputRequestRow& row) {
  record.bytes_out = static_cast<int64_t>(params.size());
  record.delivered_hmac = audit::Hmac(decision_.keys.audit_hmac,
                                      audit::HmacTag::kDelivered, params);
  record.budget = audit::BudgetOf(before, *operation_);
  GATEHOUSE_ASSIGN_OR_RETURN(row.last_audit_seq,
                             decision_.Note(std::move(record)));
  GATEHOUSE_RETURN_IF_ERROR(tx_.UpdateOperation(*operation_));
  ++operation_->version;
  GATEHOUSE_RETURN_IF_ERROR(tx_.InsertInputRequest(row));
  return CountVerdict(tx_, policy_->virtual_server, row.upstream, nullptr);
}

RelayWord Admission::RelayWordOf(const InputRequestRow& row,
                                 trust::AdmittedRequest admitted) const {
  RelayWord word;
  word.opaque_id = decision_.keys.OpaqueIdOf(row.id);
  word.params = std::move(admitted.params_to_relay);
  word.deadline = *row.deadline;
  word.time_left = *row.deadline - tx_.Now();
  if (admitted.url_mode) {
    word.elicitation_id = decision_.keys.ElicitationIdOf(row.id);
  }
  return word;
}

absl::StatusOr<AdmitWord> Admission::Refuse(const RaisedRequest& request,
                                            InputRequestRow row,
                                            const Failure& failure) {
  row.state = InputRequestState::kRefused;
  row.reason = std::string(RowOf(failure.reason).name);
  row.end_time = tx_.Now();
  row.reply = command_.notified ? ReplyToClientOf(failure) : ReplyOf(failure);
  AdmitWord word;
  word.key = request.key;
  word.input_request_id = row.id;
  word.word = *row.reply;

  GATEHOUSE_RETURN_IF_ERROR(CountVerdict(tx_, policy_->virtual_server,
                                         row.upstream, &failure.reason));
  bool recorded = true;
  if (operation_.has_value()) {
    recorded = ledger::CountRefusal(*operation_);
    GATEHOUSE_RETURN_IF_ERROR(tx_.UpdateOperation(*operation_));
    ++operation_->version;
  }
  if (recorded) {
    audit::Record record = RecordOf(request, row, audit::RecordType::kRefused);
    record.outcome = "refuse";
    record.reason = row.reason;
    record.rule = std::string(failure.rule);
    record.error_code = row.reply->code;
    GATEHOUSE_ASSIGN_OR_RETURN(row.last_audit_seq,
                               decision_.Note(std::move(record)));
    // A refusal that is only counted leaves no row either: an upstream must not
    // be able to fill the store by being refused.
    GATEHOUSE_RETURN_IF_ERROR(tx_.InsertInputRequest(row));
  }
  return word;
}

void Broker::Admit(AdmitCommand command, Done<AdmitOutcome> done) {
  auto shared = std::make_shared<const AdmitCommand>(std::move(command));
  const SystemClock clock;
  Run<AdmitOutcome>(
      [shared](Decision& decision, AdmitOutcome& outcome) {
        return Admission(decision, *shared).Run(outcome);
      },
      [this, clock, begun = clock.Steady(),
       done = std::move(done)](absl::StatusOr<AdmitOutcome> outcome) {
        stats_.admit_seconds.Add(clock.Steady() - begun);
        done(std::move(outcome));
      },
      shared->trace_id);
}

}  // namespace gatehouse::broker
