#ifndef GATEHOUSE_TOOLS_DEMO_UPSTREAM_SERVER_H_
#define GATEHOUSE_TOOLS_DEMO_UPSTREAM_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "shared/mcp/envelope.h"
#include "tools/demo/io.h"
#include "tools/demo/upstream_tools.h"

namespace gatehouse::demo {

// A stdio MCP server of 2025-06-18 and 2025-11-25. It runs one tool call at a
// time on the calling thread; while a tool waits for an answer it serves pings,
// takes cancellations, and keeps further requests (64 at most) for later.
//
// Thread-compatible. The descriptors are borrowed.
class UpstreamServer final : public ToolContext {
 public:
  struct Options {
    int in = 0;
    int out = 1;
    absl::Duration answer_timeout = absl::Seconds(60);  // of each Ask
  };
  explicit UpstreamServer(Options options) : options_(options) {}

  // Serves until the input ends.
  void Run();

  Outcome Ask(std::string_view method, std::string params) override;
  void Progress(int64_t done, int64_t total) override;
  bool Stopped() const override { return cancelled_ || closed_; }

 private:
  // The next message, in the order they came; false once the input has ended
  // or nothing came by `deadline`.
  bool ReadLine(absl::Duration deadline, std::string* line);
  void Serve(const std::string& line);
  void ServeRequest(const mcp::Envelope& message);
  void Initialize(const mcp::Envelope& message);
  void CallNamedTool(const mcp::Envelope& message);
  // A message that came while a tool waits for the answer to `id`. True if it
  // was that answer, which is then in `outcome`.
  bool TakeWhileAsking(const std::string& line, std::string_view id,
                       Outcome* outcome);
  void TakeCancelled(std::string_view params);
  void Send(std::string message);
  void Withdraw(std::string_view id, std::string_view why);

  const Options options_;
  LineSplitter lines_{16 << 20};
  std::deque<std::string> waiting_;  // requests that came during a call
  bool closed_ = false;
  int64_t next_id_ = 0;
  // The call being served.
  std::string call_id_;
  std::string progress_token_;  // a lexeme; empty if none was given
  bool cancelled_ = false;
};

}  // namespace gatehouse::demo

#endif  // GATEHOUSE_TOOLS_DEMO_UPSTREAM_SERVER_H_
