#ifndef GATEHOUSE_TESTS_INTEGRATION_WIRE_PIPE_UPSTREAM_H_
#define GATEHOUSE_TESTS_INTEGRATION_WIRE_PIPE_UPSTREAM_H_

#include <memory>
#include <set>
#include <string>

#include "tests/integration/harness/connection.h"
#include "tests/integration/harness/event_loop.h"
#include "tests/integration/harness/wait.h"
#include "tests/integration/wire/upstream.h"

namespace gatehouse::testing {

// A recorded stdio server. The worker starts a small program that leads here
// (pipe_bridge.cc); each of its processes is a connection, and what the server
// says goes to the newest. The loop is borrowed and outlives it.
class RecordedPipeUpstream final : public RecordedUpstream {
 public:
  // `bridge` is that program's path.
  RecordedPipeUpstream(EventLoop* loop, wire::Trace trace, wire::Trace tools,
                       std::string bridge);
  ~RecordedPipeUpstream() override;

  std::string PolicyMember() const override;
  bool IsPipe() const override { return true; }
  void Head(int) override {}
  void Say(int exchange, size_t said) override;
  void End(int) override {}
  bool AwaitSessionEnd() override;

 private:
  struct Process {
    std::shared_ptr<Connection> connection;
    std::string partial;  // of a line
  };

  void Accept();
  void Read(const std::shared_ptr<Process>& process, std::string_view data);
  void Serve(Process& process, const std::string& line);
  void CountProcesses();

  EventLoop* const loop_;
  const std::string bridge_;
  int listen_fd_ = -1;
  std::string port_;
  // The loop's thread only.
  std::set<std::shared_ptr<Process>> processes_;
  std::weak_ptr<Process> newest_;
  Signal signal_;       // guards what follows
  size_t running_ = 0;  // processes
};

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_WIRE_PIPE_UPSTREAM_H_
