#include "dataplane/http/response_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dataplane/http/http_text.h"

namespace gatehouse::http {
namespace {

constexpr size_t kMaxHeadBytes = 64 << 10;
constexpr int kMaxInterim = 8;

}  // namespace

ResponseReader::Step ResponseReader::Next(std::string_view& bytes) {
  if (!bytes.empty()) started_ = true;
  switch (part_) {
    case Part::kHead:
      return ReadHead(bytes);
    case Part::kLength:
      return ReadLength(bytes);
    case Part::kChunked:
      return ReadChunked(bytes);
    case Part::kToClose:
      if (bytes.empty()) return Step::kMore;
      body_ = std::exchange(bytes, {});
      return Step::kBody;
    case Part::kDone:
      break;
  }
  return Step::kDone;
}

ResponseReader::Step ResponseReader::AtClose() const {
  return part_ == Part::kToClose || part_ == Part::kDone ? Step::kDone
                                                         : Step::kBroken;
}

ResponseReader::Step ResponseReader::ReadHead(std::string_view& bytes) {
  while (true) {
    const size_t seen = head_.size();
    // What is taken too much is handed back below.
    const size_t taken = std::min(bytes.size(), kMaxHeadBytes + 1 - seen);
    head_.append(bytes.substr(0, taken));
    const size_t end = FindHeadEnd(head_, seen);
    if (end == std::string_view::npos) {
      bytes.remove_prefix(taken);
      return head_.size() > kMaxHeadBytes ? Step::kBroken : Step::kMore;
    }
    bytes.remove_prefix(end - seen);
    head_.resize(end);
    const std::string head = std::exchange(head_, {});
    if (!ParseHead(head)) return Step::kBroken;
    if (status_ >= 200) break;
    // Nobody asked for an upgrade; a stream of interim answers is an attack.
    if (status_ == 101 || ++interim_ > kMaxInterim) return Step::kBroken;
  }
  return ChooseFraming() ? Step::kHead : Step::kBroken;
}

bool ResponseReader::ParseHead(std::string_view head) {
  const size_t line_end = head.find("\r\n");
  const std::string_view line = head.substr(0, line_end);
  // `HTTP/1.1 200 OK`; the phrase may be absent.
  if (line.size() < 12 ||
      !(line.starts_with("HTTP/1.1 ") || line.starts_with("HTTP/1.0 "))) {
    return false;
  }
  const std::optional<uint64_t> code = ParseDecimal(line.substr(9, 3));
  if (!code || *code < 100 || *code > 599) return false;
  if (line.size() > 12 && line[12] != ' ') return false;
  if (!IsFieldValue(line)) return false;
  std::optional<Headers> headers = ParseHeaderLines(head.substr(line_end + 2));
  if (!headers) return false;
  status_ = static_cast<int>(*code);
  headers_ = *std::move(headers);
  keep_alive_ = line[7] == '1';
  for (const auto& [name, value] : headers_) {
    if (EqualsNoCase(name, "connection") && ListHasToken(value, "close")) {
      keep_alive_ = false;
    }
  }
  return true;
}

bool ResponseReader::ChooseFraming() {
  const int lengths = CountHeader(headers_, "content-length");
  const int codings = CountHeader(headers_, "transfer-encoding");
  if (lengths > 1 || codings > 1 || (lengths == 1 && codings == 1)) {
    return false;
  }
  if (codings == 1) {
    const auto coding = FindHeader(headers_, "transfer-encoding");
    if (!EqualsNoCase(*coding, "chunked")) return false;
    part_ = Part::kChunked;
  } else if (lengths == 1) {
    const auto length = ParseDecimal(*FindHeader(headers_, "content-length"));
    if (!length) return false;
    left_ = *length;
    part_ = left_ == 0 ? Part::kDone : Part::kLength;
  } else {
    part_ = Part::kToClose;
  }
  if (to_head_ || status_ == 204 || status_ == 304) part_ = Part::kDone;
  if (part_ == Part::kToClose) keep_alive_ = false;
  return true;
}

ResponseReader::Step ResponseReader::ReadLength(std::string_view& bytes) {
  if (left_ == 0) {
    part_ = Part::kDone;
    return Step::kDone;
  }
  if (bytes.empty()) return Step::kMore;
  body_ = bytes.substr(
      0, static_cast<size_t>(std::min<uint64_t>(left_, bytes.size())));
  bytes.remove_prefix(body_.size());
  left_ -= body_.size();
  return Step::kBody;
}

ResponseReader::Step ResponseReader::ReadChunked(std::string_view& bytes) {
  if (chunks_done_) {
    part_ = Part::kDone;
    return Step::kDone;
  }
  content_.clear();
  const ChunkedReader::State state = chunked_.Feed(bytes, content_);
  if (state == ChunkedReader::State::kBroken) return Step::kBroken;
  chunks_done_ = state == ChunkedReader::State::kDone;
  if (!content_.empty()) {
    body_ = content_;
    return Step::kBody;
  }
  if (!chunks_done_) return Step::kMore;
  part_ = Part::kDone;
  return Step::kDone;
}

}  // namespace gatehouse::http
