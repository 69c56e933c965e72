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
// a resumption asks for that event again. Data is copied once, by the piece, so
// a large line costs what its bytes cost. Comments count like other lines.
// Thread-compatible; pure.
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
  // Of the line that is being read.
  enum class Field { kName, kData, kEvent, kId, kRetry, kIgnored };

  void SkipByteOrderMark(std::string_view& bytes);
  // A piece of a line, without its end.
  void TakePart(std::string_view part);
  // The name is complete: what is the value of?
  void BeginValue();
  void EndLine();
  void Dispatch();

  const size_t max_event_bytes_;
  const OnEvent on_event_;

  // Of the line. The value of `data` goes straight to data_, that of the other
  // fields to value_, and that of comments and unknown fields nowhere.
  Field field_ = Field::kName;
  std::string name_;  // no more of it than any field's name is long
  std::string value_;
  bool before_space_ = false;  // one space before the value is not of it
  size_t line_bytes_ = 0;

  // Of the event.
  std::string data_;
  std::string type_;
  std::string pending_id_;  // becomes the last one at the blank line
  bool has_data_ = false;
  size_t event_bytes_ = 0;  // of its lines before this one

  // Of the stream.
  std::string last_event_id_;
  std::optional<int64_t> retry_ms_;
  bool after_cr_ = false;
  bool at_start_ = true;
  size_t mark_bytes_ = 0;  // of a byte-order mark, read so far
};

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_DATAPLANE_UPSTREAM_SSE_READER_H_
