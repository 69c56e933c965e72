#ifndef GATEHOUSE_TESTS_INTEGRATION_HARNESS_EXCHANGE_H_
#define GATEHOUSE_TESTS_INTEGRATION_HARNESS_EXCHANGE_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tests/integration/harness/connection.h"
#include "tests/integration/harness/event_loop.h"
#include "tests/integration/harness/http_reader.h"
#include "tests/integration/harness/message.h"
#include "tests/integration/harness/wait.h"

namespace gatehouse::testing {

// One HTTP request to send.
struct HttpRequest {
  std::string method = "POST";
  std::string target;
  std::map<std::string, std::string> headers;
  std::string body;
};

// One HTTP request of a scripted client, on a connection of its own, and all
// that came back for it: one JSON body or the events of a stream.
//
// Thread-safe. Every wait has a deadline: DEADLINE_EXCEEDED, or UNAVAILABLE if
// the peer closed without what was waited for.
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  // Called on the loop's thread for each message that comes in.
  using OnMessage = std::function<void(const Message&)>;

  static std::shared_ptr<Exchange> Start(EventLoop* loop,
                                         const std::string& address,
                                         const HttpRequest& request,
                                         OnMessage on_message);

  // The HTTP status.
  absl::StatusOr<int> Status(absl::Duration timeout = kPatience) const;
  // A response header, once Status() came; empty if absent.
  std::string Header(const std::string& lower_case_name) const;
  // The whole body of an answer that ended.
  absl::StatusOr<std::string> Body(absl::Duration timeout = kPatience) const;
  // The first message for which `matches` holds.
  absl::StatusOr<Message> Await(
      const std::function<bool(const Message&)>& matches,
      absl::Duration timeout = kPatience) const;
  absl::StatusOr<Message> AwaitMethod(const std::string& method,
                                      absl::Duration timeout = kPatience) const;
  absl::StatusOr<Message> AwaitResponse(
      const std::string& id_lexeme, absl::Duration timeout = kPatience) const;
  // Whether so many messages have come in time.
  bool AwaitMessages(size_t count, absl::Duration timeout = kPatience) const;
  // Whether the answer ended (or the connection did) in time.
  bool AwaitEnd(absl::Duration timeout = kPatience) const;

  std::vector<Message> messages() const;
  std::vector<SseEvent> events() const;
  bool ended() const;
  // Drops the connection.
  void Close();
  // Stops reading, as a client does that has stalled.
  void PauseReading(bool pause);

 private:
  explicit Exchange(EventLoop* loop) : loop_(loop) {}
  void Open(const std::string& address, std::string bytes);
  void OnEvent(const SseEvent& event);
  void OnHead(const HttpHead& head);
  void OnBody(std::string_view data);
  void OnEnd();
  void AddMessage(const std::string& raw);

  EventLoop* const loop_;
  OnMessage on_message_;
  // Only on the loop's thread.
  std::shared_ptr<Connection> connection_;
  std::optional<HttpReader> reader_;
  std::optional<SseReader> sse_;

  Signal signal_;  // guards what follows
  std::optional<HttpHead> head_;
  std::string body_;
  std::vector<Message> messages_;
  std::vector<SseEvent> events_;
  bool ended_ = false;
};

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_HARNESS_EXCHANGE_H_
