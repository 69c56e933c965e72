#include "dataplane/http/sse_writer.h"

#include "dataplane/http/line_ends.h"

namespace gatehouse::http {

std::string SseEvent(std::string_view message) {
  // The default type, named for readers that look for it.
  std::string event = "event: message\n";
  event.reserve(message.size() + 32);
  LineEnds ends(message);
  size_t line = 0;
  while (true) {
    const size_t end = ends.Next(line);
    event.append("data: ")
        .append(message.substr(line, end - line))
        .append("\n");
    if (end == message.size()) break;
    line = end + (message.substr(end, 2) == "\r\n" ? 2 : 1);
  }
  event.push_back('\n');
  return event;
}

}  // namespace gatehouse::http
