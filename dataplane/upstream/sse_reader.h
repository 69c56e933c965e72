#ifndef GATEHOUSE_DATAPLANE_UPSTREAM_SSE_READER_H_
#define GATEHOUSE_DATAPLANE_UPSTREAM_SSE_READER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace gatehouse::upstream {

// Splits a text/event-stream into events as PROTOCOL §2.6 says: CR, LF and CRLF
// end lines, also split over calls; a leading byte-order mark is skipped;
// comments are ignored; `data` lines are joined by LF; an event whose data is
// empty, such as the priming event, is not dispatched (its `id` and `retry`
// still count); what is unfinished at the end is dropped, its `id` too, so that
// a resumption asks for that event again. Thread-compatible; pure.
class SseReader {
 public:
  struct Event {
    std::string type;  // empty: message
    std::string data;
  };
  using OnEvent = std::function<void(Event)>;

  SseReader(size_t max_event_bytes, OnEvent on_event);

  // RESOURCE_EXHAUSTED if an event passes the limit; the stream is then lost.
  absl::Status Feed(std::string_view bytes);

  const std::string& last_event_id() const { return last_event_id_; }
  std::optional<int64_t> retry_ms() const { return retry_ms_; }

 private:
  void EndLine();
  void Dispatch();

  const size_t max_event_bytes_;
  const OnEvent on_event_;
  std::string line_;
  std::string data_;
  std::string type_;
  std::string pending_id_;  // becomes the last one at the blank line
  std::string last_event_id_;
  std::optional<int64_t> retry_ms_;
  bool has_data_ = false;
  bool after_cr_ = false;
  bool at_start_ = true;
};

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_DATAPLANE_UPSTREAM_SSE_READER_H_
