#include "dataplane/http/request_assembler.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "dataplane/http/http_text.h"

namespace gatehouse::http {

RequestAssembler::Step RequestAssembler::Next(std::string_view& bytes) {
  if (part_ == Part::kHead && whole_.head_bytes.empty()) {
    SkipEmptyLine(bytes);
    if (skipped_ == 1 && !bytes.empty()) return Refuse({400, "a bare CR"});
  }
  if (!bytes.empty()) begun_ = true;
  switch (part_) {
    case Part::kHead:
      return ReadHead(bytes);
    case Part::kLength:
      return ReadLength(bytes);
    case Part::kChunked:
      return ReadChunked(bytes);
  }
  return Step::kRefused;
}

// RFC 9112 §2.2: old clients end a body with a line end that it does not count.
// One is forgiven; else it would be held against the next request.
void RequestAssembler::SkipEmptyLine(std::string_view& bytes) {
  constexpr std::string_view kLineEnd = "\r\n";
  while (skipped_ < kLineEnd.size() && !bytes.empty() &&
         bytes.front() == kLineEnd[skipped_]) {
    ++skipped_;
    bytes.remove_prefix(1);
  }
}

RequestAssembler::Step RequestAssembler::ReadHead(std::string_view& bytes) {
  std::string& head = whole_.head_bytes;
  const size_t seen = head.size();
  // What is taken too much is handed back below.
  const size_t taken =
      std::min(bytes.size(), limits_.max_header_bytes + 1 - seen);
  head.append(bytes.substr(0, taken));
  const size_t end = FindHeadEnd(head, seen);
  if (end == std::string_view::npos) {
    const auto hopeless = GuardPartialHead(head, seen, limits_);
    if (hopeless.has_value()) return Refuse(*hopeless);
    bytes.remove_prefix(taken);
    if (head.size() <= limits_.max_header_bytes) return Step::kMore;
    return Refuse({431, "header block over the limit"});
  }
  bytes.remove_prefix(end - seen);
  head.resize(end);
  std::variant<RequestHead, Refusal> guarded = GuardHead(head, limits_);
  if (const auto* refusal = std::get_if<Refusal>(&guarded)) {
    return Refuse(*refusal);
  }
  whole_.head = std::get<RequestHead>(std::move(guarded));
  switch (whole_.head.framing) {
    case BodyFraming::kNone:
      return Step::kWhole;
    case BodyFraming::kLength:
      part_ = Part::kLength;
      break;
    case BodyFraming::kChunked:
      part_ = Part::kChunked;
      break;
  }
  // A peer that sends its body at once waits for nothing.
  if (whole_.head.expects_continue && bytes.empty()) return Step::kContinue;
  return Next(bytes);
}

RequestAssembler::Step RequestAssembler::ReadLength(std::string_view& bytes) {
  const size_t left =
      static_cast<size_t>(whole_.head.content_length) - whole_.body.size();
  const size_t taken = std::min(left, bytes.size());
  whole_.body.append(bytes.substr(0, taken));
  bytes.remove_prefix(taken);
  return taken == left ? Step::kWhole : Step::kMore;
}

RequestAssembler::Step RequestAssembler::ReadChunked(std::string_view& bytes) {
  // In slices, so that an oversized chunk is not taken in whole.
  constexpr size_t kSlice = 64 << 10;
  while (!bytes.empty()) {
    std::string_view slice = bytes.substr(0, kSlice);
    const size_t before = slice.size();
    const ChunkedReader::State state = chunked_.Feed(slice, whole_.body);
    bytes.remove_prefix(before - slice.size());
    if (state == ChunkedReader::State::kBroken) {
      return Refuse({400, "malformed chunk"});
    }
    if (whole_.body.size() > limits_.max_body_bytes) {
      return Refuse({413, "body over the limit"});
    }
    if (state == ChunkedReader::State::kDone) return Step::kWhole;
  }
  return Step::kMore;
}

RequestAssembler::Step RequestAssembler::Refuse(Refusal refusal) {
  refusal_ = refusal;
  whole_ = {};
  return Step::kRefused;
}

RequestAssembler::Whole RequestAssembler::Take() {
  part_ = Part::kHead;
  begun_ = false;
  skipped_ = 0;
  chunked_ = {};
  return std::exchange(whole_, {});
}

}  // namespace gatehouse::http
