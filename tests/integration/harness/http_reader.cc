#include "tests/integration/harness/http_reader.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace gatehouse::testing {
namespace {

std::string Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  const size_t last = text.find_last_not_of(" \t\r");
  return std::string(text.substr(first, last - first + 1));
}

HttpHead ParseHead(std::string_view block) {
  HttpHead head;
  bool first = true;
  while (!block.empty()) {
    const size_t end = std::min(block.find('\n'), block.size());
    const std::string line = Trim(block.substr(0, end));
    block.remove_prefix(std::min(end + 1, block.size()));
    if (first) {
      head.first_line = line;
      first = false;
      continue;
    }
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string name = line.substr(0, colon);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    head.headers[name] = Trim(line.substr(colon + 1));
  }
  return head;
}

std::string Word(const std::string& line, int index) {
  size_t start = 0;
  for (; index > 0; --index) {
    start = line.find(' ', start);
    if (start == std::string::npos) return "";
    ++start;
  }
  return line.substr(start, line.find(' ', start) - start);
}

}  // namespace

int HttpHead::Status() const { return std::atoi(Word(first_line, 1).c_str()); }
std::string HttpHead::Method() const { return Word(first_line, 0); }
std::string HttpHead::Target() const { return Word(first_line, 1); }
std::string HttpHead::Header(const std::string& lower_case_name) const {
  const auto it = headers.find(lower_case_name);
  return it == headers.end() ? "" : it->second;
}

void HttpReader::Feed(std::string_view data) {
  buffer_.append(data);
  while (Step()) {
  }
}

void HttpReader::FeedEnd() {
  if (state_ == State::kUntilEnd) EndMessage();
}

void HttpReader::EndMessage() {
  state_ = State::kHead;
  if (events_.on_end) events_.on_end();
}

bool HttpReader::StepHead() {
  const size_t end = buffer_.find("\r\n\r\n");
  if (end == std::string::npos) return false;
  const HttpHead head = ParseHead(std::string_view(buffer_).substr(0, end));
  buffer_.erase(0, end + 4);
  const std::string length = head.Header("content-length");
  const int status = side_ == Side::kResponses ? head.Status() : 200;
  const bool chunked = head.Header("transfer-encoding") == "chunked";
  left_ = length.empty() ? 0 : std::strtoull(length.c_str(), nullptr, 10);
  if (chunked) {
    state_ = State::kChunkSize;
  } else if (!length.empty() || side_ == Side::kRequests || status / 100 == 1 ||
             status == 204 || status == 304) {
    state_ = State::kLength;
  } else {
    state_ = State::kUntilEnd;
  }
  if (events_.on_head) events_.on_head(head);
  if (state_ == State::kLength && left_ == 0) EndMessage();
  return true;
}

bool HttpReader::StepLine(std::string* line) {
  const size_t end = buffer_.find("\r\n");
  if (end == std::string::npos) return false;
  *line = buffer_.substr(0, end);
  buffer_.erase(0, end + 2);
  return true;
}

bool HttpReader::Step() {
  std::string line;
  switch (state_) {
    case State::kHead:
      return StepHead();
    case State::kChunkSize:
      if (!StepLine(&line)) return false;
      left_ = std::strtoull(line.c_str(), nullptr, 16);
      state_ = left_ == 0 ? State::kChunkEnd : State::kChunk;
      return true;
    case State::kChunkEnd:  // the blank line after the last chunk
      if (!StepLine(&line)) return false;
      if (line.empty()) EndMessage();
      return true;
    case State::kUntilEnd:
      if (buffer_.empty()) return false;
      if (events_.on_body) events_.on_body(buffer_);
      buffer_.clear();
      return false;
    case State::kLength:
    case State::kChunk:
      break;
  }
  // A chunk is taken with its line end, so that kChunkSize starts at a line.
  const bool in_chunk = state_ == State::kChunk;
  if (in_chunk && buffer_.size() < left_ + 2) return false;
  if (buffer_.empty()) return false;
  const std::string body =
      buffer_.substr(0, std::min<uint64_t>(left_, buffer_.size()));
  buffer_.erase(0, body.size() + (in_chunk ? 2 : 0));
  left_ -= body.size();
  if (in_chunk) state_ = State::kChunkSize;
  if (events_.on_body) events_.on_body(body);
  if (!in_chunk && left_ == 0) EndMessage();
  return true;
}

void SseReader::Feed(std::string_view data) {
  partial_.append(data);
  size_t end;
  while ((end = partial_.find('\n')) != std::string::npos) {
    std::string line = partial_.substr(0, end);
    partial_.erase(0, end + 1);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    Line(line);
  }
}

void SseReader::Line(std::string_view line) {
  if (line.empty()) {
    if (has_data_) on_event_(current_);
    current_ = SseEvent();
    has_data_ = false;
    return;
  }
  if (line.front() == ':') {
    ++comments_;
    return;
  }
  const size_t colon = std::min(line.find(':'), line.size());
  const std::string_view field = line.substr(0, colon);
  std::string_view value = line.substr(std::min(colon + 1, line.size()));
  if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  if (field == "data") {
    if (has_data_) current_.data.push_back('\n');
    current_.data.append(value);
    has_data_ = true;
  } else if (field == "event") {
    current_.event = std::string(value);
  } else if (field == "id") {
    current_.id = std::string(value);
  }
}

}  // namespace gatehouse::testing
