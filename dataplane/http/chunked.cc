#include "dataplane/http/chunked.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "dataplane/http/http_text.h"

namespace gatehouse::http {
namespace {

constexpr size_t kMaxLineBytes = 4 << 10;
constexpr size_t kMaxExtraBytes = 16 << 10;
constexpr size_t kMaxSizeDigits = 15;

std::optional<uint64_t> ParseHex(std::string_view text) {
  if (text.empty() || text.size() > kMaxSizeDigits) return std::nullopt;
  uint64_t value = 0;
  for (const char c : text) {
    uint64_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<uint64_t>(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = static_cast<uint64_t>(c - 'A') + 10;
    } else {
      return std::nullopt;
    }
    value = value * 16 + digit;
  }
  return value;
}

}  // namespace

ChunkedReader::State ChunkedReader::Feed(std::string_view& bytes,
                                         std::string& content) {
  while (!bytes.empty()) {
    if (part_ == Part::kData) {
      const size_t n =
          static_cast<size_t>(std::min<uint64_t>(left_, bytes.size()));
      content.append(bytes.substr(0, n));
      bytes.remove_prefix(n);
      left_ -= n;
      if (left_ == 0) part_ = Part::kDataEnd;
      continue;
    }
    // A line: of the size, of a trailer, or the empty one after the data.
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    if (line_.size() + end > kMaxLineBytes) return State::kBroken;
    line_.append(bytes.substr(0, end));
    if (end == bytes.size()) {
      bytes = {};
      break;
    }
    bytes.remove_prefix(end + 1);
    if (!line_.ends_with('\r')) return State::kBroken;
    line_.pop_back();
    if (const State state = EndLine(); state != State::kMore) return state;
  }
  return State::kMore;
}

ChunkedReader::State ChunkedReader::EndLine() {
  const std::string line = std::exchange(line_, {});
  if (!IsFieldValue(line)) return State::kBroken;
  switch (part_) {
    case Part::kSize: {
      const std::string_view size_text =
          TrimSpace(std::string_view(line).substr(0, line.find(';')));
      const std::optional<uint64_t> size = ParseHex(size_text);
      if (!size || line.front() == ' ' || line.front() == '\t') {
        return State::kBroken;
      }
      extra_bytes_ += line.size() - size_text.size();
      if (extra_bytes_ > kMaxExtraBytes) return State::kBroken;
      left_ = *size;
      part_ = left_ == 0 ? Part::kTrailer : Part::kData;
      return State::kMore;
    }
    case Part::kDataEnd:
      part_ = Part::kSize;
      return line.empty() ? State::kMore : State::kBroken;
    case Part::kTrailer:
      extra_bytes_ += line.size() + 2;
      if (line.empty()) return State::kDone;
      return extra_bytes_ > kMaxExtraBytes ? State::kBroken : State::kMore;
    case Part::kData:
      break;
  }
  return State::kBroken;
}

void AppendChunk(std::string_view content, std::string& out) {
  if (content.empty()) return;
  char size[24];
  const int n = snprintf(size, sizeof(size), "%zx\r\n", content.size());
  out.append(size, static_cast<size_t>(n)).append(content).append("\r\n");
}

}  // namespace gatehouse::http
