#ifndef GATEHOUSE_DATAPLANE_UPSTREAM_HTTP_EXCHANGE_H_
#define GATEHOUSE_DATAPLANE_UPSTREAM_HTTP_EXCHANGE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "dataplane/http/client.h"
#include "dataplane/http/executor.h"
#include "dataplane/upstream/environment.h"
#include "dataplane/upstream/queue_timer.h"
#include "dataplane/upstream/sse_reader.h"

namespace gatehouse::upstream {

// How an answer began.
struct AnswerHead {
  int http_status = 0;
  std::string session_id;  // the `Mcp-Session-Id` header, empty: none
};

// How one HTTP exchange with an upstream ended.
struct ExchangeEnd {
  absl::Status status;  // the client's, see http::ClientObserver
  int http_status = 0;  // 0: there was no answer
  bool event_stream = false;
  bool too_large = false;  // an event or body passed the limit
  std::string body;        // of a JSON answer that is no event stream
  std::string last_event_id;
  std::optional<int64_t> retry_ms;
};

// One request to an upstream and its answer, which may be JSON, an event
// stream or nothing: reads both, at every request, within bounds. Everything it
// tells, it tells on the serial queue; nothing after `on_end`, and nothing at
// all once Cancel was called.
//
// Start and Cancel on the queue. Shared: the HTTP client holds it until the
// end.
class HttpExchange final : public http::ClientObserver,
                           public std::enable_shared_from_this<HttpExchange> {
 public:
  struct Handlers {
    std::function<void(const AnswerHead&)> on_answer;
    std::function<void(std::string message)> on_message;  // of a stream
    std::function<void(ExchangeEnd)> on_end;
  };

  HttpExchange(std::shared_ptr<Environment> environment,
               http::SerialQueue queue, Handlers handlers);

  // `deadline`: of the whole exchange; infinite for what is bounded elsewhere.
  void Start(http::ClientRequest request, absl::Duration deadline);
  void Cancel();
  // Reads on without telling anyone, so that the connection can be used again;
  // cancels if the answer is not complete by then.
  void Linger(absl::Duration at_most);

  void OnHeaders(int status, const http::Headers& headers) override;
  void OnBody(std::string_view bytes) override;
  void OnEnd(absl::Status status) override;

 private:
  enum class Body { kIgnored, kEvents };

  // A JSON answer, which is told whole: what came of it so far.
  struct JsonAnswer {
    AnswerHead head;
    size_t limit = 0;
    std::string body;
  };

  void HandleHead(const AnswerHead& head, Body body);
  void HandleBody(std::string_view bytes);
  void HandleEnd(absl::Status status);
  void GiveUp();  // a limit was passed

  const std::shared_ptr<Environment> environment_;
  const http::SerialQueue queue_;

  // Bytes on their way from the reactor's thread to the queue.
  std::atomic<size_t> waiting_bytes_ = 0;

  // The reactor's thread only.
  bool flooded_ = false;
  std::optional<JsonAnswer> json_;

  // On the queue.
  Handlers handlers_;
  std::shared_ptr<http::ClientCall> call_;
  std::unique_ptr<SseReader> reader_;
  QueueTimer deadline_;
  Body body_ = Body::kIgnored;
  size_t ignored_bytes_ = 0;
  ExchangeEnd end_;
  bool ended_ = false;
};

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_DATAPLANE_UPSTREAM_HTTP_EXCHANGE_H_
