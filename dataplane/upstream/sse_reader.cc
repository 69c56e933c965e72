#include "dataplane/upstream/sse_reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "shared/base/status.h"

namespace gatehouse::upstream {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Digits only, as the format wants; nullopt for anything else or over a day,
// which no server means.
std::optional<int64_t> ParseRetry(std::string_view text) {
  constexpr int64_t kMaxRetryMs = 24LL * 3600 * 1000;
  if (text.empty() || text.size() > 9) return std::nullopt;
  int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  if (value > kMaxRetryMs) return std::nullopt;
  return value;
}

}  // namespace

SseReader::SseReader(size_t max_event_bytes, OnEvent on_event)
    : max_event_bytes_(max_event_bytes), on_event_(std::move(on_event)) {}

absl::Status SseReader::Feed(std::string_view bytes) {
  while (!bytes.empty()) {
    // The LF of a CRLF whose CR has ended the line already.
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const size_t end = std::min(bytes.find_first_of("\r\n"), bytes.size());
    if (line_.size() + end + data_.size() + type_.size() > max_event_bytes_) {
      return MakeStatus(absl::StatusCode::kResourceExhausted,
                        "event stream: an event is longer than " +
                            std::to_string(max_event_bytes_) + " bytes");
    }
    line_.append(bytes.substr(0, end));
    if (end == bytes.size()) break;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    EndLine();
  }
  return absl::OkStatus();
}

void SseReader::EndLine() {
  std::string line = std::exchange(line_, {});
  std::string_view text = line;
  if (std::exchange(at_start_, false) && text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  if (text.empty()) return Dispatch();
  const size_t colon = text.find(':');
  const std::string_view field = text.substr(0, colon);
  std::string_view value;
  if (colon != std::string_view::npos) value = text.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);

  if (field == "data") {
    if (std::exchange(has_data_, true)) data_.push_back('\n');
    data_.append(value);
  } else if (field == "event") {
    type_ = value;
  } else if (field == "id") {
    if (value.find('\0') == std::string_view::npos) pending_id_ = value;
  } else if (field == "retry") {
    if (const auto retry = ParseRetry(value)) retry_ms_ = retry;
  }
  // Anything else, the empty name of a comment among it, is ignored.
}

void SseReader::Dispatch() {
  last_event_id_ = pending_id_;
  Event event{std::exchange(type_, {}), std::exchange(data_, {})};
  has_data_ = false;
  if (!event.data.empty()) on_event_(std::move(event));
}

}  // namespace gatehouse::upstream
