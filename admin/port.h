#ifndef GATEHOUSE_ADMIN_PORT_H_
#define GATEHOUSE_ADMIN_PORT_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "shared/base/clock.h"

namespace gatehouse::admin {

struct Answer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

// One line of text.
Answer Says(int status, std::string_view line);

// The admin port: a few pages by GET over HTTP/1.1, on loopback only, for
// probes, scrapers and people with curl. It has no secret to show and changes
// nothing, so it asks for no token; a `Host` that is not loopback's is refused,
// lest a web page read it.
//
// One thread of its own, one poll loop. Bounds: 32 connections (one more
// ends the oldest), a request's head of 4 KiB, 2 s from accept to the last
// byte, one request a connection, no request bodies. So neither a slow nor a
// greedy peer can keep a probe from its answer for longer than that.
//
// Thread-safe; the destructor ends it. Borrows the clock.
class Port {
 public:
  // Called on the port's thread, one at a time, which serves nothing else
  // meanwhile: quick, and bounded by a deadline of its own if it waits.
  using Page = std::function<Answer()>;

  // `pages` by path, such as `/healthz`. INVALID_ARGUMENT for an address that
  // is not loopback's; FAILED_PRECONDITION if it is taken.
  static absl::StatusOr<std::unique_ptr<Port>> Open(
      std::string_view address, std::map<std::string, Page> pages,
      Clock& clock);
  virtual ~Port() = default;

  // `127.0.0.1:PORT` as it is served.
  virtual const std::string& address() const = 0;
};

}  // namespace gatehouse::admin

#endif  // GATEHOUSE_ADMIN_PORT_H_
