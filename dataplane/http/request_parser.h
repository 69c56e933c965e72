#ifndef GATEHOUSE_DATAPLANE_HTTP_REQUEST_PARSER_H_
#define GATEHOUSE_DATAPLANE_HTTP_REQUEST_PARSER_H_

#include <functional>
#include <memory>
#include <string_view>

namespace gatehouse::http {

// cpp-httplib's server, reduced to what a guarded request needs of it: its
// parser and its call of a handler, over bytes in memory. It has no socket, no
// thread and no route (its routes are recursive regular expressions), and what
// it writes is dropped, since the answer goes through the Exchange.
//
// Thread-safe: httplib's parsing state lives in the call.
class RequestParser {
 public:
  RequestParser();
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  // Calls `on_request` on this thread, once, if httplib accepts the header
  // block. False if it does not, or if an exception came out of it.
  bool Parse(std::string_view head_bytes,
             const std::function<void()>& on_request);

 private:
  class HttplibServer;
  const std::unique_ptr<HttplibServer> server_;
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_REQUEST_PARSER_H_
