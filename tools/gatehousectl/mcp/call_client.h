#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_CALL_CLIENT_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_CALL_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "dataplane/http/client.h"
#include "dataplane/http/reactor.h"
#include "shared/mcp/envelope.h"
#include "tools/gatehousectl/mcp/answers.h"
#include "tools/gatehousectl/mcp/inbox.h"
#include "tools/gatehousectl/mcp/worker_link.h"
#include "tools/gatehousectl/mcp/worker_trouble.h"

namespace gatehouse::ctl {

// How a request ended.
struct CallReply {
  enum class Kind {
    kResult,       // `json` is the result
    kError,        // `json` is the JSON-RPC error
    kTrouble,      // no response: `trouble` says why
    kInterrupted,  // SIGINT or SIGTERM; the worker was told
  };
  Kind kind = Kind::kTrouble;
  std::string json = {};
  WorkerTrouble trouble = {};
};

// A legacy MCP client for one virtual server, one request at a time: what it is
// asked meanwhile goes to an Answers, notifications to a function.
//
// Thread-compatible; blocks its thread, which must be the process's only one
// when it is made. A signal ends each wait, and each has a deadline. Borrows
// the inbox, through which its answers come.
class CallClient {
 public:
  CallClient(WorkerLink::Options options, std::string server, Inbox* inbox);
  ~CallClient();
  CallClient(const CallClient&) = delete;
  CallClient& operator=(const CallClient&) = delete;

  // INTERNAL if the machine lacks what it needs.
  absl::Status Start() { return reactor_.Start(); }
  // The handshake; kResult once the session is open.
  CallReply Open(Answers& answers);

  struct Listeners {
    Answers* answers = nullptr;
    std::function<void(const mcp::Envelope& notification)> on_notification;
  };
  // `patience`: for silence of the worker.
  CallReply Request(std::string_view method, std::string_view params,
                    absl::Duration patience, const Listeners& listeners);
  // Ends the session, at most within 2 s.
  void Close();

 private:
  // Starts a POST whose arrivals go to `inbox`, from the reactor's thread.
  void Post(std::string message, absl::Duration patience, Inbox* inbox);
  // Sends what is only taken or not.
  void Tell(std::string message);
  std::optional<CallReply> Take(const std::string& message, std::string_view id,
                                const Listeners& listeners);
  CallReply Interrupted(std::string_view id);

  const std::string server_;
  Inbox& inbox_;
  http::Reactor reactor_;
  std::unique_ptr<http::Client> client_;
  std::unique_ptr<WorkerLink> link_;
  std::shared_ptr<http::ClientCall> call_;  // the reactor's thread
  int64_t next_id_ = 1;
  bool open_ = false;
};

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_CALL_CLIENT_H_
