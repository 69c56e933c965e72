#include "tests/bench/http_reader.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "shared/base/status.h"

namespace gatehouse::bench {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr std::string_view kLineEnd = "\r\n";
constexpr size_t kMaxSizeLine = 64;

// A whole number in `base`, within the bound of a body.
bool ParseSize(std::string_view text, int base, size_t* size) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), *size, base);
  return error == std::errc() && end == text.data() + text.size() &&
         *size <= HttpReader::kMaxBodyBytes;
}

}  // namespace

char* HttpReader::Space(size_t least) {
  if (begin_ == end_) begin_ = end_ = 0;
  if (buffer_.size() - end_ >= least) return buffer_.data() + end_;
  if (begin_ > 0 && head_size_ == 0) {
    std::copy(buffer_.begin() + begin_, buffer_.begin() + end_,
              buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < least) {
    buffer_.resize(std::max(buffer_.size() * 2, end_ + least));
  }
  return buffer_.data() + end_;
}

std::string_view HttpReader::head() const {
  return std::string_view(buffer_).substr(begin_, head_size_);
}

std::string_view HttpReader::first_line() const {
  return head().substr(0, head().find(kLineEnd));
}

int HttpReader::status() const {
  const std::string_view line = first_line();
  int status = 0;
  if (line.size() < 12 || line.substr(0, 5) != "HTTP/") return 0;
  std::from_chars(line.data() + 9, line.data() + 12, status);
  return status;
}

std::string_view HttpReader::Header(std::string_view name) const {
  std::string_view rest = head();
  for (size_t end; (end = rest.find(kLineEnd)) != std::string_view::npos;) {
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + kLineEnd.size());
    if (line.size() > name.size() && line[name.size()] == ':' &&
        absl::EqualsIgnoreCase(ToAbsl(line.substr(0, name.size())),
                               ToAbsl(name))) {
      return ToStd(
          absl::StripAsciiWhitespace(ToAbsl(line.substr(name.size() + 1))));
    }
  }
  return "";
}

std::string_view HttpReader::body() const {
  if (framing_ == Framing::kChunked) return dechunked_;
  const size_t start = begin_ + head_size_;
  return std::string_view(buffer_).substr(start,
                                          std::min(length_, end_ - start));
}

bool HttpReader::ReadHead() {
  const std::string_view unread =
      std::string_view(buffer_).substr(begin_, end_ - begin_);
  const size_t end = unread.find(kHeadEnd);
  if (end == std::string_view::npos) return unread.size() <= kMaxHeadBytes;
  head_size_ = end + kHeadEnd.size();
  length_ = 0;
  framing_ = Framing::kNone;
  if (absl::EqualsIgnoreCase(ToAbsl(Header("Transfer-Encoding")), "chunked")) {
    framing_ = Framing::kChunked;
    dechunked_.clear();
    chunk_at_ = begin_ + head_size_;
    return true;
  }
  const std::string_view length = Header("Content-Length");
  if (length.empty()) return true;
  framing_ = Framing::kLength;
  return ParseSize(length, 10, &length_);
}

HttpReader::State HttpReader::Read() {
  if (!has_head() && !ReadHead()) return State::kBroken;
  if (!has_head()) return State::kMore;
  switch (framing_) {
    case Framing::kNone:
      return State::kDone;
    case Framing::kLength:
      return end_ - begin_ - head_size_ >= length_ ? State::kDone
                                                   : State::kMore;
    case Framing::kChunked:
      return ReadChunks();
  }
  return State::kBroken;
}

HttpReader::State HttpReader::ReadChunks() {
  while (true) {
    const std::string_view unread =
        std::string_view(buffer_).substr(chunk_at_, end_ - chunk_at_);
    const size_t line_end = unread.find(kLineEnd);
    if (line_end == std::string_view::npos) {
      return unread.size() > kMaxSizeLine ? State::kBroken : State::kMore;
    }
    size_t size = 0;
    if (!ParseSize(unread.substr(0, line_end), 16, &size) ||
        dechunked_.size() + size > kMaxBodyBytes) {
      return State::kBroken;
    }
    const size_t data = line_end + kLineEnd.size();
    if (unread.size() < data + size + kLineEnd.size()) return State::kMore;
    dechunked_.append(unread.substr(data, size));
    chunk_at_ += data + size + kLineEnd.size();
    if (size == 0) return State::kDone;  // no peer here sends trailers
  }
}

void HttpReader::Drop() {
  begin_ =
      framing_ == Framing::kChunked ? chunk_at_ : begin_ + head_size_ + length_;
  head_size_ = 0;
  length_ = 0;
  framing_ = Framing::kNone;
}

}  // namespace gatehouse::bench
