#include "dataplane/http/guard.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dataplane/http/http_text.h"

namespace gatehouse::http {
namespace {

constexpr size_t kMaxMethodBytes = 16;
constexpr size_t kMaxVersionBytes = 16;

bool IsMethod(std::string_view text) {
  return !text.empty() && text.size() <= kMaxMethodBytes &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool IsServed(std::string_view method) {
  return method == "POST" || method == "GET" || method == "DELETE" ||
         method == "OPTIONS";
}

// The origin form only. The absolute form would name the host a second time,
// and no gateway of ours stands behind a client that takes it for a proxy.
bool IsTarget(std::string_view text) {
  return text.starts_with('/') &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c > 0x20 && c < 0x7F && c != '#'; });
}

// A name or an address, with or without a port: what a client may mean by
// Host. Whether it means us is not asked here.
bool IsHost(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') ||
           std::string_view("-._:[]").find(c) != std::string_view::npos;
  });
}

// `POST /mcp/desk HTTP/1.1`
std::optional<Refusal> ReadRequestLine(std::string_view line,
                                       const GuardLimits& limits,
                                       RequestHead& head) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return Refusal{400, "malformed request line"};
  }
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!IsMethod(method)) return Refusal{400, "malformed method"};
  if (target.size() > limits.max_path_bytes) {
    return Refusal{414, "target over the limit"};
  }
  // Before the method: the preface of HTTP/2 has one of its own.
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return Refusal{version.starts_with("HTTP/") ? 505 : 400,
                   "not HTTP/1.1 or 1.0"};
  }
  if (!IsServed(method)) return Refusal{405, "a method that is not served"};
  if (!IsTarget(target)) return Refusal{400, "malformed target"};
  const size_t question = target.find('?');
  head.method = method;
  head.path = target.substr(0, question);
  if (question != std::string_view::npos) {
    head.query = target.substr(question + 1);
  }
  head.reads_chunks = head.keep_alive = version == "HTTP/1.1";
  return std::nullopt;
}

size_t LongestLine(std::string_view lines) {
  size_t longest = 0;
  while (!lines.empty()) {
    const size_t size = std::min(lines.find('\n'), lines.size() - 1) + 1;
    longest = std::max(longest, size);
    lines.remove_prefix(size);
  }
  return longest;
}

// Of a Transfer-Encoding that is not just `chunked`: 501 if the body's end is
// known and only its coding is not (RFC 9112 §6.1 SHOULD), else 400.
Refusal RefuseCoding(std::string_view codings) {
  const size_t comma = codings.rfind(',');
  const bool last_is_chunked =
      comma != std::string_view::npos &&
      EqualsNoCase(TrimSpace(codings.substr(comma + 1)), "chunked");
  if (last_is_chunked && !ListHasToken(codings.substr(0, comma), "chunked")) {
    return {501, "a transfer coding beside chunked"};
  }
  return {400, "a transfer coding that does not end in one chunked"};
}

std::optional<Refusal> ChooseFraming(const GuardLimits& limits,
                                     RequestHead& head) {
  const int lengths = CountHeader(head.headers, "content-length");
  const int codings = CountHeader(head.headers, "transfer-encoding");
  if (lengths + codings == 0) return std::nullopt;
  if (lengths > 0 && codings > 0) {
    return Refusal{400, "both Content-Length and Transfer-Encoding"};
  }
  if (lengths + codings > 1) return Refusal{400, "repeated body framing"};
  if (codings == 1) {
    const auto coding = FindHeader(head.headers, "transfer-encoding");
    if (!head.reads_chunks) {
      return Refusal{400, "a transfer coding in HTTP/1.0"};
    }
    if (!EqualsNoCase(*coding, "chunked")) return RefuseCoding(*coding);
    head.framing = BodyFraming::kChunked;
    return std::nullopt;
  }
  const auto length = ParseDecimal(*FindHeader(head.headers, "content-length"));
  if (!length) return Refusal{400, "Content-Length is not a number"};
  if (*length > limits.max_body_bytes) {
    return Refusal{413, "body over the limit"};
  }
  head.content_length = *length;
  if (*length > 0) head.framing = BodyFraming::kLength;
  return std::nullopt;
}

