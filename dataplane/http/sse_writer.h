#ifndef GATEHOUSE_DATAPLANE_HTTP_SSE_WRITER_H_
#define GATEHOUSE_DATAPLANE_HTTP_SSE_WRITER_H_

#include <string>
#include <string_view>

namespace gatehouse::http {

// One event of a text/event-stream that carries `message`, a JSON text that is
// not empty. All of it goes into `data`: whatever an upstream wrote, it names
// no event type, no id and no retry, and ends no event. A CR, LF or CRLF in it,
// which in JSON can only be white space, starts a new data line, and reaches
// the reader as LF. Pure.
std::string SseEvent(std::string_view message);

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_SSE_WRITER_H_
