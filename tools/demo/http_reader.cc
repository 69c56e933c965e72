#include "tools/demo/http_reader.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::demo {
namespace {

constexpr size_t kMaxHeadBytes = 64 << 10;
constexpr size_t kMaxBodyBytes = 16 << 20;

std::string Lowered(std::string_view text) {
  return absl::AsciiStrToLower(ToAbsl(text));
}

std::string Stripped(std::string_view text) {
  return std::string(absl::StripAsciiWhitespace(ToAbsl(text)));
}

absl::StatusOr<uint64_t> ParseSize(std::string_view text, int base) {
  uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) {
    return absl::InvalidArgumentError("a body's size is no number");
  }
  return value;
}

HttpHead ParseHead(std::string_view text) {
  HttpHead head;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string line = Stripped(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (head.start_line.empty()) {
      head.start_line = line;
      continue;
    }
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    head.headers.emplace_back(
        Lowered(line.substr(0, colon)),
        Stripped(std::string_view(line).substr(colon + 1)));
  }
  return head;
}

}  // namespace

std::optional<std::string> HttpHead::Header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return std::nullopt;
}

int HttpHead::Status() const {
  const size_t space = start_line.find(' ');
  if (space == std::string::npos) return 0;
  int status = 0;
  std::from_chars(start_line.data() + space + 1,
                  start_line.data() + start_line.size(), status);
  return status;
}

absl::Status HttpReader::Feed(std::string_view bytes) {
  buffer_.append(bytes);
  bool progress = true;
  while (progress) {
    progress = false;
    GATEHOUSE_RETURN_IF_ERROR(Step(&progress));
  }
  return absl::OkStatus();
}

void HttpReader::Close() {
  if (phase_ == Phase::kUntilClose) EndBody();
}

absl::Status HttpReader::Step(bool* progress) {
  switch (phase_) {
    case Phase::kHead:
      return ReadHead(progress);
    case Phase::kChunkSize:
      return ReadChunkSize(progress);
    case Phase::kTrailer:
      return ReadTrailer(progress);
    case Phase::kChunkEnd: {
      std::string line;
      if (TakeLine(&line)) {
        phase_ = Phase::kChunkSize;
        *progress = true;
      }
      return absl::OkStatus();
    }
    case Phase::kFixed:
    case Phase::kChunk:
    case Phase::kUntilClose:
      return ReadBody(progress);
  }
  return absl::InternalError("unknown phase");
}

absl::Status HttpReader::ReadHead(bool* progress) {
  const size_t end = buffer_.find("\r\n\r\n");
  if (end == std::string::npos) {
    if (buffer_.size() > kMaxHeadBytes) {
      return absl::ResourceExhaustedError("a head is over 64 KiB");
    }
    return absl::OkStatus();
  }
  head_ = ParseHead(std::string_view(buffer_).substr(0, end));
  buffer_.erase(0, end + 4);
  *progress = true;
  observer_->OnHead(head_);
  return StartBody();
}

absl::Status HttpReader::StartBody() {
  const std::string type = head_.Header("content-type").value_or("");
  is_events_ = Lowered(type).rfind("text/event-stream", 0) == 0;
  const int status = side_ == Side::kResponses ? head_.Status() : 0;
  if (status / 100 == 1) {
    phase_ = Phase::kHead;  // the real response follows
    return absl::OkStatus();
  }
  if (Lowered(head_.Header("transfer-encoding").value_or("")) == "chunked") {
    phase_ = Phase::kChunkSize;
    return absl::OkStatus();
  }
  left_ = 0;
  phase_ = Phase::kFixed;
  if (status == 204 || status == 304) return absl::OkStatus();
  if (const auto length = head_.Header("content-length")) {
    GATEHOUSE_ASSIGN_OR_RETURN(left_, ParseSize(*length, 10));
  } else if (side_ == Side::kResponses) {
    phase_ = Phase::kUntilClose;
  }
  return absl::OkStatus();
}

absl::Status HttpReader::ReadChunkSize(bool* progress) {
  std::string line;
  if (!TakeLine(&line)) return absl::OkStatus();
  *progress = true;
  const std::string digits = Stripped(line.substr(0, line.find(';')));
  GATEHOUSE_ASSIGN_OR_RETURN(left_, ParseSize(digits, 16));
  phase_ = left_ == 0 ? Phase::kTrailer : Phase::kChunk;
  return absl::OkStatus();
}

absl::Status HttpReader::ReadTrailer(bool* progress) {
  std::string line;
  if (!TakeLine(&line)) return absl::OkStatus();
  *progress = true;
  if (line.empty()) EndBody();
  return absl::OkStatus();
}

absl::Status HttpReader::ReadBody(bool* progress) {
  size_t count = buffer_.size();
  if (phase_ != Phase::kUntilClose) count = std::min<uint64_t>(count, left_);
  if (count > 0) {
    GATEHOUSE_RETURN_IF_ERROR(
        TakeBody(std::string_view(buffer_).substr(0, count)));
    buffer_.erase(0, count);
    *progress = true;
  }
  if (phase_ == Phase::kUntilClose) return absl::OkStatus();
  left_ -= count;
  if (left_ > 0) return absl::OkStatus();
  *progress = true;
  if (phase_ == Phase::kChunk) {
    phase_ = Phase::kChunkEnd;
  } else {
    EndBody();
  }
  return absl::OkStatus();
}

absl::Status HttpReader::TakeBody(std::string_view bytes) {
  if (!is_events_) {
    if (body_.size() + bytes.size() > kMaxBodyBytes) {
      return absl::ResourceExhaustedError("a body is over 16 MiB");
    }
    body_.append(bytes);
    return absl::OkStatus();
  }
  GATEHOUSE_RETURN_IF_ERROR(events_.Feed(bytes));
  std::string data;
  while (events_.Next(&data)) observer_->OnMessage(data);
  return absl::OkStatus();
}

void HttpReader::EndBody() {
  if (!body_.empty()) observer_->OnMessage(body_);
  body_.clear();
  events_ = EventStream();
  phase_ = Phase::kHead;
  observer_->OnEnd();
}

bool HttpReader::TakeLine(std::string* line) {
  const size_t end = buffer_.find('\n');
  if (end == std::string::npos) return false;
  *line = Stripped(std::string_view(buffer_).substr(0, end));
  buffer_.erase(0, end + 1);
  return true;
}

}  // namespace gatehouse::demo
