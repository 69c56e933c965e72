#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_STDIO_BRIDGE_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_STDIO_BRIDGE_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "dataplane/http/reactor.h"
#include "shared/mcp/envelope.h"
#include "tools/gatehousectl/mcp/worker_link.h"
#include "tools/gatehousectl/mcp/worker_trouble.h"

namespace gatehouse::ctl {

// What a bridge tells its owner, on the reactor's thread.
struct BridgeOutput {
  std::function<void(std::string line)> to_host;
  std::function<void(std::string_view text)> to_person;  // stderr
  // The session is over and nothing more will be told. Once.
  std::function<void()> on_ended;
};

// A stdio MCP server towards a host, made of a worker's virtual server: each
// line of the host's is a POST, whatever comes back is a line. Requests are in
// flight side by side; notifications and answers go out one after the other,
// and what the host sent behind them waits until they were taken. The GET
// stream is open from `notifications/initialized` on, and opened again when it
// ends. Whatever is wrong with the worker is told to the host as the response
// to its request.
//
// Runs on the reactor's thread. Borrows the reactor and the link. Bounds: 256
// requests in flight, 64 MiB of lines that wait or are in flight.
class StdioBridge {
 public:
  // `server`: as TroubleOf has it.
  StdioBridge(http::Reactor& reactor, WorkerLink& link, std::string server,
              BridgeOutput output);

  void OnLine(std::string line);
  void OnLineTooLong();
  // The host will send no more: what is in flight may end, for at most 10 s,
  // then the session does.
  void OnInputEnd();
  // Ends the session now. Idempotent.
  void Stop();

 private:
  struct InFlight {
    std::shared_ptr<http::ClientCall> call;
    size_t bytes = 0;  // of the request
    bool is_initialize = false;
    bool answered = false;
    bool cancelled = false;  // the host wants no response any more
  };
  struct Waiting {
    std::string message;
    mcp::MessageKind kind;
    std::string id;
    std::string method;
  };

  void Admit(Waiting waiting);
  void SendWaiting();
  void SendRequest(Waiting request);
  void SendOther(Waiting other);
  void OnMessage(const std::string& id, std::string message);
  void OnRequestEnd(const std::string& id, const ExchangeEnd& end);
  void OnOtherEnd(const std::string& method, const ExchangeEnd& end);
  void TakeRevision(std::string_view result);
  void MarkCancelled(const std::string& message);
  void Listen();
  void OnListenEnd(const ExchangeEnd& end);
  void EndIfIdle();
  void Refuse(const std::string& id, int32_t code, std::string_view message);
  void Say(std::string_view text) { output_.to_person(text); }

  http::Reactor& reactor_;
  WorkerLink& link_;
  const std::string server_;
  const BridgeOutput output_;

  std::deque<Waiting> waiting_;
  size_t held_bytes_ = 0;  // of requests in flight and what waits
  bool holding_ = false;   // a notification or answer is not yet taken
  std::map<std::string, InFlight> in_flight_;  // by the id's lexeme
  std::shared_ptr<http::ClientCall> stream_;   // the GET stream
  std::string last_event_id_;
  absl::Duration reopen_after_;
  bool lost_ = false;  // the worker does not know the session
  bool input_ended_ = false;
  bool stopping_ = false;
};

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_STDIO_BRIDGE_H_
