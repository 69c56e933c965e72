#ifndef GATEHOUSE_ADMIN_REQUEST_HEAD_H_
#define GATEHOUSE_ADMIN_REQUEST_HEAD_H_

#include <optional>
#include <string>
#include <string_view>

namespace gatehouse::admin {

// What the admin port reads of a request.
struct RequestHead {
  std::string method;
  std::string path;  // without the query
  std::string host;  // empty: there was none
};

// Reads a head that ends in an empty line: nullopt if it is no HTTP/1.x
// request with one `Host` at most. Pure.
std::optional<RequestHead> ParseHead(std::string_view head);

}  // namespace gatehouse::admin

#endif  // GATEHOUSE_ADMIN_REQUEST_HEAD_H_
