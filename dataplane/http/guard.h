#ifndef GATEHOUSE_DATAPLANE_HTTP_GUARD_H_
#define GATEHOUSE_DATAPLANE_HTTP_GUARD_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "dataplane/http/server.h"

// The guard in front of httplib's parser, which is lenient where leniency is an
// attack. Pure functions over bytes.
//
// Checked in this version: sizes and counts, the form of the request line and
// of header lines, one Host, and that there is exactly one way to read where
// the body ends. Refusals of what a gateway has no use for (Range, request
// Content-Encoding and the like) belong in CheckHeaders too.
namespace gatehouse::http {

struct GuardLimits {
  size_t max_header_bytes = 32 << 10;
  int max_header_lines = 100;
  size_t max_path_bytes = 1024;  // of the whole target, query included
  size_t max_body_bytes = 4 << 20;
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

// `head` is the block with its empty line, as FindHeadEnd delimits it.
std::variant<RequestHead, Refusal> GuardHead(std::string_view head,
                                             const GuardLimits& limits);

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_GUARD_H_
