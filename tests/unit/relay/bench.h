#ifndef GATEHOUSE_TESTS_UNIT_RELAY_BENCH_H_
#define GATEHOUSE_TESTS_UNIT_RELAY_BENCH_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dataplane/relay/operations.h"
#include "tests/unit/relay/fakes.h"

namespace gatehouse::relay {

// An operation on the workbench: fakes all around it, one thread, no time but
// what the test lets pass.
struct Bench {
  explicit Bench(OperationLimits limits = {})
      : operations(
            upstreams, control, timers, clock, [this] { return queue; },
            observer, limits) {
    operations.SetClientSessions(sessions);
  }

  absl::StatusOr<std::shared_ptr<Operation>> Start(std::string id = "op1",
                                                   std::string session = "s1") {
    OperationSpec spec;
    spec.id = std::move(id);
    spec.session = std::move(session);
    spec.tool = "ask";
    auto target = std::make_shared<UpstreamTarget>();
    target->virtual_server = "dev";
    target->upstream = "files";
    spec.call.target = std::move(target);
    spec.call.method = "tools/call";
    spec.call.traceparent = traceparent;
    auto operation = operations.Start(std::move(spec), client);
    queue->RunAll();
    return operation;
  }
  void Raise(std::string key = "7") {
    RaisedInputRequest request;
    request.key = std::move(key);
    request.method = "sampling/createMessage";
    request.params = "{\"raised\":true}";
    upstreams.observer->OnInputRequests(
        {std::move(request)}, Attribution::kOwnStream, mcp::kLatestLegacy);
    queue->RunAll();
  }
  void Verdict(AdmitVerdict verdict) {
    control.admit_dones.back()(std::vector<AdmitVerdict>{std::move(verdict)});
    queue->RunAll();
  }
  void Pass(absl::Duration time) {
    timers.Advance(time);
    queue->RunAll();
  }
  void Result(std::string result = "{\"content\":[]}") {
    CallObserver::End end;
    end.result = std::move(result);
    upstreams.observer->OnEnd(std::move(end));
    queue->RunAll();
  }
  const std::vector<std::pair<std::string, UpstreamReply>>& replies() const {
    return upstreams.call->replies;
  }

  FakeClock clock;
  ManualTimers timers{clock};
  FakeUpstreams upstreams;
  FakeControl control;
  std::shared_ptr<ManualQueue> queue = std::make_shared<ManualQueue>();
  std::shared_ptr<FakeClient> client = std::make_shared<FakeClient>();
  FakeSessions sessions;
  RecordingRelayObserver observer;
  std::string traceparent;  // of the calls to come
  Operations operations;
};

}  // namespace gatehouse::relay

#endif  // GATEHOUSE_TESTS_UNIT_RELAY_BENCH_H_
