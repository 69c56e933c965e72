#ifndef GATEHOUSE_DATAPLANE_HTTP_CHUNKED_H_
#define GATEHOUSE_DATAPLANE_HTTP_CHUNKED_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gatehouse::http {

// Takes chunked framing off a body, byte by byte, whatever pieces it comes in
// (RFC 9112 §7.1). Strict: lines end with CRLF, a size is 1 to 15 hex digits.
// Chunk extensions and trailers are dropped; each such line is at most 4 KiB,
// all of them in one body at most 16 KiB. Thread-compatible; pure.
class ChunkedReader {
 public:
  enum class State { kMore, kDone, kBroken };

  // Takes what belongs to this body off `bytes` and appends its content to
  // `content`, which the caller bounds and may empty between calls. What is
  // left in `bytes` after kDone follows the body.
  State Feed(std::string_view& bytes, std::string& content);

 private:
  enum class Part { kSize, kData, kDataEnd, kTrailer };

  State EndLine();

  Part part_ = Part::kSize;
  std::string line_;        // of size or trailer, without its CRLF
  uint64_t left_ = 0;       // of the chunk
  size_t extra_bytes_ = 0;  // of extensions and trailers
};

// Appends `content` as one chunk; nothing if it is empty, since that would end
// the body.
void AppendChunk(std::string_view content, std::string& out);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_CHUNKED_H_
