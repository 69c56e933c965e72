// The guard and the assembler, fed what a client sends, whole and in pieces:
//
//   - how the bytes are split changes neither which requests are seen, nor
//     where each ends, nor whether the rest is refused;
//   - of a request that passes, all that FEASIBILITY's probes of the parser are
//     about is so by a second, naive reading of its bytes: one way to tell
//     where the body ends above all.

#include <string>
#include <string_view>
#include <vector>

#include "dataplane/http/guard.h"
#include "dataplane/http/request_assembler.h"
#include "tests/fuzz/fuzz_support.h"

namespace gatehouse::http {
namespace {

using fuzz::Require;

// Small, so that an input of a few hundred bytes reaches them.
constexpr GuardLimits kLimits = {.max_header_bytes = 1024,
                                 .max_header_lines = 12,
                                 .max_path_bytes = 64,
                                 .max_body_bytes = 128,
                                 .max_line_bytes = 256};

struct Seen {
  std::vector<RequestAssembler::Whole> requests;
  std::vector<size_t> ends;  // the offset behind each
  bool refused = false;
};

// Feeds one piece that starts at `offset`. False once it is refused.
bool Feed(RequestAssembler& assembler, std::string_view piece, size_t offset,
          Seen& seen) {
  std::string_view left = piece;
  while (true) {
    switch (assembler.Next(left)) {
      case RequestAssembler::Step::kMore:
        Require(left.empty(), "kMore: the piece is used up");
        return true;
      case RequestAssembler::Step::kContinue:
        break;
      case RequestAssembler::Step::kWhole:
        seen.requests.push_back(assembler.Take());
        seen.ends.push_back(offset + piece.size() - left.size());
        Require(!assembler.begun(), "a request that was taken has not begun");
        break;
      case RequestAssembler::Step::kRefused:
        Require(assembler.refusal().status >= 400 &&
                    !assembler.refusal().why.empty(),
                "a refusal has a status and a reason");
        seen.refused = true;
        return false;
    }
  }
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string_view Trim(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

struct Line {
  std::string name;  // small letters
  std::string_view value;
};

// The lines after the first, each of which must be a header.
std::vector<Line> HeaderLines(std::string_view head) {
  std::vector<Line> lines;
  head.remove_prefix(head.find("\r\n") + 2);
  while (head != "\r\n") {
    const size_t end = head.find("\r\n");
    Require(end != std::string_view::npos, "header lines end with CRLF");
    const std::string_view line = head.substr(0, end);
    Require(!line.starts_with(' ') && !line.starts_with('\t'),
            "no folded line passes");
    const size_t colon = line.find(':');
    Require(colon != std::string_view::npos && colon > 0,
            "a header line has a name");
    Require(line[colon - 1] != ' ' && line[colon - 1] != '\t',
            "no space before the colon passes");
    lines.push_back(
        {Lower(line.substr(0, colon)), Trim(line.substr(colon + 1))});
    head.remove_prefix(end + 2);
  }
  return lines;
}

void CheckBytes(std::string_view head) {
  Require(head.size() <= kLimits.max_header_bytes, "the header block's limit");
  Require(head.find("\r\n\r\n") == head.size() - 4,
          "the header block ends at its first empty line");
  for (size_t i = 0; i < head.size(); ++i) {
    const auto byte = static_cast<unsigned char>(head[i]);
    if (byte == '\n') {
      Require(i > 0 && head[i - 1] == '\r', "no bare LF passes");
    } else if (byte == '\r') {
      Require(head[i + 1] == '\n', "no bare CR passes");
    } else {
      Require((byte >= 0x20 || byte == '\t') && byte != 0x7F,
              "no control byte passes");
    }
  }
}

void CheckFraming(const RequestAssembler::Whole& request,
                  const std::vector<Line>& lines) {
  int hosts = 0;
  int framings = 0;
  bool chunked = false;
  std::string_view length;
  for (const Line& line : lines) {
    hosts += line.name == "host";
    if (line.name == "content-length") {
      ++framings;
      length = line.value;
    }
    if (line.name == "transfer-encoding") {
      ++framings;
      chunked = true;
      Require(Lower(line.value) == "chunked", "only plain `chunked` passes");
    }
    Require(line.name != "range", "no Range passes");
    Require(line.name != "content-encoding", "no Content-Encoding passes");
  }
  Require(hosts == 1, "exactly one Host");
  Require(framings <= 1, "one way at most to tell where the body ends");
  if (chunked) return;
  if (length.empty()) {
    Require(framings == 0 && request.body.empty(), "no length, no body");
    return;
  }
  size_t bytes = 0;
  for (const char c : length) {
    Require(c >= '0' && c <= '9', "Content-Length is digits only");
    bytes = bytes * 10 + static_cast<size_t>(c - '0');
  }
  Require(request.body.size() == bytes, "the body is as long as it says");
}

void Check(const RequestAssembler::Whole& request) {
  CheckBytes(request.head_bytes);
  const std::vector<Line> lines = HeaderLines(request.head_bytes);
  Require(lines.size() <= static_cast<size_t>(kLimits.max_header_lines),
          "the limit of header lines");
  Require(lines.size() == request.head.headers.size(),
          "each line is one header");
  for (size_t i = 0; i < lines.size(); ++i) {
    Require(Lower(request.head.headers[i].first) == lines[i].name &&
                request.head.headers[i].second == lines[i].value,
            "names and values are the bytes that came");
  }
  CheckFraming(request, lines);
  Require(request.head.path.starts_with('/'), "the path starts with a slash");
  Require(request.head.path.size() + request.head.query.size() <=
              kLimits.max_path_bytes,
          "the target's limit");
  Require(request.body.size() <= kLimits.max_body_bytes, "the body's limit");
}

void CheckAlike(const Seen& whole, const Seen& pieces) {
  Require(whole.refused == pieces.refused,
          "a split does not change what is refused");
  Require(whole.ends == pieces.ends,
          "a split does not change where requests end");
  for (size_t i = 0; i < whole.requests.size(); ++i) {
    const RequestAssembler::Whole& a = whole.requests[i];
    const RequestAssembler::Whole& b = pieces.requests[i];
    Require(a.head_bytes == b.head_bytes && a.body == b.body &&
                a.head.headers == b.head.headers,
            "a split does not change a request");
  }
}

}  // namespace
}  // namespace gatehouse::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gatehouse;  // NOLINT: the function's name is libFuzzer's
  const std::string_view input = fuzz::View(data, size);
  http::Seen whole;
  http::RequestAssembler at_once(http::kLimits);
  http::Feed(at_once, input, 0, whole);

  http::Seen pieces;
  http::RequestAssembler split(http::kLimits);
  fuzz::Dice dice(input);
  std::string_view left = input;
  bool goes_on = true;
  while (goes_on && !left.empty()) {
    const size_t offset = size - left.size();
    // A copy of its own, so that reading past a piece's end is found.
    const std::string piece(fuzz::TakePiece(left, dice));
    goes_on = http::Feed(split, piece, offset, pieces);
  }
  http::CheckAlike(whole, pieces);
  for (const auto& request : whole.requests) http::Check(request);
  return 0;
}
