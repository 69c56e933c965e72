#ifndef GATEHOUSE_TESTS_INTEGRATION_HARNESS_SCRIPTED_CLIENT_H_
#define GATEHOUSE_TESTS_INTEGRATION_HARNESS_SCRIPTED_CLIENT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tests/integration/harness/event_loop.h"
#include "tests/integration/harness/exchange.h"
#include "tests/integration/harness/message.h"
#include "tests/integration/harness/wait.h"

namespace gatehouse::testing {

// A call of a scripted client that is under way.
struct ClientCall {
  std::string id;  // the lexeme
  std::shared_ptr<Exchange> exchange;

  absl::StatusOr<Message> Await(absl::Duration timeout = kPatience) const {
    return exchange->AwaitResponse(id, timeout);
  }
};

// A legacy MCP client (2025-03-26 to 2025-11-25) over plain sockets, which says
// exactly what the test tells it to, the wrong things included.
//
// Thread-safe. The loop is borrowed and outlives it. What it is asked goes to
// the handler of that method, on the loop's thread; without one it is left
// unanswered. All that it was asked is recorded.
class ScriptedClient {
 public:
  struct Options {
    std::string address = {};  // of a worker, `HOST:PORT`
    std::string virtual_server = "dev";
    std::string revision = "2025-11-25";
    std::string capabilities = R"({"sampling":{},"elicitation":{},"roots":{}})";
    std::string token = {};  // bearer; none if empty
  };
  // The `"result":…` or `"error":…` member to reply with, or nothing.
  using Handler = std::function<std::optional<std::string>(const Message&)>;

  ScriptedClient(EventLoop* loop, Options options);
  ~ScriptedClient();

  // `initialize` and, if it succeeded, `notifications/initialized`. The result
  // message. UNAVAILABLE with the HTTP status if that is not 200.
  absl::StatusOr<Message> Initialize();
  // The same session seen from another worker: further requests go there.
  void MoveTo(const std::string& address);

  void OnAsked(const std::string& method, Handler handler);

  // Posts a request under the next id.
  ClientCall Start(const std::string& method, const std::string& params);
  ClientCall StartTool(const std::string& tool, const std::string& arguments,
                       const std::string& meta = "");
  // The same, waited for: the response message.
  absl::StatusOr<Message> Request(const std::string& method,
                                  const std::string& params,
                                  absl::Duration timeout = kPatience);
  absl::StatusOr<Message> CallTool(const std::string& tool,
                                   const std::string& arguments,
                                   absl::Duration timeout = kPatience);
  // Posts a reply; the HTTP status, 0 if none came. `member` is as a Handler's.
  int Reply(const std::string& id_lexeme, const std::string& member);
  // Posts a notification; the HTTP status, 0 if none came.
  int Notify(const std::string& method, const std::string& params);

  // Any body, any headers besides the usual ones (which they override; one
  // with an empty value is left out).
  std::shared_ptr<Exchange> Post(
      const std::string& body,
      const std::map<std::string, std::string>& headers = {});
  // The session's GET stream.
  std::shared_ptr<Exchange> OpenStream(const std::string& last_event_id = "");
  // DELETE; the HTTP status.
  int Delete();

  // Requests and notifications that came on any of its streams.
  std::vector<Message> asked(const std::string& method = "") const;
  absl::StatusOr<Message> AwaitAsked(const std::string& method,
                                     size_t count = 1,
                                     absl::Duration timeout = kPatience) const;

  std::string session_id() const;
  void set_session_id(const std::string& id);

 private:
  struct State;  // outlives the client while its exchanges run
  std::map<std::string, std::string> Headers(
      const std::map<std::string, std::string>& overrides) const;
  std::shared_ptr<Exchange> Send(HttpRequest request);
  static void OnMessage(const std::shared_ptr<State>& state,
                        const Message& message);
  static std::shared_ptr<Exchange> SendReply(
      const std::shared_ptr<State>& state, const std::string& id_lexeme,
      const std::string& member);

  const std::shared_ptr<State> state_;
};

// A `result` member whose text answers a sampling request.
std::string SamplingReply(const std::string& text);
// An `error` member.
std::string ErrorReply(int code, const std::string& message);
// A `result` member of an elicitation.
std::string FormReply(const std::string& action, const std::string& content);

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_HARNESS_SCRIPTED_CLIENT_H_
