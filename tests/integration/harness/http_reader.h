#ifndef GATEHOUSE_TESTS_INTEGRATION_HARNESS_HTTP_READER_H_
#define GATEHOUSE_TESTS_INTEGRATION_HARNESS_HTTP_READER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gatehouse::testing {

// The first line and headers of an HTTP/1.1 message. Header names are lower
// case; a repeated header keeps the last value.
struct HttpHead {
  std::string first_line;
  std::map<std::string, std::string> headers;

  // Of a response; 0 if the line has none.
  int Status() const;
  // Of a request.
  std::string Method() const;
  std::string Target() const;
  // The header's value, or empty.
  std::string Header(const std::string& lower_case_name) const;
};

// Reads HTTP/1.1 messages, one after another, as bytes come in: bodies by
// Content-Length, chunked, or (responses only) until the connection ends.
// Thread-compatible. Not strict: it is the tests' peer, not a guard.
class HttpReader {
 public:
  enum class Side { kRequests, kResponses };
  struct Events {
    std::function<void(const HttpHead&)> on_head;
    std::function<void(std::string_view)> on_body;
    std::function<void()> on_end;
  };

  HttpReader(Side side, Events events)
      : side_(side), events_(std::move(events)) {}

  void Feed(std::string_view data);
  // The connection ended; ends a body that lasts until then.
  void FeedEnd();

 private:
  enum class State { kHead, kLength, kChunkSize, kChunk, kChunkEnd, kUntilEnd };
  bool Step();
  bool StepHead();
  bool StepLine(std::string* line);
  void EndMessage();

  const Side side_;
  const Events events_;
  State state_ = State::kHead;
  std::string buffer_;
  uint64_t left_ = 0;  // bytes of the body or chunk
};

// One event of a text/event-stream.
struct SseEvent {
  std::string id;
  std::string event;
  std::string data;
};

// Reads text/event-stream as the WHATWG text says; comments are counted.
// Thread-compatible.
class SseReader {
 public:
  explicit SseReader(std::function<void(const SseEvent&)> on_event)
      : on_event_(std::move(on_event)) {}
  void Feed(std::string_view data);
  int comments() const { return comments_; }

 private:
  void Line(std::string_view line);

  const std::function<void(const SseEvent&)> on_event_;
  std::string partial_;
  SseEvent current_;
  bool has_data_ = false;
  int comments_ = 0;
};

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_HARNESS_HTTP_READER_H_
