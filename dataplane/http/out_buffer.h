#ifndef GATEHOUSE_DATAPLANE_HTTP_OUT_BUFFER_H_
#define GATEHOUSE_DATAPLANE_HTTP_OUT_BUFFER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gatehouse::http {

// Bytes on their way out. Small pieces are joined, so that they leave in one
// packet; a large one is kept as it came, not copied. Costs nothing while it is
// empty. Thread-compatible.
class OutBuffer {
 public:
  void Append(std::string bytes) {
    if (bytes.empty()) return;
    size_ += bytes.size();
    if (!pieces_.empty() &&
        pieces_.back().size() + bytes.size() <= kJoinedBytes) {
      pieces_.back().append(bytes);
    } else {
      pieces_.push_back(std::move(bytes));
    }
  }

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }

  // What leaves next; not to be used after Append or Consume.
  std::string_view Front() const {
    if (first_ == pieces_.size()) return {};
    return std::string_view(pieces_[first_]).substr(sent_);
  }
  // The first `count` bytes of Front have left.
  void Consume(size_t count) {
    size_ -= count;
    sent_ += count;
    if (size_ == 0) return Clear();
    if (sent_ < pieces_[first_].size()) return;
    pieces_[first_++] = {};
    sent_ = 0;
  }
  void Clear() {
    std::vector<std::string>().swap(pieces_);
    first_ = sent_ = size_ = 0;
  }

 private:
  static constexpr size_t kJoinedBytes = 16 << 10;

  std::vector<std::string> pieces_;
  size_t first_ = 0;  // those before it have left
  size_t sent_ = 0;   // of the first
  size_t size_ = 0;
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_OUT_BUFFER_H_
