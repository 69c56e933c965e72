#include "dataplane/http/guard.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dataplane/http/http_text.h"

namespace gatehouse::http {
namespace {

constexpr size_t kMaxMethodBytes = 16;

bool IsMethod(std::string_view text) {
  return !text.empty() && text.size() <= kMaxMethodBytes &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool IsTarget(std::string_view text) {
  return text.starts_with('/') &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c > 0x20 && c < 0x7F && c != '#'; });
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
  if (!IsTarget(target)) return Refusal{400, "malformed target"};
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return Refusal{version.starts_with("HTTP/") ? 505 : 400,
                   "not HTTP/1.1 or 1.0"};
  }
  if (method == "HEAD") return Refusal{405, "HEAD is not served"};
  const size_t question = target.find('?');
  head.method = method;
  head.path = target.substr(0, question);
  if (question != std::string_view::npos) {
    head.query = target.substr(question + 1);
  }
  head.reads_chunks = head.keep_alive = version == "HTTP/1.1";
  return std::nullopt;
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
    if (!EqualsNoCase(*coding, "chunked") || !head.reads_chunks) {
      return Refusal{400, "a transfer coding other than chunked"};
    }
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

std::optional<Refusal> CheckHeaders(const GuardLimits& limits,
                                    RequestHead& head) {
  if (CountHeader(head.headers, "host") != 1) {
    return Refusal{400, "not exactly one Host"};
  }
  if (const auto refusal = ChooseFraming(limits, head)) return refusal;
  for (const auto& [name, value] : head.headers) {
    if (EqualsNoCase(name, "connection") && ListHasToken(value, "close")) {
      head.keep_alive = false;
    }
    if (EqualsNoCase(name, "expect")) {
      if (!EqualsNoCase(value, "100-continue")) {
        return Refusal{417, "an expectation other than 100-continue"};
      }
      head.expects_continue = true;
    }
  }
  return std::nullopt;
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
  std::optional<Headers> headers = ParseHeaderLines(lines);
  if (!headers) return Refusal{400, "malformed header line"};
  head.headers = *std::move(headers);
  if (const auto refusal = CheckHeaders(limits, head)) return *refusal;
  return head;
}

}  // namespace gatehouse::http
