#ifndef GATEHOUSE_TESTS_BENCH_HTTP_READER_H_
#define GATEHOUSE_TESTS_BENCH_HTTP_READER_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace gatehouse::bench {

// Reads HTTP/1.1 messages, requests or responses, one after another off one
// connection: bodies by Content-Length or chunked, none without either. Made
// to cost little, for the peers of a measurement: it trusts their grammar, but
// not their sizes.
//
// Thread-compatible. Views stay valid until the next Space() or Drop().
class HttpReader {
 public:
  static constexpr size_t kMaxHeadBytes = 64 << 10;
  static constexpr size_t kMaxBodyBytes = 32 << 20;

  enum class State {
    kMore,    // the message in front is not complete yet
    kDone,    // it is; Drop() makes way for the next one
    kBroken,  // no HTTP, or larger than the bounds above
  };

  // Where the next bytes from the socket go, at least `least` of them; then
  // Filled() says how many came.
  char* Space(size_t least);
  size_t space() const { return buffer_.size() - end_; }
  void Filled(size_t bytes) { end_ += bytes; }
  // Bytes that are held, of messages not dropped yet.
  size_t held() const { return end_ - begin_; }

  // Reads on as far as the bytes go.
  State Read();

  // Of the message in front, once its head is complete.
  bool has_head() const { return head_size_ > 0; }
  std::string_view first_line() const;
  // The status of a response; 0 if the first line has none.
  int status() const;
  // Empty if there is no such header. `name` in any case.
  std::string_view Header(std::string_view name) const;
  // What has come of the body so far.
  std::string_view body() const;

  // Forgets the message in front, which is done.
  void Drop();

 private:
  enum class Framing { kNone, kLength, kChunked };
  std::string_view head() const;
  bool ReadHead();
  State ReadChunks();

  std::string buffer_;
  size_t begin_ = 0;  // of the message in front
  size_t end_ = 0;    // of what was read
  size_t head_size_ = 0;
  Framing framing_ = Framing::kNone;
  size_t length_ = 0;      // of a body by Content-Length
  std::string dechunked_;  // of a chunked one
  size_t chunk_at_ = 0;    // where the next chunk's size line starts
};

}  // namespace gatehouse::bench

#endif  // GATEHOUSE_TESTS_BENCH_HTTP_READER_H_
