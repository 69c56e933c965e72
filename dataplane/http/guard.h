#ifndef GATEHOUSE_DATAPLANE_HTTP_GUARD_H_
#define GATEHOUSE_DATAPLANE_HTTP_GUARD_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "dataplane/http/server.h"

// The guard in front of httplib's parser, which is lenient where leniency is an
// attack. Pure functions over bytes.
//
// Checked: sizes and counts, the form of the request line and of header lines,
// the methods served, one Host, that there is exactly one way to read where
// the body ends, and that nothing is asked for that a gateway has no use for.
// docs/bad_input.md lists every case with its answer:
//
//   400  not one unambiguous HTTP/1.1 message, or a body with GET, DELETE or
//        OPTIONS
//   405  a method other than those served
//   413  body, 414 target, 431 header block or line: over its limit
//   415  a Content-Encoding: it names an encoding of the body, and none is
//        undone here (a small body could become a huge one)
//   416  a Range: well formed, but no answer here has ranges; clients know to
//        ask again without it
//   417  an expectation other than 100-continue
//   501  a transfer coding beside chunked
//   505  another version of HTTP
namespace gatehouse::http {

struct GuardLimits {
  size_t max_header_bytes = 32 << 10;
  int max_header_lines = 100;
  size_t max_path_bytes = 1024;  // of the whole target, query included
  size_t max_body_bytes = 4 << 20;
  size_t max_line_bytes = 8000;  // httplib's parser takes no longer ones
};

enum class BodyFraming { kNone, kLength, kChunked };

// A request's header block that passed. Values are raw, outer space trimmed.
struct RequestHead {
  std::string method;
  std::string path;
  std::string query;
  Headers headers;
  BodyFraming framing = BodyFraming::kNone;
  uint64_t content_length = 0;
  bool expects_continue = false;
  bool keep_alive = true;    // unless the peer said close, or speaks 1.0
  bool reads_chunks = true;  // false for HTTP/1.0
};

// Answered with this status, and then the connection is closed.
struct Refusal {
  int status = 400;
  std::string_view why;  // a literal, for logs; never sent
};

// The methods of the front, as an Allow header names them.
inline constexpr std::string_view kServedMethods = "GET, POST, DELETE, OPTIONS";

// What the answer with that status has besides, or nothing.
Headers RefusalHeaders(int status);

// Whether the header block that starts so can still become one that passes, so
// that whoever speaks another protocol, or ends lines with LF alone, is told at
// once instead of at the deadline. Looks at the bytes since `from`; `head` does
// not go past the block's end.
std::optional<Refusal> GuardPartialHead(std::string_view head, size_t from,
                                        const GuardLimits& limits);

// `head` is the block with its empty line, as FindHeadEnd delimits it.
std::variant<RequestHead, Refusal> GuardHead(std::string_view head,
                                             const GuardLimits& limits);

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_GUARD_H_
