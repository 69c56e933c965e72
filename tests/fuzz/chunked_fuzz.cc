// The de-chunker, fed a body whole and in pieces:
//
//   - the split changes neither the content, nor where the body ends, nor
//     whether it is broken;
//   - a body that is complete reads alike by a naive reading of RFC 9112 §7.1;
//   - what AppendChunk writes, in chunks of any size, is read back.

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "dataplane/http/chunked.h"
#include "tests/fuzz/fuzz_support.h"

namespace gatehouse::http {
namespace {

using fuzz::Require;

struct Body {
  ChunkedReader::State state = ChunkedReader::State::kMore;
  std::string content;
  size_t end = 0;  // once done: how many bytes it had
};

Body ReadAtOnce(std::string_view bytes) {
  Body body;
  ChunkedReader reader;
  std::string_view left = bytes;
  body.state = reader.Feed(left, body.content);
  body.end = bytes.size() - left.size();
  return body;
}

Body ReadInPieces(std::string_view bytes, fuzz::Dice& dice) {
  Body body;
  ChunkedReader reader;
  std::string_view left = bytes;
  while (!left.empty() && body.state == ChunkedReader::State::kMore) {
    const size_t offset = bytes.size() - left.size();
    const std::string piece(fuzz::TakePiece(left, dice));
    std::string_view rest = piece;
    body.state = reader.Feed(rest, body.content);
    Require(body.state != ChunkedReader::State::kMore || rest.empty(),
            "kMore: the piece is used up");
    body.end = offset + piece.size() - rest.size();
  }
  return body;
}

// The line that starts `bytes`, taken off with its CRLF.
std::string_view TakeLine(std::string_view& bytes) {
  const size_t end = bytes.find("\r\n");
  Require(end != std::string_view::npos, "a complete body's lines end");
  const std::string_view line = bytes.substr(0, end);
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    Require((byte >= 0x20 && byte != 0x7F) || byte == '\t',
            "no control byte passes in framing");
  }
  bytes.remove_prefix(end + 2);
  return line;
}

// The content of a body that is complete.
std::string ReadNaively(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
  std::string content;
  while (true) {
    const std::string_view line = TakeLine(bytes);
    const size_t digits =
        std::min(line.find_first_not_of(kDigits), line.size());
    Require(digits >= 1 && digits <= 15, "a size is 1 to 15 hex digits");
    const size_t next = line.find_first_not_of(" \t", digits);
    Require(next == std::string_view::npos || line[next] == ';',
            "behind a size stands an extension or nothing");
    const size_t size =
        std::strtoull(std::string(line.substr(0, digits)).c_str(), nullptr, 16);
    if (size == 0) break;
    Require(size <= bytes.size(), "a complete body has all its chunks");
    content.append(bytes.substr(0, size));
    bytes.remove_prefix(size);
    Require(TakeLine(bytes).empty(), "a chunk ends with CRLF");
  }
  while (!TakeLine(bytes).empty()) {
  }
  Require(bytes.empty(), "the body ends behind its trailers");
  return content;
}

void CheckRoundTrip(std::string_view content, fuzz::Dice& dice) {
  std::string bytes;
  for (std::string_view left = content; !left.empty();) {
    AppendChunk(fuzz::TakePiece(left, dice), bytes);
  }
  bytes.append(kLastChunk);
  const size_t end = bytes.size();
  bytes.append("GET / HTTP/1.1\r\n");
  const Body body = ReadInPieces(bytes, dice);
  Require(body.state == ChunkedReader::State::kDone && body.end == end &&
              body.content == content,
          "what was written is read back");
}

}  // namespace
}  // namespace gatehouse::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gatehouse;  // NOLINT: the function's name is libFuzzer's
  using State = http::ChunkedReader::State;
  const std::string_view input = fuzz::View(data, size);
  fuzz::Dice dice(input);
  const http::Body whole = http::ReadAtOnce(input);
  const http::Body pieces = http::ReadInPieces(input, dice);
  fuzz::Require(whole.state == pieces.state,
                "a split does not change whether a body is complete or broken");
  fuzz::Require(whole.content == pieces.content,
                "a split does not change the content");
  if (whole.state == State::kDone) {
    fuzz::Require(whole.end == pieces.end,
                  "a split does not change where the body ends");
    fuzz::Require(
        whole.content == http::ReadNaively(input.substr(0, whole.end)),
        "the content is what a naive reader reads");
  }
  http::CheckRoundTrip(input, dice);
  return 0;
}
