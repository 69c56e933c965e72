// Event streams, read and written:
//
//   - how the bytes are split changes no event, id, retry or refusal;
//   - the reader reads what a naive reading of the WHATWG's rules does;
//   - whatever a message holds, what is written of it is one event whose data
//   is
//     the message, its line ends turned to LF, and nothing else (T21).

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataplane/http/sse_writer.h"
#include "dataplane/upstream/sse_reader.h"
#include "tests/fuzz/fuzz_support.h"

namespace gatehouse::upstream {
namespace {

using fuzz::Require;

constexpr size_t kMaxEventBytes = 160;  // small, so that inputs reach it

struct Stream {
  std::vector<std::pair<std::string, std::string>> events;  // type, data
  std::string last_id;
  std::optional<int64_t> retry_ms;
  bool refused = false;

  bool operator==(const Stream&) const = default;
};

Stream Read(std::string_view bytes, fuzz::Dice* dice, size_t max_event_bytes) {
  Stream stream;
  SseReader reader(max_event_bytes, [&](SseReader::Event event) {
    Require(!event.data.empty(), "no event without data");
    Require(event.data.size() + event.type.size() <= max_event_bytes,
            "an event's limit");
    stream.events.emplace_back(std::move(event.type), std::move(event.data));
  });
  while (!bytes.empty() && !stream.refused) {
    const std::string piece(dice == nullptr ? std::exchange(bytes, {})
                                            : fuzz::TakePiece(bytes, *dice));
    stream.refused = !reader.Feed(piece).ok();
  }
  stream.last_id = reader.last_event_id();
  stream.retry_ms = reader.retry_ms();
  return stream;
}

// CR and CRLF become LF.
std::string WithLf(std::string_view text) {
  std::string lines;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' && i > 0 && text[i - 1] == '\r') continue;
    lines.push_back(text[i] == '\r' ? '\n' : text[i]);
  }
  return lines;
}

bool IsRetry(std::string_view value) {
  return !value.empty() && value.size() <= 9 &&
         value.find_first_not_of("0123456789") == std::string_view::npos &&
         std::strtoll(std::string(value).c_str(), nullptr, 10) <= 86'400'000;
}

// The format's rules one after the other, on the whole text.
Stream ReadNaively(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  const std::string text = WithLf(bytes);
  Stream stream;
  std::string type;
  std::string id;
  std::string data;
  size_t begin = 0;
  for (size_t end = text.find('\n'); end != std::string::npos;
       begin = end + 1, end = text.find('\n', begin)) {
    const std::string line = text.substr(begin, end - begin);
    if (line.empty()) {
      if (data.ends_with('\n')) data.pop_back();
      if (!data.empty()) stream.events.emplace_back(type, data);
      stream.last_id = id;
      type.clear();
      data.clear();
      continue;
    }
    const size_t colon = std::min(line.find(':'), line.size());
    const std::string field = line.substr(0, colon);
    std::string value = colon == line.size() ? "" : line.substr(colon + 1);
    if (value.starts_with(' ')) value.erase(0, 1);
    if (field == "event") type = value;
    if (field == "data") data.append(value).push_back('\n');
    if (field == "id" && value.find('\0') == std::string::npos) id = value;
    if (field == "retry" && IsRetry(value)) {
      stream.retry_ms = std::strtoll(value.c_str(), nullptr, 10);
    }
  }
  return stream;
}

void CheckWriter(std::string_view message, fuzz::Dice& dice) {
  // A message is a JSON text; what matters is that it is not empty to a reader.
  const std::string padded = std::string(message) + "{}";
  const Stream stream =
      Read(http::SseEvent(padded), &dice, 2 * message.size() * 7 + 1024);
  Require(!stream.refused && stream.events.size() == 1,
          "a message is one event");
  Require(stream.events[0].second == WithLf(padded),
          "an event's data is the message");
  Require(stream.events[0].first == "message" && stream.last_id.empty() &&
              !stream.retry_ms.has_value(),
          "a message sets no type, id or retry");
}

}  // namespace
}  // namespace gatehouse::upstream

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gatehouse;  // NOLINT: the function's name is libFuzzer's
  const std::string_view input = fuzz::View(data, size);
  fuzz::Dice dice(input);
  const upstream::Stream whole =
      upstream::Read(input, nullptr, upstream::kMaxEventBytes);
  fuzz::Require(whole == upstream::Read(input, &dice, upstream::kMaxEventBytes),
                "a split changes nothing");
  if (!whole.refused) {
    fuzz::Require(whole == upstream::ReadNaively(input),
                  "a naive reader reads the same");
  }
  upstream::CheckWriter(input, dice);
  return 0;
}