std::optional<Refusal> CheckExpectations(RequestHead& head) {
  for (const auto& [name, value] : head.headers) {
    if (EqualsNoCase(name, "connection") && ListHasToken(value, "close")) {
      head.keep_alive = false;
    }
    if (EqualsNoCase(name, "expect")) {
      if (!EqualsNoCase(value, "100-continue")) {
        return Refusal{417, "an expectation other than 100-continue"};
      }
      // RFC 9110 §10.1.1: a peer of HTTP/1.0 knows no interim answers.
      head.expects_continue = head.reads_chunks;
    }
  }
  return std::nullopt;
}

std::optional<Refusal> CheckHeaders(const GuardLimits& limits,
                                    RequestHead& head) {
  if (CountHeader(head.headers, "host") != 1) {
    return Refusal{400, "not exactly one Host"};
  }
  if (!IsHost(*FindHeader(head.headers, "host"))) {
    return Refusal{400, "malformed Host"};
  }
  if (const auto refusal = ChooseFraming(limits, head)) return refusal;
  // A body there has no meaning, and has carried many a smuggled request.
  if (head.method != "POST" && head.framing != BodyFraming::kNone) {
    return Refusal{400, "a body with a method that has none"};
  }
  if (CountHeader(head.headers, "range") > 0) {
    return Refusal{416, "a range of an answer that has none"};
  }
  if (CountHeader(head.headers, "content-encoding") > 0) {
    return Refusal{415, "an encoded body"};
  }
  return CheckExpectations(head);
}

}  // namespace

std::variant<RequestHead, Refusal> GuardHead(std::string_view head_bytes,
                                             const GuardLimits& limits) {
  if (head_bytes.size() > limits.max_header_bytes) {
    return Refusal{431, "header block over the limit"};
  }
  const size_t line_end = head_bytes.find("\r\n");
  if (line_end == std::string_view::npos) {
    return Refusal{400, "no line end"};
  }
  RequestHead head;
  if (const auto refusal =
          ReadRequestLine(head_bytes.substr(0, line_end), limits, head)) {
    return *refusal;
  }
  const std::string_view lines = head_bytes.substr(line_end + 2);
  // One LF a line, and one for the empty line.
  const auto count = std::count(lines.begin(), lines.end(), '\n') - 1;
  if (count > limits.max_header_lines) {
    return Refusal{431, "too many header lines"};
  }
  if (LongestLine(lines) > limits.max_line_bytes) {
    return Refusal{431, "header line over the limit"};
  }
  std::optional<Headers> headers = ParseHeaderLines(lines);
  if (!headers) return Refusal{400, "malformed header line"};
  head.headers = *std::move(headers);
  if (const auto refusal = CheckHeaders(limits, head)) return *refusal;
  return head;
}

std::optional<Refusal> GuardPartialHead(std::string_view head, size_t from,
                                        const GuardLimits& limits) {
  if (head.empty()) return std::nullopt;
  if (head.front() < 'A' || head.front() > 'Z') {
    return Refusal{400, "no request line"};
  }
  for (size_t i = from; i < head.size(); ++i) {
    const auto byte = static_cast<unsigned char>(head[i]);
    const bool after_cr = i > 0 && head[i - 1] == '\r';
    if (after_cr != (byte == '\n')) {
      return Refusal{400, "a line end that is not CRLF"};
    }
    if ((byte < 0x20 && byte != '\t' && byte != '\r' && byte != '\n') ||
        byte == 0x7F) {
      return Refusal{400, "a control byte"};
    }
  }
  const size_t longest =
      kMaxMethodBytes + limits.max_path_bytes + kMaxVersionBytes;
  if (head.size() > longest && head.find('\r') > longest) {
    return Refusal{414, "request line over the limit"};
  }
  return std::nullopt;
}

Headers RefusalHeaders(int status) {
  switch (status) {
    case 405:
      return {{"Allow", std::string(kServedMethods)}};
    case 415:
      return {{"Accept-Encoding", "identity"}};  // RFC 9110 §12.5.3
    case 503:
      return {{"Retry-After", "1"}};
    default:
      return {};
  }
}

}  // namespace gatehouse::http
