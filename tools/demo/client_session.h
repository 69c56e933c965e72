#ifndef GATEHOUSE_TOOLS_DEMO_CLIENT_SESSION_H_
#define GATEHOUSE_TOOLS_DEMO_CLIENT_SESSION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/demo/client_answers.h"
#include "tools/demo/http_exchange.h"
#include "tools/demo/io.h"

namespace gatehouse::demo {

struct ClientOptions {
  HostPort server;
  std::string path;  // `/mcp/demo`
  std::string revision = "2025-11-25";
  std::string bearer_token;  // empty: none
  bool open_get_stream = false;
  absl::Duration timeout = absl::Seconds(60);  // of each request
};

// A legacy MCP client over Streamable HTTP: one call at a time, each message a
// POST on a connection of its own. It declares sampling, forms and roots, and
// answers what it is asked during a call by the call's plan.
//
// Thread-compatible; blocking. Errors: UNAVAILABLE (no server, or it closed),
// DEADLINE_EXCEEDED, FAILED_PRECONDITION (an HTTP status that was not due),
// INVALID_ARGUMENT (the server's message cannot be read).
class ClientSession {
 public:
  explicit ClientSession(ClientOptions options)
      : options_(std::move(options)) {}

  // The handshake; gives the server's InitializeResult.
  absl::StatusOr<std::string> Open();
  // A request; gives the whole response, a result or a JSON-RPC error.
  absl::StatusOr<std::string> Request(std::string_view method,
                                      std::string params,
                                      const AnswerPlan& plan);
  // DELETE; the session must not be used after it.
  absl::Status Close();

  // How many of the server's requests were answered, or met with silence.
  int asked_count() const { return asked_count_; }

 private:
  HttpRequest MakeRequest(std::string_view method) const;
  // Sends what needs no answer: 202.
  absl::Status Post(std::string message);
  absl::Status OpenGetStream();
  // Takes what came on the GET stream so far.
  absl::Status DrainGetStream(const AnswerPlan& plan);
  // Reads the response to `id` off the stream, answering what comes before it.
  absl::StatusOr<std::string> ReadResponse(HttpExchange* exchange,
                                           std::string_view id,
                                           const AnswerPlan& plan,
                                           absl::Duration deadline);
  absl::Status TakeRequest(const mcp::Envelope& request,
                           const AnswerPlan& plan);

  const ClientOptions options_;
  std::string session_id_;
  bool open_ = false;  // the handshake is done
  int64_t next_id_ = 0;
  int asked_count_ = 0;
  std::unique_ptr<HttpExchange> get_stream_;
};

}  // namespace gatehouse::demo

#endif  // GATEHOUSE_TOOLS_DEMO_CLIENT_SESSION_H_
