#include "dataplane/relay/operation.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dataplane/relay/replies.h"
#include "dataplane/relay/url_elicitations.h"
#include "shared/base/fault.h"

namespace gatehouse::relay {
namespace {

OperationEnd HowItEnded(const CallObserver::End& end) {
  if (!end.result.empty() || !end.error.empty()) {
    return OperationEnd::kCompleted;
  }
  return end.failure.reason == Reason::kUpstreamTimeout
             ? OperationEnd::kTimedOut
             : OperationEnd::kUpstreamFailed;
}

CallObserver::End EndedByGateway(OperationEnd how) {
  CallObserver::End end;
  end.failure.reason = Reason::kOperationEnded;
  end.failure.message = how == OperationEnd::kSessionEnded
                            ? "the call was ended because its session ended"
                            : "the call was ended because the gateway is "
                              "shutting down; call again";
  return end;
}

}  // namespace

Operation::Operation(OperationSpec spec, Neighbours neighbours,
                     std::shared_ptr<TaskQueue> queue,
                     std::shared_ptr<ClientSide> client)
    : spec_(std::move(spec)),
      to_(neighbours),
      queue_(std::move(queue)),
      client_(std::move(client)) {}

void Operation::Post(std::function<void(Operation&)> task) {
  queue_->Post(
      [self = shared_from_this(), task = std::move(task)] { task(*self); });
}

// ---- Events, each handed to the serial queue. ----

void Operation::Start() {
  Post([](Operation& op) {
    if (op.ended_) return;
    op.call_ = op.to_.upstreams.StartCall(op.spec_.call, op.shared_from_this());
  });
}

void Operation::CancelByClient(std::string reason) {
  Post([reason = std::move(reason)](Operation& op) {
    if (op.ended_) return;
    if (op.call_ != nullptr) op.call_->Cancel(reason);
    op.Close(OperationEnd::kClientCancelled, nullptr);
    op.client_->Abandon();
  });
}

void Operation::EndBy(OperationEnd how) {
  Post([how](Operation& op) {
    if (op.ended_) return;
    if (op.call_ != nullptr) {
      op.call_->Cancel(how == OperationEnd::kSessionEnded
                           ? "the session ended"
                           : "the gateway is shutting down");
    }
    CallObserver::End end = EndedByGateway(how);
    op.Close(how, &end.failure);
    op.client_->Finish(std::move(end));
  });
}

void Operation::OnEnd(CallObserver::End end) {
  Post([end = std::move(end)](Operation& op) mutable {
    if (op.ended_) return;
    if (RequiresElicitations(end)) return op.RaiseRequired(std::move(end));
    op.FinishWith(std::move(end));
  });
}

void Operation::FinishWith(CallObserver::End end) {
  const bool answered = !end.result.empty() || !end.error.empty();
  Close(HowItEnded(end), answered ? nullptr : &end.failure);
  client_->Finish(std::move(end));
}

void Operation::OnProgress(std::string params) {
  Post([params = std::move(params)](Operation& op) {
    if (!op.ended_) op.client_->Progress(params);
  });
}

void Operation::OnNotification(std::string method, std::string params) {
  Post([method = std::move(method), params = std::move(params)](Operation& op) {
    if (!op.ended_) op.client_->Notify(method, params);
  });
}

void Operation::OnInputRequests(std::vector<RaisedInputRequest> requests,
                                Attribution attribution,
                                mcp::Revision upstream_revision) {
  Post([requests = std::move(requests), attribution,
        upstream_revision](Operation& op) mutable {
    if (op.ended_) return;
    op.Raise(std::move(requests), attribution, upstream_revision);
  });
}

void Operation::OnInputRequestCancelled(std::string key) {
  Post([key = std::move(key)](Operation& op) {
    const auto it = op.FindByKey(key);
    if (it == op.open_.end()) return;
    Open& open = it->second;
    if (open.phase == Open::Phase::kAdmitting) {
      // Its id is not known yet; the verdict, when it comes, is not shown.
      open.upstream_gone = true;
      return;
    }
    op.WithdrawFromClient(open, "the server no longer asks");
    op.to_.control.CancelInputRequest(open.input_request,
                                      CancelCause::kUpstream, op.traceparent());
    op.Drop(it);
  });
}

void Operation::OnDeliveryReady(DeliveryReady delivery) {
  Post([delivery = std::move(delivery)](Operation& op) {
    if (op.ended_) return;
    const auto it = op.FindByInputRequest(delivery.input_request);
    if (it == op.open_.end()) {
      // The mail may overtake the verdict; else it is about one that is done.
      if (op.admits_in_flight_ > 0 &&
          op.early_mail_.size() < kMaxOpenInputRequests) {
        op.early_mail_[delivery.input_request] = delivery;
      }
      return;
    }
    if (delivery.withdraw) {
      op.WithdrawFromClient(it->second, "the request is no longer open");
    }
    op.StartClaim(it);
  });
}

void Operation::Deliver(std::string input_request, UpstreamReply reply) {
  Post([input_request = std::move(input_request),
        reply = std::move(reply)](Operation& op) mutable {
    const auto it = op.FindByInputRequest(input_request);
    if (it == op.open_.end()) return;
    op.Answer(it, std::move(reply), /*acknowledge=*/true);
  });
}

void Operation::ClientProgress(std::string opaque_id, std::string params) {
  Post([opaque_id = std::move(opaque_id),
        params = std::move(params)](Operation& op) mutable {
    for (const auto& [serial, open] : op.open_) {
      if (open.opaque_id == opaque_id && op.call_ != nullptr) {
        op.call_->ReplyProgress(open.key, std::move(params));
        return;
      }
    }
  });
}

// ---- On the serial queue. ----

Operation::OpenMap::iterator Operation::FindByKey(std::string_view key) {
  return std::find_if(open_.begin(), open_.end(), [&](const auto& entry) {
    return entry.second.key == key && !entry.second.upstream_gone;
  });
}

Operation::OpenMap::iterator Operation::FindByInputRequest(
    std::string_view input_request) {
  return std::find_if(open_.begin(), open_.end(), [&](const auto& entry) {
    return !entry.second.input_request.empty() &&
           entry.second.input_request == input_request;
  });
}

void Operation::Raise(std::vector<RaisedInputRequest> requests,
                      Attribution attribution,
                      mcp::Revision upstream_revision) {
  AdmitRequest admit = NewAdmit(attribution, upstream_revision);
  std::vector<uint64_t> serials;
  for (RaisedInputRequest& request : requests) {
    // A key that is still open names the earlier request; a second one under
    // it could not be told apart when it is answered.
    if (FindByKey(request.key) != open_.end()) continue;
    if (open_.size() >= kMaxOpenInputRequests) {
      if (call_ != nullptr) {
        call_->Reply(request.key, NoVerdictReply(), nullptr);
      }
      continue;
    }
    Open open;
    open.key = request.key;
    open.method = request.method;
    open.params = request.params;
    open.raised = to_.clock.Steady();
    serials.push_back(next_serial_);
    open_.emplace(next_serial_++, std::move(open));
    admit.requests.push_back(std::move(request));
  }
  if (serials.empty()) return;
  admitted_any_ = true;
  ++admits_in_flight_;
  to_.control.Admit(
      std::move(admit),
      [self = shared_from_this(), serials = std::move(serials)](
          absl::StatusOr<std::vector<AdmitVerdict>> verdicts) mutable {
        self->Post([serials = std::move(serials),
                    verdicts = std::move(verdicts)](Operation& op) mutable {
          op.OnVerdicts(serials, std::move(verdicts));
        });
      });
}

AdmitRequest Operation::NewAdmit(Attribution attribution,
                                 mcp::Revision upstream_revision) const {
  AdmitRequest admit;
  admit.operation = spec_.id;
  admit.session = spec_.session;
  admit.virtual_server = spec_.call.target->virtual_server;
  admit.upstream = spec_.call.target->upstream;
  admit.upstream_revision = upstream_revision;
  admit.tool = spec_.tool;
  admit.method = spec_.call.method;
  admit.attribution = attribution;
  admit.traceparent = traceparent();
  return admit;
}

void Operation::OnVerdicts(const std::vector<uint64_t>& serials,
                           absl::StatusOr<std::vector<AdmitVerdict>> verdicts) {
  --admits_in_flight_;
  if (ended_) return;  // the operation was closed, which ends them there too
  if (verdicts.ok()) {
    FaultPoint("worker_after_admit");
    std::vector<uint64_t> shown_serials;
    std::vector<ShownInputRequest> shown;
    for (AdmitVerdict& verdict : *verdicts) {
      for (const uint64_t serial : serials) {
        const auto it = open_.find(serial);
        if (it == open_.end() || it->second.key != verdict.key ||
            it->second.phase != Open::Phase::kAdmitting) {
          continue;
        }
        OnVerdict(it, std::move(verdict), shown_serials, shown);
        break;
      }
    }
    if (!shown.empty()) Show(shown_serials, std::move(shown));
  }
  OnNoVerdict(serials);
  if (admits_in_flight_ == 0) early_mail_.clear();
}

void Operation::OnNoVerdict(const std::vector<uint64_t>& serials) {
  for (const uint64_t serial : serials) {
    const auto it = open_.find(serial);
    if (it == open_.end() || it->second.phase != Open::Phase::kAdmitting) {
      continue;
    }
    if (it->second.upstream_gone) {
      Drop(it);
    } else {
      Answer(it, NoVerdictReply(), /*acknowledge=*/false);
    }
  }
}

void Operation::OnVerdict(OpenMap::iterator it, AdmitVerdict verdict,
                          std::vector<uint64_t>& serials,
                          std::vector<ShownInputRequest>& shown) {
  Open& open = it->second;
  if (open.upstream_gone) {
    if (verdict.kind != AdmitVerdict::Kind::kRefuse) {
      to_.control.CancelInputRequest(verdict.input_request,
                                     CancelCause::kUpstream, traceparent());
    }
    return Drop(it);
  }
  open.input_request = verdict.input_request;
  switch (verdict.kind) {
    case AdmitVerdict::Kind::kRefuse:
      return Answer(it, std::move(verdict.refusal), /*acknowledge=*/false);
    case AdmitVerdict::Kind::kAnswer: {
      UpstreamReply reply;
      reply.result = std::move(verdict.result);
      return Answer(it, std::move(reply), /*acknowledge=*/false);
    }
    case AdmitVerdict::Kind::kNotify:
      return;  // not on what waits for an answer: as good as no verdict
    case AdmitVerdict::Kind::kRelay:
    case AdmitVerdict::Kind::kHold:
      break;
  }
  open.phase = Open::Phase::kOwed;
  relayed_any_ = true;
  if (early_mail_.erase(verdict.input_request) > 0) {
    // It has already ended: never shown, only answered.
    ArmBackstop(it, kExpiryGrace);
    return StartClaim(it);
  }
  if (verdict.kind == AdmitVerdict::Kind::kHold) {
    ArmBackstop(it, std::max(verdict.time_left, kLongestHold) + kExpiryGrace);
    return to_.index.OnWaits(spec_.id);
  }
  open.opaque_id = verdict.opaque_id;
  if (!verdict.elicitation_id.empty()) {
    ExpectCompletion(ElicitationIdOf(open.params),
                     std::move(verdict.elicitation_id));
  }
  ShownInputRequest request;
  request.opaque_id = std::move(verdict.opaque_id);
  request.method = open.method;
  request.params = verdict.params.has_value() ? std::move(*verdict.params)
                                              : std::move(open.params);
  open.params.clear();  // nobody needs them any more
  request.time_left = verdict.time_left;
  serials.push_back(it->first);
  shown.push_back(std::move(request));
}

void Operation::Show(const std::vector<uint64_t>& serials,
                     std::vector<ShownInputRequest> shown) {
  for (size_t i = 0; i < serials.size(); ++i) {
    const auto it = open_.find(serials[i]);
    // Before it is shown: the reply may be here before AskClient returns.
    to_.index.AddOpaqueId(shown[i].opaque_id, spec_.id, shown[i].time_left);
    it->second.phase = Open::Phase::kShown;
    ArmBackstop(it, shown[i].time_left + kExpiryGrace);
  }
  to_.index.OnWaits(spec_.id);
  FaultPoint("worker_before_relay_to_client");
  const std::vector<AskOutcome> outcomes = client_->AskClient(std::move(shown));
  FaultPoint("worker_after_relay_to_client");
  for (size_t i = 0; i < serials.size(); ++i) {
    if (i < outcomes.size() && outcomes[i] == AskOutcome::kShown) continue;
    const auto it = open_.find(serials[i]);
    it->second.phase = Open::Phase::kOwed;
    to_.control.CancelInputRequest(it->second.input_request,
                                   CancelCause::kClientUnreachable,
                                   traceparent());
    // The control plane ends it and mails the answer that the upstream is owed.
    ArmBackstop(it, kUnreachableGrace);
  }
}

void Operation::StartClaim(OpenMap::iterator it) {
  Open& open = it->second;
  if (open.claiming) return;
  open.claiming = true;
  to_.control.Claim(
      open.input_request,
      [self = shared_from_this(), serial = it->first](
          absl::StatusOr<std::optional<UpstreamReply>> granted) mutable {
        self->Post(
            [serial, granted = std::move(granted)](Operation& op) mutable {
              const auto found = op.open_.find(serial);
              if (found == op.open_.end()) return;
              found->second.claiming = false;
              // Not granted: another road delivers it, or the backstop speaks.
              if (!granted.ok() || !granted->has_value()) return;
              FaultPoint("worker_after_claim");
              op.Answer(found, std::move(**granted), /*acknowledge=*/true);
            });
      });
}

void Operation::ArmBackstop(OpenMap::iterator it, absl::Duration delay) {
  to_.timers.Cancel(it->second.backstop);
  it->second.backstop =
      to_.timers.RunAfter(delay, [weak = weak_from_this(), serial = it->first] {
        const auto self = weak.lock();
        if (self == nullptr) return;
        self->Post([serial](Operation& op) {
          const auto found = op.open_.find(serial);
          if (found == op.open_.end()) return;
          op.WithdrawFromClient(found->second, "the request expired");
          op.Answer(found, NoWordReply(), /*acknowledge=*/false);
        });
      });
}

void Operation::WithdrawFromClient(Open& open, std::string_view reason) {
  if (open.phase != Open::Phase::kShown) return;
  open.phase = Open::Phase::kOwed;
  client_->Withdraw(open.opaque_id, reason);
}

void Operation::Answer(OpenMap::iterator it, UpstreamReply reply,
                       bool acknowledge) {
  const std::string key = it->second.key;
  TellEnd(it->second, &reply);
  std::function<void(absl::Status)> written;
  if (acknowledge) {
    written = [&control = to_.control,
               id = it->second.input_request](absl::Status status) {
      if (status.ok()) control.Acknowledge(id);
    };
  }
  Forget(it);
  if (call_ != nullptr) {
    call_->Reply(key, std::move(reply), std::move(written));
  }
  if (outside_ && open_.empty()) Close(OperationEnd::kCompleted, nullptr);
}

void Operation::Drop(OpenMap::iterator it) {
  TellEnd(it->second, nullptr);
  Forget(it);
  if (outside_ && !ended_ && open_.empty()) {
    Close(OperationEnd::kCompleted, nullptr);
  }
}

void Operation::DropAll(std::string_view reason) {
  while (!open_.empty()) {
    WithdrawFromClient(open_.begin()->second, reason);
    Drop(open_.begin());
  }
  early_mail_.clear();
}

void Operation::TellEnd(const Open& open, const UpstreamReply* reply) const {
  to_.observer.OnInputRequestEnded(Name(), open.method, open.input_request,
                                   reply, to_.clock.Steady() - open.raised);
}

CallName Operation::Name() const {
  return {spec_.call.target->virtual_server, spec_.call.target->upstream,
          spec_.tool, spec_.id, spec_.call.traceparent};
}

void Operation::Forget(OpenMap::iterator it) {
  to_.timers.Cancel(it->second.backstop);
  if (!it->second.opaque_id.empty()) {
    to_.index.RemoveOpaqueId(it->second.opaque_id);
  }
  open_.erase(it);
}

void Operation::Close(OperationEnd how, const Failure* failure) {
  ended_ = true;
  DropAll("the call has ended");
  // The hot path asks the control plane nothing, so it need not be told; nor of
  // what was asked outside of any call and is answered already.
  if (outside_ ? relayed_any_ || admits_in_flight_ > 0 : admitted_any_) {
    to_.control.CloseOperation(spec_.id, spec_.session, how, traceparent());
  }
  if (!outside_) to_.observer.OnOperationEnded(Name(), how, failure);
  call_ = nullptr;
  to_.index.OnEnded(spec_.id);
}

}  // namespace gatehouse::relay
