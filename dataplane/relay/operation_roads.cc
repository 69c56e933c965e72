// The other roads of an operation: pages that the user visits, and their
// completion; the `-32042` error that requires such visits; what was asked
// outside of any call (DESIGN §6, §9).

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dataplane/relay/operation.h"
#include "dataplane/relay/url_elicitations.h"
#include "shared/base/status.h"

namespace gatehouse::relay {
namespace {

CallObserver::End Failed(Reason reason, std::string_view message) {
  CallObserver::End end;
  end.failure.reason = reason;
  end.failure.message = std::string(message);
  return end;
}

CallObserver::End UnusableError() {
  return Failed(Reason::kUpstreamProtocolError,
                "the server answered with an error that cannot be passed on");
}

CallObserver::End NoVerdict() {
  return Failed(Reason::kTrustUnavailable,
                "the server needs the user to visit a page first, and the "
                "gateway could not decide on that in time; call again later");
}

}  // namespace

// ---- Completion.

void Operation::ExpectCompletion(std::string upstreams_id,
                                 std::string elicitation_id) {
  if (call_ == nullptr || upstreams_id.empty()) return;
  call_->ExpectCompletion(
      std::move(upstreams_id),
      [weak = weak_from_this(), session = spec_.session,
       id = std::move(elicitation_id), &sessions = to_.sessions] {
        const auto self = weak.lock();
        if (self == nullptr) {
          sessions.TellElicitationComplete(session, id);
          return;
        }
        self->Post([id](Operation& op) {
          if (!op.ended_ && op.client_->TellElicitationComplete(id)) return;
          op.to_.sessions.TellElicitationComplete(op.spec_.session, id);
        });
      });
}

// ---- An error that requires visits.

void Operation::RaiseRequired(CallObserver::End end) {
  // The upstream waits for nothing any more.
  DropAll("the call has ended");
  absl::StatusOr<std::vector<RequiredElicitation>> required =
      ReadRequiredElicitations(end.error);
  if (!required.ok()) return FinishWith(UnusableError());
  AdmitRequest admit = NewAdmit(Attribution::kOwnStream, end.upstream_revision);
  admit.notified = true;
  for (RequiredElicitation& one : *required) {
    RaisedInputRequest request;
    request.key = absl::StrCat(admit.requests.size());
    request.method = "elicitation/create";
    request.params = std::move(one.params);
    admit.requests.push_back(std::move(request));
    required_ids_.push_back(std::move(one.elicitation_id));
  }
  required_ = std::move(end.error);
  admitted_any_ = true;
  to_.control.Admit(
      std::move(admit),
      [self = shared_from_this()](
          absl::StatusOr<std::vector<AdmitVerdict>> verdicts) mutable {
        self->Post([verdicts = std::move(verdicts)](Operation& op) mutable {
          op.OnRequiredVerdicts(std::move(verdicts));
        });
      });
}

void Operation::OnRequiredVerdicts(
    absl::StatusOr<std::vector<AdmitVerdict>> verdicts) {
  if (ended_) return;
  FinishWith(verdicts.ok() ? JudgedEnd(*std::move(verdicts)) : NoVerdict());
}

CallObserver::End Operation::JudgedEnd(std::vector<AdmitVerdict> verdicts) {
  using Kind = AdmitVerdict::Kind;
  CallObserver::End end;
  end.judged = true;
  for (const AdmitVerdict& verdict : verdicts) {
    if (verdict.kind != Kind::kRefuse) continue;
    end.error = ErrorObjectOf(verdict.refusal);
    return end;
  }
  std::vector<std::string> params;
  std::vector<std::string> ids;
  for (size_t i = 0; i < required_ids_.size(); ++i) {
    const auto found = std::find_if(
        verdicts.begin(), verdicts.end(), [&](const AdmitVerdict& verdict) {
          return verdict.kind == Kind::kNotify &&
                 verdict.key == absl::StrCat(i) && verdict.params.has_value();
        });
    if (found == verdicts.end()) return NoVerdict();
    params.push_back(*std::move(found->params));
    ids.push_back(std::move(found->elicitation_id));
  }
  end.error = WithElicitations(required_, params);
  if (end.error.empty()) return UnusableError();
  // Before the client has the error: the user may be quick.
  for (size_t i = 0; i < ids.size(); ++i) {
    ExpectCompletion(required_ids_[i], std::move(ids[i]));
  }
  return end;
}

// ---- Outside of any call.

void Operation::StartOutside(std::shared_ptr<UpstreamCall> asker,
                             RaisedInputRequest request,
                             Attribution attribution,
                             mcp::Revision upstream_revision) {
  Post([asker = std::move(asker), request = std::move(request), attribution,
        upstream_revision](Operation& op) mutable {
    if (op.ended_) return;
    op.outside_ = true;
    op.call_ = std::move(asker);
    op.Raise({std::move(request)}, attribution, upstream_revision);
  });
}

}  // namespace gatehouse::relay
