#ifndef GATEHOUSE_TESTS_UNIT_RELAY_FAKES_H_
#define GATEHOUSE_TESTS_UNIT_RELAY_FAKES_H_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dataplane/relay/client_side.h"
#include "dataplane/relay/control_client.h"
#include "dataplane/relay/observer.h"
#include "dataplane/relay/scheduling.h"
#include "dataplane/relay/upstream.h"
#include "shared/base/fake_clock.h"

namespace gatehouse::relay {

// Tasks run when the test says so, on its own thread.
class ManualQueue final : public TaskQueue {
 public:
  void Post(std::function<void()> task) override {
    tasks_.push_back(std::move(task));
  }
  void RunAll() {
    while (!tasks_.empty()) {
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      task();
    }
  }

 private:
  std::deque<std::function<void()>> tasks_;
};

class ManualTimers final : public Timers {
 public:
  explicit ManualTimers(FakeClock& clock) : clock_(clock) {}
  Id RunAfter(absl::Duration delay, std::function<void()> task) override {
    timers_[++last_] = {clock_.Steady() + delay, std::move(task)};
    return last_;
  }
  void Cancel(Id id) override { timers_.erase(id); }
  void Advance(absl::Duration by) {
    clock_.Advance(by);
    std::vector<std::function<void()>> due;
    for (auto it = timers_.begin(); it != timers_.end();) {
      if (it->second.first > clock_.Steady()) {
        ++it;
        continue;
      }
      due.push_back(std::move(it->second.second));
      it = timers_.erase(it);
    }
    for (const auto& task : due) task();
  }
  size_t armed() const { return timers_.size(); }

 private:
  FakeClock& clock_;
  Id last_ = 0;
  std::map<Id, std::pair<absl::Duration, std::function<void()>>> timers_;
};

// Writes succeed at once unless told otherwise.
class FakeCall final : public UpstreamCall {
 public:
  void Reply(std::string_view key, UpstreamReply reply,
             std::function<void(absl::Status)> written) override {
    replies.emplace_back(std::string(key), std::move(reply));
    if (written) written(write_status);
  }
  void ReplyProgress(std::string_view, std::string params) override {
    progress.push_back(std::move(params));
  }
  void ExpectCompletion(std::string elicitation_id,
                        std::function<void()> completed) override {
    expected.emplace_back(std::move(elicitation_id), std::move(completed));
  }
  void Cancel(std::string_view) override { ++cancels; }

  std::vector<std::pair<std::string, UpstreamReply>> replies;
  std::vector<std::string> progress;
  std::vector<std::pair<std::string, std::function<void()>>> expected;
  absl::Status write_status;
  int cancels = 0;
};

class FakeUpstreams final : public Upstreams {
 public:
  std::shared_ptr<UpstreamCall> StartCall(
      CallSpec, std::shared_ptr<CallObserver> call_observer) override {
    observer = std::move(call_observer);
    ++started;
    return call;
  }
  void ListTools(const UpstreamTarget&, const Beneficiary&, absl::Duration,
                 std::function<void(absl::StatusOr<std::vector<std::string>>)>
                     done) override {
    done(std::vector<std::string>{});
  }
  void EndSession(std::string_view) override {}
  void Shutdown() override {}

  std::shared_ptr<FakeCall> call = std::make_shared<FakeCall>();
  std::shared_ptr<CallObserver> observer;
  int started = 0;
};

// Answers when the test says so.
class FakeControl final : public ControlClient {
 public:
  using AdmitDone =
      std::function<void(absl::StatusOr<std::vector<AdmitVerdict>>)>;
  using SubmitDone = std::function<void(absl::StatusOr<SubmitVerdict>)>;
  using ClaimDone =
      std::function<void(absl::StatusOr<std::optional<UpstreamReply>>)>;

  void Admit(AdmitRequest request, AdmitDone done) override {
    traceparents.push_back(request.traceparent);
    admits.push_back(std::move(request));
    admit_dones.push_back(std::move(done));
  }
  void Submit(std::string opaque_id, std::string, std::optional<std::string>,
              std::optional<std::string>, std::string traceparent,
              absl::Duration give_up_after, SubmitDone done) override {
    traceparents.push_back(std::move(traceparent));
    submitted.push_back(std::move(opaque_id));
    give_up.push_back(give_up_after);
    submit_dones.push_back(std::move(done));
  }
  void CancelInputRequest(std::string input_request, CancelCause cause,
                          std::string traceparent) override {
    traceparents.push_back(std::move(traceparent));
    cancelled.emplace_back(std::move(input_request), cause);
  }
  void CloseOperation(std::string, std::string, OperationEnd end,
                      std::string traceparent) override {
    traceparents.push_back(std::move(traceparent));
    closed.push_back(end);
  }
  void CreateSession(
      NewSession, std::function<void(absl::StatusOr<SessionInfo>)>) override {}
  void FindSession(std::string,
                   std::function<void(absl::StatusOr<SessionInfo>)>) override {}
  void CloseSession(std::string, std::string,
                    std::function<void(absl::Status)>) override {}
  void Claim(std::string input_request, ClaimDone done) override {
    claims.push_back(std::move(input_request));
    claim_dones.push_back(std::move(done));
  }
  void Acknowledge(std::string input_request) override {
    acknowledged.push_back(std::move(input_request));
  }
  void ReportRootsChanged(std::string session, std::function<void()>) override {
    roots_changed.push_back(std::move(session));
  }
  void ReportActiveSession(std::string_view) override {}

