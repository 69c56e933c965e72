// The other roads of an admission: the elicitations of a `-32042` error, which
// nobody answers; `roots/list` outside of any call; and the same call again
// (DESIGN §6, §9; invariants 1, 2, 3, 5, 6, 7).

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controlplane/broker/admission.h"
#include "controlplane/broker/broker.h"
#include "controlplane/broker/decision.h"
#include "controlplane/broker/upstreams.h"
#include "controlplane/ledger/ledger.h"
#include "shared/base/digest.h"
#include "shared/base/status.h"

namespace gatehouse::broker {
namespace {

// The cause of an ANSWERED request that its client was not asked.
constexpr std::string_view kKeptRoots = "kept_roots";

// A refusal of the entry at `index`, its path from the error's `data` on: the
// reader has the error, not the entry, which may be one of several. Of what is
// refused before it is read, such as a feature that is off, there is no path.
Failure OfEntry(size_t index, Failure failure) {
  if (!failure.path.empty() || failure.reason == Reason::kInvalidRequest ||
      failure.reason == Reason::kTooLarge) {
    failure.path = absl::StrCat("/elicitations/", index, failure.path);
  }
  return failure;
}

Failure NobodyToAsk() {
  Failure failure;
  failure.reason = Reason::kNoOperation;
  failure.message =
      "roots/list: the client has not told its roots yet, and outside of a "
      "call it cannot be asked here; ask while a call is being served";
  return failure;
}

Failure AskedAlready() {
  Failure failure;
  failure.reason = Reason::kTooManyOpen;
  failure.message =
      "roots/list: the client is being asked for its roots already; ask again "
      "when that has its answer";
  failure.details = {{"limit", "1"}, {"retryAfterMs", "1000"}};
  return failure;
}

Failure EndedMeanwhile() {
  Failure failure;
  failure.reason = Reason::kOperationEnded;
  failure.message = "the input request has ended meanwhile";
  return failure;
}

}  // namespace

// ---- The elicitations of a `-32042` error.

// Judged in order until one is refused, which refuses them all: nothing is
// taken then.
absl::Status Admission::AdmitNotified(AdmitOutcome& outcome) {
  const std::optional<OperationRow> before = operation_;
  std::vector<InputRequestRow> rows;
  std::vector<trust::AdmittedRequest> admitted;
  std::optional<Failure> refused;
  for (size_t i = 0; i < command_.requests.size(); ++i) {
    const RaisedRequest& request = command_.requests[i];
    rows.push_back(NewRow(request, NewId(decision_.random)));
    if (refused.has_value()) continue;
    trust::RequestVerdict verdict = Judge(request, rows.back().id);
    if (Failure* const failure = std::get_if<Failure>(&verdict)) {
      refused = OfEntry(i, std::move(*failure));
      continue;
    }
    if (!operation_.has_value()) {
      return absl::InternalError("admitted without an operation");
    }
    admitted.push_back(std::move(std::get<trust::AdmittedRequest>(verdict)));
    refused = TakeBudget(/*tokens=*/0);
  }
  if (refused.has_value()) operation_ = before;
  for (size_t i = 0; i < rows.size(); ++i) {
    const RaisedRequest& request = command_.requests[i];
    GATEHOUSE_ASSIGN_OR_RETURN(
        AdmitWord word,
        refused.has_value()
            ? Refuse(request, std::move(rows[i]), *refused)
            : Notify(request, std::move(rows[i]), std::move(admitted[i])));
    outcome.words.push_back(std::move(word));
  }
  return absl::OkStatus();
}

// NOTIFIED, which is an end: nobody is owed anything, no clock runs.
absl::StatusOr<AdmitWord> Admission::Notify(const RaisedRequest& request,
                                            InputRequestRow row,
                                            trust::AdmittedRequest admitted) {
  GATEHOUSE_ASSIGN_OR_RETURN(const OperationRow before,
                             tx_.GetOperation(operation_->id));
  row.state = InputRequestState::kNotified;
  row.end_time = tx_.Now();

  audit::Record record = RecordOf(request, row, audit::RecordType::kNotified);
  record.outcome = "notify";
  GATEHOUSE_RETURN_IF_ERROR(
      RecordShown(before, std::move(record), admitted.params_to_relay, row));

  AdmitWord word;
  word.key = request.key;
  word.input_request_id = row.id;
  word.word = NotifyWordOf(row, std::move(admitted));
  return word;
}

NotifyWord Admission::NotifyWordOf(const InputRequestRow& row,
                                   trust::AdmittedRequest admitted) const {
  return {std::move(admitted.params_to_relay),
          decision_.keys.ElicitationIdOf(row.id)};
}

// ---- Roots outside of a call.

bool Admission::AsksForRootsAlone() const {
  return !command_.notified && !command_.requests.empty() &&
         std::all_of(command_.requests.begin(), command_.requests.end(),
                     [](const RaisedRequest& request) {
                       return request.method == kRootsList;
                     });
}

absl::StatusOr<AdmitWord> Admission::AdmitOutside(
    const RaisedRequest& request, InputRequestRow row,
    trust::AdmittedRequest admitted) {
  if (request.method != kRootsList) {
    return absl::InternalError("admitted outside of a call");
  }
  GATEHOUSE_ASSIGN_OR_RETURN(std::optional<std::string> kept, KeptRoots());
  if (kept.has_value()) {
    return AnswerFromKept(request, std::move(row), *std::move(kept));
  }
  GATEHOUSE_ASSIGN_OR_RETURN(const std::optional<Failure> refused,
                             OpenOutside());
  if (refused.has_value()) return Refuse(request, std::move(row), *refused);
  row.operation_id = operation_->id;
  return Relay(request, std::move(row), std::move(admitted));
}

absl::StatusOr<std::optional<std::string>> Admission::KeptRoots() {
  const absl::StatusOr<RootsRow> kept = tx_.GetRoots(session_.id);
  if (absl::IsNotFound(kept.status())) return std::optional<std::string>();
  GATEHOUSE_RETURN_IF_ERROR(kept.status());
  if (!kept->result.has_value()) return std::optional<std::string>();
  // The policy, and so what it lets pass, may have changed since.
  trust::ResponseFacts facts;
  facts.method = kRootsList;
  facts.upstream_revision = upstream_revision_;
  facts.client_revision = client_revision_;
  facts.result = *kept->result;
  trust::ResponseVerdict verdict =
      trust::JudgeResponse(policy_->virtual_server, facts);
  if (verdict.outcome != trust::ResponseOutcome::kAnswered) {
    return std::optional<std::string>();
  }
  return std::move(verdict.result);
}

absl::StatusOr<AdmitWord> Admission::AnswerFromKept(
    const RaisedRequest& request, InputRequestRow row, std::string result) {
  row.state = InputRequestState::kAnswered;
  row.cause = std::string(kKeptRoots);
  row.end_time = tx_.Now();
  audit::Record record = RecordOf(request, row, audit::RecordType::kAnswered);
  record.outcome = "answer";
  record.cause = row.cause;
  record.bytes_out = static_cast<int64_t>(result.size());
  record.delivered_hmac = audit::Hmac(decision_.keys.audit_hmac,
                                      audit::HmacTag::kDelivered, result);
  GATEHOUSE_ASSIGN_OR_RETURN(row.last_audit_seq,
                             decision_.Note(std::move(record)));
  GATEHOUSE_RETURN_IF_ERROR(tx_.InsertInputRequest(row));
  GATEHOUSE_RETURN_IF_ERROR(
      CountVerdict(tx_, policy_->virtual_server, row.upstream, nullptr));
  AdmitWord word;
  word.key = request.key;
  word.input_request_id = row.id;
  word.word = AnswerWord{std::move(result)};
  return word;
}

// An operation of its own, without a tool and without a budget, so that the end
// of the session and the loss of the worker find what is asked.
absl::StatusOr<std::optional<Failure>> Admission::OpenOutside() {
  if (command_.operation_id.empty()) {
    return std::optional<Failure>(NobodyToAsk());
  }
  GATEHOUSE_ASSIGN_OR_RETURN(const int64_t asking,
                             tx_.CountOpenInputRequestsOfSession(
                                 command_.virtual_server, command_.upstream,
                                 command_.session_id, kRootsList));
  if (asking > 0) return std::optional<Failure>(AskedAlready());
  GATEHOUSE_ASSIGN_OR_RETURN(std::optional<Failure> over, TooManyAreOpen());
  if (over.has_value()) return over;
  const absl::Status known = tx_.GetOperation(command_.operation_id).status();
  if (known.ok()) return std::optional<Failure>(EndedMeanwhile());
  if (!absl::IsNotFound(known)) return known;
  GATEHOUSE_ASSIGN_OR_RETURN(operation_, InsertOperation(/*tool=*/""));
  return std::optional<Failure>();
}

// ---- The same call again: the stored answer, made anew from what is stored.

absl::Status Admission::Replay(AdmitOutcome& outcome) {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::vector<InputRequestRow> rows,
                             tx_.ListInputRequestsOfAdmit(command_.request_id));
  parent_ = trust::Parent::kOperation;
  for (const InputRequestRow& row : rows) {
    GATEHOUSE_ASSIGN_OR_RETURN(std::optional<AdmitWord> word, ReplayOne(row));
    if (!word.has_value()) {
      word.emplace();
      word->word = ReplyOf(EndedMeanwhile());
    }
    word->key = row.key;
    word->input_request_id = row.id;
    outcome.words.push_back(*std::move(word));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<AdmitWord>> Admission::ReplayOne(
    const InputRequestRow& row) {
  AdmitWord word;
  if (row.state == InputRequestState::kRefused && row.reply.has_value()) {
    word.word = *row.reply;
    return std::optional(std::move(word));
  }
  if (row.state == InputRequestState::kAnswered && row.cause == kKeptRoots) {
    GATEHOUSE_ASSIGN_OR_RETURN(std::optional<std::string> kept, KeptRoots());
    if (!kept.has_value()) return std::optional<AdmitWord>();
    word.word = AnswerWord{*std::move(kept)};
    return std::optional(std::move(word));
  }
  const bool notified = row.state == InputRequestState::kNotified;
  if (!notified && row.state != InputRequestState::kRelayed) {
    return std::optional<AdmitWord>();
  }
  RaisedRequest asked;
  asked.method = row.method;
  asked.params = row.params;
  for (const RaisedRequest& same : command_.requests) {
    // What has ended has no content any more, but the call brought it again.
    if (notified && same.key == row.key) asked.params = same.params;
  }
  trust::RequestVerdict verdict = Judge(asked, row.id);
  auto* const admitted = std::get_if<trust::AdmittedRequest>(&verdict);
  if (admitted == nullptr) return std::optional<AdmitWord>();
  if (notified) {
    word.word = NotifyWordOf(row, std::move(*admitted));
  } else {
    word.word = RelayWordOf(row, std::move(*admitted));
  }
  return std::optional(std::move(word));
}

}  // namespace gatehouse::broker
