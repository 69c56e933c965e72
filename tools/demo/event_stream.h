#ifndef GATEHOUSE_TOOLS_DEMO_EVENT_STREAM_H_
#define GATEHOUSE_TOOLS_DEMO_EVENT_STREAM_H_

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace gatehouse::demo {

// Reads `text/event-stream` from its bytes as they come: CR, LF and CRLF end a
// line, comments are skipped, several `data` lines are joined by LF, an event
// without data is not dispatched. Thread-compatible.
class EventStream {
 public:
  // RESOURCE_EXHAUSTED if an event holds more than 16 MiB.
  absl::Status Feed(std::string_view bytes);
  // Moves the data of the next whole event to `data`; false if there is none.
  bool Next(std::string* data);

 private:
  void EndLine();

  std::string line_;
  std::string data_;
  bool has_data_ = false;
  bool after_cr_ = false;  // a LF that follows belongs to the CR
  std::deque<std::string> events_;
};

}  // namespace gatehouse::demo

#endif  // GATEHOUSE_TOOLS_DEMO_EVENT_STREAM_H_