  std::vector<AdmitRequest> admits;
  std::vector<AdmitDone> admit_dones;
  std::vector<std::string> submitted;
  std::vector<absl::Duration> give_up;
  std::vector<SubmitDone> submit_dones;
  std::vector<std::pair<std::string, CancelCause>> cancelled;
  std::vector<OperationEnd> closed;
  std::vector<std::string> claims;
  std::vector<ClaimDone> claim_dones;
  std::vector<std::string> acknowledged;
  std::vector<std::string> roots_changed;
  std::vector<std::string> traceparents;  // of all calls that have one
};

// Keeps what it was told.
class RecordingRelayObserver final : public Observer {
 public:
  void OnOperationEnded(const CallName& call, OperationEnd end,
                        const Failure* failure) override {
    ended.emplace_back(std::string(call.operation), end);
    failures.push_back(failure == nullptr ? std::nullopt
                                          : std::optional(failure->reason));
  }
  void OnCallRefused(const CallName&, Reason reason) override {
    failures.emplace_back(reason);
  }
  void OnInputRequestEnded(const CallName& call, std::string_view method,
                           std::string_view, const UpstreamReply* reply,
                           absl::Duration took) override {
    input_requests.push_back(
        {std::string(method), std::string(call.traceparent),
         reply == nullptr ? std::nullopt : std::optional(*reply), took});
  }
  void OnSessionOpened(std::string_view, std::string_view) override {}
  void OnSessionEnded(std::string_view) override {}

  struct Ended {
    std::string method;
    std::string traceparent;
    std::optional<UpstreamReply> reply;
    absl::Duration took;
  };
  std::vector<std::pair<std::string, OperationEnd>> ended;
  std::vector<std::optional<Reason>> failures;
  std::vector<Ended> input_requests;
};

class FakeClient final : public ClientSide {
 public:
  std::vector<AskOutcome> AskClient(
      std::vector<ShownInputRequest> requests) override {
    std::vector<AskOutcome> outcomes(
        requests.size(),
        reachable ? AskOutcome::kShown : AskOutcome::kUnreachable);
    for (ShownInputRequest& request : requests) {
      shown.push_back(std::move(request));
    }
    return outcomes;
  }
  void Withdraw(std::string_view opaque_id, std::string_view) override {
    withdrawn.emplace_back(opaque_id);
  }
  void Progress(std::string_view params) override {
    progress.emplace_back(params);
  }
  void Notify(std::string_view, std::string_view) override {}
  bool TellElicitationComplete(std::string_view elicitation_id) override {
    if (reachable) completed.emplace_back(elicitation_id);
    return reachable;
  }
  void Finish(CallObserver::End end) override {
    finished.push_back(std::move(end));
  }
  void Abandon() override { ++abandoned; }

  bool reachable = true;
  std::vector<ShownInputRequest> shown;
  std::vector<std::string> withdrawn;
  std::vector<std::string> progress;
  std::vector<std::string> completed;
  std::vector<CallObserver::End> finished;
  int abandoned = 0;
};

// `session: what` of all that was said on sessions' own streams.
class FakeSessions final : public ClientSessions {
 public:
  bool TellElicitationComplete(std::string_view session,
                               std::string_view elicitation_id) override {
    said.push_back(std::string(session) + ": complete " +
                   std::string(elicitation_id));
    return reachable;
  }
  AskOutcome AskSession(std::string_view session,
                        const ShownInputRequest& request) override {
    if (!reachable) return AskOutcome::kUnreachable;
    said.push_back(std::string(session) + ": ask " + request.opaque_id);
    return AskOutcome::kShown;
  }
  void WithdrawFromSession(std::string_view session, std::string_view opaque_id,
                           std::string_view) override {
    said.push_back(std::string(session) + ": withdraw " +
                   std::string(opaque_id));
  }

  bool reachable = true;
  std::vector<std::string> said;
};

// One operation between fakes, with its registry.
inline AdmitVerdict Relayed(std::string key) {
  AdmitVerdict verdict;
  verdict.kind = AdmitVerdict::Kind::kRelay;
  verdict.key = std::move(key);
  verdict.input_request = "ir1";
  verdict.opaque_id = "opaque1";
  verdict.params = "{\"judged\":true}";
  verdict.time_left = absl::Seconds(30);
  return verdict;
}

inline AdmitVerdict Refused(std::string key) {
  AdmitVerdict verdict;
  verdict.kind = AdmitVerdict::Kind::kRefuse;
  verdict.key = std::move(key);
  verdict.refusal.is_error = true;
  verdict.refusal.code = -32601;
  verdict.refusal.data = "{\"reason\":\"not_permitted\"}";
  return verdict;
}

inline UpstreamReply Judged() {
  UpstreamReply reply;
  reply.result = "{\"from\":\"control\"}";
  return reply;
}

}  // namespace gatehouse::relay

#endif  // GATEHOUSE_TESTS_UNIT_RELAY_FAKES_H_
