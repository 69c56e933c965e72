#ifndef GATEHOUSE_DATAPLANE_UPSTREAM_LINE_BUFFER_H_
#define GATEHOUSE_DATAPLANE_UPSTREAM_LINE_BUFFER_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace gatehouse::upstream {

// Splits bytes into lines that end with LF; a CR before it is taken off. Holds
// at most `max_line_bytes` of an unfinished line. Thread-compatible; pure.
class LineBuffer {
 public:
  explicit LineBuffer(size_t max_line_bytes)
      : max_line_bytes_(max_line_bytes) {}

  // False if a line is longer than the limit; the stream is then lost.
  template <typename OnLine>
  bool Feed(std::string_view bytes, const OnLine& on_line) {
    while (!bytes.empty()) {
      const size_t end = std::min(bytes.find('\n'), bytes.size());
      if (line_.size() + end > max_line_bytes_) return false;
      if (end == bytes.size()) {
        line_.append(bytes);
        return true;
      }
      Emit(bytes.substr(0, end), on_line);
      bytes.remove_prefix(end + 1);
    }
    return true;
  }

  // As Feed, but what is over the limit is cut off each line.
  template <typename OnLine>
  void FeedCut(std::string_view bytes, const OnLine& on_line) {
    while (!bytes.empty()) {
      const size_t end = std::min(bytes.find('\n'), bytes.size());
      const std::string_view part =
          bytes.substr(0, std::min(end, max_line_bytes_ - line_.size()));
      if (end == bytes.size()) {
        line_.append(part);
        return;
      }
      Emit(part, on_line);
      bytes.remove_prefix(end + 1);
    }
  }

  // The unfinished line, if there is one, as a line.
  template <typename OnLine>
  void FlushCut(const OnLine& on_line) {
    if (!line_.empty()) Emit({}, on_line);
  }

 private:
  template <typename OnLine>
  void Emit(std::string_view rest, const OnLine& on_line) {
    std::string whole;
    if (!line_.empty()) {
      whole.swap(line_);
      whole.append(rest);
      rest = whole;
    }
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    on_line(rest);
  }

  const size_t max_line_bytes_;
  std::string line_;
};

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_DATAPLANE_UPSTREAM_LINE_BUFFER_H_
