#ifndef GATEHOUSE_TOOLS_DEMO_HTTP_READER_H_
#define GATEHOUSE_TOOLS_DEMO_HTTP_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "tools/demo/event_stream.h"

namespace gatehouse::demo {

struct HttpHead {
  std::string start_line;
  std::vector<std::pair<std::string, std::string>> headers;  // names lowered

  // The first header of that (lower-case) name.
  std::optional<std::string> Header(std::string_view name) const;
  // Of a response; 0 if its start line has none.
  int Status() const;
};

// Told what an HttpReader found, in order, while it is fed.
class HttpObserver {
 public:
  virtual ~HttpObserver() = default;
  virtual void OnHead(const HttpHead& head) = 0;
  // A whole body, or the data of one event of an event stream. Never empty.
  virtual void OnMessage(std::string_view text) = 0;
  // The request or response is over; another may follow.
  virtual void OnEnd() = 0;
};

// Reads one direction of an HTTP/1.1 connection from its bytes as they pass by:
// bodies by Content-Length, chunked, or until the connection closes. It judges
// nothing; what it cannot follow is an error, after which it must not be fed.
//
// Thread-compatible. The observer is borrowed and outlives it. Bounds: 64 KiB
// of head, 16 MiB of body or event.
class HttpReader {
 public:
  enum class Side { kRequests, kResponses };
  HttpReader(Side side, HttpObserver* observer)
      : side_(side), observer_(observer) {}

  absl::Status Feed(std::string_view bytes);
  // The sender closed: ends a body that lasts until then.
  void Close();

 private:
  enum class Phase {
    kHead,
    kFixed,
    kChunkSize,
    kChunk,
    kChunkEnd,
    kTrailer,
    kUntilClose
  };

  absl::Status Step(bool* progress);
  absl::Status ReadHead(bool* progress);
  absl::Status ReadChunkSize(bool* progress);
  absl::Status ReadTrailer(bool* progress);
  absl::Status ReadBody(bool* progress);
  absl::Status StartBody();
  absl::Status TakeBody(std::string_view bytes);
  void EndBody();
  // Cuts the next line off the buffer; false if it is not whole yet.
  bool TakeLine(std::string* line);

  const Side side_;
  HttpObserver* const observer_;
  Phase phase_ = Phase::kHead;
  std::string buffer_;
  HttpHead head_;
  uint64_t left_ = 0;  // bytes of the body or chunk still to come
  bool is_events_ = false;
  std::string body_;
  EventStream events_;
};

}  // namespace gatehouse::demo

#endif  // GATEHOUSE_TOOLS_DEMO_HTTP_READER_H_
