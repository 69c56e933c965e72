#ifndef GATEHOUSE_DATAPLANE_HTTP_RESPONSE_READER_H_
#define GATEHOUSE_DATAPLANE_HTTP_RESPONSE_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dataplane/http/chunked.h"
#include "dataplane/http/server.h"

namespace gatehouse::http {

// Reads one HTTP/1.x answer out of whatever pieces it arrives in: status line
// and headers (at most 64 KiB), then a body by Content-Length, by chunks, or up
// to the close. Interim answers (1xx) are skipped, at most 8 of them.
//
// Strict, for a gateway that guesses can be told two things at once: two
// lengths, a length beside chunks, another transfer coding, malformed lines or
// 101 make the answer broken. Thread-compatible; pure.
class ResponseReader {
 public:
  enum class Step {
    kMore,    // `bytes` is used up
    kHead,    // status() and headers() are there, once
    kBody,    // body() is the next piece, until the next call
    kDone,    // complete; what is left in `bytes` does not belong to it
    kBroken,  // no HTTP, or over a limit
  };

  // `to_head`: the request was a HEAD, so no body follows.
  explicit ResponseReader(bool to_head = false) : to_head_(to_head) {}

  // Call until it gives kMore, kDone or kBroken.
  Step Next(std::string_view& bytes);
  // The peer closed: kDone if that is how this body ends, else kBroken.
  Step AtClose() const;

  int status() const { return status_; }
  const Headers& headers() const { return headers_; }
  std::string_view body() const { return body_; }
  // True if any byte was read.
  bool started() const { return started_; }
  // After kDone: the connection may carry another request.
  bool keep_alive() const { return keep_alive_; }

 private:
  enum class Part { kHead, kLength, kChunked, kToClose, kDone };

  Step ReadHead(std::string_view& bytes);
  bool ParseHead(std::string_view head);
  bool ChooseFraming();
  Step ReadLength(std::string_view& bytes);
  Step ReadChunked(std::string_view& bytes);

  const bool to_head_;
  Part part_ = Part::kHead;
  bool started_ = false;
  bool keep_alive_ = false;
  int status_ = 0;
  int interim_ = 0;
  uint64_t left_ = 0;
  bool chunks_done_ = false;
  std::string head_;
  Headers headers_;
  ChunkedReader chunked_;
  std::string content_;
  std::string_view body_;
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_RESPONSE_READER_H_
