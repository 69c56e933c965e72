#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_WORKER_LINK_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_WORKER_LINK_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "dataplane/http/client.h"

namespace gatehouse::ctl {

// How one HTTP request to a worker ended.
struct ExchangeEnd {
  absl::Status status = absl::OkStatus();  // as http::ClientObserver::OnEnd
  int http_status = 0;                     // 0: no answer came
  // Of an answer that is no message; at most 64 KiB.
  std::string body = {};
  std::string last_event_id = {};                  // of a stream; empty: none
  std::optional<int64_t> retry_ms = std::nullopt;  // what a stream asked for
};

// A message must not break the line that it is to be: between its tokens JSON
// may have line ends, within its strings it has none.
std::string OnOneLine(std::string message);

// Told of what comes back, on the reactor's thread: messages in their order,
// each on one line, then the end, once.
struct ExchangeHandlers {
  std::function<void(std::string message)> on_message;
  std::function<void(const ExchangeEnd& end)> on_end;
};

// A legacy MCP client's HTTP side towards one virtual server of a worker: POST,
// the GET stream and DELETE, under the session and revision once they are
// known. JSON-RPC is its caller's business.
//
// Runs on the reactor's thread. Borrows the client. Bounds: 16 MiB a message.
class WorkerLink {
 public:
  struct Options {
    http::Url url;                                  // `…/mcp/NAME`
    std::string bearer_token;                       // empty: none
    std::shared_ptr<const http::TlsConnector> tls;  // for https
  };

  WorkerLink(http::Client& client, Options options)
      : client_(client), options_(std::move(options)) {}

  // `patience` is for the answer's head, and for silence within an answer.
  std::shared_ptr<http::ClientCall> Post(std::string message,
                                         absl::Duration patience,
                                         ExchangeHandlers handlers);
  // The session's GET stream. Silence on it is no fault.
  std::shared_ptr<http::ClientCall> Listen(const std::string& last_event_id,
                                           ExchangeHandlers handlers);
  // Ends the session.
  std::shared_ptr<http::ClientCall> Delete(absl::Duration patience,
                                           ExchangeHandlers handlers);

  // Taken from the answer to `initialize`: the session from its head, by the
  // link itself, the revision from its result, by the caller.
  bool has_session() const { return !session_id_.empty(); }
  void set_revision(std::string revision) { revision_ = std::move(revision); }

 private:
  class Exchange;
  http::ClientRequest MakeRequest(const std::string& method) const;
  std::shared_ptr<http::ClientCall> Start(http::ClientRequest request,
                                          ExchangeHandlers handlers);

  http::Client& client_;
  const Options options_;
  std::string session_id_;
  std::string revision_;
};

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_WORKER_LINK_H_
