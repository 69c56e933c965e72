#include "dataplane/upstream/sse_reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "dataplane/http/line_ends.h"
#include "shared/base/status.h"

namespace gatehouse::upstream {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// Longer than the name of any field, so that a longer name is none of them.
constexpr size_t kEnoughOfAName = 6;

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
  SkipByteOrderMark(bytes);
  http::LineEnds ends(bytes);
  size_t at = 0;
  while (at < bytes.size()) {
    // The LF of a CRLF whose CR has ended the line already.
    if (std::exchange(after_cr_, false) && bytes[at] == '\n') {
      ++at;
      continue;
    }
    const size_t end = ends.Next(at);
    if (event_bytes_ + line_bytes_ + (end - at) > max_event_bytes_) {
      return MakeStatus(absl::StatusCode::kResourceExhausted,
                        "event stream: an event is longer than " +
                            std::to_string(max_event_bytes_) + " bytes");
    }
    TakePart(bytes.substr(at, end - at));
    if (end == bytes.size()) break;
    after_cr_ = bytes[end] == '\r';
    at = end + 1;
    EndLine();
  }
  return absl::OkStatus();
}

void SseReader::SkipByteOrderMark(std::string_view& bytes) {
  while (at_start_ && !bytes.empty()) {
    if (bytes.front() == kByteOrderMark[mark_bytes_]) {
      bytes.remove_prefix(1);
      at_start_ = ++mark_bytes_ < kByteOrderMark.size();
      continue;
    }
    at_start_ = false;
    TakePart(kByteOrderMark.substr(0, mark_bytes_));  // it was none
  }
}

void SseReader::TakePart(std::string_view part) {
  line_bytes_ += part.size();
  if (field_ == Field::kName) {
    const size_t colon = std::min(part.find(':'), part.size());
    name_.append(
        part.substr(0, std::min(colon, kEnoughOfAName - name_.size())));
    if (colon == part.size()) return;
    part.remove_prefix(colon + 1);
    BeginValue();
  }
  if (part.empty()) return;
  if (std::exchange(before_space_, false) && part.front() == ' ') {
    part.remove_prefix(1);
  }
  if (field_ == Field::kData) {
    data_.append(part);
  } else if (field_ != Field::kIgnored) {
    value_.append(part);
  }
}

void SseReader::BeginValue() {
  before_space_ = true;
  field_ = Field::kIgnored;  // the empty name of a comment, among others
  if (name_ == "data") {
    field_ = Field::kData;
    if (std::exchange(has_data_, true)) data_.push_back('\n');
  } else if (name_ == "event") {
    field_ = Field::kEvent;
  } else if (name_ == "id") {
    field_ = Field::kId;
  } else if (name_ == "retry") {
    field_ = Field::kRetry;
  }
}

void SseReader::EndLine() {
  if (line_bytes_ == 0) return Dispatch();
  if (field_ == Field::kName) BeginValue();  // without a colon: without a value
  switch (field_) {
    case Field::kEvent:
      type_ = value_;
      break;
    case Field::kId:
      if (value_.find('\0') == std::string::npos) pending_id_ = value_;
      break;
    case Field::kRetry:
      if (const auto retry = ParseRetry(value_)) retry_ms_ = retry;
      break;
    case Field::kData:
    case Field::kName:
    case Field::kIgnored:
      break;
  }
  field_ = Field::kName;
  name_.clear();
  value_.clear();
  line_bytes_ = 0;
  event_bytes_ = data_.size() + type_.size();
}

void SseReader::Dispatch() {
  last_event_id_ = pending_id_;
  Event event{std::exchange(type_, {}), std::exchange(data_, {})};
  has_data_ = false;
  event_bytes_ = 0;
  if (!event.data.empty()) on_event_(std::move(event));
}

}  // namespace gatehouse::upstream
